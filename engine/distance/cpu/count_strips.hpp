#pragma once

#include <algorithm>

#include "engine/distance/cpu/count_kernel.hpp"

/// The counting kernel, to be instantiated with one vector type an instruction set. Everything lives in an
/// anonymous namespace: code that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::distance::cpu {
namespace {

/// Sums of bits with carry-save adders (R. Harley and D. Seal, in H. S. Warren, "Hacker's Delight", 5-2): of
/// eight vectors only one has its bits counted, where processors have no instruction for that.
template <class Vector>
class CarrySaveTally {
  public:
    using Register = typename Vector::Register;
    static constexpr std::size_t kGroup = 8;

    void add(const Register (&bits)[kGroup]) {
        const Register twos0 = addTwo(ones_, bits[0], bits[1]);
        const Register twos1 = addTwo(ones_, bits[2], bits[3]);
        const Register fours0 = addTwo(twos_, twos0, twos1);
        const Register twos2 = addTwo(ones_, bits[4], bits[5]);
        const Register twos3 = addTwo(ones_, bits[6], bits[7]);
        const Register fours1 = addTwo(twos_, twos2, twos3);
        eights_ = Vector::add(eights_, Vector::countBits(addTwo(fours_, fours0, fours1)));
    }
    void add(const Register (&bits)[1]) { rest_ = Vector::add(rest_, Vector::countBits(bits[0])); }
    /// 64-bit lanes.
    Register sums() const {
        Register sum = Vector::add(eights_, eights_);
        sum = Vector::add(sum, Vector::countBits(fours_));
        sum = Vector::add(sum, sum);
        sum = Vector::add(sum, Vector::countBits(twos_));
        sum = Vector::add(sum, sum);
        return Vector::add(Vector::add(sum, Vector::countBits(ones_)), rest_);
    }

  private:
    /// A full adder: leaves the sum of three bits in `sum`, returns the carries.
    static Register addTwo(Register& sum, Register a, Register b) {
        const Register half = sum ^ a;
        const Register carry = (sum & a) | (half & b);
        sum = half ^ b;
        return carry;
    }

    Register ones_{}, twos_{}, fours_{}, eights_{}, rest_{};
};

/// Counts the bits of every vector: where that is one instruction.
template <class Vector>
class DirectTally {
  public:
    using Register = typename Vector::Register;
    static constexpr std::size_t kGroup = 1;
    void add(const Register (&bits)[1]) { sums_ = Vector::add(sums_, Vector::countBits(bits[0])); }
    Register sums() const { return sums_; }

  private:
    Register sums_{};
};

/// `Vector` gives Register (a compiler's vector of 64-bit lanes), kWords, load, add, countBits (sums of bits
/// in 64-bit lanes), orDiffer(x, a, b) = x | (a ^ b), andDiffer(x, a, b) = x & (a ^ b), eitherAnd(x, a, b) =
/// x & (a | b), bothAnd(x, a, b) = x & a & b, sumLanes, Tally, and the block of pairs that registers hold:
/// kRows × kColumns<kCounts, kPlanes>. kPlanes = 0: any number of planes.
template <class Vector, unsigned kPlanes, bool kMissing, bool kOpposite, bool kValid>
struct StripCounter {
    using Register = typename Vector::Register;
    using Tally = typename Vector::Tally;
    static constexpr std::size_t kCounts = 1 + (kOpposite ? 1 : 0) + (kValid ? 1 : 0);
    static constexpr std::size_t kRows = Vector::kRows;
    static constexpr std::size_t kColumns = Vector::template kColumns<kCounts, kPlanes>;
    static constexpr std::size_t kVectors = kUnitWords / Vector::kWords;  ///< in a unit of a plane
    static constexpr std::size_t kGroup = Tally::kGroup;

    /// Bits that count, of one vector of each pair.
    using Bits = Register[kRows][kColumns][kCounts];

    /// Two planes: pair by pair, everything in registers.
    [[gnu::always_inline]] static inline void compareTwoPlanes(const std::uint64_t* a, const std::uint64_t* b,
                                                               Register (&bits)[kCounts]) {
        const auto plane = [](const std::uint64_t* instance, unsigned p) {
            return Vector::load(instance + p * kUnitWords);
        };
        const Register first = plane(a, 0) ^ plane(b, 0);
        if constexpr (kOpposite && kMissing) {
            const Register second = plane(a, 1) ^ plane(b, 1);
            const Register valid = plane(a, 2) & plane(b, 2);
            bits[0] = Vector::eitherAnd(valid, first, second);
            bits[1] = Vector::bothAnd(valid, first, second);
            if constexpr (kValid) bits[2] = valid;
        } else {
            bits[0] = Vector::orDiffer(first, plane(a, 1), plane(b, 1));
            if constexpr (kOpposite) bits[1] = Vector::andDiffer(first, plane(a, 1), plane(b, 1));
            if constexpr (kMissing) bits[0] = Vector::bothAnd(bits[0], plane(a, 2), plane(b, 2));
            if constexpr (kValid) bits[1] = plane(a, 2) & plane(b, 2);
        }
    }

