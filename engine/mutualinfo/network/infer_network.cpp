#include "engine/mutualinfo/network/infer_network.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/mutualinfo/network/check_network.hpp"
#include "engine/mutualinfo/network/network_methods.hpp"
#include "engine/pairs/row_visit.hpp"

namespace glycine::mutualinfo {

namespace {

/// Of a pair: scores of MRNET; those and the ranks of both methods.
constexpr double kMrnetBytes = 8;
constexpr double kConsensusBytes = 24;

/// Whether a pair with this information may be an edge. NaN: no.
bool reaches(double information, double threshold) {
    return information > 0 && information >= threshold;
}

/// Takes the strongest indirect path of each pair, and keeps the pairs that are stronger.
class DirectPairs final : public pairs::PairSink {
  public:
    DirectPairs(const pairs::PairStore& information, const InferenceOptions& options, EdgeRanking& ranking,
                Network& network)
        : information_(information), options_(options), ranking_(ranking), network_(network) {}

    void store(const pairs::PairTile& tile, MatrixView<const double> paths) override {
        if (direct_.size() < paths.rows() * paths.columns())
            direct_ = Matrix<double>(paths.rows(), paths.columns());
        const MatrixView<double> direct(direct_.data(), paths.rows(), paths.columns());
        information_.readBlock(tile.rows, tile.columns, direct);
        std::atomic<std::size_t> candidates = 0;
        std::atomic<std::size_t> indirect = 0;
        parallelFor(omp_get_max_threads(), tile.rows.size(), [&](std::size_t r, std::size_t) {
            const std::size_t row = tile.rows.begin + r;
            std::vector<Edge> edges;
            std::size_t found = 0;
            std::size_t taken = 0;
            for (std::size_t column = tile.columns.begin; column < std::min(row, tile.columns.end);
                 ++column) {
                const double value = direct(r, column - tile.columns.begin);
                if (!reaches(value, options_.threshold) || !options_.regulators.mayLink(row, column))
                    continue;
                ++found;
                const double path = paths(r, column - tile.columns.begin);
                if (path >= value / (1 - options_.tolerance))
                    ++taken;
                else
                    edges.push_back(
                        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), value, value});
            }
            candidates += found;
            indirect += taken;
            ranking_.add(edges);
        });
        network_.candidates += candidates;
        network_.indirect += indirect;
    }

  private:
    const pairs::PairStore& information_;
    const InferenceOptions& options_;
    EdgeRanking& ranking_;
    Network& network_;
    Matrix<double> direct_;
};

void keepDirect(const pairs::PairStore& information, const InferenceOptions& options, PathEngine& engine,
                EdgeRanking& ranking, Network& network, Progress& progress) {
    const PathRequest request{&information, options.regulators.flags};
    const std::unique_ptr<PathRun> run = engine.start(request);
    const std::size_t n = information.instances();
    DirectPairs sink(information, options, ranking, network);
    pairs::computeTiles(
        {.instances = n,
         .side = std::clamp<std::size_t>(engine.preferredTile(n), 1, std::max<std::size_t>(n, 1)),
         .stage = "indirect paths",
         .workPerPair = static_cast<double>(n)},
        sink, progress, {.compute = [&](const pairs::TileWork& work) {
            run->compute(work.tile, {&work.values, 1}, progress);
        }});
}

/// Ranks all pairs that may be edges by a score that follows from the pair.
void rankBy(const pairs::PairStore& information, const InferenceOptions& options, EdgeRanking& ranking,
            Network& network, Progress& progress,
            const std::function<double(std::size_t i, std::size_t j, double information)>& score) {
    std::atomic<std::size_t> candidates = 0;
    pairs::visitRows(information, "ranking", progress, [&](std::size_t row, const double* values) {
        std::vector<Edge> edges;
        std::size_t found = 0;
        for (std::size_t column = 0; column < row; ++column) {
            if (!reaches(values[column], options.threshold) || !options.regulators.mayLink(row, column))
                continue;
            ++found;
            const double value = score(row, column, values[column]);
            if (value > 0)
                edges.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), value,
                                 values[column]});
        }
        candidates += found;
        ranking.add(edges);
    });
    network.candidates = candidates;
}

