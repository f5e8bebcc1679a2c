#include "engine/crossapen/groups/group_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"

namespace glycine::crossapen {

namespace {

/// The means of the subjects' first quantity, all in the order of the first subject's channels.
std::vector<Matrix<double>> alignedMeans(std::span<const SubjectEntropies> subjects) {
    const FileChannels first{subjects.front().name, subjects.front().channels};
    std::vector<Matrix<double>> aligned;
    for (const SubjectEntropies& subject : subjects) {
        const std::vector<std::size_t> order = matchChannels(first, {subject.name, subject.channels});
        const EntropyMatrix& quantity = subject.quantities.front();
        Matrix<double>& mean = aligned.emplace_back(quantity.mean.rows(), quantity.mean.columns());
        for (std::size_t i = 0; i < mean.rows(); ++i)
            for (std::size_t j = 0; j < mean.columns(); ++j)
                mean(i, j) = quantity.mean(order[i], quantity.isPairwise() ? order[j] : j);
    }
    return aligned;
}

/// The values of one element, a sample a group.
using Samples = std::vector<std::vector<double>>;
using Test = std::function<statistics::RankTest(const Samples&)>;

/// What the tests have in common.
class Comparer {
  public:
    Comparer(std::vector<Matrix<double>> subjects, const GroupTable& table, bool isSymmetric, double alpha)
        : subjects_(std::move(subjects)), table_(table), isSymmetric_(isSymmetric), alpha_(alpha) {}

    Matrix<double> meanOf(std::size_t group) const {
        EpochSummary summary(rows(), columns(), false);
        for (std::size_t k = 0; k < subjects_.size(); ++k)
            if (table_.groupOf[k] == group) summary.add(subjects_[k].view());
        return std::move(summary.finish({}, {}).mean);
    }

    PairwiseTest run(std::string name, std::string test, std::vector<std::size_t> groups,
                     const Test& compute) const {
        PairwiseTest result;
        result.name = std::move(name);
        result.test = std::move(test);
        result.groups = std::move(groups);
        result.statistic = Matrix<double>(rows(), columns());
        result.p = Matrix<double>(rows(), columns());
        std::vector<double> p;
        Samples samples(result.groups.size());
        for (std::size_t i = 0; i < rows(); ++i)
            for (std::size_t j = firstColumn(i); j < columns(); ++j) {
                gather(i, j, result.groups, samples);
                const statistics::RankTest tested = compute(samples);
                setBoth(result.statistic, i, j, tested.statistic);
                setBoth(result.p, i, j, tested.p);
                p.push_back(tested.p);
            }
        correct(result, p);
        result.smallestP = smallestP(result.groups, compute);
        return result;
    }

  private:
    std::size_t rows() const { return subjects_.front().rows(); }
    std::size_t columns() const { return subjects_.front().columns(); }
    std::size_t firstColumn(std::size_t row) const { return isSymmetric_ ? row : 0; }
    void setBoth(Matrix<double>& matrix, std::size_t i, std::size_t j, double value) const {
        matrix(i, j) = value;
        if (isSymmetric_) matrix(j, i) = value;
    }

    /// Every order of the groups one behind another: which one is the furthest from chance depends on sizes.
    double smallestP(std::vector<std::size_t> groups, const Test& compute) const {
        // Of more groups than this no order is far from the others.
        constexpr std::size_t kMostOrdered = 6;
        double smallest = 1;
        std::sort(groups.begin(), groups.end());
        do {
            Samples samples;
            double value = 0;
            for (const std::size_t group : groups) {
                const auto size = std::count(table_.groupOf.begin(), table_.groupOf.end(), group);
                std::vector<double>& sample = samples.emplace_back(static_cast<std::size_t>(size));
                for (double& one : sample) one = value++;
            }
            // NaN, of a single subject in all, is no smaller.
            if (const double p = compute(samples).p; p < smallest) smallest = p;
        } while (groups.size() <= kMostOrdered && std::next_permutation(groups.begin(), groups.end()));
        return smallest;
    }

    void gather(std::size_t i, std::size_t j, const std::vector<std::size_t>& groups,
                Samples& samples) const {
        for (std::size_t s = 0; s < groups.size(); ++s) {
            samples[s].clear();
            for (std::size_t k = 0; k < subjects_.size(); ++k)
                if (table_.groupOf[k] == groups[s]) samples[s].push_back(subjects_[k](i, j));
        }
    }

