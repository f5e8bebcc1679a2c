// The largest of some neighbouring candidates of a target y, and its first gene: high limb, low limb, gene. Reads sums
// (add_redundancy.frag), two per texel, or with BEST the results for parts of them.
//
// @dialects gl33 es300 : FIXED_POINT BEST?
#define AT_ONCE 64
uniform isampler2D candidates;
uniform int texels;  // of all candidates of a target
uniform int column;  // column of the target from which parts are numbered

ivec4 best = ivec4(-2147483647, 0, 0, 0);

void take(ivec3 other) {
    if (other.x > best.x || (other.x == best.x && other.y > best.y)) best = ivec4(other, 0);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int first = (place.x - column) * AT_ONCE;
    int end = min(first + AT_ONCE, texels);
    for (int x = first; x < end; ++x) {
        ivec4 texel = texelFetch(candidates, ivec2(x, place.y), 0);
#ifdef BEST
        take(texel.xyz);
#else
        take(ivec3(texel.xy, 2 * x));
        take(ivec3(texel.zw, 2 * x + 1));
#endif
    }
    fragmentOutput[0] = best;
}
