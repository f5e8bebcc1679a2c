#pragma once

#include <cstdint>
#include <span>

#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise::reference {

/// One letter after another, by code.
using Codes = std::span<const std::uint8_t>;

/// Linear gaps (penalties without an opening), end to end. With s the matrix and g the penalty of a letter:
///
///     H(i, 0) = −i g,  H(0, j) = −j g
///     H(i, j) = max { H(i−1, j−1) + s(a_i, b_j),  H(i−1, j) − g,  H(i, j−1) − g }
///
/// where H holds (score, identities): a pair of equal letters adds one identity, and pairs are compared by
/// score first. The result is H of both ends.
PairResult alignGlobalLinear(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

/// Affine gaps, end to end. E and F end with a gap in a or in b; o opens one, e is each of its letters:
///
///     H(0, 0) = 0,  H(i, 0) = F(i, 0) = −o − i e,  H(0, j) = E(0, j) = −o − j e
///     E(i, j) = max { E(i, j−1),  H(i, j−1) − o } − e
///     F(i, j) = max { F(i−1, j),  H(i−1, j) − o } − e
///     H(i, j) = max { H(i−1, j−1) + s(a_i, b_j),  E(i, j),  F(i, j) }
///
/// A gap may follow one in the other sequence at once; each is charged its opening.
PairResult alignGlobalAffine(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

/// Affine gaps, a part of each: the same with H ≥ (0, 0) everywhere and at the borders. The result is the
/// largest H, lexicographically.
PairResult alignLocal(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

}  // namespace glycine::pairwise::reference
