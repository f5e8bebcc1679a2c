// Counts equal patterns, which lie next to one another after sorting: the first one of them gets their number, the others 0.
//
// @dialects gl33 es300 : ROW_BITS=12 NORMALISED?
// @dialects gl21 : ROW_TEXELS=4096.0
#include "crossapen/tables.glsl"
#include "crossapen/pattern_order.glsl"
uniform float templates;  // patterns of a channel
uniform float highest;    // the largest power of two up to `templates`

void main() {
    float index = float(TEXEL_OF_FRAGMENT);
    float inChannel = index - floor(index * inverseStride) * stride;
    vec4 mine = patternAt(index);
    float count = 0.0;
    if (inChannel < templates && (inChannel == 0.0 || patternAt(index - 1.0) != mine)) {
        count = 1.0;
        for (float more = highest; more >= 1.0; more *= 0.5)
            if (inChannel + count + more <= templates && patternAt(index + count + more - 1.0) == mine) count += more;
    }
    fragmentOutput[0] = vec4(count);
}
