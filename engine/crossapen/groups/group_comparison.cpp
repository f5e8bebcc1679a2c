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
#include "engine/io/recordings/electrodes.hpp"

namespace glycine::crossapen {

namespace {

/// The means of the subjects' first quantity, with channels in the order of the first subject.
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

/// The values of one element, one sample per group.
using Samples = std::vector<std::vector<double>>;
struct Tested : statistics::RankTest {
    double effect = 0;
};
using Test = std::function<Tested(const Samples&)>;

double countValues(std::span<const double> sample) {
    return static_cast<double>(
        std::count_if(sample.begin(), sample.end(), [](double value) { return !std::isnan(value); }));
}

/// The effect is epsilon squared: H / (n − 1), the share of the ranks' variance between groups.
Tested testAll(const Samples& samples) {
    double all = 0;
    for (const std::vector<double>& sample : samples) all += countValues(sample);
    const statistics::RankTest test = statistics::kruskalWallis(samples);
    return {test, test.statistic / (all - 1)};
}

/// The effect is Cliff's delta: the share of pairs of subjects in which the first value is larger, minus the
/// share in which the second is.
Tested testTwo(const Samples& samples) {
    const statistics::RankTest test = statistics::mannWhitney(samples[0], samples[1]);
    return {test, 2 * test.statistic / (countValues(samples[0]) * countValues(samples[1])) - 1};
}

/// Data and loops that the tests share.
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
        for (Matrix<double>* const matrix : {&result.statistic, &result.effect, &result.p})
            *matrix = Matrix<double>(rows(), columns());
        std::vector<double> p;
        Samples samples(result.groups.size());
        for (std::size_t i = 0; i < rows(); ++i)
            for (std::size_t j = firstColumn(i); j < columns(); ++j) {
                gather(i, j, result.groups, samples);
                const Tested tested = compute(samples);
                setBoth(result.statistic, i, j, tested.statistic);
                setBoth(result.effect, i, j, tested.effect);
                setBoth(result.p, i, j, tested.p);
                p.push_back(tested.p);
            }
        correct(result, p);
        result.smallestP = smallestP(result.groups, compute);
        return result;
    }

    /// `neighbours`: of each channel.
    PairwiseTest findClusters(std::string name, std::size_t a, std::size_t b,
                              const std::vector<std::vector<std::size_t>>& neighbours,
                              const statistics::ClusterOptions& options) const {
        PairwiseTest result;
        result.name = std::move(name);
        result.test = "cluster permutation";
        result.groups = {a, b};
        result.isPaired = !table_.subjectOf.empty();
        const std::vector<std::size_t> members = membersOf(a, b);
        std::vector<std::pair<std::size_t, std::size_t>> places;
        Matrix<double> numbers(rows(), columns(), 0);
        for (std::size_t i = 0; i < rows(); ++i)
            for (std::size_t j = firstColumn(i); j < columns(); ++j) {
                setBoth(numbers, i, j, static_cast<double>(places.size()));
                places.emplace_back(i, j);
            }
        Matrix<double> values(members.size(), places.size());
        std::vector<bool> isFirst;
        for (std::size_t k = 0; k < members.size(); ++k) {
            isFirst.push_back(table_.groupOf[members[k]] == a);
            for (std::size_t e = 0; e < places.size(); ++e)
                values(k, e) = subjects_[members[k]](places[e].first, places[e].second);
        }
        std::vector<std::vector<std::size_t>> adjacent(places.size());
        for (std::size_t e = 0; e < places.size(); ++e) {
            const auto [i, j] = places[e];
            const auto add = [&](std::size_t row, std::size_t column) {
                adjacent[e].push_back(static_cast<std::size_t>(numbers(row, column)));
            };
            for (const std::size_t other : neighbours[i]) add(other, j);
            if (columns() == rows())
                for (const std::size_t other : neighbours[j]) add(i, other);
        }
        statistics::ClusterTest found =
            statistics::clusterTest(values.view(), isFirst, result.isPaired, adjacent, options);
        fill(result, std::move(found), places);
        return result;
    }

  private:
    /// Subjects of two groups. For conditions, those of the second group are in the order of the first.
    std::vector<std::size_t> membersOf(std::size_t a, std::size_t b) const {
        std::vector<std::size_t> members;
        for (std::size_t k = 0; k < subjects_.size(); ++k)
            if (table_.groupOf[k] == a || (table_.subjectOf.empty() && table_.groupOf[k] == b))
                members.push_back(k);
        if (table_.subjectOf.empty()) return members;
        const std::size_t firsts = members.size();
        const auto countOf = [&](std::size_t group, const std::string& subject) {
            std::size_t count = 0;
            for (std::size_t k = 0; k < subjects_.size(); ++k)
                if (table_.groupOf[k] == group && table_.subjectOf[k] == subject) ++count;
            return count;
        };
        for (std::size_t k = 0; k < subjects_.size(); ++k)
            for (const std::size_t group : {a, b})
                if ((table_.groupOf[k] == a || table_.groupOf[k] == b) &&
                    countOf(group, table_.subjectOf[k]) != 1)
                    throw InputError(fmt::format(
                        "the subject '{}' has {} files in the group '{}'; conditions of the same subjects "
                        "need one in each (without the column subject, each file counts as a subject of its "
                        "own)",
                        table_.subjectOf[k], countOf(group, table_.subjectOf[k]), table_.groups[group]));
        for (std::size_t first = 0; first < firsts; ++first)
            for (std::size_t k = 0; k < subjects_.size(); ++k)
                if (table_.groupOf[k] == b && table_.subjectOf[k] == table_.subjectOf[members[first]])
                    members.push_back(k);
        return members;
    }

