#include "kernels_cuda/pairs/tile_digester.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "engine/core/random.hpp"
#include "engine/core/stage_recount.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::pairs::cuda {

namespace {

using glycine::cuda::DigestedValues;
using glycine::cuda::PlacedValue;

/// Rows checked per piece, and in all pieces together if there are few of them: n rows miss a fault in a
/// fraction p of them with probability (1 − p)ⁿ.
constexpr std::size_t kRowsOfPiece = 16;
constexpr std::size_t kRowsOfRun = 2000;

std::size_t roomFor(std::size_t side) {
    return std::max<std::size_t>(256, side * side / 64);
}

std::size_t rowsToCheck(std::size_t side, std::size_t instances) {
    const std::size_t pieces = std::max<std::size_t>(1, (instances + side - 1) / side);
    const std::size_t all = pieces * (pieces + 1) / 2;
    return std::max(kRowsOfPiece, kRowsOfRun / all);
}

bool comesBefore(const PlacedValue& a, const PlacedValue& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
}

std::size_t columnsOf(const DigestedValues& input, std::size_t row) {
    return input.isDiagonal ? row : input.columns;
}

/// Throws unless this is the place of a pair of the piece.
void requirePair(const DigestedValues& input, const PlacedValue& pair) {
    requireBelow(pair.row, input.rows, [] { return std::string("row of a close pair"); });
    requireBelow(pair.column, columnsOf(input, pair.row),
                 [] { return std::string("column of a close pair"); });
}

/// Adds the digest of a row in a further piece, whose first column is `offset` within the tile.
void addRow(const RowDigest& more, std::size_t offset, RowDigest& row) {
    row.sum += more.sum;
    row.known += more.known;
    row.zeros += more.zeros;
    row.close += more.close;
    if (more.known == 0) return;
    const bool isFirst = row.largestColumn == std::numeric_limits<std::uint32_t>::max();
    const auto columnOf = [offset](std::uint32_t column) {
        return static_cast<std::uint32_t>(offset + column);
    };
    if (isFirst || more.smallest < row.smallest) {
        row.smallest = more.smallest;
        row.smallestColumn = columnOf(more.smallestColumn);
    }
    if (isFirst || more.largest > row.largest) {
        row.largest = more.largest;
        row.largestColumn = columnOf(more.largestColumn);
    }
}

}  // namespace

TileDigester::TileDigester(const glycine::cuda::CudaBackend& backend, std::size_t side, std::size_t instances)
    : backend_(backend),
      checkedRows_(rowsToCheck(side, instances)),
      digests_(backend.memory(), side),
      close_(backend.memory(), roomFor(side)),
      found_(backend.memory(), 1) {}

std::size_t TileDigester::bytes(std::size_t side) {
    return side * sizeof(RowDigest) + roomFor(side) * sizeof(PlacedValue) + sizeof(std::uint32_t);
}

bool TileDigester::add(const TileRunner::Piece& piece, const std::uint32_t* values,
                       const std::uint32_t* inCommon, std::size_t stride, const DigestRequest& digestRequest,
                       std::size_t leastInCommon, TileDigest& tile) {
    const std::size_t offset = piece.deviceRow * stride + piece.deviceColumn;
    const DigestedValues input{
        {values + offset, stride}, {inCommon == nullptr ? nullptr : inCommon + offset, stride},
        piece.piece.rows.size(),   piece.piece.columns.size(),
        piece.piece.isDiagonal(),  static_cast<std::uint32_t>(leastInCommon),
        digestRequest.largest};
    const glycine::cuda::Launch launch{stream_.handle(), backend_.multiprocessors()};
    std::uint32_t found = 0;
    glycine::cuda::copyToDevice(backend_, &found, 1, found_.data());
    glycine::cuda::launchDigest(launch, input, digests_.data(), close_.data(),
                                static_cast<std::uint32_t>(close_.size()), found_.data());
    stream_.synchronize();
    glycine::cuda::copyToHost(backend_, found_.data(), 1, &found);
    if (found > close_.size()) return false;
    std::vector<RowDigest> digests(input.rows);
    glycine::cuda::copyToHost(backend_, digests_.data(), digests.size(), digests.data());
    std::vector<PlacedValue> close(found);
    if (found > 0) glycine::cuda::copyToHost(backend_, close_.data(), close.size(), close.data());
    checkRows(input, digests, close);

    for (std::size_t row = 0; row < input.rows; ++row)
        addRow(digests[row], piece.column, tile.rows[piece.row + row]);
    for (const PlacedValue& pair : close)
        tile.close.push_back({static_cast<std::uint32_t>(piece.piece.rows.begin + pair.row),
                              static_cast<std::uint32_t>(piece.piece.columns.begin + pair.column),
                              static_cast<double>(pair.value)});
    gatherSamples(piece, input, digestRequest, tile);
    return true;
}

