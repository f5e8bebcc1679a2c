#include "engine/crossapen/cpu/membership_kernels.hpp"

#include <algorithm>

#include "engine/crossapen/cpu/membership_vectors.hpp"

namespace glycine::crossapen::cpu {

namespace {

template <class T>
class MembershipAdder {
  public:
    static MembershipSums sum(const MembershipBlock<T>& block) {
        return block.rule.power == 2 ? sumFor<true>(block) : sumFor<false>(block);
    }

  private:
    using Vectors = MembershipVectors<T, kRegisterBytes>;
    using Register = typename Vectors::Register;
    static constexpr std::size_t kLanes = Vectors::kLanes;
    static_assert(kLanes <= kColumnPadding);

    struct Pair {
        Register atShort;
        Register atLong;
    };

    template <bool isSquare>
    static MembershipSums sumFor(const MembershipBlock<T>& block) {
        switch (block.rule.m) {
            case 1:
                return sumRows<isSquare, 1>(block);
            case 2:
                return sumRows<isSquare, 2>(block);
            default:
                return sumRows<isSquare, 0>(block);
        }
    }

    /// `length`: m if known at compile time, else 0.
    template <bool isSquare, std::size_t length>
    static MembershipSums sumRows(const MembershipBlock<T>& block) {
        constexpr double kLog2E = 1.44269504088896340736;
        const T scale = static_cast<T>(-kLog2E / block.rule.tolerance);
        const T power = static_cast<T>(block.rule.power);
        const auto membership = [&](Register d) {
            return Vectors::exponential2(scale * (isSquare ? d * d : Vectors::power(d, power)));
        };
        double shortLanes[kLanes] = {};
        double longLanes[kLanes] = {};
        for (std::size_t i = 0; i < block.rowCount; ++i) {
            Pair sums{};
            const auto add = [&](const Pair& pair) {
                if constexpr (length != 1) sums.atShort += pair.atShort;
                sums.atLong += pair.atLong;
            };
            const auto memberships = [&](std::size_t j) {
                const Pair d = distances<length>(block, i, j);
                return Pair{length == 1 ? Register{} : membership(d.atShort), membership(d.atLong)};
            };
            const std::ptrdiff_t first = block.firstColumn + static_cast<std::ptrdiff_t>(i);
            std::size_t j = first > 0 ? static_cast<std::size_t>(first) : 0;
            for (; j + kLanes <= block.columnCount; j += kLanes) add(memberships(j));
            if (j < block.columnCount) {
                const Pair last = memberships(j);
                const std::size_t rest = block.columnCount - j;
                add({Vectors::firstLanes(last.atShort, rest), Vectors::firstLanes(last.atLong, rest)});
            }
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                shortLanes[lane] += static_cast<double>(sums.atShort[lane]);
                longLanes[lane] += static_cast<double>(sums.atLong[lane]);
            }
        }
        MembershipSums total;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            total.shortSum += shortLanes[lane];
            total.longSum += longLanes[lane];
        }
        return total;
    }

    /// Chebyshev distances of row i from kLanes columns, at both lengths.
    template <std::size_t length>
    static Pair distances(const MembershipBlock<T>& block, std::size_t i, std::size_t j) {
        const auto difference = [&](std::size_t k) {
            return block.rows[k * block.rowStride + i] -
                   Vectors::load(block.columns + k * block.columnStride + j);
        };
        if constexpr (length == 1) {
            return {Register{}, Vectors::abs(difference(1))};
        } else if constexpr (length == 2) {
            const Register f0 = difference(0);
            const Register f1 = difference(1);
            const Register f2 = difference(2);
            // As f2 = −(f0 + f1), f0 + f2 / 2 = (f0 − f1) / 2 and f1 + f2 / 2 is its negative.
            return {Vectors::abs((f0 - f1) * T(0.5)),
                    Vectors::largest(Vectors::largest(Vectors::abs(f0), Vectors::abs(f1)), Vectors::abs(f2))};
        } else {
            const std::size_t m = block.rule.m;
            Register highest = difference(0);
            Register lowest = highest;
            for (std::size_t k = 1; k < m; ++k) {
                const Register f = difference(k);
                highest = Vectors::max(highest, f);
                lowest = Vectors::min(lowest, f);
            }
            const Register last = difference(m);
            const Register shift = last * (1 / static_cast<T>(m));
            // abs, because the larger of two zeros may be −0.
            return {Vectors::abs(Vectors::max(highest + shift, -(lowest + shift))),
                    Vectors::max(Vectors::max(highest, -lowest), Vectors::abs(last))};
        }
    }
};

}  // namespace

template <class T>
template <InstructionSet set>
MembershipKernel<T> MembershipKernel<T>::compiled() {
    return {&MembershipAdder<T>::sum};
}

template MembershipKernel<float> MembershipKernel<float>::compiled<kCompiledSet>();
template MembershipKernel<double> MembershipKernel<double>::compiled<kCompiledSet>();

}  // namespace glycine::crossapen::cpu
