#include "engine/algorithms/distance/study/pair_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/algorithms/distance/pair_values.hpp"
#include "engine/core/error.hpp"
#include "engine/core/guarded_matrix.hpp"

namespace glycine::distance {

namespace {

PairTile wholeTile(const DataView& data) {
    return {{0, data.instances()}, {0, data.instances()}};
}

/// None for counts.
double allowedDifference(const DataView& data) {
    return data.isCoordinates() ? summationTolerance(data.attributes()) : 0;
}

void note(Comparison& comparison, double expected, double found, std::string_view what, std::size_t row,
          std::size_t column) {
    comparison.compareElement(expected, found,
                              [&] { return fmt::format("{} of ({}, {})", what, row, column); });
}

/// The elements of one result of a tile beside those of all pairs.
template <class T>
void compareTile(Comparison& comparison, const PairTile& tile, MatrixView<const T> expected,
                 GuardedMatrix<T>& found, std::string_view what) {
    const MatrixView<T> values = found.view();
    for (std::size_t r = 0; r < tile.rows.size(); ++r) {
        const std::size_t columns = tile.isDiagonal() ? r : tile.columns.size();
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t row = tile.rows.begin + r;
            const std::size_t column = tile.columns.begin + c;
            note(comparison, static_cast<double>(expected(row, column)), static_cast<double>(values(r, c)),
                 what, row, column);
        }
    }
    if (found.isIntact()) return;
    comparison.fail(fmt::format("elements beside the tile ({}, {}) of {}, which were overwritten",
                                tile.rows.begin, tile.columns.begin, what));
}

void countTile(CountingRun& run, const PairTile& tile, CountNeeds needs, const PairAnswers& answers,
               Comparison& comparison, Progress& progress) {
    const std::size_t rows = tile.rows.size();
    const std::size_t columns = tile.columns.size();
    GuardedMatrix<std::uint32_t> differing(rows, columns);
    GuardedMatrix<std::uint32_t> opposite(rows, columns);
    GuardedMatrix<std::uint32_t> valid(rows, columns);
    PairCounts counts{differing.view(), {}, {}};
    if (needs.opposite) counts.opposite = opposite.view();
    if (needs.valid) counts.valid = valid.view();
    run.count(tile, counts, progress);
    compareTile(comparison, tile, answers.differing.view(), differing, "differing attributes");
    if (needs.opposite)
        compareTile(comparison, tile, answers.opposite.view(), opposite, "opposite homozygotes");
    if (needs.valid) compareTile(comparison, tile, answers.valid.view(), valid, "attributes in common");
}

void sumTile(SummingRun& run, const PairTile& tile, SumTerm term, const PairAnswers& answers,
             Comparison& comparison, Progress& progress) {
    GuardedMatrix<double> sums(tile.rows.size(), tile.columns.size());
    run.sum(tile, sums.view(), progress);
    if (term == SumTerm::AbsoluteDifference)
        compareTile(comparison, tile, answers.absoluteDifferences.view(), sums, "sum of |a - b|");
    else
        compareTile(comparison, tile, answers.squaredDifferences.view(), sums, "sum of (a - b)²");
}

}  // namespace

PairAnswers askReference(const DataView& data, Progress& progress) {
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    const std::unique_ptr<PairEngine> engine = createPairEngine(*backend);
    const std::size_t n = data.instances();
    const PairTile tile = wholeTile(data);
    PairAnswers answers;
    if (data.isCoordinates()) {
        for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference}) {
            Matrix<double>& sums = term == SumTerm::AbsoluteDifference ? answers.absoluteDifferences
                                                                       : answers.squaredDifferences;
            sums = Matrix<double>(n, n);
            progress.begin("summing", comparisons({tile}, data));
            const auto run = engine->startSumming(data.coordinates, term, Variant::Default);
            run->sum(tile, sums.view(), progress);
            answers.seconds += run->times().total();
        }
        return answers;
    }
    const CountNeeds needs = questionsAbout(data).back().needs;
    answers.differing = Matrix<std::uint32_t>(n, n);
    PairCounts counts{answers.differing.view(), {}, {}};
    if (needs.opposite) counts.opposite = (answers.opposite = Matrix<std::uint32_t>(n, n)).view();
    if (needs.valid) counts.valid = (answers.valid = Matrix<std::uint32_t>(n, n)).view();
    progress.begin("counting", comparisons({tile}, data));
    const auto run = engine->startCounting(*data.discrete, needs, Variant::Default);
    run->count(tile, counts, progress);
    answers.seconds = run->times().total();
    return answers;
}

Comparison compareWithReference(PairEngine& engine, const DataView& data, const PairQuestion& question,
                                Variant variant, const PairAnswers& answers, Progress& progress,
                                double& seconds) {
    const std::size_t n = data.instances();
    const std::size_t side = engine.preferredTile(requestFor(data, question, variant));
    std::vector<PairTile> tiles = tilesBelowDiagonal(n, std::clamp<std::size_t>((n + 2) / 3, 1, side));
    if (side >= n) tiles.insert(tiles.begin(), wholeTile(data));

    Comparison comparison = equalSoFar(allowedDifference(data));
    progress.begin(question.name, comparisons(tiles, data));
    if (data.isCoordinates()) {
        const auto run = engine.startSumming(data.coordinates, question.term, variant);
        for (const PairTile& tile : tiles) sumTile(*run, tile, question.term, answers, comparison, progress);
        seconds += run->times().total();
    } else {
        const auto run = engine.startCounting(*data.discrete, question.needs, variant);
        for (const PairTile& tile : tiles)
            countTile(*run, tile, question.needs, answers, comparison, progress);
        seconds += run->times().total();
    }
    return comparison;
}

std::unique_ptr<ResultStore> computeValues(Backend& backend, const DataView& data,
                                           const DistanceOptions& options, Progress& progress) {
    std::unique_ptr<ResultStore> values = makeMemoryStore(
        data.instances(), ValueType::Float64, StoreLayout::Triangle, diagonalValue(options.measure));
    computeDistances(backend, data, options, *values, progress);
    return values;
}

Comparison compareValues(const ResultStore& expected, const ResultStore& found, const DataView& data,
                         Measure measure) {
    Comparison comparison = equalSoFar(allowedDifference(data));
    for (std::size_t i = 0; i < data.instances(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            note(comparison, expected.value(i, j), found.value(i, j), toString(measure), i, j);
    return comparison;
}

}  // namespace glycine::distance
