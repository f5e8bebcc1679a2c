// Adds to the sums of two adjacent candidates x of a target y their information with the target, minus their information
// with the gene selected last. Numbers have two limbs: the high one, and 26 non-negative bits. NEVER as the high limb means
// no candidate, or unknown.
//
// @dialects gl33 es300 : FIXED_POINT
#define NEVER (-1073741824)
uniform isampler2D information;
uniform isampler2D sums;
uniform isampler2D selected;  // choose_candidate.frag, a column per selection
uniform int selection;
uniform int firstTarget;
uniform int isFirst;  // the sums are only the information from which the first gene was selected
uniform ivec2 unknown;

ivec2 nextSum(ivec2 sum, ivec2 relevance, ivec2 redundancy, bool isSelected) {
    if (sum.x == NEVER || isSelected) return ivec2(NEVER, 0);
    if (redundancy.x == NEVER) redundancy = unknown;
    if (isFirst == 1) sum = ivec2(0);
    int low = sum.y + relevance.y - redundancy.y;
    return ivec2(sum.x + relevance.x - redundancy.x + (low >> 26), low & 67108863);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int gene = texelFetch(selected, ivec2(selection, place.y), 0).z;
    ivec4 sum = texelFetch(sums, place, 0);
    ivec4 relevance = texelFetch(information, ivec2(place.x, firstTarget + place.y), 0);
    ivec4 redundancy = texelFetch(information, ivec2(place.x, gene), 0);
    fragmentOutput[0] = ivec4(nextSum(sum.xy, relevance.xy, redundancy.xy, gene == 2 * place.x),
                              nextSum(sum.zw, relevance.zw, redundancy.zw, gene == 2 * place.x + 1));
}