    /// Calls visit(bits of the pair, plane p of the row's instance, plane p of the column's).
    template <class Visit>
    [[gnu::always_inline]] static inline void forPairs(const std::uint64_t* a, const std::uint64_t* b,
                                                       std::size_t instanceWords, unsigned p, Bits& bits,
                                                       const Visit& visit) {
        Register columns[kColumns];
#pragma GCC unroll 4
        for (std::size_t column = 0; column < kColumns; ++column)
            columns[column] = Vector::load(b + column * instanceWords + p * kUnitWords);
#pragma GCC unroll 4
        for (std::size_t row = 0; row < kRows; ++row) {
            const Register rowPlane = Vector::load(a + row * instanceWords + p * kUnitWords);
#pragma GCC unroll 4
            for (std::size_t column = 0; column < kColumns; ++column)
                visit(bits[row][column], rowPlane, columns[column]);
        }
    }

    /// Any number of planes: plane by plane, so that each is loaded once for all pairs.
    [[gnu::always_inline]] static inline void comparePlanes(const std::uint64_t* a, const std::uint64_t* b,
                                                            unsigned planes, Bits& bits) {
        using Pair = Register[kCounts];
        const std::size_t words = (planes + (kMissing ? 1 : 0)) * kUnitWords;
        forPairs(a, b, words, 0, bits, [](Pair& pair, Register x, Register y) { pair[0] = x ^ y; });
        for (unsigned p = 1; p < planes; ++p)
            forPairs(a, b, words, p, bits,
                     [](Pair& pair, Register x, Register y) { pair[0] = Vector::orDiffer(pair[0], x, y); });
        if constexpr (kMissing)
            forPairs(a, b, words, planes, bits, [](Pair& pair, Register x, Register y) {
                pair[0] = Vector::bothAnd(pair[0], x, y);
                if constexpr (kValid) pair[1] = x & y;
            });
    }

    using Tallies = Tally[kRows][kColumns][kCounts];

