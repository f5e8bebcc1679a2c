// One step of a bitonic sort of the patterns of each channel (K. E. Batcher, Sorting networks and their applications, AFIPS
// 1968): every texel keeps the smaller or the larger one of its pattern and that of its partner, `reach` texels away. Steps
// with the reaches run / 2, run / 4 … 1 make sorted runs of `run` patterns, which rise and fall in turns. The last run is the
// whole channel, and rises.
//
// @dialects gl33 es300 : ROW_BITS=12 NORMALISED?
// @dialects gl21 : ROW_TEXELS=4096.0
#include "crossapen/tables.glsl"
#include "crossapen/pattern_order.glsl"
uniform float reach;
uniform float inverseReach;
uniform float inverseRun;

bool isOdd(float number) {
    return number - 2.0 * floor(number * 0.5) == 1.0;
}

void main() {
    float index = float(TEXEL_OF_FRAGMENT);
    float inChannel = index - floor(index * inverseStride) * stride;
    bool isSecond = isOdd(floor(inChannel * inverseReach));
    bool falls = isOdd(floor(inChannel * inverseRun));
    vec4 mine = patternAt(index);
    vec4 other = patternAt(isSecond ? index - reach : index + reach);
    bool takesOther = isSecond != falls ? isBefore(mine, other) : isBefore(other, mine);
    fragmentOutput[0] = takesOther ? other : mine;
}
