#include "engine/mutualinfo/network/infer_network.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairs/row_visit.hpp"

namespace glycine::mutualinfo {

void AbsoluteValuesSink::store(const pairs::PairTile& tile, MatrixView<const double> values) {
    Matrix<double> absolute(values.rows(), values.columns());
    for (std::size_t r = 0; r < values.rows(); ++r)
        std::transform(values.row(r), values.row(r) + values.columns(), absolute.row(r),
                       [](double value) { return std::abs(value); });
    sink_.store(tile, std::as_const(absolute).view());
}

void TiedInformationSink::store(const pairs::PairTile& tile, MatrixView<const double> values) {
    // Reuses the buffer, because for a large tile fresh pages from the system cost more time than the
    // rounding.
    if (tied_.size() < values.rows() * values.columns())
        tied_ = Matrix<double>(values.rows(), values.columns());
    const MatrixView<double> tied(tied_.data(), values.rows(), values.columns());
    parallelFor(omp_get_max_threads(), values.rows(), [&](std::size_t row, std::size_t) {
        std::transform(values.row(row), values.row(row) + values.columns(), tied.row(row),
                       [](double value) { return std::round(value * 0x1p40) * 0x1p-40; });
    });
    sink_.store(tile, tied);
}

GeneBackground backgroundOf(const pairs::PairStore& information, Progress& progress) {
    const std::size_t n = information.instances();
    GeneBackground background{std::vector<double>(n), std::vector<double>(n)};
    pairs::visitRows(information, "backgrounds", progress, [&](std::size_t gene, const double* values) {
        const auto overOthers = [&](const auto& term) {
            double sum = 0;
            double count = 0;
            for (std::size_t j = 0; j < n; ++j)
                if (j != gene && !std::isnan(values[j])) sum += term(values[j]), count += 1;
            return count > 0 ? sum / count : 0;
        };
        const double mean = overOthers([](double value) { return value; });
        background.means[gene] = mean;
        background.deviations[gene] =
            std::sqrt(overOthers([&](double value) { return (value - mean) * (value - mean); }));
    });
    return background;
}

double relatedness(const GeneBackground& background, std::size_t i, std::size_t j, double information) {
    const auto above = [&](std::size_t gene) {
        const double deviation = background.deviations[gene];
        return deviation > 0 ? std::max(0.0, (information - background.means[gene]) / deviation) : 0.0;
    };
    return std::hypot(above(i), above(j));
}

double typicalInformation(const pairs::PairStore& information, Progress& progress) {
    const auto medianOf = [](std::vector<double>& values) {
        if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    std::vector<double> medians(information.instances());
    pairs::visitRows(information, "typical information", progress, [&](std::size_t gene, const double* row) {
        std::vector<double> known;
        for (std::size_t j = 0; j < medians.size(); ++j)
            if (j != gene && !std::isnan(row[j])) known.push_back(row[j]);
        medians[gene] = medianOf(known);
    });
    std::erase_if(medians, [](double median) { return std::isnan(median); });
    return medians.empty() ? 0 : medianOf(medians);
}

PairScores::PairScores(std::size_t genes) : values_(1, genes * (genes - (genes > 0 ? 1 : 0)) / 2, 0.0) {}

void PairScores::raise(std::size_t i, std::size_t j, double score) {
    const std::atomic_ref<double> value(values_.data()[index(i, j)]);
    double present = value.load(std::memory_order_relaxed);
    while (present < score && !value.compare_exchange_weak(present, score, std::memory_order_relaxed)) {
    }
}

PairScores relevanceWithoutRedundancy(SelectionEngine& engine, SelectionRequest request, Progress& progress) {
    constexpr std::size_t kGenesAtOnce = 64;
    const std::size_t n = request.information->instances();
    PairScores scores(n);
    request.unknown = std::round(request.unknown * 0x1p40) * 0x1p-40;
    const std::size_t atOnce =
        std::clamp<std::size_t>(engine.preferredTargets(n), 1, std::max<std::size_t>(n, 1));
    requireHostMemory(fmt::format("scores of {} genes for {} targets", formatCount(n), atOnce),
                      static_cast<double>(n * atOnce) * sizeof(double));
    Matrix<double> found(atOnce, n);
    const std::unique_ptr<SelectionRun> run = engine.start(request);
    progress.begin("selecting regulators", static_cast<double>(n));
    for (const Range& targets : splitRange(n, atOnce)) {
        run->score(targets, {found.data(), targets.size(), n}, progress);
        // A few genes with all targets: both their scores and those found stay in a cache.
        const std::vector<Range> genes = splitRange(n, kGenesAtOnce);
        parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t block, std::size_t) {
            for (std::size_t index = 0; index < targets.size(); ++index)
                for (std::size_t j = genes[block].begin; j < genes[block].end; ++j)
                    if (found(index, j) > 0) scores.raise(targets.begin + index, j, found(index, j));
        });
    }
    return scores;
}