/// Sorts the close pairs.
void TileDigester::checkRows(const DigestedValues& input, const std::vector<RowDigest>& digests,
                             std::vector<PlacedValue>& close) const {
    for (const PlacedValue& pair : close) {
        requirePair(input, pair);
        if (pair.value > input.largest)
            throw ImpossibleResultError(fmt::format("a close pair has the value {}; the largest wanted is {}",
                                                    pair.value, input.largest));
    }
    std::sort(close.begin(), close.end(), comesBefore);
    const auto next = std::adjacent_find(close.begin(), close.end(),
                                         [](const auto& a, const auto& b) { return !comesBefore(a, b); });
    if (next != close.end()) throw ImpossibleResultError("a pair is close twice");
    for (std::size_t row = 0; row < input.rows; ++row) {
        const std::size_t columns = columnsOf(input, row);
        const RowDigest& digest = digests[row];
        const auto inRow =
            std::ranges::equal_range(close, static_cast<std::uint32_t>(row), {}, &PlacedValue::row);
        const bool isEmpty = digest.known == 0;
        if (digest.known > columns || digest.close != inRow.size() ||
            (!isEmpty && (digest.smallestColumn >= columns || digest.largestColumn >= columns)))
            throw ImpossibleResultError(fmt::format(
                "the digest of row {} of {} counts {} pairs, of which {} are close, at columns {} "
                "and {}; there are {} columns and {} close pairs",
                row, input.rows, digest.known, digest.close, digest.smallestColumn, digest.largestColumn,
                columns, inRow.size()));
    }
    std::vector<std::uint32_t> values(input.columns);
    std::vector<std::uint32_t> inCommon(input.inCommon.data == nullptr ? 0 : input.columns);
    for (const std::size_t row :
         spreadSamples(input.rows, std::min(checkedRows_, input.rows), input.rows ^ input.columns)) {
        const std::size_t columns = columnsOf(input, row);
        if (columns == 0) continue;
        glycine::cuda::copyToHost(backend_, input.values.at(row, 0), columns, values.data());
        if (!inCommon.empty())
            glycine::cuda::copyToHost(backend_, input.inCommon.at(row, 0), columns, inCommon.data());
        const std::span<const std::uint32_t> known(inCommon.data(), inCommon.empty() ? 0 : columns);
        const RowDigest expected =
            digestOfRow({values.data(), columns}, known, input.leastInCommon, input.largest);
        if (!(digests[row] == expected))
            throw ImpossibleResultError(fmt::format(
                "the digest of row {} of {}: {} pairs, sum {}, {} close; its values give {}, {} and {}", row,
                input.rows, digests[row].known, digests[row].sum, digests[row].close, expected.known,
                expected.sum, expected.close));
        for (const PlacedValue& pair :
             std::ranges::equal_range(close, static_cast<std::uint32_t>(row), {}, &PlacedValue::row))
            if (pair.value != values[pair.column])
                throw ImpossibleResultError(
                    fmt::format("a close pair has the value {}, and {} among all values", pair.value,
                                values[pair.column]));
    }
}

void TileDigester::gatherSamples(const TileRunner::Piece& piece, const DigestedValues& input,
                                 const DigestRequest& digestRequest, TileDigest& tile) {
    std::vector<PlacedValue> wanted;
    const Range& columns = piece.piece.columns;
    for (std::size_t row = piece.piece.rows.begin; row < piece.piece.rows.end; ++row) {
        if (row == 0) continue;
        const std::size_t first = row * (row - 1) / 2;
        const auto from = std::ranges::lower_bound(digestRequest.samples, first + columns.begin);
        for (auto number = from;
             number != digestRequest.samples.end() && *number < first + std::min(columns.end, row); ++number)
            wanted.push_back({static_cast<std::uint32_t>(row - piece.piece.rows.begin),
                              static_cast<std::uint32_t>(*number - first - columns.begin), 0, 0});
    }
    if (wanted.empty()) return;
    const glycine::cuda::DeviceBuffer<PlacedValue> device = glycine::cuda::onDevice(backend_, wanted);
    glycine::cuda::launchGather({stream_.handle(), backend_.multiprocessors()}, input, device.data(),
                                wanted.size());
    stream_.synchronize();
    std::vector<PlacedValue> found(wanted.size());
    glycine::cuda::copyToHost(backend_, device.data(), found.size(), found.data());
    for (std::size_t k = 0; k < wanted.size(); ++k)
        tile.samples.push_back({static_cast<std::uint32_t>(piece.piece.rows.begin + wanted[k].row),
                                static_cast<std::uint32_t>(columns.begin + wanted[k].column),
                                found[k].inCommon >= input.leastInCommon
                                    ? static_cast<double>(found[k].value)
                                    : std::numeric_limits<double>::quiet_NaN()});
}

}  // namespace glycine::pairs::cuda
