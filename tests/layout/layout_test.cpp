#include "engine/layout/bits128.hpp"
#include "engine/layout/row1x4.hpp"
#include "engine/layout/strips.hpp"
#include "tests/test.hpp"

namespace glycine::layout {
namespace {

Matrix<float> numbered(std::size_t rows, std::size_t columns) {
    Matrix<float> matrix(rows, columns);
    std::iota(matrix.data(), matrix.data() + matrix.size(), 1.0F);
    return matrix;
}

TEST(Row1x4, FollowsFigure43_3) {
    // Texel (i, j) holds D[i, 4j … 4j + 3].
    const Matrix<float> matrix = numbered(2, 6);
    const std::vector<float> texels = packRow1x4(matrix.view(), -1.0F);
    EXPECT_EQ(texels, (std::vector<float>{1, 2, 3, 4, 5, 6, -1, -1, 7, 8, 9, 10, 11, 12, -1, -1}));
}

TEST(Row1x4, UnpackingInvertsPacking) {
    for (const std::size_t columns : {1, 3, 4, 5, 17}) {
        const Matrix<float> matrix = numbered(3, columns);
        const std::vector<float> texels = packRow1x4(matrix.view(), 0.0F);
        Matrix<float> back(3, columns, 0.0F);
        unpackRow1x4(texels.data(), back.view());
        EXPECT_TRUE(std::equal(matrix.data(), matrix.data() + matrix.size(), back.data())) << columns;
    }
}

// tests/bounds/gl_blocks_test.cpp checks that devices use the same layout.
TEST(Strips, ElementsComeFromWhereTheDocumentationSays) {
    for (const std::size_t rowsPerStrip : {4, 8})
        for (const std::size_t rows : {1, 7, 64, 65})
            for (const std::size_t columns : {1, 63, 64, 130}) {
                const StripShape shape{rows, columns, rowsPerStrip};
                EXPECT_EQ(shape.paddedRows() % 64, 0U);
                EXPECT_EQ(shape.width(), shape.paddedColumns() / 16);
                EXPECT_EQ(shape.height(), 4 * shape.paddedRows() / rowsPerStrip);
                const Matrix<float> matrix = numbered(rows, columns);
                Matrix<float> around(rows + 2, columns + 2, -7.0F);
                for (std::size_t layer = 0; layer < rowsPerStrip; ++layer) {
                    std::vector<float> texels(shape.layerElements(), -1.0F);
                    for (std::size_t i = layer; i < rows; i += rowsPerStrip)
                        for (std::size_t j = 0; j < columns; ++j) {
                            const std::size_t y = 4 * (i / rowsPerStrip) + j / 4 % 4;
                            texels[(y * shape.width() + j / 16) * 4 + j % 4] = matrix(i, j);
                        }
                    unpackStripLayer(texels.data(), shape, layer, around.view().block(1, 1, rows, columns));
                }
                for (std::size_t i = 0; i < rows + 2; ++i)
                    for (std::size_t j = 0; j < columns + 2; ++j) {
                        const bool inside = i >= 1 && i <= rows && j >= 1 && j <= columns;
                        ASSERT_EQ(around(i, j), inside ? matrix(i - 1, j - 1) : -7.0F);
                    }
            }
}

TEST(Bits128, BitsLieWhereTheDocumentationSays) {
    // 11 instances, 2 planes of 300 bits: 3 texels of 128 bits a plane, 2 texel rows.
    const Bits128Shape shape{11, 300, 2};
    EXPECT_EQ(shape.groups(), 3U);
    EXPECT_EQ(shape.width(), 48U);
    EXPECT_EQ(shape.height(), 2U);
    const auto bit = [](std::size_t instance, std::size_t plane, std::size_t k) {
        return k < 300 && (k * 7 + instance * 5 + plane * 3) % 11 < 4;
    };
    constexpr std::size_t kWords = 6;
    std::vector<std::uint64_t> planes(11 * 2 * kWords, 0);
    for (std::size_t i = 0; i < 11; ++i)
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t k = 0; k < 300; ++k)
                if (bit(i, p, k)) planes[(2 * i + p) * kWords + k / 64] |= std::uint64_t{1} << k % 64;
    std::vector<std::uint32_t> texels(shape.words(), 0xdeadbeefU);
    packBits128(
        shape, [&](std::size_t i, std::size_t p) { return &planes[(2 * i + p) * kWords]; }, texels.data());
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t k = 0; k < 384; ++k) {
                const std::size_t x = (k / 128 * 2 + p) * 8 + i % 8;
                const std::uint32_t word = texels[(i / 8 * shape.width() + x) * 4 + k % 128 / 32];
                ASSERT_EQ((word >> k % 32 & 1U) != 0, i < 11 && bit(i, p, k)) << i << ", " << p << ", " << k;
            }
}

}  // namespace
}  // namespace glycine::layout
