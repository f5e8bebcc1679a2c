// Shared by the dialects with texelFetch and user-defined outputs (330 core and 300 es).
precision highp float;
precision highp int;
// Without these, Mesa's OpenGL ES does round texels to half precision.
precision highp sampler2D;
precision highp usampler2D;
precision highp isampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
#include "common/values.glsl"
#define ATTRIBUTE in
// The texel that contains `coordinate`, in texels: centres are at half-integers.
#define FETCH(matrix, coordinate) texelFetch(matrix, ivec2(coordinate), 0)
#define TEXEL_AT(matrix, x, y) texelFetch(matrix, ivec2(x, y), 0)
#define TABLE_SAMPLER sampler2D  // of floats, whatever type a matrix has
#ifdef VERTEX_STAGE
#define VARYING out
#else
#define VARYING in
#ifndef OUTPUTS
#define OUTPUTS 1
#endif
layout(location = 0) out VALUE4 fragmentOutput[OUTPUTS];
#endif
