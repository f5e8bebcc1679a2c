#if defined(GLYCINE_FOR_AVX2) || defined(GLYCINE_FOR_AVX512)
// GCC 12's header deliberately starts its intrinsics from an undefined register (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

#include "engine/crossapen/cpu/match_kernels.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace glycine::crossapen::cpu {

namespace {

// Wrappers of the registers of the instruction set for which this file is compiled.
//
// `Lanes<T>`, for samples, provides
//   Register (kLanes of them), Count (as many whole numbers), kLanes ≤ kTemplatePadding
//   load, broadcast, counts(n): n in all lanes
//   addGreater(count, x, y, bound), addGreaterOrEqual: count + 1 where x − y > bound, x − y ≥ bound
//   storeIntervals(to, begins, ends)
//   compareWord(partners, x, r): a bit for each of 64 partners, set where |x − y| ≤ r; x and r are broadcast
// `Words`, for bit rows, provides
//   Register (kWords words)
//   load, store, zero, bitAnd, bitXor, xor3(a, b, c), majority(a, b, c)
//   Sums: pairs of counts per word; noSums; addCounts(sums, s, l): adds the number of bits of s and of l
//   shortSum(sums), longSum(sums): their totals
// `Cell`, for ranks, provides
//   countInside(ranks, limit, base, width): how many of the first `limit` of the 32 numbers at `ranks`
//   (aligned to 64 bytes) lie in [base, base + width), as 16-bit numbers

#if defined(GLYCINE_FOR_AVX512)

template <class T>
struct Lanes;

template <>
struct Lanes<float> {
    using Register = __m512;
    using Count = __m512i;
    static constexpr std::size_t kLanes = 16;
    static Register load(const float* from) { return _mm512_loadu_ps(from); }
    static Register broadcast(float value) { return _mm512_set1_ps(value); }
    static Count counts(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const __mmask16 mask = _mm512_cmp_ps_mask(_mm512_sub_ps(x, y), bound, _CMP_GT_OQ);
        return _mm512_mask_add_epi32(count, mask, count, _mm512_set1_epi32(1));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const __mmask16 mask = _mm512_cmp_ps_mask(_mm512_sub_ps(x, y), bound, _CMP_GE_OQ);
        return _mm512_mask_add_epi32(count, mask, count, _mm512_set1_epi32(1));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm512_max_epu32(begins, ends);
        _mm512_storeu_si512(to, _mm512_or_si512(begins, _mm512_slli_epi32(last, 16)));
    }
    static std::uint64_t compareWord(const float* partners, Register x, Register r) {
        const auto half = [&](const float* from) {
            return _mm512_kunpackw(within(from + 16, x, r), within(from, x, r));
        };
        return _cvtmask64_u64(_mm512_kunpackd(half(partners + 32), half(partners)));
    }

  private:
    static __mmask16 within(const float* partners, Register x, Register r) {
        return _mm512_cmp_ps_mask(_mm512_abs_ps(_mm512_sub_ps(x, load(partners))), r, _CMP_LE_OQ);
    }
};

template <>
struct Lanes<double> {
    using Register = __m512d;
    using Count = __m512i;
    static constexpr std::size_t kLanes = 8;
    static Register load(const double* from) { return _mm512_loadu_pd(from); }
    static Register broadcast(double value) { return _mm512_set1_pd(value); }
    static Count counts(std::uint32_t value) { return _mm512_set1_epi64(value); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const __mmask8 mask = _mm512_cmp_pd_mask(_mm512_sub_pd(x, y), bound, _CMP_GT_OQ);
        return _mm512_mask_add_epi64(count, mask, count, _mm512_set1_epi64(1));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const __mmask8 mask = _mm512_cmp_pd_mask(_mm512_sub_pd(x, y), bound, _CMP_GE_OQ);
        return _mm512_mask_add_epi64(count, mask, count, _mm512_set1_epi64(1));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm512_max_epu64(begins, ends);
        const Count packed = _mm512_or_si512(begins, _mm512_slli_epi64(last, 16));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(packed));
    }
    static std::uint64_t compareWord(const double* partners, Register x, Register r) {
        const auto quarter = [&](const double* from) {
            return _mm512_kunpackb(within(from + 8, x, r), within(from, x, r));
        };
        const auto half = [&](const double* from) {
            return _mm512_kunpackw(quarter(from + 16), quarter(from));
        };
        return _cvtmask64_u64(_mm512_kunpackd(half(partners + 32), half(partners)));
    }

