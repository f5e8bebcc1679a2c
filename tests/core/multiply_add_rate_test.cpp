// The ceiling of the processor: chains are computed to the end, by every instruction set that there is.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/multiply_add_rate.hpp"

namespace glycine {
namespace {

TEST(MultiplyAddRate, ChainsAreComputed) {
    constexpr std::size_t rounds = 1000;
    // x ← x · a + (1 − a) from 0 goes to 1 − aⁿ.
    const double expected = 1 - std::pow(1 - 0x1p-10, static_cast<double>(rounds));
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        for (const auto numbers : {MultiplyAddNumbers::Float64, MultiplyAddNumbers::Float32}) {
            SCOPED_TRACE(toString(set));
            const bool isDouble = numbers == MultiplyAddNumbers::Float64;
            std::size_t count = 7;
            const double sum = chainMultiplyAdds(set, numbers, rounds, count);
            const std::size_t bytes = set == InstructionSet::Avx512 ? 64
                                      : set == InstructionSet::Avx2 ? 32
                                                                    : 16;
            const std::size_t lanes = bytes / (isDouble ? sizeof(double) : sizeof(float));
            ASSERT_EQ((count - 7) % (rounds * lanes), 0U) << "whole registers";
            const auto numbersOfSum = static_cast<double>((count - 7) / rounds);
            EXPECT_NEAR(sum / numbersOfSum, expected, isDouble ? 1e-12 : 1e-5);
        }
    }
}

}  // namespace
}  // namespace glycine