    /// q and the shares, from the p of the elements in the order in which they were tested.
    void correct(PairwiseTest& result, const std::vector<double>& p) const {
        const std::vector<double> q = statistics::benjaminiHochberg(p);
        result.q = Matrix<double>(rows(), columns());
        std::size_t next = 0;
        for (std::size_t i = 0; i < rows(); ++i)
            for (std::size_t j = firstColumn(i); j < columns(); ++j) setBoth(result.q, i, j, q[next++]);
        const auto share = [&](const std::vector<double>& values) {
            const auto below =
                std::count_if(values.begin(), values.end(), [&](double v) { return v < alpha_; });
            return static_cast<double>(below) / static_cast<double>(result.elements);
        };
        result.elements = static_cast<std::size_t>(
            std::count_if(p.begin(), p.end(), [](double value) { return !std::isnan(value); }));
        result.shareBelow = share(p);
        result.shareBelowCorrected = share(q);
    }

    std::vector<Matrix<double>> subjects_;
    const GroupTable& table_;
    bool isSymmetric_;
    double alpha_;
};

void check(std::span<const SubjectEntropies> subjects, const GroupTable& table, double alpha) {
    if (!(alpha > 0 && alpha < 1))
        throw UsageError(fmt::format("alpha is {}; expected a number between 0 and 1", alpha));
    if (table.groupOf.size() != subjects.size())
        throw UsageError(fmt::format("{} subjects were to be compared, but the groups are those of {}",
                                     subjects.size(), table.groupOf.size()));
    for (std::size_t group = 0; group < table.groups.size(); ++group)
        if (std::count(table.groupOf.begin(), table.groupOf.end(), group) == 0)
            throw UsageError(fmt::format("the group '{}' has no subject", table.groups[group]));
    if (table.groups.size() < 2) throw UsageError("a comparison of groups needs two of them");
}

}  // namespace

std::vector<std::size_t> matchChannels(const FileChannels& first, const FileChannels& other) {
    std::map<std::string_view, std::size_t> indices;
    for (std::size_t k = 0; k < other.channels.size(); ++k) indices[other.channels[k]] = k;
    std::vector<std::size_t> order;
    for (const std::string& channel : first.channels) {
        const auto found = indices.find(channel);
        if (found == indices.end())
            throw InputError(fmt::format(
                "{}: has no channel '{}', which {} has; groups can only be compared over channels "
                "that all files have",
                other.file, channel, first.file));
        order.push_back(found->second);
        indices.erase(found);
    }
    if (!indices.empty())
        throw InputError(
            fmt::format("{}: has the channel '{}', which {} lacks; groups can only be compared over channels "
                        "that all files have",
                        other.file, indices.begin()->first, first.file));
    return order;
}

GroupComparison compareGroups(std::span<const SubjectEntropies> subjects, const GroupTable& table,
                              double alpha) {
    check(subjects, table, alpha);
    const EntropyMatrix& quantity = subjects.front().quantities.front();
    const Comparer comparer(alignedMeans(subjects), table, quantity.isSymmetric, alpha);

    GroupComparison comparison;
    comparison.groups = table.groups;
    comparison.channels = subjects.front().channels;
    comparison.quantity = quantity.name;
    comparison.label = quantity.label;
    comparison.isSymmetric = quantity.isSymmetric;
    comparison.alpha = alpha;
    std::vector<std::size_t> all;
    for (std::size_t group = 0; group < table.groups.size(); ++group) {
        comparison.sizes.push_back(
            static_cast<std::size_t>(std::count(table.groupOf.begin(), table.groupOf.end(), group)));
        comparison.means.push_back(comparer.meanOf(group));
        all.push_back(group);
    }
    const Test ofAll = [](const Samples& samples) { return statistics::kruskalWallis(samples); };
    const Test ofTwo = [](const Samples& samples) { return statistics::mannWhitney(samples[0], samples[1]); };
    if (all.size() > 2) comparison.tests.push_back(comparer.run("all groups", "Kruskal-Wallis", all, ofAll));
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            const std::string name = fmt::format("{} vs {}", table.groups[a], table.groups[b]);
            comparison.tests.push_back(comparer.run(name, "Kruskal-Wallis", {a, b}, ofAll));
            comparison.tests.push_back(comparer.run(name, "Mann-Whitney", {a, b}, ofTwo));
        }
    return comparison;
}

}  // namespace glycine::crossapen
