#include "engine/pairwise/recount_pairs.hpp"

#include <algorithm>
#include <array>

#include "engine/core/matrix.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise {

double secondsForRecount(const Sequences& sequences, PairMethod method) {
    // Measured with the plain loops of the reference: a cell takes 5 to 12 ns; ClustalW's rules visit each
    // cell three times or more.
    const double secondsPerCell = method == PairMethod::ClustalW ? 4e-8 : 1.2e-8;
    const double letters = static_cast<double>(sequences.total()) /
                           static_cast<double>(std::max<std::size_t>(sequences.size(), 1));
    return letters * letters * secondsPerCell;
}

void recountByReference(Backend& reference, const Sequences& sequences, const PairwiseOptions& options,
                        std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RealignedPair&)>& take) {
    PairwiseOptions again = options;
    again.variant = Variant::Default;
    const auto run =
        createImplementation<PairwiseEngine>(reference)->start(sequences, requestFor(sequences, again));
    progress.begin("re-counting", static_cast<double>(pairs.size()));
    for (const std::size_t number : pairs) {
        const pairs::PairTile tile = pairs::pairNumber(number);
        std::int32_t score = 0, identities = 0;
        const std::array<MatrixView<std::int32_t>, kPairQuantities> views{
            MatrixView<std::int32_t>(&score, 1, 1), MatrixView<std::int32_t>(&identities, 1, 1)};
        run->compute(tile, views, progress);
        const std::size_t row = tile.rows.begin, column = tile.columns.begin;
        const double value = valueOf(options.measure, {score, identities}, sequences.letters[row].size(),
                                     sequences.letters[column].size());
        if (!take({row, column, value})) return;
    }
}

double secondsPerCellOnHost(PairMethod method) {
    // 3 to 10 times as long as measured with AVX2.
    return method == PairMethod::ClustalW ? 1e-8 : 1e-9;
}

void recountRows(Backend& host, const Sequences& sequences, const PairwiseOptions& options, Range rows,
                 Progress& progress, const std::function<void(const RealignedPair&)>& take) {
    PairwiseOptions again = options;
    again.variant = Variant::Default;
    const auto run =
        createImplementation<PairwiseEngine>(host)->start(sequences, requestFor(sequences, again));
    const auto countTile = [&](const pairs::PairTile& tile) {
        const std::size_t height = tile.rows.size(), width = tile.columns.size();
        Matrix<std::int32_t> scores(height, width, 0), identities(height, width, 0);
        const std::array<MatrixView<std::int32_t>, kPairQuantities> views{scores.view(), identities.view()};
        run->compute(tile, views, progress);
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
            for (std::size_t column = tile.columns.begin; column < std::min(tile.columns.end, row);
                 ++column) {
                const std::size_t i = row - tile.rows.begin, j = column - tile.columns.begin;
                const double value = valueOf(options.measure, {scores(i, j), identities(i, j)},
                                             sequences.letters[row].size(), sequences.letters[column].size());
                take({row, column, value});
            }
    };
    if (rows.begin > 0) countTile({rows, {0, rows.begin}});
    if (rows.size() > 1) countTile({rows, rows});
}

}  // namespace glycine::pairwise
