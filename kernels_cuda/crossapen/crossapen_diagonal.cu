#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// Variant `diagonal`: brute force that compares every two samples once. A warp processes a strip of
/// templates, each thread kRows of them, and walks over the partners. The comparison of sample i with sample
/// j becomes a bit of row i. After 32 partners, a template's matches are the AND of its rows, each shifted by
/// its index in the template, so comparisons are reused along the diagonal.
///
/// The comparison is the sign bit of |x − y| − bound, which a funnel shift appends to the row: two additions
/// and a shift.
namespace glycine::cuda {

namespace {

constexpr unsigned kDiagonalWarps = 4;
constexpr unsigned kDiagonalThreads = kDiagonalWarps * kWarp;
/// Partners per turn, and bits of a row.
constexpr unsigned kBits = 32;

/// Appends to `bits`: 1 if |x − y| < bound. The difference is then negative and has its sign bit set. A NaN
/// from float32 instructions has no sign bit.
__device__ inline unsigned appendMatch(unsigned bits, float x, float y, float bound) {
    return __funnelshift_l(__float_as_uint(fabsf(x - y) - bound), bits, 1);
}
/// Not by the sign bit: the sign of a double NaN is unknown, and double-precision units are the bottleneck
/// anyway.
__device__ inline unsigned appendMatch(unsigned bits, double x, double y, double bound) {
    return 2 * bits + (isWithin(x, y, bound) ? 1U : 0U);
}

/// A vector of 16 bytes.
template <class T>
struct alignas(16) Samples {
    static constexpr unsigned kCount = 16 / sizeof(T);
    T at[kCount];
};

/// The latest 32 bits of a row, and the 32 bits before them. The highest bit is the earliest partner.
struct RowBits {
    unsigned before;
    unsigned latest;
    /// For each partner of `before`, whether the partner `k` later matched. k < 32.
    __device__ unsigned shifted(unsigned k) const { return __funnelshift_l(latest, before, k); }
};

template <class T>
struct Strip {
    std::size_t pairIndex;
    ChannelPair pair;
    const T* u;
    const T* v;
    T bound;
    unsigned first;  ///< first template
    __device__ Strip(const MatchProblem<T>& problem, std::size_t unit, unsigned strips, unsigned rows) {
        pairIndex = unit / strips;
        pair = problem.pair(pairIndex);
        u = problem.signal(pair.x);
        v = problem.signal(pair.y);
        bound = problem.bound(pairIndex, pair.epoch);
        first = unsigned(unit % strips) * rows;
    }
    __device__ T sample(const MatchProblem<T>& problem, unsigned i) const {
        return i < problem.samples() ? u[i] : T(NAN);
    }
};

/// Counts matches with the rows in registers. length: m.
template <unsigned length, unsigned kRows>
class RegisterRows {
    static_assert(length <= kRows, "no template reaches further than into the next lane's rows");

  public:
    __device__ explicit RegisterRows(unsigned) {}

    /// Takes 32 more bits of the rows after the strip, the same in all lanes. bitsOf(k): bits of row k.
    template <class Bits>
    __device__ void follow(const Bits& bitsOf) {
#pragma unroll
        for (unsigned k = 0; k < length; ++k) following_[k] = {following_[k].latest, bitsOf(k)};
    }

    __device__ void count(const RowBits (&rows)[kRows], unsigned (&shortMatches)[kRows],
                          unsigned (&longMatches)[kRows]) const {
        const bool isLastLane = threadIdx.x % kWarp == kWarp - 1;
        RowBits next[length];  // first rows of the next lane
#pragma unroll
        for (unsigned k = 0; k < length; ++k) {
            next[k].before = __shfl_down_sync(kFullWarp, rows[k].before, 1);
            next[k].latest = __shfl_down_sync(kFullWarp, rows[k].latest, 1);
            if (isLastLane) next[k] = following_[k];
        }
#pragma unroll
        for (unsigned s = 0; s < kRows; ++s) {
            const auto row = [&](unsigned k) { return s + k < kRows ? rows[s + k] : next[s + k - kRows]; };
            unsigned matches = rows[s].before;
#pragma unroll
            for (unsigned k = 1; k < length; ++k) matches &= row(k).shifted(k);
            shortMatches[s] += __popc(matches);
            longMatches[s] += __popc(matches & row(length).shifted(length));
        }
    }

  private:
    RowBits following_[length] = {};
};

/// Counts matches for any m below 32, with the rows in shared memory.
template <unsigned kRows>
class SharedRows {
  public:
    __device__ explicit SharedRows(unsigned m) : m_(m) {
        __shared__ RowBits memory[kDiagonalWarps][kStored + kStored / kRows + 1];
        stored_ = memory[threadIdx.x / kWarp];
    }

    template <class Bits>
    __device__ void follow(const Bits& bitsOf) {
        for (unsigned k = 0; k < m_; ++k) {
            const unsigned bits = bitsOf(k);
            if (threadIdx.x % kWarp == k) following_ = {following_.latest, bits};
        }
    }

    __device__ void count(const RowBits (&rows)[kRows], unsigned (&shortMatches)[kRows],
                          unsigned (&longMatches)[kRows]) const {
        const unsigned lane = threadIdx.x % kWarp;
        const unsigned first = lane * kRows;
        __syncwarp();
#pragma unroll
        for (unsigned s = 0; s < kRows; ++s) stored_[place(first + s)] = rows[s];
        if (lane < m_) stored_[place(kWarp * kRows + lane)] = following_;
        __syncwarp();
#pragma unroll
        for (unsigned s = 0; s < kRows; ++s) {
            unsigned matches = rows[s].before;
            for (unsigned k = 1; k < m_ && matches != 0; ++k)
                matches &= stored_[place(first + s + k)].shifted(k);
            shortMatches[s] += __popc(matches);
            if (matches != 0) matches &= stored_[place(first + s + m_)].shifted(m_);
            longMatches[s] += __popc(matches);
        }
    }

