#version 330 core
#ifdef BIT_COUNT
#extension GL_ARB_gpu_shader5 : require
#endif
#include "common/modern_stages.glsl"
