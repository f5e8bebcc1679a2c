#include <algorithm>

#if defined(GLYCINE_FOR_AVX2) || defined(GLYCINE_FOR_AVX512)
// GCC 12's header starts intrinsics from a deliberately undefined register (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

#include "engine/distance/cpu/count_kernel.hpp"

namespace glycine::distance::cpu {

namespace {

/// Sums bits with carry-save adders (R. Harley and D. Seal, in H. S. Warren, "Hacker's Delight", 5-2): only
/// one of eight vectors needs a population count. For processors without an instruction for it.
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
    /// Sums per 64-bit lane.
    Register sums() const {
        Register sum = Vector::add(eights_, eights_);
        sum = Vector::add(sum, Vector::countBits(fours_));
        sum = Vector::add(sum, sum);
        sum = Vector::add(sum, Vector::countBits(twos_));
        sum = Vector::add(sum, sum);
        return Vector::add(Vector::add(sum, Vector::countBits(ones_)), rest_);
    }

  private:
    /// Full adder: stores the sum of three bits in `sum` and returns the carries.
    static Register addTwo(Register& sum, Register a, Register b) {
        const Register half = sum ^ a;
        const Register carry = (sum & a) | (half & b);
        sum = half ^ b;
        return carry;
    }

    Register ones_{}, twos_{}, fours_{}, eights_{}, rest_{};
};

/// Counts the bits of every vector, for processors with an instruction for it.
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

// A Vector class provides Register (a compiler vector of 64-bit lanes), kWords, load, add, countBits (bit
// counts per 64-bit lane), orDiffer(x, a, b) = x | (a ^ b), andDiffer(x, a, b) = x & (a ^ b), eitherAnd(x, a,
// b) = x & (a | b), bothAnd(x, a, b) = x & a & b, sumLanes and Tally. kRows × kColumns<kCounts, kPlanes> is
// the block of pairs held in registers. kPlanes = 0: any number of planes.
#if defined(GLYCINE_FOR_AVX512)

struct Vector {
    using Register [[gnu::vector_size(64)]] = std::uint64_t;
    using Tally = DirectTally<Vector>;
    static constexpr std::size_t kWords = 8;
    // Sums occupy 16 or 24 of 32 registers. When planes are compared one after another, the differences so
    // far occupy 8 more.
    static constexpr std::size_t kRows = 4;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = kCounts == 1 && kPlanes > 0 ? 4 : 2;

    // The truth table of a bitwise function of three operands is its value for these constants.
    static constexpr int kX = 0xf0, kA = 0xcc, kB = 0xaa;
    template <int kTable>
    static Register ternary(Register x, Register a, Register b) {
        return cooked(_mm512_ternarylogic_epi64(raw(x), raw(a), raw(b), kTable));
    }

    static __m512i raw(Register x) { return reinterpret_cast<__m512i>(x); }
    static Register cooked(__m512i x) { return reinterpret_cast<Register>(x); }

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return ternary<kX | (kA ^ kB)>(x, a, b); }
    static Register andDiffer(Register x, Register a, Register b) { return ternary<kX&(kA ^ kB)>(x, a, b); }
    static Register eitherAnd(Register x, Register a, Register b) { return ternary<kX&(kA | kB)>(x, a, b); }
    static Register bothAnd(Register x, Register a, Register b) { return ternary<kX & kA & kB>(x, a, b); }
    static Register countBits(Register x) { return cooked(_mm512_popcnt_epi64(raw(x))); }

    /// Sums the lanes of eight vectors at once, by transposing.
    static __m256i sumEight(const Register* lanes) {
        const auto addPairs = [](__m512i a, __m512i b) {
            return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        };
        const auto addHalves = [](__m512i a, __m512i b) {
            return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
        };
        const __m512i ab = addPairs(raw(lanes[0]), raw(lanes[1]));
        const __m512i cd = addPairs(raw(lanes[2]), raw(lanes[3]));
        const __m512i ef = addPairs(raw(lanes[4]), raw(lanes[5]));
        const __m512i gh = addPairs(raw(lanes[6]), raw(lanes[7]));
        // Each quarter holds two sums: a b in two quarters, c d in the others; then one of each.
        const __m512i sums = addHalves(addHalves(ab, cd), addHalves(ef, gh));
        return _mm512_cvtepi64_epi32(sums);
    }
    template <std::size_t kCount>
    static void sumLanes(const Register (&lanes)[kCount], std::uint32_t (&sums)[kCount]) {
        static_assert(kCount % 8 == 0);
        for (std::size_t n = 0; n < kCount; n += 8)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + n), sumEight(lanes + n));
    }
};

