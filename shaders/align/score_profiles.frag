// The score of each column of one profile against each of another: the sum of products of their values, divided by a unit and
// rounded towards 0. Texel (x, y) is column x of the second profile against column y - firstRow of the first one.
//
// @dialects gl33 es300 : FIXED_POINT
uniform isampler2D values;  // 32 numbers per column of all profiles, four per texel
uniform ivec2 begins;       // first columns of both profiles
uniform int firstRow;
uniform int rowBits;  // of a texel's number: its position in a row of texels
uniform int unit;

const int kTexels = 8;

ivec4 valuesOf(int column, int texel) {
    int number = column * kTexels + texel;
    return texelFetch(values, ivec2(number & ((1 << rowBits) - 1), number >> rowBits), 0);
}

void main() {
    ivec2 columns = begins + ivec2(int(gl_FragCoord.y) - firstRow, int(gl_FragCoord.x));
    int sum = 0;
    for (int k = 0; k < kTexels; ++k) {
        ivec4 products = valuesOf(columns.x, k) * valuesOf(columns.y, k);
        sum += products.x + products.y + products.z + products.w;
    }
    fragmentOutput[0] = ivec4(sum < 0 ? -(-sum / unit) : sum / unit);
}