  private:
    static __mmask8 within(const double* partners, Register x, Register r) {
        return _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_sub_pd(x, load(partners))), r, _CMP_LE_OQ);
    }
};

struct Words {
    using Register = __m512i;
    using Sums = __m512i;
    static constexpr std::size_t kWords = 8;
    static Register load(const std::uint64_t* from) { return _mm512_loadu_si512(from); }
    static void store(std::uint64_t* to, Register value) { _mm512_storeu_si512(to, value); }
    static Register zero() { return _mm512_setzero_si512(); }
    static Register bitAnd(Register a, Register b) { return _mm512_and_si512(a, b); }
    static Register bitXor(Register a, Register b) { return _mm512_xor_si512(a, b); }
    static Register xor3(Register a, Register b, Register c) {
        return _mm512_ternarylogic_epi64(a, b, c, 0x96);
    }
    static Register majority(Register a, Register b, Register c) {
        return _mm512_ternarylogic_epi64(a, b, c, 0xe8);
    }
    // Each lane holds the short count in its lower half, the long one in its upper half.
    static Sums noSums() { return _mm512_setzero_si512(); }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return _mm512_add_epi64(sums,
                                _mm512_add_epi64(_mm512_popcnt_epi64(shortMatches),
                                                 _mm512_slli_epi64(_mm512_popcnt_epi64(longMatches), 32)));
    }
    static std::uint32_t shortSum(Sums sums) { return static_cast<std::uint32_t>(total(sums)); }
    static std::uint32_t longSum(Sums sums) { return static_cast<std::uint32_t>(total(sums) >> 32); }

  private:
    static std::uint64_t total(Sums sums) {
        return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sums));
    }
};

struct Cell {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        const __m512i offset =
            _mm512_sub_epi16(_mm512_load_si512(ranks), _mm512_set1_epi16(static_cast<short>(base)));
        const std::uint32_t inside =
            _mm512_cmplt_epu16_mask(offset, _mm512_set1_epi16(static_cast<short>(width)));
        return __builtin_popcount(inside & ((std::uint32_t{1} << limit) - 1));
    }
};

#elif defined(GLYCINE_FOR_AVX2)

template <class T>
struct Lanes;

/// One bit for each of the 32 lanes of four registers of eight lanes. Each lane is all ones or all zeros.
std::uint64_t packMasks(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256i lower = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    const __m256i upper = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(lower, upper)));
}

template <>
struct Lanes<float> {
    using Register = __m256;
    using Count = __m256i;
    static constexpr std::size_t kLanes = 8;
    static Register load(const float* from) { return _mm256_loadu_ps(from); }
    static Register broadcast(float value) { return _mm256_set1_ps(value); }
    static Count counts(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_ps(_mm256_sub_ps(x, y), bound, _CMP_GT_OQ);
        return _mm256_sub_epi32(count, _mm256_castps_si256(mask));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_ps(_mm256_sub_ps(x, y), bound, _CMP_GE_OQ);
        return _mm256_sub_epi32(count, _mm256_castps_si256(mask));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm256_max_epu32(begins, ends);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm256_or_si256(begins, _mm256_slli_epi32(last, 16)));
    }
    static std::uint64_t compareWord(const float* partners, Register x, Register r) {
        const auto half = [&](const float* from) {
            return packMasks(within(from, x, r), within(from + 8, x, r), within(from + 16, x, r),
                             within(from + 24, x, r));
        };
        return half(partners) | half(partners + 32) << 32;
    }

  private:
    static Register within(const float* partners, Register x, Register r) {
        const Register difference = _mm256_sub_ps(x, load(partners));
        return _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), difference), r, _CMP_LE_OQ);
    }
};

