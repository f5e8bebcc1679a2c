// Number of ones in a word: with the device's instruction if the dialect supports it (BIT_COUNT), else by adding
// neighbouring fields of 1, 2 and 4 bits, and the four bytes by a multiplication.
#ifdef BIT_COUNT
#define POPULATION_COUNT(word) uint(bitCount(word))
#else
uint POPULATION_COUNT(uint word) {
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0fu;
    return (word * 0x01010101u) >> 24;
}
#endif
// Number of ones in four words together: adds the bytes of the words before the four bytes of the sum.
uint POPULATION_COUNT_4(uvec4 words) {
#ifdef BIT_COUNT
    ivec4 counts = bitCount(words);
    return uint(counts.x + counts.y + counts.z + counts.w);
#else
    words -= (words >> 1) & 0x55555555u;
    words = (words & 0x33333333u) + ((words >> 2) & 0x33333333u);
    words = (words + (words >> 4)) & 0x0f0f0f0fu;
    return ((words.x + words.y + words.z + words.w) * 0x01010101u) >> 24;
#endif
}

// Sum of three bits per position, as ones and twos. `ones` may alias one of the three words, `twos` may not.
#define FULL_ADDER(twos, ones, a, b, c)        \
    {                                          \
        uint either = (a) ^ (b);               \
        twos = ((a) & (b)) | (either & (c));   \
        ones = either ^ (c);                   \
    }
