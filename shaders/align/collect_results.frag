// Collects the result of each pair of a batch: the number in its last cell or tile. It is in the texture that the pass of that
// diagonal wrote to; passes rotate among STATES textures.
//
// @dialects gl33 es300 : FIXED_POINT STATES=2|3
// @dialects gl33 es300 : FIXED_POINT STATES=3 PACKED
// @dialects gl21 : STATES=3
uniform MATRIX_SAMPLER pairs;  // z, w: the last row and the last column
#ifdef LEGACY
#define STATE_SAMPLER MATRIX_SAMPLER
#define STATE_TEXEL(state, place) TEXEL_AT(state, (place).x, (place).y)
#else
#define STATE_SAMPLER MATRIX_ARRAY_SAMPLER
#define STATE_TEXEL(state, place) texelFetch(state, place, 0)
#endif
uniform STATE_SAMPLER state0;
uniform STATE_SAMPLER state1;
#if STATES == 3
uniform STATE_SAMPLER state2;
#endif
// Layer and component of the number, and of its identities if they are separate.
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
    ivec2 last = ivec2(TEXEL_AT(pairs, place, 0).zw);
    ivec2 component = ivec2(number.y, identities.y);
#endif
    int diagonal = last.x + last.y;
    int turn = diagonal - diagonal / STATES * STATES;
    ivec3 first = ivec3(place, last.x, number.x);
    ivec3 second = ivec3(place, last.x, identities.x);
    VALUE4 found = turn == 0 ? STATE_TEXEL(state0, first) : STATE_TEXEL(state1, first);
    VALUE4 beside = turn == 0 ? STATE_TEXEL(state0, second) : STATE_TEXEL(state1, second);
#if STATES == 3
    if (turn == 2) {
        found = STATE_TEXEL(state2, first);
        beside = STATE_TEXEL(state2, second);
    }
#endif
    fragmentOutput[0] = VALUE4(found[component.x], beside[component.y], 0, 0);
}
