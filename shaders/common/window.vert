// A rectangle of the window, placed by a matrix.
//
// @dialects gl33 es300 gl21
ATTRIBUTE vec2 position;  // corners of the unit square
uniform mat4 placing;
VARYING vec2 place;  // 0 … 1 over the rectangle

void main() {
    place = position;
    gl_Position = placing * vec4(position, 0.0, 1.0);
}