    void fill(PairwiseTest& result, statistics::ClusterTest found,
              const std::vector<std::pair<std::size_t, std::size_t>>& places) const {
        for (Matrix<double>* const matrix : {&result.statistic, &result.effect, &result.p})
            *matrix = Matrix<double>(rows(), columns(), 1);
        for (std::size_t e = 0; e < places.size(); ++e) {
            setBoth(result.statistic, places[e].first, places[e].second, found.t[e]);
            setBoth(result.effect, places[e].first, places[e].second, found.effect[e]);
        }
        std::size_t below = 0;
        for (statistics::Cluster& cluster : found.clusters) {
            if (cluster.p < alpha_) below += cluster.elements.size();
            for (std::size_t& element : cluster.elements) {
                const auto [i, j] = places[element];
                setBoth(result.p, i, j, cluster.p);
                element = i * columns() + j;
            }
        }
        result.q = result.p.clone();
        result.elements = places.size();
        result.shareBelow = result.shareBelowCorrected =
            static_cast<double>(below) / static_cast<double>(places.size());
        result.permutations = found.permutations;
        // All permutations of groups of one size include their exchange: each mass occurs with both signs.
        const auto sizeOf = [&](std::size_t group) { return std::ranges::count(table_.groupOf, group); };
        const bool isMirrored =
            found.isComplete && sizeOf(result.groups.front()) == sizeOf(result.groups.back());
        result.smallestP = (isMirrored ? 2 : 1) / static_cast<double>(found.permutations);
        result.clusters = std::move(found.clusters);
    }

    std::size_t rows() const { return subjects_.front().rows(); }
    std::size_t columns() const { return subjects_.front().columns(); }
    std::size_t firstColumn(std::size_t row) const { return isSymmetric_ ? row : 0; }
    void setBoth(Matrix<double>& matrix, std::size_t i, std::size_t j, double value) const {
        matrix(i, j) = value;
        if (isSymmetric_) matrix(j, i) = value;
    }

    /// Tries every order of the groups as consecutive ranks, since the order furthest from chance depends on
    /// the sizes.
    double smallestP(std::vector<std::size_t> groups, const Test& compute) const {
        // With more groups than this, no order differs much from the others.
        constexpr std::size_t kMaxOrdered = 6;
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
            // p is NaN for a single subject in total; the comparison is then false.
            if (const double p = compute(samples).p; p < smallest) smallest = p;
        } while (groups.size() <= kMaxOrdered && std::next_permutation(groups.begin(), groups.end()));
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

    /// Fills in q and the shares, from the p values of the elements in the order of testing.
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
    if (table.groups.size() < 2) throw UsageError("a comparison needs at least two groups");
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
                              double alpha, const std::optional<statistics::ClusterOptions>& clusters) {
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
    comparison.areConditions = !table.subjectOf.empty();
    std::vector<std::size_t> all;
    for (std::size_t group = 0; group < table.groups.size(); ++group) {
        comparison.sizes.push_back(
            static_cast<std::size_t>(std::count(table.groupOf.begin(), table.groupOf.end(), group)));
        comparison.means.push_back(comparer.meanOf(group));
        all.push_back(group);
    }
    std::vector<std::vector<std::size_t>> neighbours;
    if (clusters) {
        const SubjectEntropies& first = subjects.front();
        const auto directions = io::headDirections(first.channels, first.positions);
        if (std::none_of(directions.begin(), directions.end(),
                         [](const auto& one) { return one.has_value(); }))
            throw InputError(
                fmt::format("{}: has no positions of its channels, and their names are not those of the 10-5 "
                            "system; clusters need them to find neighbours",
                            first.name));
        neighbours = io::spatialNeighbours(directions);
    }
    if (all.size() > 2)
        comparison.tests.push_back(comparer.run("all groups", "Kruskal-Wallis", all, testAll));
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            const std::string name = fmt::format("{} vs {}", table.groups[a], table.groups[b]);
            comparison.tests.push_back(comparer.run(name, "Kruskal-Wallis", {a, b}, testAll));
            comparison.tests.push_back(comparer.run(name, "Mann-Whitney", {a, b}, testTwo));
            if (clusters)
                comparison.tests.push_back(comparer.findClusters(name, a, b, neighbours, *clusters));
        }
    return comparison;
}

}  // namespace glycine::crossapen
