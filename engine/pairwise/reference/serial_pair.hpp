#pragma once

#include <cstdint>
#include <span>

#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise::reference {

/// A sequence as codes.
using Codes = std::span<const std::uint8_t>;

/// Linear gaps (no opening penalty), end to end. With s the matrix and g the penalty per letter:
///
///     H(i, 0) = −i g,  H(0, j) = −j g
///     H(i, j) = max { H(i−1, j−1) + s(a_i, b_j),  H(i−1, j) − g,  H(i, j−1) − g }
///
/// where H holds (score, identities): a pair of equal letters adds one identity, and cells are compared by
/// score first. The result is H at both ends.
PairResult alignGlobalLinear(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

/// Affine gaps, end to end. E and F end with a gap in a or in b; o is the opening penalty, e the penalty per
/// letter:
///
///     H(0, 0) = 0,  H(i, 0) = F(i, 0) = −o − i e,  H(0, j) = E(0, j) = −o − j e
///     E(i, j) = max { E(i, j−1),  H(i, j−1) − o } − e
///     F(i, j) = max { F(i−1, j),  H(i−1, j) − o } − e
///     H(i, j) = max { H(i−1, j−1) + s(a_i, b_j),  E(i, j),  F(i, j) }
///
/// A gap may be directly followed by a gap in the other sequence; each pays its opening.
PairResult alignGlobalAffine(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

/// Affine gaps, a part of each sequence: the same with H ≥ (0, 0) everywhere, including the borders. The
/// result is the lexicographically largest H.
PairResult alignLocal(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance);

}  // namespace glycine::pairwise::reference
