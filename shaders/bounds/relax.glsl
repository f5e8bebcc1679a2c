// One relaxation of an ordered bound (see ORDER in common/values.glsl) over an upper bound `a` = u_ik:
//     upper bounds: c <- min(c, u_ik + u_kj)     lower bounds (LOWER): c <- max(c, l_kj - u_ik)
// A difference below zero has the sign bit set and loses against every bound.
#ifdef LOWER
#define RELAXED(c, a, b) max(c, ORDER((b) - (a)))
#else
#define RELAXED(c, a, b) min(c, ORDER((a) + (b)))
#endif
