// The ceiling of the device: the products are those of `mma`, and none is left out.
#include <gtest/gtest.h>

#include "kernels_cuda/device/matrix_rate.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::cuda {
namespace {

TEST(MatrixRate, ProductsAreComputed) {
    REQUIRE_BACKEND(backend);
    if (backend->computeCapability() < 80) {
        EXPECT_EQ(matrixRate(*backend, MatrixNumbers::Float64), 0);
        GTEST_SKIP() << "no mma of these numbers before compute capability 8.0";
    }
    // 4 products of 16 × 8 elements, each with terms of 2⁻⁶: sums are exact.
    for (const unsigned rounds : {1U, 100U}) {
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Float64, rounds), 4 * 128 * rounds * 16 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Tf32, rounds), 4 * 128 * rounds * 8 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Float16, rounds), 4 * 128 * rounds * 16 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Int8, rounds), 4 * 128 * rounds * 32.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Bits, rounds), 4 * 128 * rounds * 256.0);
        for (const auto numbers : {MatrixNumbers::Float64, MatrixNumbers::Tf32, MatrixNumbers::Float16,
                                   MatrixNumbers::Int8, MatrixNumbers::Bits}) {
            EXPECT_EQ(matrixSum(*backend, numbers, rounds), expectedMatrixSum(numbers, rounds));
            // By warpgroups: 2 of them × 128 × 128 sums, of depths that fill 64 bytes.
            const auto sum = warpgroupSum(*backend, numbers, rounds);
            if (!sum) continue;
            EXPECT_EQ(sum->found, sum->expected);
            const double depth = numbers == MatrixNumbers::Tf32      ? 16
                                 : numbers == MatrixNumbers::Float16 ? 32
                                 : numbers == MatrixNumbers::Int8    ? 64
                                                                     : 512;
            EXPECT_EQ(sum->expected, 2 * 128 * 128 * depth * rounds);
        }
    }
    const double fp16 = matrixRate(*backend, MatrixNumbers::Float16);
    const double tf32 = matrixRate(*backend, MatrixNumbers::Tf32);
    EXPECT_GT(tf32, 1000);
    EXPECT_GT(fp16, tf32 * 1.2) << "half as many bits";
    EXPECT_GT(matrixRate(*backend, MatrixNumbers::Float64), 1);
}

}  // namespace
}  // namespace glycine::cuda