/// Scores of CLR that are positive, of the pairs that may be linked.
std::vector<double> positiveRelatedness(const pairs::PairStore& information, const GeneBackground& background,
                                        const Regulators& regulators, Progress& progress) {
    std::vector<double> positive;
    std::mutex mutex;
    pairs::visitRows(information, "ranks", progress, [&](std::size_t row, const double* values) {
        std::vector<double> own;
        for (std::size_t column = 0; column < row; ++column) {
            if (std::isnan(values[column]) || !regulators.mayLink(row, column)) continue;
            const double score = relatedness(background, row, column, values[column]);
            if (score > 0) own.push_back(score);
        }
        const std::lock_guard lock(mutex);
        positive.insert(positive.end(), own.begin(), own.end());
    });
    return positive;
}

PairScores selectedPairs(const pairs::PairStore& information, const InferenceOptions& options,
                         Progress& progress) {
    const double unknown = options.unknown ? *options.unknown : typicalInformation(information, progress);
    return relevanceWithoutRedundancy(information, options.regulators, unknown, progress);
}

void rankByConsensus(const pairs::PairStore& information, const InferenceOptions& options,
                     EdgeRanking& ranking, Network& network, Progress& progress) {
    const std::size_t n = information.instances();
    const std::size_t total = options.regulators.pairs(n);
    requireHostMemory(fmt::format("the consensus of {} genes", formatCount(n)),
                      kConsensusBytes * static_cast<double>(total));
    const GeneBackground background = backgroundOf(information, progress);
    const ScoreRanks byRelatedness(positiveRelatedness(information, background, options.regulators, progress),
                                   total);
    const PairScores selected = selectedPairs(information, options, progress);
    std::vector<double> positive;
    for (std::size_t pair = 0; pair < selected.values().size(); ++pair)
        if (selected.values().data()[pair] > 0) positive.push_back(selected.values().data()[pair]);
    const ScoreRanks bySelection(std::move(positive), total);
    rankBy(information, options, ranking, network, progress, [&](std::size_t i, std::size_t j, double value) {
        return meanOfLogRanks(byRelatedness.of(relatedness(background, i, j, value)),
                              bySelection.of(selected.at(i, j)), total);
    });
}

}  // namespace

double bytesOfScores(NetworkMethod method, std::size_t genes) {
    const double pairs = static_cast<double>(genes) * (static_cast<double>(genes) - 1) / 2;
    if (method == NetworkMethod::Consensus) return kConsensusBytes * pairs;
    return method == NetworkMethod::Mrnet ? kMrnetBytes * pairs : 0;
}

Network inferNetwork(const pairs::PairStore& information, const InferenceOptions& options, PathEngine* paths,
                     Progress& progress) {
    checkInference(options, information.instances(), paths != nullptr);
    Network network;
    EdgeRanking ranking(options.most);
    switch (options.method) {
        case NetworkMethod::Information:
            rankBy(information, options, ranking, network, progress,
                   [](std::size_t, std::size_t, double value) { return value; });
            break;
        case NetworkMethod::Aracne:
            keepDirect(information, options, *paths, ranking, network, progress);
            break;
        case NetworkMethod::Clr: {
            const GeneBackground background = backgroundOf(information, progress);
            rankBy(information, options, ranking, network, progress,
                   [&](std::size_t i, std::size_t j, double value) {
                       return relatedness(background, i, j, value);
                   });
            break;
        }
        case NetworkMethod::Mrnet: {
            const PairScores scores = selectedPairs(information, options, progress);
            rankBy(information, options, ranking, network, progress,
                   [&](std::size_t i, std::size_t j, double) { return scores.at(i, j); });
            break;
        }
        case NetworkMethod::Consensus:
            rankByConsensus(information, options, ranking, network, progress);
            break;
    }
    network.edges = ranking.take();
    return network;
}

}  // namespace glycine::mutualinfo
