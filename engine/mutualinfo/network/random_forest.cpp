#include "engine/mutualinfo/network/random_forest.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"

namespace glycine::mutualinfo {

namespace {

/// Samples of each regulator in the order of its values, and the position of each sample in that order. Equal
/// values have the same position.
class OrderedSamples {
  public:
    OrderedSamples(ExpressionView expression, const Regulators& regulators) : samples_(expression.columns()) {
        for (std::size_t g = 0; g < expression.rows(); ++g)
            if (regulators.includes(g)) genes_.push_back(g);
        requireHostMemory("the order of the samples of all regulators",
                          2.0 * sizeof(std::uint32_t) * static_cast<double>(genes_.size() * samples_));
        order_ = Matrix<std::uint32_t>(genes_.size(), samples_);
        places_ = Matrix<std::uint32_t>(genes_.size(), samples_);
        parallelFor(omp_get_max_threads(), genes_.size(), [&](std::size_t r, std::size_t) {
            const double* const values = expression.row(genes_[r]);
            std::uint32_t* const order = order_.row(r);
            std::iota(order, order + samples_, 0U);
            std::sort(order, order + samples_, [&](std::uint32_t a, std::uint32_t b) {
                return std::pair(values[a], a) < std::pair(values[b], b);
            });
            std::uint32_t place = 0;
            for (std::size_t i = 0; i < samples_; ++i) {
                if (i > 0 && values[order[i]] != values[order[i - 1]]) ++place;
                places_(r, order[i]) = place;
            }
        });
    }
    std::size_t samples() const { return samples_; }
    /// The indices of the regulators.
    const std::vector<std::size_t>& genes() const { return genes_; }
    const std::uint32_t* order(std::size_t regulator) const { return order_.row(regulator); }
    const std::uint32_t* places(std::size_t regulator) const { return places_.row(regulator); }

  private:
    std::size_t samples_;
    std::vector<std::size_t> genes_;
    Matrix<std::uint32_t> order_;
    Matrix<std::uint32_t> places_;
};

/// Grows the regression trees of one target at a time.
class Forest {
  public:
    Forest(const OrderedSamples& ordered, const ForestOptions& options)
        : ordered_(ordered),
          options_(options),
          target_(ordered.samples()),
          weights_(ordered.samples()),
          isInNode_(ordered.samples()) {}

    /// Adds to `importance`, which has an element per regulator.
    void grow(std::size_t gene, const double* values, std::vector<double>& importance, Progress& progress) {
        const auto m = static_cast<double>(target_.size());
        const double mean = std::accumulate(values, values + target_.size(), 0.0) / m;
        double variance = 0;
        for (std::size_t s = 0; s < target_.size(); ++s)
            variance += (values[s] - mean) * (values[s] - mean) / m;
        if (!(variance > 0)) return;
        for (std::size_t s = 0; s < target_.size(); ++s)
            target_[s] = (values[s] - mean) / std::sqrt(variance);
        candidates_.clear();
        for (std::size_t r = 0; r < ordered_.genes().size(); ++r)
            if (ordered_.genes()[r] != gene) candidates_.push_back(static_cast<std::uint32_t>(r));
        if (candidates_.empty()) return;
        const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(candidates_.size())));
        atNode_ = std::min(options_.candidates > 0 ? options_.candidates : std::max<std::size_t>(root, 1),
                           candidates_.size());
        RandomSequence random(derivedSeed(options_.seed, gene));
        for (std::size_t tree = 0; tree < options_.trees; ++tree) {
            growTree(random, importance);
            if (tree % 64 == 0) progress.throwIfCancelled();
        }
        for (double& one : importance) one /= m * static_cast<double>(options_.trees);
    }

  private:
    struct Node {
        std::size_t begin, end;  ///< range of samples_
    };
    struct Split {
        double gain = 0;
        std::size_t regulator = 0;
        std::uint32_t last = 0;  ///< position of the last sample on the left
    };
    struct Sums {
        double count = 0;
        double sum = 0;
        double square() const { return sum * sum / count; }
    };

