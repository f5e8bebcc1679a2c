#include "engine/alignment/cpu/posterior_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/alignment/cpu/posterior_kernel.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/scaled_posterior.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/lane_numbers.hpp"

namespace glycine::align::cpu {

template <class Number>
ModelNumbers<Number>::ModelNumbers(const PairModel& model, std::size_t longest)
    : gapKinds(model.gapKinds),
      match(static_cast<Number>(model.match)),
      leads(model.leads(longest)),
      trails(model.trails(longest)),
      odds(32, 32, 0) {
    for (std::size_t kind = 0; kind < kMaxGapKinds; ++kind) {
        open[kind] = static_cast<Number>(model.open[kind]);
        extend[kind] = static_cast<Number>(model.extend[kind]);
        close[kind] = static_cast<Number>(model.close[kind]);
    }
    for (std::size_t a = 0; a < model.codes; ++a)
        for (std::size_t b = 0; b < model.codes; ++b) odds(a, b) = static_cast<Number>(model.odds[a][b]);
}

template struct ModelNumbers<float>;
template struct ModelNumbers<double>;

namespace {

/// A sequence with several others, none longer.
struct Batch {
    std::size_t query = 0;
    std::vector<std::size_t> others;
};

/// The work of one thread.
template <class Number>
class PosteriorWorker {
  public:
    PosteriorWorker(const Sequences& sequences, const PosteriorKernel<Number>& kernel,
                    const ModelNumbers<Number>& one, const ModelNumbers<Number>& other)
        : sequences_(sequences), kernel_(kernel), models_{&one, &other} {}

    /// Stores sound results in `result`; returns the others, whose sums exceed the range of the numbers.
    std::vector<std::size_t> compute(const Batch& batch, PosteriorSet& result) {
        const std::size_t count = batch.others.size();
        const auto& width = kernel_.widthFor(count);
        const std::vector<std::uint8_t>& query = sequences_.codes[batch.query];
        std::uint32_t lengths[kMaxPosteriorLanes] = {};
        for (std::size_t lane = 0; lane < count; ++lane)
            lengths[lane] = static_cast<std::uint32_t>(sequences_.codes[batch.others[lane]].size());
        const std::size_t longest = *std::max_element(lengths, lengths + count);
        columns_.assign(longest * width.lanes, pairwise::kPaddingCode);
        for (std::size_t lane = 0; lane < count; ++lane)
            for (std::size_t j = 0; j < lengths[lane]; ++j)
                columns_[j * width.lanes + lane] = sequences_.codes[batch.others[lane]][j];
        width.compute({.query = query.data(),
                       .rows = query.size(),
                       .columns = columns_.data(),
                       .lengths = lengths,
                       .width = longest,
                       .models = {models_[0], models_[1]},
                       .cutoff = static_cast<Number>(kSmallestPosterior)},
                      memory_);
        std::vector<std::size_t> lost;
        for (std::size_t lane = 0; lane < count; ++lane) {
            if (memory_.lanes[lane].isSound)
                result.setPair(batch.query, batch.others[lane], sparse(memory_.lanes[lane], query.size()),
                               lengths[lane]);
            else
                lost.push_back(batch.others[lane]);
        }
        return lost;
    }