template <>
struct Lanes<double> {
    using Register = __m256d;
    using Count = __m256i;
    static constexpr std::size_t kLanes = 4;
    static Register load(const double* from) { return _mm256_loadu_pd(from); }
    static Register broadcast(double value) { return _mm256_set1_pd(value); }
    static Count counts(std::uint32_t value) { return _mm256_set1_epi64x(value); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_pd(_mm256_sub_pd(x, y), bound, _CMP_GT_OQ);
        return _mm256_sub_epi64(count, _mm256_castpd_si256(mask));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_pd(_mm256_sub_pd(x, y), bound, _CMP_GE_OQ);
        return _mm256_sub_epi64(count, _mm256_castpd_si256(mask));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm256_max_epu32(begins, ends);
        const Count packed = _mm256_or_si256(begins, _mm256_slli_epi64(last, 16));
        const __m256i even = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(even));
    }
    static std::uint64_t compareWord(const double* partners, Register x, Register r) {
        const auto eight = [&](const double* from) {
            const __m256 lower = _mm256_castpd_ps(within(from, x, r));
            const __m256 upper = _mm256_castpd_ps(within(from + 4, x, r));
            return _mm256_shuffle_ps(lower, upper, 0x88);
        };
        const auto half = [&](const double* from) {
            return packMasks(eight(from), eight(from + 8), eight(from + 16), eight(from + 24));
        };
        return half(partners) | half(partners + 32) << 32;
    }

  private:
    static Register within(const double* partners, Register x, Register r) {
        const Register difference = _mm256_sub_pd(x, load(partners));
        return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), difference), r, _CMP_LE_OQ);
    }
};

struct Words {
    using Register = __m256i;
    using Sums = __m256i;
    static constexpr std::size_t kWords = 4;
    static Register load(const std::uint64_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(std::uint64_t* to, Register value) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
    }
    static Register zero() { return _mm256_setzero_si256(); }
    static Register bitAnd(Register a, Register b) { return _mm256_and_si256(a, b); }
    static Register bitXor(Register a, Register b) { return _mm256_xor_si256(a, b); }
    static Register xor3(Register a, Register b, Register c) { return bitXor(bitXor(a, b), c); }
    static Register majority(Register a, Register b, Register c) {
        return _mm256_or_si256(bitAnd(a, b), bitAnd(bitXor(a, b), c));
    }
    // Each lane holds the short count in its lower half, the long one in its upper half.
    static Sums noSums() { return _mm256_setzero_si256(); }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return _mm256_add_epi64(
            sums, _mm256_add_epi64(countBits(shortMatches), _mm256_slli_epi64(countBits(longMatches), 32)));
    }
    static std::uint32_t shortSum(Sums sums) { return static_cast<std::uint32_t>(total(sums)); }
    static std::uint32_t longSum(Sums sums) { return static_cast<std::uint32_t>(total(sums) >> 32); }

  private:
    /// Looks up the number of bits of each half byte. Source: W. Muła, N. Kurz, D. Lemire, "Faster population
    /// counts using AVX2 instructions", The Computer Journal 61 (2018), 111–120.
    static __m256i countBits(Register value) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i halfByte = _mm256_set1_epi8(15);
        const __m256i lower = _mm256_shuffle_epi8(table, bitAnd(value, halfByte));
        const __m256i upper = _mm256_shuffle_epi8(table, bitAnd(_mm256_srli_epi16(value, 4), halfByte));
        return _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256());
    }
    static std::uint64_t total(Sums sums) {
        const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(pair)) +
               static_cast<std::uint64_t>(_mm_extract_epi64(pair, 1));
    }
};