    void growTree(RandomSequence& random, std::vector<double>& importance) {
        std::ranges::fill(weights_, 0);
        for (std::size_t s = 0; s < weights_.size(); ++s) ++weights_[random.below(weights_.size())];
        samples_.clear();
        for (std::uint32_t s = 0; s < weights_.size(); ++s)
            if (weights_[s] > 0) samples_.push_back(s);
        nodes_.assign(1, {0, samples_.size()});
        while (!nodes_.empty()) {
            const Node node = nodes_.back();
            nodes_.pop_back();
            if (node.end - node.begin < 2) continue;
            const Split split = bestSplit(node, random);
            if (!(split.gain > 0)) continue;
            importance[split.regulator] += split.gain;
            const std::uint32_t* const places = ordered_.places(split.regulator);
            const auto middle = std::partition(samples_.begin() + static_cast<std::ptrdiff_t>(node.begin),
                                               samples_.begin() + static_cast<std::ptrdiff_t>(node.end),
                                               [&](std::uint32_t s) { return places[s] <= split.last; });
            const auto cut = static_cast<std::size_t>(middle - samples_.begin());
            nodes_.push_back({node.begin, cut});
            nodes_.push_back({cut, node.end});
        }
    }

    /// The best split among the drawn candidates. Draws further ones as long as none splits the node.
    Split bestSplit(Node node, RandomSequence& random) {
        Sums whole;
        bool isConstant = true;
        for (std::size_t i = node.begin; i < node.end; ++i) {
            const std::uint32_t s = samples_[i];
            whole.count += weights_[s];
            whole.sum += weights_[s] * target_[s];
            isConstant = isConstant && target_[s] == target_[samples_[node.begin]];
        }
        Split best;
        if (isConstant) return best;
        const std::size_t size = node.end - node.begin;
        // For a node with many samples, scanning all samples in order is cheaper than sorting the node.
        const bool isLarge = static_cast<double>(size) * (std::log2(static_cast<double>(size)) + 1) * 2 >
                             static_cast<double>(weights_.size());
        if (isLarge)
            for (std::size_t i = node.begin; i < node.end; ++i) isInNode_[samples_[i]] = 1;
        for (std::size_t k = 0; k < candidates_.size() && (k < atNode_ || !(best.gain > 0)); ++k) {
            std::swap(candidates_[k], candidates_[k + random.below(candidates_.size() - k)]);
            tryRegulator(candidates_[k], node, isLarge, whole, best);
        }
        if (isLarge)
            for (std::size_t i = node.begin; i < node.end; ++i) isInNode_[samples_[i]] = 0;
        return best;
    }

    void tryRegulator(std::size_t regulator, Node node, bool isLarge, const Sums& whole, Split& best) {
        const std::uint32_t* const places = ordered_.places(regulator);
        Sums left;
        std::uint32_t last = 0;
        const auto take = [&](std::uint32_t s) {
            if (places[s] != last && left.count > 0) {
                const Sums right{whole.count - left.count, whole.sum - left.sum};
                const double gain = left.square() + right.square() - whole.square();
                if (gain > best.gain) best = {gain, regulator, last};
            }
            last = places[s];
            left.count += weights_[s];
            left.sum += weights_[s] * target_[s];
        };
        if (isLarge) {
            const std::uint32_t* const order = ordered_.order(regulator);
            for (std::size_t i = 0; i < weights_.size(); ++i)
                if (isInNode_[order[i]] != 0) take(order[i]);
            return;
        }
        sorted_.clear();
        for (std::size_t i = node.begin; i < node.end; ++i)
            sorted_.push_back(std::uint64_t{places[samples_[i]]} << 32U | samples_[i]);
        std::sort(sorted_.begin(), sorted_.end());
        for (const std::uint64_t one : sorted_) take(static_cast<std::uint32_t>(one));
    }

