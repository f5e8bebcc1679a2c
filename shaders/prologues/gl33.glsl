#version 330 core
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp isampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
#include "common/modern_stages.glsl"
