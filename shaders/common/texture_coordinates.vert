// Passes four sets of texture coordinates to the rasterizer, which interpolates them over the primitive (GPU Gems 2,
// 43.3.2).
//
// @dialects gl33 es300 gl21
ATTRIBUTE vec2 position;  // in pixels of the target
ATTRIBUTE vec2 coordinate0;
ATTRIBUTE vec2 coordinate1;
ATTRIBUTE vec2 coordinate2;
ATTRIBUTE vec2 coordinate3;
uniform vec2 targetSize;  // in pixels
VARYING vec2 texCoord0;
VARYING vec2 texCoord1;
VARYING vec2 texCoord2;
VARYING vec2 texCoord3;

void main() {
    texCoord0 = coordinate0;
    texCoord1 = coordinate1;
    texCoord2 = coordinate2;
    texCoord3 = coordinate3;
    gl_Position = vec4(position / targetSize * 2.0 - 1.0, 0.0, 1.0);
}
