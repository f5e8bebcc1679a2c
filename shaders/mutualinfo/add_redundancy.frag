// Adds to the sums of two candidates beside each other, x, of a target, y, its information with either less that of
// either with the gene selected last. Numbers have two limbs, the high one and 26 bits that are not negative; NEVER as the
// high one: no candidate, or not known.
//
// @dialects gl33 es300 : FIXED_POINT
#define NEVER (-1073741824)
uniform isampler2D information;
uniform isampler2D sums;
uniform isampler2D selected;  // choose_candidate.frag, a selection a column
uniform int selection;
uniform int firstTarget;
uniform int isFirst;  // the sums are the information alone, from which the first one was selected
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
