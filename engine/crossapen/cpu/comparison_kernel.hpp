#pragma once

#include <algorithm>

#include "engine/crossapen/cpu/match_kernels.hpp"

/// The kernels that compare samples, written once for all instruction sets. `Lanes` gives
///   Scalar, Register (kLanes of them), Count (as many whole numbers), kLanes ≤ kTemplatePadding
///   load, broadcast, counts(n): n in all lanes
///   addGreater(count, x, y, bound), addGreaterOrEqual: count + 1 where x − y > bound, x − y ≥ bound
///   storeIntervals(to, begins, ends)
///   compareWord(partners, x, r): a bit for each of 64 partners, set where |x − y| ≤ r; x and r are broadcast
namespace glycine::crossapen::cpu {

template <class Lanes>
struct ComparisonKernel {
    using T = typename Lanes::Scalar;

    static void findIntervals(const IntervalSearch<T>& search) {
        static_assert(kTemplatePadding % Lanes::kLanes == 0);
        const T r = search.tolerance;
        std::size_t beginCursor = 0;
        std::size_t endCursor = 0;
        for (std::size_t k = 0; k < search.count; k += Lanes::kLanes) {
            const T* templates = search.templates + k;
            const auto begins = walk<false>(templates, search.partners, r, beginCursor);
            const auto ends = walk<true>(templates, search.partners, -r, endCursor);
            Lanes::storeIntervals(search.intervals + k, begins, ends);
        }
    }

    static void compareRows(const RowComparison<T>& comparison) {
        const auto r = Lanes::broadcast(comparison.tolerance);
        const BitRows& out = comparison.out;
        for (std::size_t i = 0; i < comparison.count; ++i) {
            const auto x = Lanes::broadcast(comparison.templates[i]);
            std::uint64_t* row = out.row(i);
            for (std::size_t w = 0; w < out.words; ++w)
                row[w] = Lanes::compareWord(comparison.partners + 64 * w, x, r);
            for (std::size_t w = out.words; w < out.words + out.m; ++w) row[w] = row[w - out.words] >> 1;
        }
    }

  private:
    /// How many partners y have x − y > bound (or ≥), for kLanes ascending x. All y before `cursor` have it
    /// for every x; on return, for every x to come.
    template <bool orEqual>
    static typename Lanes::Count walk(const T* templates, const T* partners, T bound, std::size_t& cursor) {
        const auto x = Lanes::load(templates);
        const auto bounds = Lanes::broadcast(bound);
        const T largest = templates[Lanes::kLanes - 1];
        auto count = Lanes::counts(static_cast<std::uint32_t>(cursor));
        const T* y = partners + cursor;
        for (;; y += kPartnerPadding) {
            for (std::size_t step = 0; step < kPartnerPadding; ++step) {
                const auto partner = Lanes::broadcast(y[step]);
                count = orEqual ? Lanes::addGreaterOrEqual(count, x, partner, bounds)
                                : Lanes::addGreater(count, x, partner, bounds);
            }
            const T difference = largest - y[kPartnerPadding - 1];
            if (!(orEqual ? difference >= bound : difference > bound)) break;
        }
        cursor = static_cast<std::size_t>(y - partners);
        return count;
    }
};

}  // namespace glycine::crossapen::cpu
