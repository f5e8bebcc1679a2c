// How often each number of crossings occurs among a block of templates. A fragment counts four numbers.
//
// @dialects gl33 es300 : ROW_BITS=12 NORMALISED?
// @dialects gl21 : ROW_TEXELS=4096.0
#include "crossapen/tables.glsl"
uniform TABLE_SAMPLER crossings;  // of four templates per texel (cross_patterns.frag)
uniform vec2 crossingsTexel;
uniform int texels;          // per pair
uniform int texelsPerBlock;
uniform int blocks;          // per pair
uniform int quads;           // four numbers each, per block
uniform int lastTexel;       // of the table being filled

void main() {
    ivec2 place = divided(TEXEL_OF_FRAGMENT < lastTexel ? TEXEL_OF_FRAGMENT : lastTexel, blocks * quads);
    ivec2 part = divided(place.y, quads);
    int begin = part.x * texelsPerBlock;
    int end = begin + texelsPerBlock < texels ? begin + texelsPerBlock : texels;
    vec4 numbers = float(4 * part.y) + vec4(0.0, 1.0, 2.0, 3.0);
    vec4 counts = vec4(0.0);
    for (int t = begin; t < end; ++t) {
        vec4 found = TABLE(crossings, crossingsTexel, place.x * texels + t);
        counts += vec4(equal(vec4(found.x), numbers)) + vec4(equal(vec4(found.y), numbers)) +
                  vec4(equal(vec4(found.z), numbers)) + vec4(equal(vec4(found.w), numbers));
    }
    fragmentOutput[0] = counts;
}
