#include <cmath>
#include <cstdint>

#include "engine/mutualinfo/cpu/joint_kernel.hpp"

namespace glycine::mutualinfo::cpu {

// Calls no function of the standard library except logarithms, because code compiled for AVX-512 must not be
// shared with other files.
namespace {

/// A register as a compiler vector, and the vector type for the same number of doubles.
template <class Number>
struct RegisterOf {
    using Register [[gnu::vector_size(kRegisterBytes)]] = Number;
    using Doubles [[gnu::vector_size(kRegisterBytes / sizeof(Number) * sizeof(double))]] = double;
};

template <class Number>
struct JointAdder {
    using Register = typename RegisterOf<Number>::Register;
    using Doubles = typename RegisterOf<Number>::Doubles;
    static constexpr std::size_t kLanes = kRegisterBytes / sizeof(Number);
    /// Widths of panels are multiples of kStep registers. kAvailable registers hold sums, weights and one
    /// operand.
    static constexpr std::size_t kStep = kCompiledSet == InstructionSet::Avx512 ? 3 : 2;
    static constexpr std::size_t kAvailable = kCompiledSet == InstructionSet::Avx512 ? 32 : 16;
    static constexpr std::size_t kLine = 64;    ///< cache line in bytes
    static constexpr std::size_t kMaxRows = 5;  ///< of the joint table at a time

    /// Registers per row, for `rows` rows, that leave room for a weight per row and one operand.
    static constexpr std::size_t registersFor(std::size_t rows) {
        const std::size_t fitting = (kAvailable - rows - 1) / rows / kStep * kStep;
        const std::size_t most = kColumns / kLanes;
        return fitting < kStep ? kStep : fitting < most ? fitting : most;
    }
    /// Columns per pass for up to three rows.
    static constexpr std::size_t kColumns = (kAvailable - 4) / 3 / kStep * kStep * kLanes;

    /// Adds rows firstWeight … + kRows − 1 of each sample, for columns from `column` on.
    template <std::size_t kRows, std::size_t kRegisters>
    static void addRows(const SampleGroups<Number>& block, std::size_t firstWeight, std::size_t column) {
        Register sums[kRows][kRegisters] = {};
        const std::size_t groups = block.bins - block.order + 1;
        double* target = block.joint + firstWeight * block.width + column;
        const auto flush = [&](std::size_t row) {
            auto* const wide = reinterpret_cast<Doubles*>(target);
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kRegisters; ++v)
                wide[v] += __builtin_convertvector(sums[row][v], Doubles);
            target += block.width;
        };
        std::uint32_t sample = 0;
        for (std::size_t group = 0; group < groups; ++group) {
            for (; sample < block.ends[group]; ++sample) {
                const auto* other = reinterpret_cast<const Register*>(
                    block.panel + block.samples[sample] * block.width + column);
                const Number* next = block.panel + block.samples[sample + kAhead] * block.width + column;
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kRegisters * kRegisterBytes; v += kLine)
                    __builtin_prefetch(reinterpret_cast<const char*>(next) + v);
                const Number* weights = block.weights + sample * block.order + firstWeight;
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kRegisters; ++v)
#pragma GCC unroll 8
                    for (std::size_t row = 0; row < kRows; ++row) sums[row][v] += weights[row] * other[v];
            }
            // The samples of the next group no longer have weight in this bin.
            flush(0);
#pragma GCC unroll 8
            for (std::size_t row = 0; row + 1 < kRows; ++row)
#pragma GCC unroll 16
                for (std::size_t v = 0; v < kRegisters; ++v) sums[row][v] = sums[row + 1][v];
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kRegisters; ++v) sums[kRows - 1][v] = Register{};
        }
