// What the last row of each pass over profiles has come to: texel (x, y) is column y of pass x, which lies in the texture in which the
// pass of that anti-diagonal wrote it. Three textures take turns.
//
// @dialects gl33 es300 : FIXED_POINT
#include "align/profile_pass.glsl"
uniform isampler2D state0;
uniform isampler2D state1;
uniform isampler2D state2;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec4 begin = passNumbers(place.x, 0);
    if (place.y > begin.w) discard;
    int turn = (begin.z + place.y) % 3;
    ivec4 found = turn == 0 ? texelFetch(state0, place, 0) : texelFetch(state1, place, 0);
    if (turn == 2) found = texelFetch(state2, place, 0);
    fragmentOutput[0] = found;
}
