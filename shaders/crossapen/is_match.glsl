// 1 where two samples are within r, else 0. The distance is rounded once, as everywhere.
#define IS_MATCH(x, y) step(abs((x) - (y)), pair.tolerance)