/// Thirty-two lanes of ones, then 32 of zeros. The window that begins `n` lanes before the middle has n lanes
/// of ones.
struct LaneMasks {
    alignas(64) std::uint16_t lanes[64] = {};
    constexpr LaneMasks() {
        for (int lane = 0; lane < 32; ++lane) lanes[lane] = 0xffff;
    }
};
constexpr LaneMasks kLaneMasks;

struct Cell {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        const std::uint16_t* masks = kLaneMasks.lanes + 32 - limit;
        const __m256i inside =
            _mm256_packs_epi16(half(ranks, masks, base, width), half(ranks + 16, masks + 16, base, width));
        return __builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(inside)));
    }

  private:
    static __m256i half(const std::uint16_t* ranks, const std::uint16_t* masks, std::uint16_t base,
                        std::uint16_t width) {
        const __m256i offset = _mm256_sub_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(ranks)),
                                                _mm256_set1_epi16(static_cast<short>(base)));
        const __m256i outside = _mm256_cmpeq_epi16(
            _mm256_max_epu16(offset, _mm256_set1_epi16(static_cast<short>(width))), offset);
        return _mm256_andnot_si256(outside, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks)));
    }
};

#else

template <class T>
struct Lanes {
    using Whole = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Register [[gnu::vector_size(kRegisterBytes)]] = T;
    using Count [[gnu::vector_size(kRegisterBytes)]] = Whole;
    using Unaligned [[gnu::vector_size(kRegisterBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    static constexpr std::size_t kLanes = kRegisterBytes / sizeof(T);
    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static Register broadcast(T value) { return value - Register{}; }
    static Count counts(std::uint32_t value) { return static_cast<Whole>(value) - Count{}; }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        return count - (x - y > bound);
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        return count - (x - y >= bound);
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto begin = static_cast<std::uint32_t>(begins[lane]);
            const auto end = static_cast<std::uint32_t>(ends[lane]);
            to[lane] = begin | (begin > end ? begin : end) << 16;
        }
    }
    static std::uint64_t compareWord(const T* partners, Register x, Register r) {
        Count bits{};
        for (std::size_t step = 0; step < 64; step += kLanes) {
            const Register difference = x - load(partners + step);
            bits = bits + bits - ((difference <= r) & (difference >= -r));
        }
        std::uint64_t word = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            word |= static_cast<std::uint64_t>(bits[lane]) << (lane * (64 / kLanes));
        return word;
    }
};

struct Words {
    using Register = std::uint64_t;
    struct Sums {
        std::uint32_t shortMatches;
        std::uint32_t longMatches;
    };
    static constexpr std::size_t kWords = 1;
    static Register load(const std::uint64_t* from) { return *from; }
    static void store(std::uint64_t* to, Register value) { *to = value; }
    static Register zero() { return 0; }
    static Register bitAnd(Register a, Register b) { return a & b; }
    static Register bitXor(Register a, Register b) { return a ^ b; }
    static Register xor3(Register a, Register b, Register c) { return a ^ b ^ c; }
    static Register majority(Register a, Register b, Register c) { return (a & b) | ((a ^ b) & c); }
    static Sums noSums() { return {0, 0}; }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return {sums.shortMatches + static_cast<std::uint32_t>(std::popcount(shortMatches)),
                sums.longMatches + static_cast<std::uint32_t>(std::popcount(longMatches))};
    }
    static std::uint32_t shortSum(Sums sums) { return sums.shortMatches; }
    static std::uint32_t longSum(Sums sums) { return sums.longMatches; }
};

