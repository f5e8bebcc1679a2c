// The edges of tiles of ROWS x 4 cells: what they pass on of one model's sums over alignments
// (engine/gl/alignment/posterior_tiles.hpp), for KINDS kinds of gaps. Included once per model, with EDGES, the name of its type,
// and KINDS defined.
//
// Of the last row: the sums that the pairs below may follow, beginning with the cell left of the tile; and each kind of gap that
// ends there. Of the last column, in COLUMN_TEXELS(KINDS) texels: the same for each row. First ROWS numbers that a pair may follow,
// then ROWS numbers for each kind of gap, then the power of two by which all numbers are to be multiplied.
struct EDGES {
    vec4 follows;
    vec4 below[KINDS];
    vec4 column[COLUMN_TEXELS(KINDS)];
    int exponent;
};

// Reads the edges of the tile above and of the tile to the left, scaled to a common exponent.
void readEdges(MATRIX_ARRAY_SAMPLER state, ivec2 above, ivec2 left, out EDGES edges) {
    PLACE upper = placeOf(above, state);
    PLACE lateral = placeOf(left, state);
    edges.follows = LOOK_UP(state, upper, 0);
    edges.below[0] = LOOK_UP(state, upper, 1);
#if KINDS == 2
    edges.below[1] = LOOK_UP(state, upper, 2);
#endif
#define READ(i) edges.column[i] = LOOK_UP(state, lateral, KINDS + 1 + i);
    FOR_COLUMN_TEXELS(READ)
#undef READ
    int exponentAbove = int(LOOK_UP(state, upper, KINDS + COLUMN_TEXELS(KINDS))[EXPONENT_SLOT(KINDS) % 4]);
    int exponentLeft = int(NUMBER(edges, EXPONENT_SLOT(KINDS)));
    edges.exponent = max(exponentAbove, exponentLeft);
    float scaleAbove = powerOfTwo(exponentAbove - edges.exponent);
    float scaleLeft = powerOfTwo(exponentLeft - edges.exponent);
    edges.follows *= scaleAbove;
    edges.below[0] *= scaleAbove;
#if KINDS == 2
    edges.below[1] *= scaleAbove;
#endif
#define SCALE(i) edges.column[i] *= scaleLeft;
    FOR_COLUMN_TEXELS(SCALE)
#undef SCALE
}

// Returns the sums that the next row's pairs may follow: the row's pairs, and gaps of each kind after them. Updates the gaps: those
// in edges.below for the next row, those of the row (first, second) for the next columns. gaps: for each kind, the factor of one
// more letter, then the factor of the gap as a whole.
#if KINDS == 2
vec4 addRow(inout EDGES edges, vec4 pair, vec4 gaps, inout float first, inout float second) {
    vec4 next = pair + gaps.y * (edges.below[0] + along(gaps.x, pair, first)) + gaps.w * (edges.below[1] + along(gaps.z, pair, second));
    edges.below[0] = gaps.x * edges.below[0] + pair;
    edges.below[1] = gaps.z * edges.below[1] + pair;
    return next;
}
#else
vec4 addRow(inout EDGES edges, vec4 pair, vec4 gaps, inout float first) {
    vec4 next = pair + gaps.y * (edges.below[0] + along(gaps.x, pair, first));
    edges.below[0] = gaps.x * edges.below[0] + pair;
    return next;
}
#endif
