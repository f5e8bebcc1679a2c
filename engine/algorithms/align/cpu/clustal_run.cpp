#include "engine/algorithms/align/cpu/clustal_run.hpp"

#include <algorithm>
#include <memory>

#include "engine/algorithms/align/clustal_scoring.hpp"
#include "engine/algorithms/align/cpu/clustal_batch.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align::cpu {

namespace {

/// Within a tile.
struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
};

}  // namespace

void ClustalRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                         Progress& progress) {
    const Stopwatch watch;
    TileProgress work(sequences_, tile, progress);
    // Rows of the alignment are those that come first in the input: the tile's columns.
    const auto a = [&](Place place) -> const auto& {
        return sequences_.codes[tile.columns.begin + place.column];
    };
    const auto b = [&](Place place) -> const auto& {
        return sequences_.codes[tile.rows.begin + place.row];
    };
    const auto cells = [&](Place place) { return a(place).size() * b(place).size(); };
    std::vector<Place> places;
    places.reserve(tile.pairs());
    for (std::size_t i = 0; i < tile.rows.size(); ++i)
        for (std::size_t j = 0; j < (tile.isDiagonal() ? i : tile.columns.size()); ++j)
            places.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    // Those of one size beside each other, the largest first.
    std::stable_sort(places.begin(), places.end(), [&](Place x, Place y) {
        if (a(x).size() != a(y).size()) return a(x).size() > a(y).size();
        return b(x).size() > b(y).size();
    });

    const ClustalKernel kernel = clustalKernel(instructions_);
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    std::vector<std::unique_ptr<ClustalBatch>> batches(static_cast<std::size_t>(threads_));
    // Enough that parts of one size are found among them, and that threads have something to do.
    constexpr std::size_t kFills = 8;
    const std::size_t fair = places.size() / (4 * batches.size()) + 1;
    const std::size_t size = std::clamp(fair, kernel.lanes, kFills * kernel.lanes);
    parallelFor(threads_, (places.size() + size - 1) / size, [&](std::size_t index, std::size_t thread) {
        std::unique_ptr<ClustalBatch>& batch = batches[thread];
        if (batch == nullptr) batch = std::make_unique<ClustalBatch>(kernel, matrix);
        const std::size_t begin = index * size, end = std::min(begin + size, places.size());
        std::vector<ClustalBatch::Pair> pairs;
        double done = 0;
        for (std::size_t k = begin; k < end; ++k) {
            pairs.push_back(
                {a(places[k]), b(places[k]),
                 clustalPenalties(sequences_.alphabet, a(places[k]).size(), b(places[k]).size())});
            done += static_cast<double>(cells(places[k]));
        }
        batch->align(pairs, [&work] { work.advance(0); });
        for (std::size_t k = begin; k < end; ++k) {
            const auto [row, column] = places[k];
            const PairResult& found = pairs[k - begin].result;
            if (!results[0].empty()) results[0](row, column) = static_cast<std::int32_t>(found.score);
            if (!results[1].empty()) results[1](row, column) = static_cast<std::int32_t>(found.identities);
        }
        work.advance(done);
    });
    times_.compute += watch.seconds();
}

}  // namespace glycine::align::cpu
