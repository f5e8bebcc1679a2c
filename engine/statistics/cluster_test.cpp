#include "engine/statistics/cluster_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"

namespace glycine::statistics {

namespace {

/// Moments of the finite values.
struct Sample {
    double count = 0, mean = 0, squares = 0;
    void add(double value) {
        if (!std::isfinite(value)) return;
        ++count;
        const double off = value - mean;
        mean += off / count;
        squares += off * (value - mean);
    }
};

struct Contrast {
    double t = 0;
    double effect = std::numeric_limits<double>::quiet_NaN();
};

Contrast contrastOf(double difference, double squares, double freedom, double perCount) {
    const double deviation = std::sqrt(squares / freedom);
    if (!(deviation > 0)) return {};
    return {difference / (deviation * std::sqrt(perCount)),
            difference / deviation * (1 - 3 / (4 * freedom - 1))};
}

/// Critical |t| of a two-sided test at level `alpha`.
double studentThreshold(double alpha, double freedom) {
    const double x = boost::math::ibeta_inv(freedom / 2, 0.5, alpha);
    return std::sqrt(freedom * (1 / x - 1));
}

class Tester {
  public:
    Tester(MatrixView<const double> values, const std::vector<bool>& isFirst, bool isPaired,
           const std::vector<std::vector<std::size_t>>& neighbours, double alpha)
        : values_(values), isPaired_(isPaired), neighbours_(neighbours) {
        for (std::size_t k = 0; k < isFirst.size(); ++k) (isFirst[k] ? first_ : second_).push_back(k);
        const std::size_t freedom = isPaired ? first_.size() - 1 : isFirst.size() - 2;
        threshold_ = studentThreshold(alpha, static_cast<double>(freedom));
    }

    double threshold() const { return threshold_; }

    /// `labels`: per subject its group, or per pair whether it is exchanged.
    std::vector<Contrast> contrasts(const std::vector<char>& labels) const {
        std::vector<Contrast> all(values_.columns());
        for (std::size_t element = 0; element < all.size(); ++element)
            all[element] = isPaired_ ? paired(element, labels) : unpaired(element, labels);
        return all;
    }

    std::vector<Cluster> clusters(std::span<const Contrast> contrasts) const {
        std::vector<Cluster> all;
        std::vector<char> isSeen(contrasts.size(), 0);
        for (std::size_t start = 0; start < contrasts.size(); ++start) {
            if (isSeen[start] != 0 || !(std::abs(contrasts[start].t) > threshold_)) continue;
            Cluster cluster;
            std::vector<std::size_t> open{start};
            isSeen[start] = 1;
            while (!open.empty()) {
                const std::size_t element = open.back();
                open.pop_back();
                cluster.elements.push_back(element);
                cluster.mass += contrasts[element].t;
                for (const std::size_t other : neighbours_[element]) {
                    const double t = contrasts[other].t;
                    if (isSeen[other] != 0 || !(std::abs(t) > threshold_) ||
                        (t > 0) != (contrasts[start].t > 0))
                        continue;
                    isSeen[other] = 1;
                    open.push_back(other);
                }
            }
            std::sort(cluster.elements.begin(), cluster.elements.end());
            all.push_back(std::move(cluster));
        }
        std::stable_sort(all.begin(), all.end(), [](const Cluster& a, const Cluster& b) {
            return std::abs(a.mass) > std::abs(b.mass);
        });
        return all;
    }

  private:
    Contrast unpaired(std::size_t element, const std::vector<char>& labels) const {
        Sample samples[2];
        for (std::size_t k = 0; k < labels.size(); ++k)
            samples[static_cast<std::size_t>(labels[k])].add(values_(k, element));
        const auto& [second, first] = samples;
        if (first.count < 2 || second.count < 2) return {};
        return contrastOf(first.mean - second.mean, first.squares + second.squares,
                          first.count + second.count - 2, 1 / first.count + 1 / second.count);
    }

    Contrast paired(std::size_t element, const std::vector<char>& labels) const {
        Sample differences;
        for (std::size_t k = 0; k < first_.size(); ++k) {
            const double difference = values_(first_[k], element) - values_(second_[k], element);
            differences.add(labels[k] != 0 ? -difference : difference);
        }
        if (differences.count < 2) return {};
        return contrastOf(differences.mean, differences.squares, differences.count - 1,
                          1 / differences.count);
    }

