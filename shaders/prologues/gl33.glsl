#version 330 core
#include "common/modern_stages.glsl"
