#version 300 es
precision highp float;
precision highp int;
// Without these, Mesa really rounds texels to half precision.
precision highp sampler2D;
precision highp usampler2D;
precision highp isampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
#include "common/modern_stages.glsl"
