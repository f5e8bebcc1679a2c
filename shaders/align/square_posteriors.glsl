// Adds the squares of one model's posteriors in a tile to `squares`. Both directions are computed again from the edges of the
// adjacent tiles. Included once per model, inside main().
{
    const int layer = LAYER;
    vec4 tileOdds[ROWS];
    vec4 tilePairs[ROWS];
    EDGES edges;
    readEdges(FORWARD, above, left, edges);
    int exponent = edges.exponent;
#define ROW(r)                                              \
    {                                                       \
        tileOdds[r] = ODDS(r);                              \
        vec4 pair = tileOdds[r] * edges.follows;            \
        tilePairs[r] = pair;                                \
        vec4 next = ADD_ROW(r);                             \
        edges.follows = vec4(NUMBER(edges, r), next.xyz);   \
        NUMBER(edges, r) = next.w;                          \
    }
    FOR_ROWS(ROW)
#undef ROW
    readEdges(BACKWARD, below, right, edges);
    vec4 firstFollows = edges.follows;
    edges.follows = vec4(0.0);
    // The factor for the product of both directions, split in two: one factor alone might leave the range of float32.
    exponent += edges.exponent + WEIGHT.y;
    float part = powerOfTwo(exponent / 2);
    float rest = powerOfTwo(exponent - exponent / 2) * intBitsToFloat(WEIGHT.x);
#define ROW(r)                                                                                  \
    {                                                                                           \
        if (firstRow == r) edges.follows = firstFollows;                                        \
        vec4 posterior = (tilePairs[ROWS - 1 - r] * part) * (edges.follows.wzyx * rest);        \
        squares[ROWS - 1 - r] += posterior * posterior;                                         \
        vec4 pair = tileOdds[ROWS - 1 - r].wzyx * edges.follows;                                \
        vec4 next = ADD_ROW(r);                                                                 \
        edges.follows = vec4(0.0, next.xyz) + NUMBER(edges, r) * firstColumn;                   \
        NUMBER(edges, r) = next.w;                                                              \
    }
    FOR_ROWS(ROW)
#undef ROW
}
