// The pair of channels of a row of the target.
uniform TABLE_SAMPLER pairs;  // a texel per row: slot of the channel of the templates, slot of the partner, r
uniform vec2 pairsTexel;
uniform int sampleStride;  // texels of the table `signals` per channel

struct Pair {
    int templates;  // first texel of the channel of the templates in the table `signals`
    int partner;    // slot of the partner in the tables of partners
    float tolerance;
};

Pair pairOfRow() {
    vec4 pair = TABLE(pairs, pairsTexel, int(gl_FragCoord.y));
    return Pair(int(pair.x) * sampleStride, int(pair.y), pair.z);
}
