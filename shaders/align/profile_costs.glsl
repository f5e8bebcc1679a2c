// Costs of columns 0, 1 ... of all profiles, two texels each:
// forwards: opening; twice the extension, plus 1 if gaps in the other profile's columns cost something (not at the ends); the sum
// of extensions up to there
// backwards: opening there and at the next column; twice the next column's extension, plus 1 as above; opening two columns on
uniform isampler2D costs;
uniform int rowBits;  // of a cost's texel number: its position in a row of texels

ivec4 costsAt(int column, int isBackward) {
    int number = 2 * column + isBackward;
    return texelFetch(costs, ivec2(number & ((1 << rowBits) - 1), number >> rowBits), 0);
}