ScoreRanks::ScoreRanks(std::vector<double> positive, std::size_t total)
    : descending_(std::move(positive)), total_(total) {
    boost::sort::block_indirect_sort(descending_.begin(), descending_.end(), std::greater<double>(),
                                     static_cast<std::uint32_t>(omp_get_max_threads()));
}

double ScoreRanks::of(double score) const {
    const auto [first, last] =
        std::equal_range(descending_.begin(), descending_.end(), score, std::greater());
    const auto before = static_cast<double>(first - descending_.begin());
    const auto upTo =
        first == last ? static_cast<double>(total_) : static_cast<double>(last - descending_.begin());
    return (before + 1 + upTo) / 2;
}

double meanOfLogRanks(double firstRank, double secondRank, std::size_t total) {
    return std::log(static_cast<double>(total)) - (std::log(firstRank) + std::log(secondRank)) / 2;
}

namespace {

/// Bytes per pair: scores of MRNET and the information that it selects by; scores and ranks of both methods.
constexpr double kMrnetBytes = 12;
constexpr double kConsensusBytes = 24;

/// Whether a pair with this information may be an edge. NaN: no.
bool reaches(double information, double threshold) {
    return information > 0 && information >= threshold;
}

/// Receives the strongest indirect path of each pair, and keeps the pairs that are stronger than their path.
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

/// Ranks all candidate pairs by a score that depends only on the pair.
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

/// Positive CLR scores of the pairs that may be linked.
std::vector<double> positiveRelatedness(const pairs::PairStore& information, const GeneBackground& background,
                                        const Regulators& regulators, Progress& progress) {
    std::vector<double> positive;
    positive.reserve(regulators.pairs(information.instances()));
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
    SelectionRequest request{
        .information = &information,
        .candidates = options.regulators.flags,
        .unknown = options.unknown ? *options.unknown : typicalInformation(information, progress),
        .selections = options.selections};
    if (options.selection != nullptr)
        return relevanceWithoutRedundancy(*options.selection, std::move(request), progress);
    return relevanceWithoutRedundancy(*processorSelection(), std::move(request), progress);
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
    const std::span<const double> scores(selected.values().data(), selected.values().size());
    const auto isPositive = [](double score) { return score > 0; };
    std::vector<double> positive(static_cast<std::size_t>(std::ranges::count_if(scores, isPositive)));
    std::ranges::copy_if(scores, positive.begin(), isPositive);
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

void checkInference(const InferenceOptions& options, std::size_t genes, bool hasPaths) {
    checkKnown(options.method);
    checkNumber("the threshold of information", options.threshold,
                std::isfinite(options.threshold) && options.threshold >= 0, "a finite number of at least 0");
    if (!(options.tolerance >= 0 && options.tolerance < 1))
        throw UsageError(
            fmt::format("a tolerance of the data-processing inequality is at least 0 and below 1, "
                        "not {}",
                        options.tolerance));
    checkRegulators(options.regulators, genes);
    if (options.selections == 0) throw UsageError("0 selections of MRNET; expected at least one");
    if (options.method == NetworkMethod::Aracne && !hasPaths)
        throw UsageError("the method aracne needs a path engine; there is none");
}

Network inferNetwork(const pairs::PairStore& information, const InferenceOptions& options, PathEngine* paths,
                     Progress& progress) {
    checkInference(options, information.instances(), paths != nullptr);
    Network network;
    EdgeRanking ranking(options.most, options.regulators.pairs(information.instances()));
    switch (options.method) {
        case NetworkMethod::Information:
        case NetworkMethod::Correlation:
        case NetworkMethod::Partial:
        case NetworkMethod::Forest:
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