  private:
    static constexpr unsigned kStored = kWarp * kRows + kLongestDiagonal;
    /// An unused element after each lane's rows puts lanes in different banks.
    static __device__ unsigned place(unsigned row) {
        return row + row / kRows;
    }

    unsigned m_;
    RowBits* stored_;
    RowBits following_ = {};  ///< lane k holds row k after the strip
};

template <class T, unsigned kRows, class Rows>
__global__ void __launch_bounds__(kDiagonalThreads)
    diagonalKernel(MatchProblem<T> problem, std::size_t firstUnit, std::size_t units, unsigned strips) {
    const std::size_t warp = std::size_t(blockIdx.x) * kDiagonalWarps + threadIdx.x / kWarp;
    if (warp >= units) return;
    const Strip<T> strip(problem, firstUnit + warp, strips, kWarp * kRows);
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned first = strip.first + lane * kRows;
    const unsigned m = problem.shape.m;
    const T bound = strip.bound;

    T x[kRows];
#pragma unroll
    for (unsigned s = 0; s < kRows; ++s) x[s] = strip.sample(problem, first + s);
    Rows counter(m);
    RowBits rows[kRows] = {};
    unsigned shortMatches[kRows] = {};
    unsigned longMatches[kRows] = {};

    const T* v = strip.v;
    const unsigned end = problem.samples();
    for (unsigned first32 = 0; first32 < end; first32 += kBits) {
#pragma unroll
        for (unsigned s = 0; s < kRows; ++s) rows[s].before = rows[s].latest;
        constexpr unsigned kStep = 8;
#pragma unroll 1
        for (unsigned j = first32; j < first32 + kBits; j += kStep) {
            Samples<T> y[kStep / Samples<T>::kCount];
#pragma unroll
            for (unsigned part = 0; part < kStep / Samples<T>::kCount; ++part)
                y[part] = *reinterpret_cast<const Samples<T>*>(v + j + part * Samples<T>::kCount);
#pragma unroll
            for (unsigned t = 0; t < kStep; ++t) {
#pragma unroll
                for (unsigned s = 0; s < kRows; ++s)
                    rows[s].latest = appendMatch(rows[s].latest, x[s],
                                                 y[t / Samples<T>::kCount].at[t % Samples<T>::kCount], bound);
            }
        }
        const T own = v[first32 + kBits - 1 - lane];
        counter.follow([&](unsigned k) {
            const T follower = strip.sample(problem, strip.first + kWarp * kRows + k);
            return __ballot_sync(kFullWarp, isWithin(follower, own, bound));
        });
        // Counts the previous 32 partners, because their successors are known only now.
        counter.count(rows, shortMatches, longMatches);
    }
#pragma unroll
    for (unsigned s = 0; s < kRows; ++s) rows[s] = {rows[s].latest, 0};
    counter.follow([](unsigned) { return 0U; });
    counter.count(rows, shortMatches, longMatches);

    const unsigned last = problem.longTemplates();
    TemplateTotals totals;
#pragma unroll
    for (unsigned s = 0; s < kRows; ++s) {
        const unsigned i = first + s;
        if (i > last) continue;
        totals.add(problem.logs, shortMatches[s], longMatches[s], i == last,
                   isMatch(strip.u + i, v + last, m, bound));
    }
    totals.addTo(problem.totals[strip.pairIndex]);
}

template <class T, unsigned kRows>
void launchRows(const Launch& launch, const MatchProblem<T>& problem, std::size_t firstUnit,
                std::size_t units) {
    const unsigned blocks = unsigned((units + kDiagonalWarps - 1) / kDiagonalWarps);
    const unsigned strips = unsigned(diagonalStrips(problem.shape));
    const auto start = [&](auto kernel) {
        kernel<<<blocks, kDiagonalThreads, 0, launch.stream>>>(problem, firstUnit, units, strips);
    };
    switch (problem.shape.m) {
        case 1:
            start(diagonalKernel<T, kRows, RegisterRows<1, kRows>>);
            break;
        case 2:
            start(diagonalKernel<T, kRows, RegisterRows<2, kRows>>);
            break;
        case 3:
            if constexpr (kRows >= 3)
                start(diagonalKernel<T, kRows, RegisterRows<3, kRows>>);
            else
                start(diagonalKernel<T, kRows, SharedRows<kRows>>);
            break;
        default:
            start(diagonalKernel<T, kRows, SharedRows<kRows>>);
    }
    checkLaunch("diagonal");
}

}  // namespace

template <class T>
void launchDiagonal(const Launch& launch, const MatchProblem<T>& problem, std::size_t firstUnit,
                    std::size_t units) {
    if (diagonalRows(problem.shape) == kWideRows)
        launchRows<T, kWideRows>(launch, problem, firstUnit, units);
    else
        launchRows<T, kNarrowRows>(launch, problem, firstUnit, units);
}

template void launchDiagonal(const Launch&, const MatchProblem<float>&, std::size_t, std::size_t);
template void launchDiagonal(const Launch&, const MatchProblem<double>&, std::size_t, std::size_t);

}  // namespace glycine::cuda
