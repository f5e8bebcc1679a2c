// Pairs of a matrix, visited in squares on either side of the diagonal.
#include <numeric>

#include "engine/core/pair_squares.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// At both ends of squares and of the pieces that are read at once.
constexpr std::size_t kSizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 192, 193, 300};

template <class T>
Matrix<T> numbered(std::size_t n, T first) {
    Matrix<T> matrix(n, n);
    std::iota(matrix.data(), matrix.data() + n * n, first);
    return matrix;
}

template <class T>
void expectEachPairOnce(std::size_t n) {
    const Matrix<T> a = numbered<T>(n, 0), b = numbered<T>(n, 1000000);
    Matrix<int> visits(n, n, 0);
    for (const Range& rows : splitRange(n, kPairSquare))
        visitMirrored<T>(rows, a.view(), b.view(), [&](std::size_t i, std::size_t j, T above, T below) {
            ++visits(i, j);
            EXPECT_EQ(above, a(i, j));
            EXPECT_EQ(below, b(j, i));
        });
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(visits(i, j), i < j ? 1 : 0) << i << ", " << j << " of " << n;
}

TEST(PairSquares, HoldEachPairOnceWithItsMirrorImage) {
    for (const std::size_t n : kSizes) {
        expectEachPairOnce<float>(n);
        expectEachPairOnce<double>(n);
    }
}

TEST(PairSquares, FindTheFirstAsymmetry) {
    const auto differ = [](float above, float below) { return above != below; };
    for (const std::size_t n : kSizes) {
        Matrix<float> matrix(n, n, 1.0F);
        EXPECT_FALSE(findAsymmetry<float>(matrix.view(), 2, differ)) << n;
        if (n < 2) continue;
        matrix(n - 1, n - 2) = 2;  // below the diagonal alone
        const auto last = findAsymmetry<float>(matrix.view(), 2, differ);
        ASSERT_TRUE(last) << n;
        EXPECT_EQ(last->row, n - 2);
        EXPECT_EQ(last->column, n - 1);
        matrix(0, n - 1) = 3;
        const auto first = findAsymmetry<float>(matrix.view(), 2, differ);
        ASSERT_TRUE(first) << n;
        EXPECT_EQ(first->row, 0u);
        EXPECT_EQ(first->column, n - 1);
    }
}

}  // namespace
}  // namespace glycine
