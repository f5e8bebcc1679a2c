#pragma once

namespace glycine {

/// Whether GNU OpenMP, when it was loaded, found a limit on how long its threads spin: the user's
/// (GOMP_SPINCOUNT or OMP_WAIT_POLICY), or kSpinCount, which the program showed it. If not, the program must
/// restart itself with the limit in its environment.
bool isSpinningBounded();

}  // namespace glycine