    MatrixView<const double> values_;
    bool isPaired_;
    const std::vector<std::vector<std::size_t>>& neighbours_;
    std::vector<std::size_t> first_, second_;
    double threshold_ = 0;
};

void check(MatrixView<const double> values, std::size_t first, std::size_t second, bool isPaired,
           const std::vector<std::vector<std::size_t>>& neighbours, const ClusterOptions& options) {
    if (first < 2 || second < 2)
        throw UsageError(fmt::format(
            "a cluster test of groups of {} and {} subjects: expected two in each at least", first, second));
    if (isPaired && first != second)
        throw UsageError(
            fmt::format("a paired cluster test of {} and {} subjects: expected as many", first, second));
    if (!(options.elementAlpha > 0 && options.elementAlpha < 1) || options.permutations == 0)
        throw UsageError("a cluster test takes a level between 0 and 1 and at least one permutation");
    bool isRight = neighbours.size() == values.columns() && first + second == values.rows();
    for (const std::vector<std::size_t>& list : neighbours)
        for (const std::size_t other : list) isRight = isRight && other < values.columns();
    if (!isRight) throw UsageError("the neighbours of a cluster test are not those of its elements");
}

/// Number of ways to label the subjects.
double countLabels(std::size_t first, std::size_t second, bool isPaired) {
    if (isPaired) return std::pow(2.0, static_cast<double>(first));
    double ways = 1;
    for (std::size_t k = 1; k <= first; ++k) ways *= static_cast<double>(second + k) / static_cast<double>(k);
    return std::round(ways);
}

/// Advances to the next labelling; labels of groups are in lexicographic order.
void advance(std::vector<char>& labels, bool isPaired) {
    if (!isPaired) {
        std::next_permutation(labels.begin(), labels.end());
        return;
    }
    for (char& label : labels)
        if ((label = static_cast<char>(1 - label)) != 0) return;
}

void draw(std::vector<char>& labels, bool isPaired, RandomSequence& random) {
    if (isPaired)
        for (char& label : labels) label = static_cast<char>(random.below(2));
    else
        for (std::size_t k = labels.size(); k > 1; --k) std::swap(labels[k - 1], labels[random.below(k)]);
}

}  // namespace

ClusterTest clusterTest(MatrixView<const double> values, const std::vector<bool>& isFirst, bool isPaired,
                        const std::vector<std::vector<std::size_t>>& neighbours,
                        const ClusterOptions& options) {
    const auto first = static_cast<std::size_t>(std::count(isFirst.begin(), isFirst.end(), true));
    const std::size_t second = isFirst.size() - first;
    check(values, first, second, isPaired, neighbours, options);
    const Tester tester(values, isFirst, isPaired, neighbours, options.elementAlpha);
    std::vector<char> labels(isPaired ? first : isFirst.size(), 0);
    if (!isPaired) std::copy(isFirst.begin(), isFirst.end(), labels.begin());

    ClusterTest test;
    const std::vector<Contrast> found = tester.contrasts(labels);
    for (const Contrast& one : found) {
        test.t.push_back(one.t);
        test.effect.push_back(one.effect);
    }
    test.threshold = tester.threshold();
    test.clusters = tester.clusters(found);
    const double ways = countLabels(first, second, isPaired);
    test.isComplete = ways <= static_cast<double>(options.permutations);
    test.permutations = test.isComplete ? static_cast<std::size_t>(ways) : options.permutations;
    if (test.clusters.empty()) return test;

    // Sums in another order must not make a permutation with the same groups appear smaller.
    constexpr double kRounding = 1 - 1e-9;
    std::vector<double> reached(test.clusters.size(), 1);
    RandomSequence random(options.seed);
    for (std::size_t k = 1; k < test.permutations; ++k) {
        if (test.isComplete)
            advance(labels, isPaired);
        else
            draw(labels, isPaired, random);
        const std::vector<Cluster> clusters = tester.clusters(tester.contrasts(labels));
        const double largest = clusters.empty() ? 0 : std::abs(clusters.front().mass);
        for (std::size_t c = 0; c < reached.size(); ++c)
            if (largest >= std::abs(test.clusters[c].mass) * kRounding) ++reached[c];
    }
    for (std::size_t c = 0; c < reached.size(); ++c)
        test.clusters[c].p = reached[c] / static_cast<double>(test.permutations);
    return test;
}

}  // namespace glycine::statistics