  private:
    static SparsePosterior sparse(const LanePosterior& lane, std::size_t rows) {
        std::vector<std::uint32_t> begins(rows + 1, 0);
        for (const std::uint32_t row : lane.rowOf) ++begins[row + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        return {std::move(begins), std::vector<PosteriorEntry>(lane.entries.rbegin(), lane.entries.rend())};
    }

    const Sequences& sequences_;
    const PosteriorKernel<Number>& kernel_;
    const ModelNumbers<Number>* models_[2];
    PosteriorMemory<Number> memory_;
    std::vector<std::uint8_t> columns_;
};

/// All selected pairs that `result` lacks, longest first.
std::vector<Batch> openBatches(const Sequences& sequences, const PosteriorSet& result, std::size_t most,
                               const PairChoice& isWanted) {
    const std::vector<std::size_t> places = pairwise::placesByLength(sequences, {0, sequences.size()});
    std::vector<Batch> batches;
    for (std::size_t query = sequences.size(); query-- > 1;) {
        std::vector<std::size_t> others;
        std::ranges::copy_if(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(query),
                             std::back_inserter(others), [&](std::size_t place) {
                                 return !result.has(places[query], place) &&
                                        (!isWanted || isWanted(places[query], place));
                             });
        for (const Range& some : splitRange(others.size(), most))
            batches.push_back({places[query],
                               {others.begin() + static_cast<std::ptrdiff_t>(some.begin),
                                others.begin() + static_cast<std::ptrdiff_t>(some.end)}});
    }
    return batches;
}

/// Returns the batches that need numbers of a wider range.
template <class Number>
std::vector<Batch> computeBatches(const Sequences& sequences, const std::vector<Batch>& batches,
                                  const PosteriorKernel<Number>& kernel, int threads, PosteriorSet& result,
                                  Progress& progress) {
    const ModelNumbers<Number> one(hiddenMarkovModel(sequences.alphabet), sequences.longest() + 1);
    const ModelNumbers<Number> other(partitionModel(sequences.alphabet), sequences.longest() + 1);
    std::vector<PosteriorWorker<Number>> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) workers.emplace_back(sequences, kernel, one, other);
    std::vector<Batch> lost;
    std::mutex mutex;
    parallelFor(threads, batches.size(), [&](std::size_t index, std::size_t thread) {
        const Batch& batch = batches[index];
        std::vector<std::size_t> others = workers[thread].compute(batch, result);
        const auto rows = static_cast<double>(sequences.codes[batch.query].size());
        double cells = 0;
        for (const std::size_t place : batch.others)
            cells += rows * static_cast<double>(sequences.codes[place].size());
        for (const std::size_t place : others)
            cells -= rows * static_cast<double>(sequences.codes[place].size());
        progress.advance(cells);
        if (others.empty()) return;
        const std::lock_guard lock(mutex);
        lost.push_back({batch.query, std::move(others)});
    });
    return lost;
}

/// Splits batches so that none has more than `most` others.
std::vector<Batch> cut(const std::vector<Batch>& batches, std::size_t most) {
    std::vector<Batch> parts;
    for (const Batch& batch : batches)
        for (std::size_t first = 0; first < batch.others.size(); first += most)
            parts.push_back({batch.query,
                             {batch.others.begin() + static_cast<std::ptrdiff_t>(first),
                              batch.others.begin() +
                                  static_cast<std::ptrdiff_t>(std::min(first + most, batch.others.size()))}});
    return parts;
}

}  // namespace

std::size_t completePosteriors(const Sequences& sequences, InstructionSet instructions, int threads,
                               PosteriorSet& result, Progress& progress, const PairChoice& isWanted) {
    const auto narrow = kernelFor<PosteriorKernel<float>>(instructions);
    const auto wide = kernelFor<PosteriorKernel<double>>(instructions);
    const std::size_t most = wide.widths.back().lanes;
    std::vector<Batch> lost;
    std::size_t repeated = 0;
    if (isNucleotide(sequences.alphabet)) {
        // Nucleotide gaps are so improbable that a row seldom fits the range of float32.
        lost = computeBatches(sequences, openBatches(sequences, result, most, isWanted), wide, threads,
                              result, progress);
    } else {
        lost = computeBatches(sequences, openBatches(sequences, result, narrow.widths.back().lanes, isWanted),
                              narrow, threads, result, progress);
        for (const Batch& batch : lost) repeated += batch.others.size();
        lost = computeBatches(sequences, cut(lost, most), wide, threads, result, progress);
    }
    for (const Batch& batch : lost)
        for (const std::size_t place : batch.others) {
            progress.throwIfCancelled();
            result.setPair(batch.query, place, scaledPosterior(sequences, batch.query, place),
                           sequences.codes[place].size());
        }
    return repeated;
}

// ---- the engine

namespace {

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "cpu", {"float32"},
        {{pairwise::Variant::InterPair,
          "one sequence with several others, a pair in each lane of a register, rows scaled by powers of two",
          {},
          {},
          true}});
    return table;
}

class LanePosteriors final : public PosteriorRun {
  public:
    LanePosteriors(const Sequences& sequences, InstructionSet instructions, int threads)
        : PosteriorRun(sequences.size()),
          sequences_(sequences),
          instructions_(instructions),
          threads_(threads) {}
    std::string_view variantName() const override { return toString(pairwise::Variant::InterPair); }
    std::string note() const override {
        if (repeated_ == 0) return {};
        return fmt::format("{} in double precision, whose sums float32 does not hold",
                           formatCount(repeated_, "pair"));
    }
    void complete(PosteriorSet& posteriors, Progress& progress) override {
        progress.begin("posteriors", cellsOfPairs(sequences_, posteriors));
        repeated_ = completePosteriors(sequences_, instructions_, threads_, posteriors, progress);
    }
    PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                  Progress& progress) override {
        return align::applyConsistency(posteriors, round, instructions_, threads_, progress);
    }

  private:
    const Sequences& sequences_;
    InstructionSet instructions_;
    int threads_;
    std::size_t repeated_ = 0;
};

class CpuPosteriors final : public PosteriorEngine {
  public:
    explicit CpuPosteriors(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}
    Support supports(const PosteriorRequest& request) const override {
        return posteriorVariants().supports(request.variant);
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        return std::make_unique<LanePosteriors>(sequences, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<PosteriorEngine> posteriorEngine() {
    return implementWith<PosteriorEngine, CpuPosteriors, HostBackend>(posteriorVariants());
}

}  // namespace glycine::align::cpu