#elif defined(GLYCINE_FOR_AVX2)

struct Vector {
    using Register [[gnu::vector_size(32)]] = std::uint64_t;
    using Tally = CarrySaveTally<Vector>;
    static constexpr std::size_t kWords = 4;
    static constexpr std::size_t kRows = 1;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = 1;

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return x | (a ^ b); }
    static Register andDiffer(Register x, Register a, Register b) { return x & (a ^ b); }
    static Register eitherAnd(Register x, Register a, Register b) { return x & (a | b); }
    static Register bothAnd(Register x, Register a, Register b) { return x & a & b; }
    /// Looks up both nibbles of each byte (W. Muła, N. Kurz, D. Lemire, "Faster population counts using AVX2
    /// instructions", 2018).
    static Register countBits(Register x) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15);
        const auto bits = reinterpret_cast<__m256i>(x);
        const __m256i counts =
            _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(bits, low)),
                            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), low)));
        return reinterpret_cast<Register>(_mm256_sad_epu8(counts, _mm256_setzero_si256()));
    }
    static void sumLanes(const Register (&lanes)[1], std::uint32_t (&sums)[1]) {
        sums[0] = static_cast<std::uint32_t>(lanes[0][0] + lanes[0][1] + lanes[0][2] + lanes[0][3]);
    }
};

#else

struct Vector {
    using Register [[gnu::vector_size(16)]] = std::uint64_t;
    using Tally = CarrySaveTally<Vector>;
    static constexpr std::size_t kWords = 2;
    static constexpr std::size_t kRows = 1;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = 1;

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return x | (a ^ b); }
    static Register andDiffer(Register x, Register a, Register b) { return x & (a ^ b); }
    static Register eitherAnd(Register x, Register a, Register b) { return x & (a | b); }
    static Register bothAnd(Register x, Register a, Register b) { return x & a & b; }
    static Register countBits(Register x) {
        x -= x >> 1 & 0x5555555555555555U;
        x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
        x += x >> 8;
        x += x >> 16;
        x += x >> 32;
        return x & 0xffU;
    }
    static void sumLanes(const Register (&lanes)[1], std::uint32_t (&sums)[1]) {
        sums[0] = static_cast<std::uint32_t>(lanes[0][0] + lanes[0][1]);
    }
};

#endif

/// Counts the pairs of two strips; kPlanes as above.
template <unsigned kPlanes, bool kMissing, bool kOpposite, bool kValid>
struct StripCounter {
    using Register = Vector::Register;
    using Tally = Vector::Tally;
    static constexpr std::size_t kCounts = 1 + (kOpposite ? 1 : 0) + (kValid ? 1 : 0);
    static constexpr std::size_t kRows = Vector::kRows;
    static constexpr std::size_t kColumns = Vector::template kColumns<kCounts, kPlanes>;
    static constexpr std::size_t kVectors = kUnitWords / Vector::kWords;  ///< per unit of a plane
    static constexpr std::size_t kGroup = Tally::kGroup;

    /// Bits to count, one vector for each pair.
    using Bits = Register[kRows][kColumns][kCounts];

    /// Two planes: pair by pair, entirely in registers.
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

    /// Calls visit(bits of the pair, plane p of the row's instance, plane p of the column's instance).
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

    /// Any number of planes: plane by plane, so that each plane is loaded once for all pairs.
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

    /// Compares and counts kSize vectors per pair.
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

    /// Adds the counts of the pairs of two strips, starting at (row, column).
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

/// The instantiation for `kind`.
auto counterFor(const CountKind& kind) {
    const bool hasValid = kind.needs.valid;
    if (kind.planes == 2) {
        if (kind.needs.opposite) {
            if (!kind.hasMissing) return &StripCounter<2, false, true, false>::count;
            return hasValid ? &StripCounter<2, true, true, true>::count
                            : &StripCounter<2, true, true, false>::count;
        }
        if (!kind.hasMissing) return &StripCounter<2, false, false, false>::count;
        return hasValid ? &StripCounter<2, true, false, true>::count
                        : &StripCounter<2, true, false, false>::count;
    }
    if (!kind.hasMissing) return &StripCounter<0, false, false, false>::count;
    return hasValid ? &StripCounter<0, true, false, true>::count
                    : &StripCounter<0, true, false, false>::count;
}

}  // namespace

template <>
CountKernel CountKernel::compiled<kCompiledSet>(const CountKind& kind) {
    return {counterFor(kind)};
}

}  // namespace glycine::distance::cpu
