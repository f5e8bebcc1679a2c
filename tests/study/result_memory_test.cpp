#include "engine/study/result_memory.hpp"

#include <gtest/gtest.h>

namespace glycine::study {
namespace {

TEST(ResultMemory, HasGuardsWhereTheWholeIsCompared) {
    ResultMemory<std::uint32_t> memory(Depth::Whole);
    EXPECT_TRUE(memory.isIntact());
    const MatrixView<std::uint32_t> view = memory.view(2, 3);
    EXPECT_EQ(view(1, 2), ResultMemory<std::uint32_t>::kNoResult);
    view(1, 2) = 7;
    EXPECT_TRUE(memory.isIntact());
    *(view.row(1) + 3) = 7;
    EXPECT_FALSE(memory.isIntact());
    EXPECT_EQ(memory.view(2, 3)(1, 2), ResultMemory<std::uint32_t>::kNoResult);
    EXPECT_TRUE(memory.isIntact());
}

TEST(ResultMemory, IsKeptWhereSamplesAre) {
    ResultMemory<double> memory(Depth::Sampled);
    const MatrixView<double> first = memory.view(4, 4);
    EXPECT_EQ(first(3, 3), ResultMemory<double>::kNoResult);
    const MatrixView<double> second = memory.view(2, 3);
    EXPECT_EQ(first.data(), second.data());
    EXPECT_TRUE(second.isContiguous());
    EXPECT_EQ(second.rows(), 2U);
    EXPECT_EQ(memory.view(5, 5)(4, 4), ResultMemory<double>::kNoResult);
    EXPECT_TRUE(memory.isIntact());
}

}  // namespace
}  // namespace glycine::study