struct Cell {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        using Eight [[gnu::vector_size(16), gnu::may_alias]] = std::uint16_t;
        const Eight numbers = {0, 1, 2, 3, 4, 5, 6, 7};
        const Eight all = {};
        Eight sums = {};
        for (std::uint32_t place = 0; place < RankGrid::kCell; place += 8) {
            const Eight offset = *reinterpret_cast<const Eight*>(ranks + place) - (base - all);
            const auto first = static_cast<std::uint16_t>(limit > place ? limit - place : 0);
            sums -= (offset < width - all) & (numbers < first - all);
        }
        int count = 0;
        for (int lane = 0; lane < 8; ++lane) count += sums[lane];
        return count;
    }
};

#endif

/// Compares samples.
template <class T>
struct ComparisonKernel {
    static void findIntervals(const IntervalSearch<T>& search) {
        static_assert(kTemplatePadding % Lanes<T>::kLanes == 0);
        const T r = search.tolerance;
        std::size_t beginCursor = 0;
        std::size_t endCursor = 0;
        for (std::size_t k = 0; k < search.count; k += Lanes<T>::kLanes) {
            const T* templates = search.templates + k;
            const auto begins = walk<false>(templates, search.partners, r, beginCursor);
            const auto ends = walk<true>(templates, search.partners, -r, endCursor);
            Lanes<T>::storeIntervals(search.intervals + k, begins, ends);
        }
    }

    static void compareRows(const RowComparison<T>& comparison) {
        const auto r = Lanes<T>::broadcast(comparison.tolerance);
        const BitRows& out = comparison.out;
        for (std::size_t i = 0; i < comparison.count; ++i) {
            const auto x = Lanes<T>::broadcast(comparison.templates[i]);
            std::uint64_t* row = out.row(i);
            for (std::size_t w = 0; w < out.words; ++w)
                row[w] = Lanes<T>::compareWord(comparison.partners + 64 * w, x, r);
            for (std::size_t w = out.words; w < out.words + out.m; ++w) row[w] = row[w - out.words] >> 1;
        }
    }

  private:
    /// Counts the partners y with x − y > bound (or ≥) for kLanes ascending x. All y before `cursor` satisfy
    /// it for every x; on return, also for every following x.
    template <bool orEqual>
    static typename Lanes<T>::Count walk(const T* templates, const T* partners, T bound,
                                         std::size_t& cursor) {
        const auto x = Lanes<T>::load(templates);
        const auto bounds = Lanes<T>::broadcast(bound);
        const T largest = templates[Lanes<T>::kLanes - 1];
        auto count = Lanes<T>::counts(static_cast<std::uint32_t>(cursor));
        const T* y = partners + cursor;
        for (;; y += kPartnerPadding) {
            for (std::size_t step = 0; step < kPartnerPadding; ++step) {
                const auto partner = Lanes<T>::broadcast(y[step]);
                count = orEqual ? Lanes<T>::addGreaterOrEqual(count, x, partner, bounds)
                                : Lanes<T>::addGreater(count, x, partner, bounds);
            }
            const T difference = largest - y[kPartnerPadding - 1];
            if (!(orEqual ? difference >= bound : difference > bound)) break;
        }
        cursor = static_cast<std::size_t>(y - partners);
        return count;
    }
};

/// Combines bit rows.
struct BitRowKernel {
    using Register = Words::Register;

    static void selectRows(const RowSelection& selection) {
        const BitRows& out = selection.out;
        for (std::size_t i = 0; i < selection.count; ++i) {
            const Interval interval = selection.intervals[selection.ranks[i]];
            const std::uint64_t* begin = selection.prefixes + beginOf(interval) * out.stride;
            const std::uint64_t* end = selection.prefixes + endOf(interval) * out.stride;
            std::uint64_t* row = out.row(i);
            for (std::size_t w = 0; w < out.stride; w += Words::kWords)
                Words::store(row + w, Words::bitXor(Words::load(begin + w), Words::load(end + w)));
        }
    }

