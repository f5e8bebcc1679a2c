// Appends the moves of all columns and passes to those of earlier anti-diagonals.
//
// @dialects gl33 es300 : FIXED_POINT
uniform isampler2D state;
uniform int begin;  // their position in the target

void main() {
    fragmentOutput[0] = ivec4(texelFetch(state, ivec2(gl_FragCoord.xy) - ivec2(begin, 0), 0).y);
}
