uniform isampler2D costs;  // of columns 0, 1 … of all profiles: opening, extension, and sum of extensions up to it
uniform int rowBits;       // of a number of a texel of costs: its place in a row of texels

ivec3 costsAt(int number) {
    return texelFetch(costs, ivec2(number & ((1 << rowBits) - 1), number >> rowBits), 0).xyz;
}