    /// Compares and counts kSize vectors of each pair.
    template <std::size_t kSize>
    [[gnu::always_inline]] static inline void addVectors(const std::uint64_t* a, const std::uint64_t* b,
                                                         unsigned planes, Tallies& tallies) {
        const std::size_t instanceWords = (planes + (kMissing ? 1 : 0)) * kUnitWords;
        const auto offset = [instanceWords](std::size_t v) {
            return v / kVectors * kStripInstances * instanceWords + v % kVectors * Vector::kWords;
        };
        Bits bits[kSize];
        if constexpr (kPlanes != 2) {
            static_assert(!kOpposite, "genotypes have two planes");
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kSize; ++v)
                comparePlanes(a + offset(v), b + offset(v), planes, bits[v]);
        }
#pragma GCC unroll 4
        for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
            for (std::size_t column = 0; column < kColumns; ++column) {
                if constexpr (kPlanes == 2) {
#pragma GCC unroll 8
                    for (std::size_t v = 0; v < kSize; ++v)
                        compareTwoPlanes(a + row * instanceWords + offset(v),
                                         b + column * instanceWords + offset(v), bits[v][row][column]);
                }
#pragma GCC unroll 3
                for (std::size_t n = 0; n < kCounts; ++n) {
                    Register counted[kSize];
#pragma GCC unroll 8
                    for (std::size_t v = 0; v < kSize; ++v) counted[v] = bits[v][row][column][n];
                    tallies[row][column][n].add(counted);
                }
            }
        }
    }

    /// Counts of kRows × kColumns pairs: sums[count][row · kColumns + column].
    [[gnu::always_inline]] static inline void countRegisters(
        const std::uint64_t* a, const std::uint64_t* b, std::size_t units, unsigned planes,
        std::uint32_t (&sums)[kCounts][kRows * kColumns]) {
        const std::size_t unitWords = kStripInstances * (planes + (kMissing ? 1 : 0)) * kUnitWords;
        constexpr std::size_t kGroupUnits = (kGroup + kVectors - 1) / kVectors;
        Tallies tallies;
        std::size_t unit = 0;
        for (; unit + kGroupUnits <= units; unit += kGroupUnits) {
            addVectors<kGroup>(a, b, planes, tallies);
            a += kGroupUnits * unitWords;
            b += kGroupUnits * unitWords;
        }
        if constexpr (kGroupUnits > 1) {
            for (; unit < units; ++unit) {
                for (std::size_t v = 0; v < kVectors; ++v)
                    addVectors<1>(a + v * Vector::kWords, b + v * Vector::kWords, planes, tallies);
                a += unitWords;
                b += unitWords;
            }
        }
#pragma GCC unroll 3
        for (std::size_t n = 0; n < kCounts; ++n) {
            Register lanes[kRows * kColumns];
#pragma GCC unroll 4
            for (std::size_t row = 0; row < kRows; ++row)
#pragma GCC unroll 4
                for (std::size_t column = 0; column < kColumns; ++column)
                    lanes[row * kColumns + column] = tallies[row][column][n].sums();
            Vector::sumLanes(lanes, sums[n]);
        }
    }

    static MatrixView<std::uint32_t> target(const PairCounts& counts, std::size_t n) {
        if (n == 0) return counts.differing;
        return kOpposite && n == 1 ? counts.opposite : counts.valid;
    }

    /// Adds the counts of the pairs of two strips, from (row, column) on.
    static void countStrips(const CountBlock& block, const std::uint64_t* a, const std::uint64_t* b,
                            std::size_t row, std::size_t column) {
        const unsigned planes = kPlanes > 0 ? kPlanes : block.kind.planes;
        const std::size_t instanceWords = (planes + (kMissing ? 1 : 0)) * kUnitWords;
        const std::size_t rows = std::min(kStripInstances, block.counts.differing.rows() - row);
        const std::size_t columns = std::min(kStripInstances, block.counts.differing.columns() - column);
        for (std::size_t i = 0; i < rows; i += kRows)
            for (std::size_t j = 0; j < columns; j += kColumns) {
                std::uint32_t sums[kCounts][kRows * kColumns];
                countRegisters(a + i * instanceWords, b + j * instanceWords, block.units, planes, sums);
                for (std::size_t n = 0; n < kCounts; ++n) {
                    const MatrixView<std::uint32_t> counts = target(block.counts, n);
                    if (i + kRows <= rows && j + kColumns <= columns) {
                        for (std::size_t r = 0; r < kRows; ++r)
                            for (std::size_t c = 0; c < kColumns; ++c)
                                counts(row + i + r, column + j + c) += sums[n][r * kColumns + c];
                    } else {
                        for (std::size_t r = 0; r < std::min(kRows, rows - i); ++r)
                            for (std::size_t c = 0; c < std::min(kColumns, columns - j); ++c)
                                counts(row + i + r, column + j + c) += sums[n][r * kColumns + c];
                    }
                }
            }
    }

    static void count(const CountBlock& block) {
        const std::size_t stripWords = block.kind.stripWords(block.units);
        const std::uint64_t* a = block.rowStrips;
        for (std::size_t row = 0; row < block.counts.differing.rows();
             row += kStripInstances, a += stripWords) {
            const std::size_t end = block.isDiagonal ? row + 1 : block.counts.differing.columns();
            const std::uint64_t* b = block.columnStrips;
            for (std::size_t column = 0; column < end; column += kStripInstances, b += stripWords)
                countStrips(block, a, b, row, column);
        }
    }
};

/// The instantiation that fits `kind`.
template <class Vector>
CountFunction chooseCounter(const CountKind& kind) {
    const bool hasValid = kind.needs.valid;
    if (kind.planes == 2) {
        if (kind.needs.opposite) {
            if (!kind.hasMissing) return &StripCounter<Vector, 2, false, true, false>::count;
            return hasValid ? &StripCounter<Vector, 2, true, true, true>::count
                            : &StripCounter<Vector, 2, true, true, false>::count;
        }
        if (!kind.hasMissing) return &StripCounter<Vector, 2, false, false, false>::count;
        return hasValid ? &StripCounter<Vector, 2, true, false, true>::count
                        : &StripCounter<Vector, 2, true, false, false>::count;
    }
    if (!kind.hasMissing) return &StripCounter<Vector, 0, false, false, false>::count;
    return hasValid ? &StripCounter<Vector, 0, true, false, true>::count
                    : &StripCounter<Vector, 0, true, false, false>::count;
}

}  // namespace
}  // namespace glycine::distance::cpu
