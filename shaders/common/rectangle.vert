// Covers the viewport; the scissor rectangle selects the part to draw.
//
// @dialects gl33 es300 gl21
ATTRIBUTE vec2 position;  // corners of the unit square

void main() {
    gl_Position = vec4(position * 2.0 - 1.0, 0.0, 1.0);
}
