#include <algorithm>

#include "kernels_cuda/crossapen/crossapen_membership.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// A thread compares some templates of a channel with all templates of a partner, which pass through shared
/// memory in blocks. Memberships of a block are added in T, blocks in double precision. The order is fixed,
/// so results are reproducible.
namespace glycine::cuda {

namespace {

constexpr unsigned kMembershipThreads = 128;
constexpr unsigned kRowsPerThread = kMembershipRows / kMembershipThreads;
/// The most templates of a partner in shared memory, and thus the most memberships that are added in T.
constexpr unsigned kMaxColumns = 128;
constexpr std::size_t kSharedBytes = std::size_t{40} << 10;

extern __shared__ __align__(16) unsigned char sharedColumns[];

__device__ inline float exponential2(float y) {
    return exp2f(y);
}
__device__ inline double exponential2(double y) {
    return exp2(y);
}
__device__ inline float power(float d, float n) {
    return powf(d, n);
}
__device__ inline double power(double d, double n) {
    return pow(d, n);
}
__device__ inline float larger(float a, float b) {
    return fmaxf(a, b);
}
__device__ inline double larger(double a, double b) {
    return fmax(a, b);
}
__device__ inline float smaller(float a, float b) {
    return fminf(a, b);
}
__device__ inline double smaller(double a, double b) {
    return fmin(a, b);
}
__device__ inline float size(float a) {
    return fabsf(a);
}
__device__ inline double size(double a) {
    return fabs(a);
}

/// Compile-time properties of a problem. `length`: m if it is 1 or 2, else 0.
template <class Number, int knownLength, bool powerIsTwo>
struct Rule {
    using T = Number;
    static constexpr int length = knownLength;
    static constexpr bool isSquare = powerIsTwo;
};

template <class T>
struct Distances {
    T atShort;
    T atLong;
};

/// A template of the channel, in registers if its length is known at compile time.
template <class Rule>
class RowTemplate {
    using T = typename Rule::T;

  public:
    __device__ RowTemplate(const MembershipProblem<T>& problem, unsigned channel, unsigned row)
        : first_(problem.templates.at(std::size_t{channel} * (problem.m + 1), row)),
          stride_(problem.templates.stride),
          m_(problem.m) {
        if constexpr (Rule::length != 0) {
#pragma unroll
            for (int k = 0; k <= Rule::length; ++k) samples_[k] = first_[k * stride_];
        }
    }

    /// Distances from the partner's template whose sample k is column[k · width].
    /// engine/crossapen/prepared_signals.hpp explains how the distance at length m is derived.
    __device__ Distances<T> from(const T* column, unsigned width) const {
        if constexpr (Rule::length == 1) {
            return {T(0), size(samples_[1] - column[width])};
        } else if constexpr (Rule::length == 2) {
            const T f0 = samples_[0] - column[0];
            const T f1 = samples_[1] - column[width];
            const T f2 = samples_[2] - column[2 * width];
            return {size(f0 - f1) * T(0.5), larger(larger(size(f0), size(f1)), size(f2))};
        } else {
            T highest = first_[0] - column[0];
            T lowest = highest;
            for (unsigned k = 1; k < m_; ++k) {
                const T f = first_[k * stride_] - column[std::size_t{k} * width];
                highest = larger(highest, f);
                lowest = smaller(lowest, f);
            }
            const T last = first_[m_ * stride_] - column[std::size_t{m_} * width];
            const T shift = last / static_cast<T>(m_);
            return {larger(highest + shift, -(lowest + shift)), larger(larger(highest, -lowest), size(last))};
        }
    }

