#include "engine/algorithms/align/cpu/posterior_run.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/algorithms/align/cpu/posterior_kernel.hpp"
#include "engine/algorithms/align/reference/serial_posterior.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::align::cpu {

namespace {

/// A sequence with several shorter ones, by their places in a list sorted by length.
struct Batch {
    std::size_t query = 0;
    std::size_t first = 0;  ///< of the others
    std::size_t count = 0;
};

class PosteriorWorker {
  public:
    PosteriorWorker(const Sequences& sequences, const std::vector<std::size_t>& places, PosteriorSet& result)
        : sequences_(sequences), places_(places), result_(result) {}

    void compute(const Batch& batch, const PosteriorKernel& kernel, const ModelNumbers& one,
                 const ModelNumbers& other, std::atomic<std::size_t>& repeated) {
        const auto& width = kernel.widthFor(batch.count);
        const auto& query = sequences_.codes[places_[batch.query]];
        std::uint32_t lengths[kMostPosteriorLanes] = {};
        for (std::size_t lane = 0; lane < batch.count; ++lane)
            lengths[lane] = static_cast<std::uint32_t>(codes(batch, lane).size());
        const std::size_t longest = *std::max_element(lengths, lengths + batch.count);
        columns_.assign(longest * width.lanes, kSide - 1);
        for (std::size_t lane = 0; lane < batch.count; ++lane)
            for (std::size_t j = 0; j < lengths[lane]; ++j)
                columns_[j * width.lanes + lane] = codes(batch, lane)[j];
        width.compute({.query = query.data(),
                       .rows = query.size(),
                       .columns = columns_.data(),
                       .lengths = lengths,
                       .width = longest,
                       .models = {&one, &other},
                       .cutoff = kSmallestPosterior},
                      memory_);
        for (std::size_t lane = 0; lane < batch.count; ++lane) {
            const std::size_t a = places_[batch.query], b = places_[batch.first + lane];
            SparsePosterior found;
            if (memory_.lanes[lane].isSound) {
                found = sparse(memory_.lanes[lane], query.size());
            } else {
                // Float32 does not hold the sums of these two.
                ++repeated;
                found = reference::mergedPosterior(hiddenMarkovModel(sequences_.alphabet),
                                                   partitionModel(sequences_.alphabet), query,
                                                   sequences_.codes[b]);
            }
            result_.setPair(a, b, std::move(found), lengths[lane]);
        }
    }

  private:
    static constexpr std::uint8_t kSide = 32;

    const std::vector<std::uint8_t>& codes(const Batch& batch, std::size_t lane) const {
        return sequences_.codes[places_[batch.first + lane]];
    }

    static SparsePosterior sparse(const LanePosterior& lane, std::size_t rows) {
        std::vector<std::uint32_t> begins(rows + 1, 0);
        for (const std::uint32_t row : lane.rowOf) ++begins[row + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        return {std::move(begins), std::vector<PosteriorEntry>(lane.entries.rbegin(), lane.entries.rend())};
    }

    const Sequences& sequences_;
    const std::vector<std::size_t>& places_;
    PosteriorSet& result_;
    PosteriorMemory memory_;
    std::vector<std::uint8_t> columns_;
};

}  // namespace

std::size_t computePosteriors(const Sequences& sequences, InstructionSet instructions, int threads,
                              PosteriorSet& result, Progress& progress) {
    const PosteriorKernel kernel = posteriorKernel(instructions);
    const std::size_t most = kernel.widths.back().lanes;
    std::vector<std::size_t> places(sequences.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&](std::size_t place) { return sequences.codes[place].size(); });
    std::vector<Batch> batches;
    for (std::size_t query = sequences.size(); query-- > 1;)
        for (std::size_t first = 0; first < query; first += most)
            batches.push_back({query, first, std::min(most, query - first)});
    const std::size_t longest = sequences.longest() + 1;
    const ModelNumbers one(hiddenMarkovModel(sequences.alphabet), longest);
    const ModelNumbers other(partitionModel(sequences.alphabet), longest);
    std::vector<PosteriorWorker> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) workers.emplace_back(sequences, places, result);
    std::atomic<std::size_t> repeated = 0;
    progress.begin("posteriors", cellsOfPairs(sequences));
    parallelFor(threads, batches.size(), [&](std::size_t index, std::size_t thread) {
        progress.throwIfCancelled();
        const Batch& batch = batches[index];
        workers[thread].compute(batch, kernel, one, other, repeated);
        double done = 0;
        for (std::size_t k = 0; k < batch.count; ++k)
            done += static_cast<double>(sequences.codes[places[batch.query]].size()) *
                    static_cast<double>(sequences.codes[places[batch.first + k]].size());
        progress.advance(done);
    });
    return repeated;
}

}  // namespace glycine::align::cpu