    const OrderedSamples& ordered_;
    const ForestOptions& options_;
    std::vector<double> target_;          ///< with mean 0 and variance 1
    std::vector<double> weights_;         ///< how often each sample was drawn
    std::vector<char> isInNode_;          ///< flag per sample
    std::vector<std::uint32_t> samples_;  ///< the drawn samples, node by node
    std::vector<Node> nodes_;             ///< that may still be split
    std::vector<std::uint32_t> candidates_;
    std::size_t atNode_ = 0;
    std::vector<std::uint64_t> sorted_;  ///< of a node: position and sample number
};

void checkForest(ExpressionView expression, const Regulators& regulators, const ForestOptions& options) {
    checkExpression(expression);
    checkRegulators(regulators, expression.rows());
    if (options.trees == 0) throw UsageError("a forest of 0 trees; expected at least one");
    const std::size_t count = regulators.count(expression.rows());
    if (options.candidates > count)
        throw UsageError(fmt::format("{} candidates a node of {} regulators; expected at most as many",
                                     options.candidates, count));
    for (std::size_t g = 0; g < expression.rows(); ++g)
        if (std::any_of(expression.row(g), expression.row(g) + expression.columns(),
                        [](double value) { return std::isnan(value); }))
            throw UsageError(
                fmt::format("gene {} lacks values, which a forest needs; fill or drop them", g + 1));
}

/// Importance indexed by gene instead of by regulator.
std::vector<double> ofGenes(const OrderedSamples& ordered, const std::vector<double>& importance,
                            std::size_t genes) {
    std::vector<double> all(genes);
    for (std::size_t r = 0; r < importance.size(); ++r) all[ordered.genes()[r]] = importance[r];
    return all;
}

}  // namespace

std::vector<double> forestOfTarget(ExpressionView expression, const Regulators& regulators,
                                   const ForestOptions& options, std::size_t target) {
    checkForest(expression, regulators, options);
    const OrderedSamples ordered(expression, regulators);
    std::vector<double> importance(ordered.genes().size());
    Progress unseen;
    Forest(ordered, options).grow(target, expression.row(target), importance, unseen);
    return ofGenes(ordered, importance, expression.rows());
}

void forestImportance(ExpressionView expression, const Regulators& regulators, const ForestOptions& options,
                      std::size_t side, pairs::PairSink& sink, Progress& progress) {
    checkForest(expression, regulators, options);
    const std::size_t n = expression.rows();
    requireHostMemory(fmt::format("importance of {}", formatCount(n, "gene")),
                      bytesOfScores(NetworkMethod::Mrnet, n));
    const OrderedSamples ordered(expression, regulators);
    PairScores scores(n);
    std::vector<std::unique_ptr<Forest>> forests(static_cast<std::size_t>(omp_get_max_threads()));
    progress.begin("growing forests", static_cast<double>(n));
    parallelFor(omp_get_max_threads(), n, [&](std::size_t target, std::size_t thread) {
        if (!forests[thread]) forests[thread] = std::make_unique<Forest>(ordered, options);
        std::vector<double> importance(ordered.genes().size());
        forests[thread]->grow(target, expression.row(target), importance, progress);
        for (std::size_t r = 0; r < importance.size(); ++r)
            if (importance[r] > 0) scores.raise(target, ordered.genes()[r], importance[r]);
        progress.advance(1);
    });
    for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(n, side)) {
        Matrix<double> values(tile.rows.size(), tile.columns.size(), 0.0);
        for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
            for (std::size_t j = tile.columns.begin; j < std::min(i, tile.columns.end); ++j)
                values(i - tile.rows.begin, j - tile.columns.begin) = scores.at(i, j);
        sink.store(tile, std::as_const(values).view());
    }
}

}  // namespace glycine::mutualinfo
