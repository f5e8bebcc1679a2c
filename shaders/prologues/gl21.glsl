#version 120
#extension GL_ARB_texture_rectangle : require
// The 2005 path: float matrices in rectangle textures, addressed in texels.
#define VALUE float
#define VALUE4 vec4
#define MATRIX_SAMPLER sampler2DRect
#define TABLE_SAMPLER sampler2DRect
#define FETCH(matrix, coordinate) texture2DRect(matrix, coordinate)
// The texel in column x and row y, both integers.
#define TEXEL_AT(matrix, x, y) texture2DRect(matrix, vec2(x, y) + 0.5)
// Textures hold no integers and bits are not accessible: shaders keep integers in floats, up to 2^24.
#define LEGACY
#define ATTRIBUTE attribute
#define VARYING varying
#define fragmentOutput gl_FragData
