// Two panels of float values: attributes along x, instances along y. ROW_TEXEL and COLUMN_TEXEL look up a texel by the
// position of its centre.
uniform MATRIX_SAMPLER rowPanel;
uniform MATRIX_SAMPLER columnPanel;
#ifdef NORMALISED
// Cheaper in software than texelFetch, which checks every coordinate.
uniform vec2 rowTexel;  // sizes of texels in normalised coordinates
uniform vec2 columnTexel;
#define ROW_TEXEL(place) textureLod(rowPanel, (place) * rowTexel, 0.0)
#define COLUMN_TEXEL(place) textureLod(columnPanel, (place) * columnTexel, 0.0)
#else
#define ROW_TEXEL(place) FETCH(rowPanel, place)
#define COLUMN_TEXEL(place) FETCH(columnPanel, place)
#endif
