// Moves of all columns and passes, beside those of the anti-diagonals before.
//
// @dialects gl33 es300 : FIXED_POINT
uniform isampler2D state;
uniform int begin;  // where they are kept

void main() {
    fragmentOutput[0] = ivec4(texelFetch(state, ivec2(gl_FragCoord.xy) - ivec2(begin, 0), 0).y);
}
