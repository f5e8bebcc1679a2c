// Costs of columns 0, 1 … of all profiles, two texels each:
// forwards: opening; twice the extension, and 1 where gaps in the other profile's columns cost something, which they do not beside the
//           ends; the sum of extensions up to there
// backwards: opening there and one behind; twice the extension one behind, and 1 as before; opening two behind
uniform isampler2D costs;
uniform int rowBits;  // of a number of a texel of costs: its place in a row of texels

ivec4 costsAt(int column, int isBackward) {
    int number = 2 * column + isBackward;
    return texelFetch(costs, ivec2(number & ((1 << rowBits) - 1), number >> rowBits), 0);
}