    static void countWindows(const WindowCounting& windows, std::uint32_t* shortCounts,
                             std::uint32_t* longCounts) {
        // The usual lengths get loops that the compiler unrolls.
        switch (windows.rows.m) {
            case 1:
                return countWindowsOf<1>(windows, shortCounts, longCounts);
            case 2:
                return countWindowsOf<2>(windows, shortCounts, longCounts);
            case 3:
                return countWindowsOf<3>(windows, shortCounts, longCounts);
            default:
                return countWindowsOf<0>(windows, shortCounts, longCounts);
        }
    }

    static void addColumns(const WindowCounting& windows, BitPlanes shortPlanes, BitPlanes longPlanes) {
        const std::size_t words = windows.rows.words;
        for (std::size_t w = 0; w < words; w += Words::kWords) {
            Slices shortSlices;
            Slices longSlices;
            for (std::size_t k = 0; k < kColumnPlanes; ++k)
                shortSlices.planes[k] = longSlices.planes[k] = Words::zero();
            for (std::size_t i = 0; i < windows.count; i += 4) {
                Register shortRows[4];
                Register longRows[4];
                for (std::size_t row = 0; row < 4; ++row) {
                    shortRows[row] = longRows[row] = Words::zero();
                    if (i + row >= windows.count) continue;
                    shortRows[row] = shortWindow<0>(windows, i + row, w);
                    longRows[row] = longWindow<0>(windows, i + row, w, shortRows[row]);
                }
                addFour(shortSlices, shortRows);
                addFour(longSlices, longRows);
            }
            addSlices(shortPlanes, words, w, shortSlices);
            addSlices(longPlanes, words, w, longSlices);
        }
    }

  private:
    struct Slices {
        Register planes[kColumnPlanes];
    };

    /// Partners from word w on that match the first m samples of template i. `length`: m, or 0 for any m.
    template <std::size_t length>
    static Register shortWindow(const WindowCounting& windows, std::size_t i, std::size_t w) {
        const std::size_t m = length == 0 ? windows.rows.m : length;
        const std::uint64_t* word = windows.rows.row(i) + w;
        Register matches = Words::bitAnd(Words::load(windows.positions + w), Words::load(word));
        for (std::size_t k = 1; k < m; ++k) {
            word += windows.rows.stride + 1;
            matches = Words::bitAnd(matches, Words::load(word));
        }
        return matches;
    }
    /// The partners among `shortMatches` that also match the next sample.
    template <std::size_t length>
    static Register longWindow(const WindowCounting& windows, std::size_t i, std::size_t w,
                               Register shortMatches) {
        const std::size_t m = length == 0 ? windows.rows.m : length;
        return Words::bitAnd(shortMatches, Words::load(windows.rows.row(i + m) + w + m));
    }

    template <std::size_t length>
    static void countWindowsOf(const WindowCounting& windows, std::uint32_t* shortCounts,
                               std::uint32_t* longCounts) {
        for (std::size_t i = 0; i < windows.count; ++i) {
            auto sums = Words::noSums();
            for (std::size_t w = 0; w < windows.rows.words; w += Words::kWords) {
                const Register matches = shortWindow<length>(windows, i, w);
                sums = Words::addCounts(sums, matches, longWindow<length>(windows, i, w, matches));
            }
            shortCounts[i] += Words::shortSum(sums);
            longCounts[i] += Words::longSum(sums);
        }
    }

    /// Adds four bits to each 7-bit number. The numbers stay below 128.
    static void addFour(Slices& slices, const Register (&bits)[4]) {
        Register(&planes)[kColumnPlanes] = slices.planes;
        const Register carryA = Words::majority(planes[0], bits[0], bits[1]);
        planes[0] = Words::xor3(planes[0], bits[0], bits[1]);
        const Register carryB = Words::majority(planes[0], bits[2], bits[3]);
        planes[0] = Words::xor3(planes[0], bits[2], bits[3]);
        Register carry = Words::majority(planes[1], carryA, carryB);
        planes[1] = Words::xor3(planes[1], carryA, carryB);
        for (std::size_t k = 2; k < kColumnPlanes; ++k) {
            const Register next = Words::bitAnd(planes[k], carry);
            planes[k] = Words::bitXor(planes[k], carry);
            carry = next;
        }
    }

