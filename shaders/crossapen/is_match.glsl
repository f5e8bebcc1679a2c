// 1 if two samples are within r, else 0. The distance is rounded once, as in all variants.
#define IS_MATCH(x, y) step(abs((x) - (y)), pair.tolerance)
