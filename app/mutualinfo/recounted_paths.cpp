#include "app/mutualinfo/recounted_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/core/stopwatch.hpp"

namespace glycine::mutualinfo {

namespace {

/// Approximate seconds per mediator of a pair in the reference.
constexpr double kSecondsOfMediator = 1e-8;

class RecountedRun final : public PathRun {
  public:
    RecountedRun(std::unique_ptr<PathRun> run, const PathRequest& request, Recount& recount)
        : run_(std::move(run)), request_(request), recount_(recount) {}
    std::string_view variantName() const override { return run_->variantName(); }
    pairs::PairTimes times() const override { return run_->times(); }
    std::string note() const override { return run_->note(); }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const Stopwatch watch;
        run_->compute(tile, results, progress);
        const double seconds = watch.seconds();
        const double each = kSecondsOfMediator * static_cast<double>(request_.information->instances());
        recount_.countSome(tile.pairs(), Recount::kMax, {.each = each, .run = seconds},
                           [&](std::size_t number) {
                               compare(tile, pairInTile(tile, number), results.front());
                               return std::size_t{1};
                           });
    }

  private:
    static pairs::PairTile pairInTile(const pairs::PairTile& tile, std::size_t number) {
        pairs::PairTile pair = pairs::pairNumber(number);
        if (!tile.isDiagonal()) {
            const std::size_t row = number / tile.columns.size();
            const std::size_t column = number % tile.columns.size();
            pair = {{row, row + 1}, {column, column + 1}};
        }
        return {{tile.rows.begin + pair.rows.begin, tile.rows.begin + pair.rows.end},
                {tile.columns.begin + pair.columns.begin, tile.columns.begin + pair.columns.end}};
    }

    void compare(const pairs::PairTile& tile, const pairs::PairTile& pair, MatrixView<double> found) {
        if (!reference_) reference_ = createImplementation<PathEngine>(recount_.reference())->start(request_);
        double expected = 0;
        const MatrixView<double> view(&expected, 1, 1);
        Progress unseen;
        reference_->compute(pair, {&view, 1}, unseen);
        recount_.compare(std::string(variantName()),
                         found(pair.rows.begin - tile.rows.begin, pair.columns.begin - tile.columns.begin),
                         expected, 0, [&] {
                             return fmt::format("strongest indirect path between genes {} and {}",
                                                pair.columns.begin + 1, pair.rows.begin + 1);
                         });
    }

    std::unique_ptr<PathRun> run_;
    PathRequest request_;
    Recount& recount_;
    std::unique_ptr<PathRun> reference_;
};

/// Approximate seconds per term of a sum in the reference.
constexpr double kSecondsOfTerm = 1e-8;

class RecountedTargets final : public SelectionRun {
  public:
    RecountedTargets(std::unique_ptr<SelectionRun> run, const SelectionRequest& request, Recount& recount)
        : run_(std::move(run)), request_(request), recount_(recount) {}
    std::string_view variantName() const override { return run_->variantName(); }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        const Stopwatch watch;
        run_->score(targets, scores, progress);
        const auto n = static_cast<double>(request_.information->instances());
        const double selections = std::min(n, static_cast<double>(request_.selections));
        recount_.countSome(targets.size(), Recount::kMax,
                           {.each = kSecondsOfTerm * n * selections, .run = watch.seconds()},
                           [&](std::size_t index) {
                               compare(targets.begin + index, scores.row(index));
                               return std::size_t{1};
                           });
    }

  private:
    void compare(std::size_t target, const double* found) {
        if (!reference_)
            reference_ = createImplementation<SelectionEngine>(recount_.reference())->start(request_);
        Matrix<double> expected(1, request_.information->instances());
        Progress unseen;
        reference_->score({target, target + 1}, expected.view(), unseen);
        for (std::size_t j = 0; j < expected.columns(); ++j)
            recount_.compare(std::string(variantName()), std::max(found[j], 0.0),
                             std::max(expected(0, j), 0.0), 0,
                             [&] { return fmt::format("score of gene {} for gene {}", j + 1, target + 1); });
    }

    std::unique_ptr<SelectionRun> run_;
    SelectionRequest request_;
    Recount& recount_;
    std::unique_ptr<SelectionRun> reference_;
};

}  // namespace

std::unique_ptr<SelectionRun> RecountedSelection::start(const SelectionRequest& request) {
    return std::make_unique<RecountedTargets>(engine_->start(request), request, recount_);
}

std::unique_ptr<PathRun> RecountedPaths::start(const PathRequest& request) {
    return std::make_unique<RecountedRun>(paths_->start(request), request, recount_);
}

}  // namespace glycine::mutualinfo
