#include "engine/io/arrays/npy_memory.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/arrays/npy.hpp"

namespace glycine::io {
namespace {

TEST(NpyMemory, ElementsAreReadLikeThoseOfAFile) {
    std::vector<double> values(6);
    std::iota(values.begin(), values.end(), 0.5);
    const std::size_t shape[] = {2, 3};
    const auto source = openNpyMemory("<f8", shape, std::as_bytes(std::span(values)), "upper");
    EXPECT_EQ(source->name(), "upper");
    const Matrix<double> read = readNpyMatrix<double>(*source);
    ASSERT_EQ(read.rows(), 2U);
    ASSERT_EQ(read.columns(), 3U);
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(read(k / 3, k % 3), values[k]);
}

TEST(NpyMemory, AnyPiecesGiveTheSameBytes) {
    const std::vector<float> values{1, 2, 3, 4, 5};
    const std::size_t shape[] = {5};
    const std::span<const std::byte> elements = std::as_bytes(std::span(values));
    const std::string header = npyHeaderText("<f4", shape);
    for (const std::size_t piece : {1U, 7U, 127U, 130U, 1000U}) {
        const auto source = openNpyMemory("<f4", shape, elements, "x");
        ASSERT_EQ(source->size(), header.size() + elements.size());
        std::vector<std::byte> all, some(piece);
        for (std::size_t count = piece; count == piece;) {
            count = source->read(some);
            all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
        }
        ASSERT_EQ(all.size(), source->size()) << piece;
        EXPECT_TRUE(std::equal(elements.begin(), elements.end(), all.end() - 20)) << piece;
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(all.data()), header.size()), header);
    }
}

TEST(NpyMemory, ErrorsNameTheArray) {
    const std::vector<float> values{1, 2};
    const std::size_t shape[] = {3};
    const auto source = openNpyMemory("<f4", shape, std::as_bytes(std::span(values)), "lower");
    try {
        readNpyHeader(*source);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("lower"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace glycine::io
