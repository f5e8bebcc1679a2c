// Sums energies (w) of consecutive distances, dihedral angles or atoms of a model into x.
//
// @dialects gl33 es300
uniform int rowBits;
#define AT(table, index) TEXEL_AT(table, (index) & ((1 << rowBits) - 1), (index) >> rowBits)
uniform MATRIX_SAMPLER chunks;  // first, end, and kind: 0 distances, 1 dihedral angles, 2 atoms
uniform MATRIX_SAMPLER coefficients;
uniform MATRIX_SAMPLER slopes;
uniform MATRIX_SAMPLER gradients;
uniform int chunkCount;  // per model
uniform int models;
uniform int atoms;
uniform int distanceCount;
uniform int dihedralCount;

void main() {
    int own = (int(gl_FragCoord.y) << rowBits) + int(gl_FragCoord.x);
    int model = own / chunkCount;
    fragmentOutput[0] = vec4(0.0);
    if (model >= models) return;
    vec4 chunk = AT(chunks, own - model * chunkCount);
    float sum = 0.0;
    for (int k = int(chunk.x); k < int(chunk.y); ++k)
        sum += chunk.z < 0.5   ? AT(coefficients, model * distanceCount + k).w
               : chunk.z < 1.5 ? AT(slopes, model * dihedralCount + k).w
                               : AT(gradients, model * atoms + k).w;
    fragmentOutput[0].x = sum;
}
