#include "engine/study/pair_computation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/result_memory.hpp"

namespace glycine::study {

namespace {

using pairs::PairTile;

/// The tile of all pairs of the instances.
PairTile wholeTile(std::size_t instances) {
    return {{0, instances}, {0, instances}};
}

template <class T>
class PairComputation final : public Computation {
  public:
    PairComputation(PairTrial<T> trial, CheckScope scope)
        : trial_(std::move(trial)), comparison_(equalSoFar(0)) {
        for (std::size_t q = 0; q < trial_.quantities.size(); ++q) memory_.emplace_back(scope);
        const std::size_t n = trial_.instances;
        const bool isWhole = scope == CheckScope::Full;
        const std::size_t third = std::max<std::size_t>((n + 2) / 3, 1);
        tiles_ = pairs::tilesBelowDiagonal(n, std::min(trial_.tile, isWhole ? third : n));
        if (!isWhole || trial_.tile < n) return;
        tiles_.insert(tiles_.begin(), wholeTile(n));
        coverage_ = 2;
    }

    Outcome run(Progress& progress) override {
        double pairs = 0;
        for (const PairTile& tile : tiles_) pairs += static_cast<double>(tile.pairs() * trial_.inputs.size());
        progress.begin(trial_.stage, pairs * static_cast<double>(trial_.attributes));
        comparison_ = equalSoFar(trial_.allowedDifference);
        comparison_.isAbsolute = trial_.isAbsolute;
        pairs_ = 0;
        pairs::PairTimes times;
        double seconds = 0;
        std::string variant, note;
        std::vector<StageTime> kernels;
        for (const PairInput<T>& input : trial_.inputs) {
            Stopwatch watch;
            const std::unique_ptr<pairs::TileRun<T>> run = input.start();
            seconds += watch.seconds();
            for (const PairTile& tile : tiles_) {
                const std::vector<MatrixView<T>> results = memoryFor(tile);
                watch.restart();
                run->compute(tile, results, progress);
                seconds += watch.seconds();
                compare(tile, results, input);
            }
            times += run->times();
            if (trial_.reportsKernelTimes) addTo(kernels, run->kernelTimes());
            variant = run->variantName();
            note = run->note();
        }
        ++runs_;
        Outcome outcome =
            pairOutcome(times, seconds, trial_.instances, trial_.attributes, trial_.inputs.size());
        outcome.variant = std::move(variant);
        outcome.note = std::move(note);
        outcome.work *= trial_.workOfEach;
        for (StageTime& stage : outcome.stages) stage.work *= trial_.workOfEach;
        if (!kernels.empty()) kernels.back().work = outcome.work;
        std::ranges::move(kernels, std::back_inserter(outcome.stages));
        return outcome;
    }

    Comparison check(Progress&) override {
        const std::size_t n = trial_.inputs.front().checked.size();
        const std::size_t expected = trial_.inputs.size() * (n * (n - 1) / 2);
        const std::string pairs = formatCount(expected, "pair");
        Comparison comparison = std::exchange(comparison_, equalSoFar(0));
        if (const std::size_t computed = std::exchange(pairs_, 0); computed != expected * coverage_)
            comparison.fail(fmt::format("{} of {} were computed", formatCount(computed), pairs));
        comparison.verdict = !comparison.agrees() ? comparison.place
                             : comparison.isEqual
                                 ? fmt::format("{} exact", pairs)
                                 : fmt::format("{} within {:.1g}", pairs, comparison.largestDifference);
        return comparison;
    }

    std::optional<ResultDigest> digest() override { return digester_.digest(); }

  private:
    /// Adds the kernels' times as means over the inputs.
    void addTo(std::vector<StageTime>& stages, const std::vector<pairs::KernelTime>& kernels) const {
        stages.resize(kernels.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            stages[k].name = kernels[k].first;
            stages[k].seconds += kernels[k].second / static_cast<double>(trial_.inputs.size());
        }
    }

    std::vector<MatrixView<T>> memoryFor(const PairTile& tile) {
        std::vector<MatrixView<T>> results(memory_.size());
        for (std::size_t q = 0; q < memory_.size(); ++q)
            if (!trial_.quantities[q].empty())
                results[q] = memory_[q].view(tile.rows.size(), tile.columns.size());
        return results;
    }