    static void addSlices(BitPlanes target, std::size_t words, std::size_t w, const Slices& slices) {
        Register carry = Words::zero();
        for (std::size_t k = 0; k < target.count; ++k) {
            std::uint64_t* place = target.planes + k * words + w;
            const Register old = Words::load(place);
            const Register added = k < kColumnPlanes ? slices.planes[k] : Words::zero();
            Words::store(place, Words::xor3(old, added, carry));
            carry = Words::majority(old, added, carry);
        }
    }
};

/// Counts points in rectangles of ranks.
struct RectangleKernel {
    static void countRectangles(const RectangleCounting& rectangles, std::uint32_t* shortCounts,
                                std::uint32_t* longCounts) {
        const RankGrid& grid = rectangles.grid;
        const std::size_t last = rectangles.count - 1;
        Interval current = rectangles.intervals[rectangles.ranks[0]];
        for (std::size_t i = 0; i < last; ++i) {
            const Interval next = rectangles.intervals[rectangles.ranks[i + 1]];
            shortCounts[i] += countShort(current, grid);
            longCounts[i] += countPoints(current, next, grid);
            current = next;
        }
        shortCounts[last] += countShort(current, grid);
    }

  private:
    static std::uint32_t countShort(Interval interval, const RankGrid& grid) {
        const std::uint32_t width = endOf(interval) - beginOf(interval);
        return width - (grid.excluded - beginOf(interval) < width);
    }

    /// Points with their first rank in `first` and their second in `second`. Prefix counts give the whole
    /// cells; the cells with the four edges are searched.
    static std::uint32_t countPoints(Interval first, Interval second, const RankGrid& grid) {
        constexpr std::size_t kCell = RankGrid::kCell;
        const std::size_t firstBegin = beginOf(first) / kCell;
        const std::size_t firstEnd = endOf(first) / kCell;
        const std::size_t secondBegin = beginOf(second) / kCell;
        const std::size_t secondEnd = endOf(second) / kCell;
        const std::uint16_t* lower = grid.counts + firstBegin * grid.side;
        const std::uint16_t* upper = grid.counts + firstEnd * grid.side;
        const int whole = (upper[secondEnd] - upper[secondBegin]) - (lower[secondEnd] - lower[secondBegin]);

        const auto base = static_cast<std::uint16_t>(beginOf(second));
        const auto width = static_cast<std::uint16_t>(endOf(second) - beginOf(second));
        const auto cellBase = static_cast<std::uint16_t>(firstBegin * kCell);
        const auto cellWidth = static_cast<std::uint16_t>((firstEnd - firstBegin) * kCell);
        const int added =
            Cell::countInside(grid.successors + firstEnd * kCell, endOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondEnd * kCell, endOf(second) % kCell, cellBase,
                              cellWidth);
        const int removed =
            Cell::countInside(grid.successors + firstBegin * kCell, beginOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondBegin * kCell, beginOf(second) % kCell, cellBase,
                              cellWidth);
        return static_cast<std::uint32_t>(whole + added - removed);
    }
};

}  // namespace

template <class T>
template <InstructionSet set>
MatchKernels<T> MatchKernels<T>::compiled() {
    static_assert(8 % Words::kWords == 0);
    return {Words::kWords,
            ComparisonKernel<T>::findIntervals,
            ComparisonKernel<T>::compareRows,
            BitRowKernel::selectRows,
            BitRowKernel::countWindows,
            BitRowKernel::addColumns,
            RectangleKernel::countRectangles};
}

template MatchKernels<float> MatchKernels<float>::compiled<kCompiledSet>();
template MatchKernels<double> MatchKernels<double>::compiled<kCompiledSet>();

}  // namespace glycine::crossapen::cpu
