// The base-2 logarithm of a positive number, within 2^-23 (or 2^-24 of its value if that is more), because drivers differ
// in the accuracy of their own. Computed from the mantissa m in [1/sqrt 2, sqrt 2) by the series of artanh((m - 1)/(m +
// 1)).
float logarithm(float number) {
#ifdef LEGACY
    // For numbers from 2^-127 to sqrt 2. Multiplication by powers of two is exact.
    float m = number;
    float exponent = 0.0;
#define DOUBLE(times, power) \
    if (m * power < 1.41421356) { \
        m *= power; \
        exponent -= times; \
    }
    DOUBLE(64.0, 18446744073709551616.0)
    DOUBLE(32.0, 4294967296.0)
    DOUBLE(16.0, 65536.0)
    DOUBLE(8.0, 256.0)
    DOUBLE(4.0, 16.0)
    DOUBLE(2.0, 4.0)
    DOUBLE(1.0, 2.0)
#else
    int bits = floatBitsToInt(number);
    int exponent = (bits - 0x3f3504f3) >> 23;
    float m = intBitsToFloat(bits - (exponent << 23));
#endif
    float s = (m - 1.0) / (m + 1.0);
    float square = s * s;
    return float(exponent) + s * (2.885390082 +
           square * (0.961796694 + square * (0.577078016 + square * (0.412198583 + square * 0.320598898))));
}
// Below every relevant probability, but with a finite logarithm.
#define SMALLEST 1e-30
// p log2 p, or 0 for p = 0.
float entropyTerm(float p) { return p * logarithm(max(p, SMALLEST)); }

// Marks the mutual information of genes without a common sample.
#define NO_SAMPLE -1.0
// Converts H(X) + H(Y) - H(X,Y) of shares p of all samples, with the sum `total`, to shares of the samples that both genes
// have.
float informationOf(float terms, float total) {
    return total > SMALLEST ? terms / total + logarithm(total) : NO_SAMPLE;
}
