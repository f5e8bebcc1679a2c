#version 300 es
#include "common/modern_stages.glsl"
