#include <vector>

#include "engine/alignment/posterior/consistency_kernel.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::align {

void BlockedPosterior::assign(const PosteriorView& posterior, std::size_t blockLength, bool hasValues) {
    rows_.assign(posterior.rows(), {});
    std::size_t begin = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto entries = posterior.row(row);
        rows_[row].begin = begin;
        if (entries.empty()) continue;
        rows_[row].first = static_cast<std::uint32_t>(entries.front().column / blockLength);
        rows_[row].blocks =
            static_cast<std::uint32_t>(entries.back().column / blockLength) - rows_[row].first + 1;
        begin += rows_[row].blocks;
    }
    if (values_.size() < begin * blockLength) values_ = Matrix<float>(1, begin * blockLength);
    std::fill_n(values_.data(), begin * blockLength, 0.0F);
    if (!hasValues) return;
    for (std::size_t row = 0; row < rows_.size(); ++row)
        for (const PosteriorEntry& entry : posterior.row(row))
            values_.data()[rows_[row].begin * blockLength + entry.column - rows_[row].first * blockLength] =
                entry.value;
}

namespace {

/// Transforms all pairs of one sequence, y, with the sequences after it.
class ConsistencyWorker {
  public:
    ConsistencyWorker(const PosteriorSet& posteriors, const ConsistencyRound& round,
                      const ConsistencyKernel& kernel)
        : posteriors_(posteriors), round_(round), kernel_(kernel) {}

    void open(std::size_t y) {
        y_ = y;
        toY_.resize(posteriors_.sequences());
        for (std::size_t z = 0; z < toY_.size(); ++z)
            if (z != y) toY_[z].assign(posteriors_.pair(z, y), kernel_.blockLength, true);
    }

    SparsePosterior transformed(std::size_t x) {
        SparsePosterior result(posteriors_.pair(x, y_));
        sums_.assign(result, kernel_.blockLength, false);
        const double self = round_.selfWeight * (round_.weights[x] + round_.weights[y_]);
        round_.thirds.find(x, y_, thirds_);
        const double all = self + ThirdSequences::weightOf(thirds_, round_.weights);
        for (const std::size_t z : thirds_)
            kernel_.add(posteriors_.pair(x, z), toY_[z], static_cast<float>(round_.weights[z]), sums_);
        const auto kept = static_cast<float>(self / all), added = static_cast<float>(1 / all);
        for (std::size_t row = 0; row < result.rows(); ++row) {
            const BlockRow& blocks = sums_.rows()[row];
            // The blocks' first column is a multiple of the block length.
            const std::uint32_t begin = blocks.first * static_cast<std::uint32_t>(kernel_.blockLength);
            const float* const sums = sums_.values() + blocks.begin * kernel_.blockLength;
            for (PosteriorEntry& entry : result.row(row))
                entry.value = kept * entry.value + added * sums[entry.column - begin];
        }
        return result;
    }

  private:
    const PosteriorSet& posteriors_;
    ConsistencyRound round_;
    ConsistencyKernel kernel_;
    std::vector<std::size_t> thirds_;
    std::size_t y_ = 0;
    std::vector<BlockedPosterior> toY_;
    BlockedPosterior sums_;
};

}  // namespace

PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                              InstructionSet instructions, int threads, Progress& progress) {
    const std::size_t n = posteriors.sequences();
    PosteriorSet result(n);
    const ConsistencyKernel kernel = kernelFor<ConsistencyKernel>(instructions);
    std::vector<ConsistencyWorker> workers;
    for (int thread = 0; thread < threads; ++thread) workers.emplace_back(posteriors, round, kernel);
    progress.begin("consistency", static_cast<double>(n * (n - 1) / 2));
    parallelFor(threads, n, [&](std::size_t y, std::size_t thread) {
        workers[thread].open(y);
        for (std::size_t x = y + 1; x < n; ++x) {
            result.setPair(x, y, workers[thread].transformed(x), posteriors.pair(y, x).rows());
            progress.advance(1);
        }
    });
    return result;
}

}  // namespace glycine::align