  private:
    const T* first_;
    std::size_t stride_;
    unsigned m_;
    T samples_[Rule::length + 1];
};

template <class Rule>
__device__ typename Rule::T membership(const MembershipProblem<typename Rule::T>& problem,
                                       typename Rule::T d) {
    return exponential2(problem.scale * (Rule::isSquare ? d * d : power(d, problem.power)));
}

/// Partial sums of one thread over its rows.
template <class Rule, bool isSelf>
__device__ MembershipPart sumRows(const MembershipProblem<typename Rule::T>& problem, unsigned a, unsigned b,
                                  unsigned firstRow, unsigned columnsAtOnce) {
    using T = typename Rule::T;
    static_assert(kRowsPerThread == 2);
    const unsigned count = problem.templateCount;
    const unsigned row0 = firstRow + threadIdx.x;
    const unsigned row1 = row0 + kMembershipThreads;
    // Threads after the last template repeat it and discard the result.
    const RowTemplate<Rule> x0(problem, a, min(row0, count - 1));
    const RowTemplate<Rule> x1(problem, a, min(row1, count - 1));
    T* const columns = reinterpret_cast<T*>(sharedColumns);
    double shortTotal[2] = {};
    double longTotal[2] = {};
    for (unsigned first = 0; first < count; first += columnsAtOnce) {
        const unsigned width = min(columnsAtOnce, count - first);
        __syncthreads();
        for (unsigned k = 0; k <= problem.m; ++k)
            for (unsigned j = threadIdx.x; j < width; j += kMembershipThreads)
                columns[std::size_t{k} * width + j] =
                    *problem.templates.at(std::size_t{b} * (problem.m + 1) + k, first + j);
        __syncthreads();
        T shortSum[2] = {};
        T longSum[2] = {};
        for (unsigned j = 0; j < width; ++j) {
            const auto add = [&](const RowTemplate<Rule>& x, unsigned row, int r) {
                if (isSelf && row == first + j) return;
                const Distances<T> d = x.from(columns + j, width);
                if constexpr (Rule::length != 1) shortSum[r] += membership<Rule>(problem, d.atShort);
                longSum[r] += membership<Rule>(problem, d.atLong);
            };
            add(x0, row0, 0);
            add(x1, row1, 1);
        }
        for (int r = 0; r < 2; ++r) {
            shortTotal[r] += static_cast<double>(shortSum[r]);
            longTotal[r] += static_cast<double>(longSum[r]);
        }
    }
    MembershipPart part;
    if (row0 < count) part = {shortTotal[0], longTotal[0]};
    if (row1 < count) {
        part.shortSum += shortTotal[1];
        part.longSum += longTotal[1];
    }
    return part;
}

/// The sum over the threads of a block, valid in thread 0.
__device__ MembershipPart sumOfBlock(const MembershipPart& mine) {
    __shared__ double sums[2][kMembershipThreads];
    sums[0][threadIdx.x] = mine.shortSum;
    sums[1][threadIdx.x] = mine.longSum;
    for (unsigned half = kMembershipThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
            sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
        }
    }
    return {sums[0][0], sums[1][0]};
}

/// b for the pair with the index b (b + 1) / 2 + a, a ≤ b.
__device__ unsigned laterChannel(std::size_t pair) {
    auto b = static_cast<std::size_t>((sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
    while (b * (b + 1) / 2 > pair) --b;
    while ((b + 1) * (b + 2) / 2 <= pair) ++b;
    return static_cast<unsigned>(b);
}

template <class Rule>
__global__ void __launch_bounds__(kMembershipThreads)
    membershipKernel(MembershipProblem<typename Rule::T> problem, std::size_t firstUnit, std::size_t blocks,
                     unsigned columnsAtOnce) {
    const std::size_t unit = firstUnit + blockIdx.x;
    const std::size_t pair = unit / blocks;
    const unsigned b = laterChannel(pair);
    const auto a = static_cast<unsigned>(pair - std::size_t{b} * (b + 1) / 2);
    const unsigned firstRow = static_cast<unsigned>(unit % blocks) * kMembershipRows;
    const MembershipPart mine = a == b ? sumRows<Rule, true>(problem, a, b, firstRow, columnsAtOnce)
                                       : sumRows<Rule, false>(problem, a, b, firstRow, columnsAtOnce);
    const MembershipPart sum = sumOfBlock(mine);
    if (threadIdx.x == 0) problem.parts[unit] = sum;
}

template <class Rule>
void launchFor(const Launch& launch, const MembershipProblem<typename Rule::T>& problem,
               std::size_t firstUnit, std::size_t units) {
    const std::size_t templateBytes = (std::size_t{problem.m} + 1) * sizeof(typename Rule::T);
    const std::size_t columns =
        std::clamp<std::size_t>(kSharedBytes / templateBytes, 1, std::size_t{kMaxColumns});
    membershipKernel<Rule>
        <<<static_cast<unsigned>(units), kMembershipThreads, columns * templateBytes, launch.stream>>>(
            problem, firstUnit, problem.blocks(), static_cast<unsigned>(columns));
    checkLaunch("membership");
}

template <class T, bool isSquare>
void launchForPower(const Launch& launch, const MembershipProblem<T>& problem, std::size_t firstUnit,
                    std::size_t units) {
    switch (problem.m) {
        case 1:
            return launchFor<Rule<T, 1, isSquare>>(launch, problem, firstUnit, units);
        case 2:
            return launchFor<Rule<T, 2, isSquare>>(launch, problem, firstUnit, units);
        default:
            return launchFor<Rule<T, 0, isSquare>>(launch, problem, firstUnit, units);
    }
}

}  // namespace

template <class T>
void launchMemberships(const Launch& launch, const MembershipProblem<T>& problem, std::size_t firstUnit,
                       std::size_t units) {
    if (problem.power == T(2))
        launchForPower<T, true>(launch, problem, firstUnit, units);
    else
        launchForPower<T, false>(launch, problem, firstUnit, units);
}

template void launchMemberships(const Launch&, const MembershipProblem<float>&, std::size_t, std::size_t);
template void launchMemberships(const Launch&, const MembershipProblem<double>&, std::size_t, std::size_t);

}  // namespace glycine::cuda
