#pragma once

#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/bounds/cpu/symmetric_tiles.hpp"
#include "engine/core/progress.hpp"

namespace glycine::bounds::cpu {

/// Replaces the lower bounds l by L_ij = max over p, q of l_pq − U_ip − U_qj for smoothed `upper` bounds U,
/// as two products over the semiring (max, +):
///
///     T_qi = max over p of l_pq − U_pi,    L_ji = max over q of T_qi − U_qj    for j ≤ i.
///
/// Terms that cannot change the answer are left out, exactly. U ≥ 0, so a term never exceeds l_pq − U_pi or
/// T_qi; and the result is at least l. With the tiles I of i, Q of q, J of j:
///
///  - atom p is left out of T_QI when  max over Q of l_pq − min over I of U_pi  is at most the smallest l_qi
///  of the
///    tile (of all rows of I when Q = I: the diagonal of l does not bound any result);
///  - atom q is left out of L_JI when  max over I of T_qi − min over J of U_qj  is at most the smallest l_ji
///  of the
///    tile, i ≠ j.
///
/// The differences are rounded like the terms themselves, and rounding is monotone: the result has the same
/// bits as the full products. It does not depend on the tiles, the number of threads or the instruction set.
///
/// `result` has the size of the matrices; its contents are overwritten. Besides, each thread takes memory for
/// 2 · n · side numbers, and all together for 2 · n²/side.
/// Returns the share of the terms of both products that was computed, 0 … 1.
/// T: float, double or std::int32_t. Throws CancelledError; `lower` is then unchanged.
template <class T>
double smoothLowerBounds(MatrixView<T> lower, MatrixView<const T> upper, SymmetricTiles<T>& result,
                         const MinPlusKernel<T>& kernel, int threads, Progress& progress);

}  // namespace glycine::bounds::cpu
