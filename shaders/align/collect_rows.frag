// Collects the last row of each pass over profiles: texel (x, y) is tile column y of pass x, from the texture that the pass of that
// anti-diagonal wrote to; passes rotate among three textures. The outputs are the best of all paths, and of paths that end in a gap
// over rows.
//
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=2
#include "align/profile_pass.glsl"
uniform isampler2DArray state0;
uniform isampler2DArray state1;
uniform isampler2DArray state2;

const int kSide = 4;

ivec4 ofLayer(ivec2 place, int turn, int layer) {
    if (turn == 2) return texelFetch(state2, ivec3(place, layer), 0);
    return turn == 0 ? texelFetch(state0, ivec3(place, layer), 0) : texelFetch(state1, ivec3(place, layer), 0);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec4 begin = passNumbers(place.x, 0);
    if (kSide * place.y >= begin.w) discard;
    int turn = ((begin.z - 1) / kSide + place.y) % 3;
    fragmentOutput[0] = ofLayer(place, turn, 0);
    fragmentOutput[1] = ofLayer(place, turn, 1);
}
