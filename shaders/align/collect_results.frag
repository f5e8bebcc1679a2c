// What the passes of a batch have left of each pair: the number in its last cell, or tile, which lies in the texture in which the pass
// of that diagonal wrote. STATES textures take turns.
//
// @dialects gl33 es300 : FIXED_POINT STATES=2|3
// @dialects gl33 es300 : FIXED_POINT STATES=3 PACKED
uniform isampler2D pairs;  // z, w: the last row and the last column
uniform MATRIX_ARRAY_SAMPLER state0;
uniform MATRIX_ARRAY_SAMPLER state1;
#if STATES == 3
uniform MATRIX_ARRAY_SAMPLER state2;
#endif
// Layer and component of the number, and of its identities where they lie beside it.
uniform ivec2 number;
uniform ivec2 identities;

void main() {
    int pair = int(gl_FragCoord.x);
#ifdef PACKED
    int place = pair / 4;
    ivec2 last = ivec2(0);
    for (int k = 0; k < 4; ++k) last = max(last, texelFetch(pairs, ivec2(4 * place + k, 0), 0).zw);
    ivec2 component = ivec2(pair % 4);
#else
    int place = pair;
    ivec2 last = texelFetch(pairs, ivec2(place, 0), 0).zw;
    ivec2 component = ivec2(number.y, identities.y);
#endif
    int turn = (last.x + last.y) % STATES;
    ivec3 first = ivec3(place, last.x, number.x);
    ivec3 second = ivec3(place, last.x, identities.x);
    ivec4 found = turn == 0 ? texelFetch(state0, first, 0) : texelFetch(state1, first, 0);
    ivec4 beside = turn == 0 ? texelFetch(state0, second, 0) : texelFetch(state1, second, 0);
#if STATES == 3
    if (turn == 2) {
        found = texelFetch(state2, first, 0);
        beside = texelFetch(state2, second, 0);
    }
#endif
    fragmentOutput[0] = ivec4(found[component.x], beside[component.y], 0, 0);
}
