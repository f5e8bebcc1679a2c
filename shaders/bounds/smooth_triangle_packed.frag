// Both bounds in one texture and four bounds of a row a texel, one k (GPU Gems 2, 43.3.4, which advises against
// it): upper bounds above the diagonal, lower bounds (LOWER) below. Elements of a texel's columns that row k lacks
// come from column k, with one fetch each. Upper bounds take 3 or 6 fetches, or 7 where k lies among
// the columns; lower bounds 8, since the same texels hold both bounds (the chapter counts 11).
//
// @dialects gl33 es300 gl21 : COMPONENT=x
// @dialects gl33 es300 gl21 : COMPONENT=w
// @dialects gl33 es300 gl21 : COMPONENT=y LOWER
// @dialects gl33 es300 gl21 : COMPONENT=z LOWER
// @dialects gl33 es300 : COMPONENT=w FIXED_POINT
// @dialects gl33 es300 : COMPONENT=w FIXED_POINT LOWER
#include "bounds/select_component.glsl"
uniform MATRIX_SAMPLER bounds;
uniform float k;
VARYING vec2 texCoord0;  // of the texel

VALUE pick(VALUE4 texel, float column) {
    float component = column - 4.0 * floor(column / 4.0);
    if (component < 0.5) return texel.x;
    if (component < 1.5) return texel.y;
    if (component < 2.5) return texel.z;
    return texel.w;
}

VALUE4 whereGreater(vec4 columns, float than, VALUE4 yes, VALUE4 no) {
    return VALUE4(columns.x > than ? yes.x : no.x, columns.y > than ? yes.y : no.y,
                  columns.z > than ? yes.z : no.z, columns.w > than ? yes.w : no.w);
}

void main() {
    float row = floor(texCoord0.y);
    vec4 columns = 4.0 * floor(texCoord0.x) + vec4(0.0, 1.0, 2.0, 3.0);
    float texelOfK = floor(k / 4.0) + 0.5;
    VALUE4 own = FETCH(bounds, texCoord0);
    VALUE4 alongRow = VALUE4(0);  // (k, j)
    VALUE4 across = VALUE4(0);    // (j, k)
#ifndef LOWER
    if (columns.w > k)
#endif
        alongRow = FETCH(bounds, vec2(texCoord0.x, k + 0.5));
#ifndef LOWER
    if (columns.x <= k)
#endif
        across = VALUE4(SELECT(FETCH(bounds, vec2(texelOfK, columns.x + 0.5))),
                        SELECT(FETCH(bounds, vec2(texelOfK, columns.y + 0.5))),
                        SELECT(FETCH(bounds, vec2(texelOfK, columns.z + 0.5))),
                        SELECT(FETCH(bounds, vec2(texelOfK, columns.w + 0.5))));
    vec2 ofRow = vec2(texelOfK, texCoord0.y);                  // (i, k)
    vec2 mirrored = vec2(floor(row / 4.0) + 0.5, k + 0.5);     // (k, i)
    VALUE4 ukj = whereGreater(columns, k, alongRow, across);
#ifdef LOWER
    VALUE one = SELECT(FETCH(bounds, ofRow));
    VALUE other = pick(FETCH(bounds, mirrored), row);
    VALUE uik = row < k ? one : other;
    VALUE lik = row < k ? other : one;
    VALUE4 lkj = whereGreater(columns, k, across, alongRow);
    VALUE4 found = max(own, max(VALUE4(lik) - ukj, lkj - VALUE4(uik)));
    // Columns before the row.
    fragmentOutput[0] = whereGreater(columns, row - 0.5, own, found);
#else
    VALUE uik;
    if (row < k)
        uik = SELECT(FETCH(bounds, ofRow));
    else
        uik = pick(FETCH(bounds, mirrored), row);
    fragmentOutput[0] = whereGreater(columns, row, min(own, VALUE4(uik) + ukj), own);
#endif
}