    /// Compares the checked pairs within a tile.
    void compare(const PairTile& tile, const std::vector<MatrixView<T>>& results, const PairInput<T>& input) {
        const auto isIn = [](Range range, std::size_t instance) {
            return instance >= range.begin && instance < range.end;
        };
        if (runs_ == 0) digest(tile, results);
        for (std::size_t i = 0; i < input.checked.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const std::size_t row = input.checked[i];
                const std::size_t column = input.checked[j];
                if (!isIn(tile.rows, row) || !isIn(tile.columns, column)) continue;
                for (std::size_t q = 0; q < results.size(); ++q) {
                    if (results[q].empty()) continue;
                    T& value = results[q](row - tile.rows.begin, column - tile.columns.begin);
                    const auto expected = static_cast<double>(input.expected[q](i, j));
                    comparison_.compareElement(
                        expected, static_cast<double>(value), input.explained ? input.explained(expected) : 0,
                        [&] { return fmt::format("{} of ({}, {})", trial_.quantities[q], row, column); });
                    value = ResultMemory<T>::kNoResult;
                }
                ++pairs_;
            }
        }
        if (!std::ranges::all_of(memory_, &ResultMemory<T>::isIntact))
            comparison_.fail(fmt::format("elements outside the tile ({}, {}), which were overwritten",
                                         tile.rows.begin, tile.columns.begin));
    }

    /// Digests the pairs below the diagonal, before compare() overwrites some of them.
    void digest(const PairTile& tile, const std::vector<MatrixView<T>>& results) {
        for (std::size_t q = 0; q < results.size(); ++q) {
            if (results[q].empty()) continue;
            for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
                for (std::size_t column = tile.columns.begin; column < std::min(row, tile.columns.end);
                     ++column)
                    digester_.take(q, row, column,
                                   results[q](row - tile.rows.begin, column - tile.columns.begin));
        }
    }

    PairTrial<T> trial_;
    std::vector<PairTile> tiles_;
    std::size_t coverage_ = 1;
    std::vector<ResultMemory<T>> memory_;
    Comparison comparison_;
    ResultDigester digester_;  ///< digest of the first run
    std::size_t runs_ = 0;
    std::size_t pairs_ = 0;  ///< compared since the last check
};

}  // namespace

Outcome pairOutcome(const pairs::PairTimes& times, double seconds, std::size_t instances,
                    std::size_t attributes, std::size_t inputs) {
    const auto n = static_cast<double>(instances);
    const double work = n * n * static_cast<double>(attributes) / 1e9;
    const double share = 1 / static_cast<double>(inputs);
    return {.variant = {},
            .stages = {{"pack", times.pack * share},
                       {"upload", times.upload * share},
                       {"compute", times.compute * share, work},
                       {"download", times.download * share}},
            .seconds = seconds * share,
            .work = work,
            .note = {}};
}

template <class T>
std::unique_ptr<Computation> computePairs(PairTrial<T> trial, CheckScope scope) {
    return std::make_unique<PairComputation<T>>(std::move(trial), scope);
}

template <class T>
std::vector<Matrix<T>> runReference(pairs::TileRun<T>& reference, std::size_t instances,
                                    std::size_t attributes, std::size_t quantities, double& seconds,
                                    Progress& progress) {
    const PairTile whole = wholeTile(instances);
    progress.begin("reference", static_cast<double>(whole.pairs() * attributes));
    std::vector<Matrix<T>> answers;
    for (std::size_t q = 0; q < quantities; ++q) answers.emplace_back(instances, instances);
    std::vector<MatrixView<T>> views;
    for (Matrix<T>& answer : answers) views.push_back(answer.view());
    reference.compute(whole, views, progress);
    seconds += reference.times().total();
    return answers;
}

#define GLYCINE_PAIRS_OF(T)                                                                                 \
    template std::unique_ptr<Computation> computePairs(PairTrial<T>, CheckScope);                           \
    template std::vector<Matrix<T>> runReference(pairs::TileRun<T>&, std::size_t, std::size_t, std::size_t, \
                                                 double&, Progress&)
GLYCINE_PAIRS_OF(std::int32_t);
GLYCINE_PAIRS_OF(std::uint32_t);
GLYCINE_PAIRS_OF(float);
GLYCINE_PAIRS_OF(double);
#undef GLYCINE_PAIRS_OF

}  // namespace glycine::study
