#include <random>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/stage_recount.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/pairs/tile_digester.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::pairs::cuda {
namespace {

struct Shape {
    std::size_t rows, columns;
    bool isDiagonal, hasMissing;
};

/// A tile whose results start at (deviceRow, deviceColumn), surrounded by others that must not count.
void expectDigest(const glycine::cuda::CudaBackend& backend, const Shape& shape, std::uint32_t largest) {
    constexpr std::size_t kSide = 1280, kDeviceRow = 2, kDeviceColumn = 3, kLeast = 50;
    std::mt19937 random(3);
    Matrix<std::uint32_t> differing(kSide, kSide), inCommon(kSide, kSide);
    for (std::size_t k = 0; k < differing.size(); ++k) {
        differing.data()[k] = random() % 5000;
        inCommon.data()[k] = random() % 100;
    }
    const glycine::cuda::DeviceBuffer<std::uint32_t> values(backend.memory(), differing.size());
    const glycine::cuda::DeviceBuffer<std::uint32_t> known(backend.memory(), inCommon.size());
    glycine::cuda::copyToDevice(backend, differing.data(), differing.size(), values.data());
    glycine::cuda::copyToDevice(backend, inCommon.data(), inCommon.size(), known.data());

    const std::size_t begin = shape.isDiagonal ? 100 : 5000;
    const PairTile tile{{begin, begin + shape.rows}, {100, 100 + shape.columns}};
    std::vector<std::size_t> samples;
    std::vector<ClosePair> close, sampled;
    std::vector<RowDigest> rows;
    const auto numberOf = [](std::size_t row, std::size_t column) { return row * (row - 1) / 2 + column; };
    for (std::size_t r = 0; r < shape.rows; ++r) {
        const std::size_t columns = shape.isDiagonal ? r : shape.columns;
        const std::uint32_t* const ownValues = differing.row(kDeviceRow + r) + kDeviceColumn;
        const std::uint32_t* const ownKnown = inCommon.row(kDeviceRow + r) + kDeviceColumn;
        rows.push_back(digestOfRow({ownValues, columns}, {ownKnown, shape.hasMissing ? columns : 0},
                                   shape.hasMissing ? kLeast : 0, largest));
        for (std::size_t c = 0; c < columns; ++c) {
            const ClosePair pair{static_cast<std::uint32_t>(tile.rows.begin + r),
                                 static_cast<std::uint32_t>(tile.columns.begin + c),
                                 static_cast<double>(ownValues[c])};
            const bool isKnown = !shape.hasMissing || ownKnown[c] >= kLeast;
            if (isKnown && ownValues[c] <= largest) close.push_back(pair);
            if (random() % 500 != 0) continue;
            samples.push_back(numberOf(pair.row, pair.column));
            if (isKnown) sampled.push_back(pair);
        }
    }
    TileDigester digester(backend, kSide, 20000);
    TileDigest digest{std::vector<RowDigest>(shape.rows), {}, {}};
    ASSERT_TRUE(digester.add({tile, 0, 0, kDeviceRow, kDeviceColumn}, values.data(),
                             shape.hasMissing ? known.data() : nullptr, kSide, {largest, samples},
                             shape.hasMissing ? kLeast : 0, digest));
    EXPECT_EQ(digest.rows, rows);
    EXPECT_EQ(digest.close, close);
    std::erase_if(digest.samples, [](const ClosePair& pair) { return pair.value != pair.value; });
    EXPECT_EQ(digest.samples, sampled);
}

TEST(TileDigester, FindsWhatTheValuesGive) {
    REQUIRE_BACKEND(backend);
    for (const Shape& shape :
         {Shape{1200, 1200, true, false}, Shape{1200, 1200, true, true}, Shape{1000, 257, false, true},
          Shape{1, 1, false, false}, Shape{1, 1, true, false}, Shape{3, 1270, false, false}})
        for (const std::uint32_t largest : {0U, 20U, 60U}) expectDigest(*backend, shape, largest);
}

TEST(TileDigester, JoinsThePiecesOfATile) {
    REQUIRE_BACKEND(backend);
    const std::vector<std::uint32_t> left{5, 3, 3}, right{3, 9, 2};
    TileDigester digester(*backend, 256, 1000);
    TileDigest digest{std::vector<RowDigest>(1), {}, {}};
    const glycine::cuda::DeviceBuffer<std::uint32_t> first = glycine::cuda::onDevice(*backend, left);
    const glycine::cuda::DeviceBuffer<std::uint32_t> second = glycine::cuda::onDevice(*backend, right);
    ASSERT_TRUE(digester.add({{{9, 10}, {0, 3}}, 0, 0, 0, 0}, first.data(), nullptr, 3, {2, {}}, 0, digest));
    ASSERT_TRUE(digester.add({{{9, 10}, {3, 6}}, 0, 3, 0, 0}, second.data(), nullptr, 3, {2, {}}, 0, digest));
    const std::vector<std::uint32_t> all{5, 3, 3, 3, 9, 2};
    EXPECT_EQ(digest.rows.front(), digestOfRow(all, {}, 0, 2));
    EXPECT_EQ(digest.close, (std::vector<ClosePair>{{9, 5, 2}}));
}

TEST(TileDigester, SaysWhenMoreAreCloseThanItHasRoomFor) {
    REQUIRE_BACKEND(backend);
    constexpr std::size_t kSide = 512;
    const std::vector<std::uint32_t> zeros(kSide * kSide, 0);
    const glycine::cuda::DeviceBuffer<std::uint32_t> values = glycine::cuda::onDevice(*backend, zeros);
    TileDigester digester(*backend, kSide, kSide);
    TileDigest digest{std::vector<RowDigest>(kSide), {}, {}};
    EXPECT_FALSE(digester.add({{{0, kSide}, {0, kSide}}, 0, 0, 0, 0}, values.data(), nullptr, kSide, {0, {}},
                              0, digest));
}

}  // namespace
}  // namespace glycine::pairs::cuda
