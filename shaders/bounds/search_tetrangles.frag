// Searches the quadruples of an atom k and a range of atoms l > k for the tightest limits of each pair (i, j), which has
// row i and column j (engine/bounds/tetrangle.hpp). k lies at 0, l on the x axis. Lanes are arrangements, by the signs of
// the weights of k and l where i's is positive: ++, --, +-, -+. The host counts the quadruples that win again, so tests of
// signs leave room for rounding.
//
// @dialects gl33 es300 gl21
uniform MATRIX_SAMPLER bounds;  // Å: upper bound and its rest, lower bound and its rest; negative: unknown
uniform MATRIX_SAMPLER limits;  // Å²: upper limit, its quadruple k * atoms + l, lower limit, its quadruple
uniform int atoms;
uniform int k;
uniform int firstL;
uniform int endL;
uniform float leastHeight;  // Å

const float kRoom = 2e-6;  // relative
const float kNone = 1e30;

struct Points {
    vec4 x;
    vec4 y;  // 0: no triangle
};

// Whole parts of bounds are multiples of a step that floats add up exactly, so flat triangles keep their height.
Points place(vec4 toK, vec4 toKRest, vec4 toL, vec4 toLRest, vec4 across, vec4 acrossRest) {
    vec4 difference = (toK - toL) + (toKRest - toLRest);
    vec4 sum = (toK + toL) + (toKRest + toLRest);
    vec4 t = across + acrossRest;
    vec4 halfPer = 0.5 / max(t, 1e-6);
    // Heron's formula. An unknown bound makes a factor negative.
    vec4 height = max((across - (toK - toL)) + (acrossRest - (toKRest - toLRest)), 0.0) *
                  max((across + (toK - toL)) + (acrossRest + (toKRest - toLRest)), 0.0) *
                  max((toK + toL - across) + (toKRest + toLRest - acrossRest), 0.0) * max(sum + t, 0.0);
    return Points(difference * sum * halfPer + 0.5 * t, sqrt(height) * halfPer);
}

// 1 for arrangements that hold, else 0. `wl` and `wk` are weights times t.
vec4 holds(vec4 ay, vec4 by, vec4 wl, vec4 wk, vec4 room) {
    vec4 least = min(min(ay, by) - leastHeight, min(wl, wk) + room);
    return vec4(greaterThan(least, vec4(0.0)));
}

void main() {
    int j = int(gl_FragCoord.x);
    int i = int(gl_FragCoord.y);
    vec4 best = TEXEL_AT(limits, j, i);
    vec4 ik = TEXEL_AT(bounds, i, k);
    vec4 jk = TEXEL_AT(bounds, j, k);
    for (int l = firstL; l < endL; ++l) {
        vec4 il = TEXEL_AT(bounds, i, l);
        vec4 jl = TEXEL_AT(bounds, j, l);
        vec4 kl = TEXEL_AT(bounds, l, k);
        Points a = place(ik.zxzx, ik.wywy, il.zxxz, il.wyyw, kl.zzxx, kl.wwyy);
        Points b = place(jk.zxzx, jk.wywy, jl.zxxz, jl.wyyw, kl.zzxx, kl.wwyy);
        vec4 t = kl.zzxx + kl.wwyy;

        // i and j on two sides of the line.
        vec4 room = kRoom * (max(abs(a.x), abs(b.x)) + t);
        vec4 height = a.y + b.y;
        vec4 along = b.y * a.x + a.y * b.x;
        vec4 isHeld = holds(a.y, b.y, vec4(-1.0, 1.0, 1.0, -1.0) * along,
                            vec4(-1.0, 1.0, -1.0, 1.0) * (height * t - along), room * height);
        vec4 dx = a.x - b.x;
        // Not a sum: drivers may add kNone first, and subtract it again.
        vec4 limit = max(dx * dx + height * height, kNone * (1.0 - isHeld));
        float most = min(limit.y, min(limit.z, limit.w));  // never ++
        if (most < best.x) {
            best.x = most;
            best.y = float(k * atoms + l);
        }

        // On one side: j's distances are at the other bounds.
        vec4 bx = b.x.yxwz;
        vec4 by = b.y.yxwz;
        room = kRoom * (max(abs(a.x), abs(bx)) + t);
        height = a.y - by;
        along = a.y * bx - by * a.x;
        isHeld = holds(a.y, by, vec4(1.0, -1.0, -1.0, 1.0) * along,
                       vec4(1.0, -1.0, 1.0, -1.0) * (height * t - along), room * (a.y + by));
        dx = a.x - bx;
        limit = (dx * dx + height * height) * isHeld;
        float least = max(max(limit.x, limit.y), max(limit.z, limit.w));
        if (least > best.z) {
            best.z = least;
            best.w = float(k * atoms + l);
        }
    }
    fragmentOutput[0] = best;
}
