// Copies the texels of an anti-diagonal in all layers to another position.
//
// @dialects gl33 es300 : OUTPUTS=3|4|6|8
uniform MATRIX_ARRAY_SAMPLER source;
uniform ivec2 shift;  // from target to source

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy) + shift;
#define COPY(l) fragmentOutput[l] = texelFetch(source, ivec3(place, l), 0);
    COPY(0) COPY(1) COPY(2)
#if OUTPUTS > 3
    COPY(3)
#endif
#if OUTPUTS > 4
    COPY(4) COPY(5)
#endif
#if OUTPUTS > 6
    COPY(6) COPY(7)
#endif
}
