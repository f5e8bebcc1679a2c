// Bound k of a texel of four: a replicated component (GPU Gems 2, 43.3.4).
#ifdef COMPONENT
// One of four programs, each made for one value of k mod 4: no branch.
#define SELECT(texel) (texel).COMPONENT
#else
// One program for all k.
uniform float component;  // k mod 4
VALUE SELECT(VALUE4 texel) {
    if (component < 0.5) return texel.x;
    if (component < 1.5) return texel.y;
    if (component < 2.5) return texel.z;
    return texel.w;
}
#endif
