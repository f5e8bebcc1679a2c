// Consistency transformation of posteriors (engine/alignment/posterior/posterior_engine.hpp). For one entry of the posteriors of two
// sequences x and y, residues i and j, the sum over the pair's third sequences z of w_z sum_k P_xz(i, k) P_yz(j, k).
//
// A row of posteriors is a list of entries in ascending order, two in a texel: each the number of a residue, and the bits of its
// posterior. NO_RESIDUE ends the list; the next row begins with the next texel.
//
// @dialects gl33 es300
uniform isampler2D targets;  // of each entry: the pair's first third sequence, their number, i, j
uniform isampler2D thirds;   // of x and of y: number of the first row of posteriors towards z; bits of w_z
uniform isampler2D rows;     // of each row: its first texel
uniform isampler2D entries;
uniform int targetCount;
// Of these tables: bits of a texel's number that are its place in a row of texels.
uniform int targetBits;
uniform int thirdBits;
uniform int rowBits;
uniform int entryBits;

#define NO_RESIDUE 0x7fffffff

ivec4 texelOf(isampler2D table, int number, int bits) {
    return texelFetch(table, ivec2(number & ((1 << bits) - 1), number >> bits), 0);
}

// The sum of the products of two rows, merged; each texel is fetched once.
float commonSum(int one, int other) {
    ivec4 first = texelOf(entries, one, entryBits);
    ivec4 second = texelOf(entries, other, entryBits);
    bool firstHasNext = true;
    bool secondHasNext = true;
    float sum = 0.0;
    while (first.x != NO_RESIDUE && second.x != NO_RESIDUE) {
        bool passesFirst = first.x <= second.x;
        bool passesSecond = second.x <= first.x;
        if (passesFirst && passesSecond) sum += intBitsToFloat(first.y) * intBitsToFloat(second.y);
        if (passesFirst) {
            if (firstHasNext)
                first.xy = first.zw;
            else
                first = texelOf(entries, ++one, entryBits);
            firstHasNext = !firstHasNext;
        }
        if (passesSecond) {
            if (secondHasNext)
                second.xy = second.zw;
            else
                second = texelOf(entries, ++other, entryBits);
            secondHasNext = !secondHasNext;
        }
    }
    return sum;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec4 target = texelFetch(targets, place, 0);
    // Rasterizers shade in blocks. What is beyond the last target is undefined, and its loops would count for the whole block.
    int count = (place.y << targetBits) + place.x < targetCount ? target.y : 0;
    float sum = 0.0;
    for (int k = 0; k < count; ++k) {
        ivec4 third = texelOf(thirds, target.x + k, thirdBits);
        int one = texelOf(rows, third.x + target.z, rowBits).x;
        int other = texelOf(rows, third.y + target.w, rowBits).x;
        sum += intBitsToFloat(third.z) * commonSum(one, other);
    }
    fragmentOutput[0] = vec4(sum, 0.0, 0.0, 0.0);
}
