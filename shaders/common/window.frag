// Shows a render target to people: its numbers unchanged (SAMPLE), or as colours from black through red and yellow to
// white. The numbers of a texel are drawn side by side.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 gl21 : SAMPLE
// @dialects gl33 es300 : SAMPLER=isampler2D|usampler2D SAMPLE?
// @dialects gl33 es300 : ARRAY SAMPLER=sampler2DArray|isampler2DArray|usampler2DArray SAMPLE?
#ifndef SAMPLER
#define SAMPLER MATRIX_SAMPLER
#endif
uniform SAMPLER shown;
uniform vec2 size;       // of the target, in texels
uniform float channels;  // 1 or 4 numbers per texel
#ifndef SAMPLE
uniform vec2 range;  // the number drawn black, and 1 / (white - black)
#endif
VARYING vec2 place;

void main() {
    float column = min(floor(place.x * size.x * channels), size.x * channels - 1.0);
    float x = floor(column / channels);
    float channel = column - channels * x;
    vec2 texel = vec2(x, min(floor(place.y * size.y), size.y - 1.0)) + 0.5;
#ifdef ARRAY
    vec4 numbers = vec4(texelFetch(shown, ivec3(ivec2(texel), 0), 0));
#else
    vec4 numbers = vec4(FETCH(shown, texel));
#endif
    float number = channel < 0.5 ? numbers.x : channel < 1.5 ? numbers.y : channel < 2.5 ? numbers.z : numbers.w;
#ifdef SAMPLE
    fragmentOutput[0] = vec4(number);
#else
    float heat = 3.0 * clamp((number - range.x) * range.y, 0.0, 1.0);
    fragmentOutput[0] = vec4(clamp(vec3(heat, heat - 1.0, heat - 2.0), 0.0, 1.0), 1.0);
#endif
}
