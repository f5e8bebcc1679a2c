#version 120
#extension GL_ARB_texture_rectangle : require
// The 2005 path: float matrices in rectangle textures, addressed in texels.
#define VALUE float
#define VALUE4 vec4
#define MATRIX_SAMPLER sampler2DRect
#define FETCH(matrix, coordinate) texture2DRect(matrix, coordinate)
#define ATTRIBUTE attribute
#define VARYING varying
#define fragmentOutput gl_FragData