#pragma GCC unroll 8
        for (std::size_t row = 0; row + 1 < kRows; ++row) flush(row);
    }

    template <std::size_t kRows>
    static void addPass(const SampleGroups<Number>& block, std::size_t firstWeight) {
        constexpr std::size_t kAtOnce = registersFor(kRows);
        std::size_t column = 0;
        for (; column + kAtOnce * kLanes <= block.width; column += kAtOnce * kLanes)
            addRows<kRows, kAtOnce>(block, firstWeight, column);
        for (; column < block.width; column += kStep * kLanes)
            addRows<kRows, kStep>(block, firstWeight, column);
    }

    static void add(const SampleGroups<Number>& block) {
        for (std::size_t done = 0; done < block.order;) {
            const std::size_t left = block.order - done;
            const std::size_t rows = left < kMaxRows ? left : kMaxRows;
            if (rows == 1) addPass<1>(block, done);
            if (rows == 2) addPass<2>(block, done);
            if (rows == 3) addPass<3>(block, done);
            if (rows == 4) addPass<4>(block, done);
            if (rows == 5) addPass<5>(block, done);
            done += rows;
        }
    }
};

/// n log n, 0 for 0.
inline double entropyTerm(double n) {
    constexpr double kLeast = 0x1p-1000;
    return n * std::log(n > kLeast ? n : kLeast);
}

/// For counts n of a table with the total T, row sums r and column sums c, the mutual information H(X) + H(Y)
/// − H(X,Y) is (Σ n log n − Σ r log r − Σ c log c + T log T) / T.
void findInformation(const JointTables& tables) {
    using Register = RegisterOf<double>::Register;
    constexpr std::size_t kLanes = kRegisterBytes / sizeof(double);
    static_assert(kLanes <= kBeyond);
    const std::size_t genes = tables.panel.genes;
    const std::size_t width = tables.panel.width;
    double* const columns = tables.scratch;
    double* const terms = columns + width;
    double* const rows = terms + width;  // per gene and bin, in the same layout as columns
    for (std::size_t c = 0; c < width; ++c) columns[c] = terms[c] = 0;
    for (std::size_t i = 0; i < tables.bins; ++i) {
        const double* const joint = tables.joint + i * width;
#pragma omp simd
        for (std::size_t c = 0; c < width; ++c) {
            columns[c] += joint[c];
            terms[c] += entropyTerm(joint[c]);
        }
        // Adds whole registers of genes. Lanes after the last gene belong to other bins and are overwritten.
        for (std::size_t g = 0; g < genes; g += kLanes) {
            Register sum{};
            for (std::size_t j = 0; j < tables.bins; ++j) {
                Register part;
                __builtin_memcpy(&part, joint + j * genes + g, kRegisterBytes);
                sum += part;
            }
            __builtin_memcpy(rows + i * genes + g, &sum, kRegisterBytes);
        }
    }
    for (std::size_t c = genes * tables.bins; c < width; ++c) rows[c] = 0;
#pragma omp simd
    for (std::size_t c = 0; c < width; ++c) terms[c] -= entropyTerm(columns[c]) + entropyTerm(rows[c]);
    // Reduces over the bins: elements 0 … genes − 1 become the sums.
    for (std::size_t j = 1; j < tables.bins; ++j)
        for (std::size_t g = 0; g < genes; ++g) {
            columns[g] += columns[j * genes + g];
            terms[g] += terms[j * genes + g];
        }
    // Whole registers: the logarithm of a single number may differ in the last bit, so that values would
    // depend on the place of a gene in its panel. Lanes after the last gene hold counts of bins.
    const std::size_t lanes = (genes + kLanes - 1) / kLanes * kLanes;
#pragma omp simd
    for (std::size_t g = 0; g < lanes; ++g) {
        constexpr double kLog2 = 0.69314718055994530942;
        const double total = columns[g];
        // The total is the number of common samples: 0, or at least 1. NaN is avoided because the compiler
        // assumes there is none.
        const double information = (terms[g] + entropyTerm(total)) / (total < 0.5 ? 1 : total) / kLog2;
        terms[g] = total < 0.5 ? kEmpty : information > 0 ? information : 0;
    }
    for (std::size_t g = 0; g < genes; ++g) tables.values[g] = terms[g];
}

}  // namespace

template <class Number>
template <InstructionSet set>
JointKernel<Number> JointKernel<Number>::compiled() {
    using Adder = JointAdder<Number>;
    return {&Adder::add, &cpu::findInformation, Adder::kStep * Adder::kLanes, Adder::kColumns};
}

template JointKernel<float> JointKernel<float>::compiled<kCompiledSet>();
template JointKernel<double> JointKernel<double>::compiled<kCompiledSet>();

}  // namespace glycine::mutualinfo::cpu
