// Adds neighbouring partial sums of a row (see template_sums.glsl). Texel x is the sum of `count` texels, fewer at the end
// of the row.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2
uniform MATRIX_ARRAY_SAMPLER sums;
uniform int count;
uniform int extent;  // texels per row

void main() {
    uvec4 logarithms = uvec4(0u);
    uvec4 counts = uvec4(0u);
    ivec2 place = ivec2(gl_FragCoord.xy);
    int end = min((place.x + 1) * count, extent);
    for (int x = place.x * count; x < end; ++x) {
        logarithms += texelFetch(sums, ivec3(x, place.y, 0), 0);
        counts += texelFetch(sums, ivec3(x, place.y, 1), 0);
    }
    fragmentOutput[0] = logarithms;
    fragmentOutput[1] = counts;
}
