// The finished picture of a scene: the mean of its samples. Parts are paler with distance, darker where nearer parts surround
// them, and have a dark edge where something lies far behind.
//
// @dialects gl33 es300
#define kSamples 2  // samples per pixel along each side
uniform TABLE_SAMPLER scene;  // colour, and Å towards the viewer; below -1e8: nothing
uniform vec4 extent;          // half of the picture's width, height and depth in Å, and Å per sample
uniform vec4 background;
VARYING vec2 place;  // 0 … 1 over the picture

float heightAt(ivec2 at, ivec2 size) {
    return texelFetch(scene, clamp(at, ivec2(0), size - 1), 0).w;
}

vec3 colorOf(ivec2 at, ivec2 size) {
    vec4 texel = texelFetch(scene, at, 0);
    vec3 color = background.rgb;
    float height = texel.w;
    if (height > -1e8) {
        float shade = 0.0;
        // Three rings of eight directions.
        for (int ring = 1; ring <= 3; ++ring)
            for (int k = 0; k < 8; ++k) {
                float angle = 0.785398 * float(k) + 0.4 * float(ring);
                float reach = 1.1 * float(ring);  // Å
                ivec2 there = at + ivec2(round(reach / extent.w * vec2(cos(angle), sin(angle))));
                float above = (heightAt(there, size) - height) / reach;
                // Much nearer parts belong to something else, and shade less.
                shade += clamp(above, 0.0, 1.0) / (1.0 + max(above - 3.0, 0.0));
            }
        color = clamp(texel.rgb, 0.0, 1.0) * (1.0 - 0.55 * smoothstep(0.05, 0.75, shade / 24.0));
        float behind = clamp(0.5 - 0.5 * height / extent.z, 0.0, 1.0);
        color = mix(color, background.rgb, 0.62 * behind * behind);
    }
    // An edge is drawn on the farther side.
    float step = 0.0;
    for (int k = 0; k < 4; ++k) {
        ivec2 there = at + ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0);
        step = max(step, heightAt(there, size) - max(height, -extent.z));
    }
    return mix(color, 0.25 * color, 0.75 * smoothstep(1.2, 3.5, step));
}

void main() {
    ivec2 size = textureSize(scene, 0);
    ivec2 first = ivec2(place * vec2(size / kSamples)) * kSamples;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < kSamples; ++y)
        for (int x = 0; x < kSamples; ++x) sum += colorOf(min(first + ivec2(x, y), size - 1), size);
    fragmentOutput[0] = vec4(sum / float(kSamples * kSamples), 1.0);
}
