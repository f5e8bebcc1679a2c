#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/trees/tree_fixtures.hpp"

/// A device for trees, made of plain loops, which returns wrong numbers where a test wants them.
namespace glycine::trees {

/// Changes what the device returns, as a faulty one would.
struct Faults {
    std::function<void(std::size_t round, JoinedPair&)> pair{};
    std::function<void(JoiningSearch&)> search{};
    std::function<void(std::size_t place, std::vector<double>&)> row{};
    std::function<void(std::size_t number, MergedPair&)> merge{};
    /// Applied to the device's distances at the beginning.
    std::function<void(std::vector<double>&)> distances{};
};

/// Searches and updates by the definition (neighbour_joining.hpp), without a thought for speed.
class PlainRounds final : public JoiningRounds {
  public:
    PlainRounds(std::span<const double> distances, const JoiningSums& sums, const Faults& faults)
        : sums_(sums), faults_(faults), left_(sums.all.size()), isPresent_(left_, 1) {
        for (std::size_t j = 0, pair = 0; j < left_; ++j) {
            rows_.emplace_back(j);
            for (double& distance : rows_.back()) distance = distances[pair++];
        }
        if (faults_.distances)
            for (std::vector<double>& row : rows_) faults_.distances(row);
    }

    void join(std::span<JoinedPair> found) override {
        for (JoinedPair& pair : found) {
            pair = joinBest();
            if (faults_.pair) faults_.pair(round_, pair);
            ++round_;
        }
    }
    void compact(std::span<const std::uint32_t> places) override {
        ASSERT_EQ(places.size(), left_);
        for (std::size_t j = 0; j < places.size(); ++j) {
            ASSERT_TRUE(isPresent_[places[j]]);
            std::vector<double> row;
            for (std::size_t i = 0; i < j; ++i) row.push_back(rows_[places[j]][places[i]]);
            rows_[j] = row;
            for (std::vector<double>* const sums : {&sums_.all, &sums_.behind, &sums_.before})
                if (!sums->empty()) (*sums)[j] = (*sums)[places[j]];
        }
        rows_.resize(left_);
        for (std::vector<double>* const sums : {&sums_.all, &sums_.behind, &sums_.before})
            if (!sums->empty()) sums->resize(left_);
        isPresent_.assign(left_, 1);
    }
    JoiningSearch search() override {
        JoiningSearch search = searchAll();
        if (faults_.search) faults_.search(search);
        return search;
    }
    std::vector<double> row(std::size_t place) override {
        std::vector<double> row = rows_[place];
        if (faults_.row) faults_.row(place, row);
        return row;
    }

  private:
    bool isClustal() const { return !sums_.behind.empty(); }
    double sumAt(std::size_t place) const {
        return isClustal() ? sums_.behind[place] + sums_.before[place] : sums_.all[place];
    }
    double& at(std::size_t a, std::size_t b) { return a > b ? rows_[a][b] : rows_[b][a]; }

    JoiningSearch searchAll() {
        const auto others = static_cast<double>(left_ - 2);
        JoiningSearch search{.sums = sums_,
                             .clustalTotal = 0,
                             .least = std::numeric_limits<double>::infinity(),
                             .ofRows = {},
                             .choices = {}};
        for (const double sum : sums_.behind) search.clustalTotal += sum;
        const auto criterion = [&](std::size_t i, std::size_t j) {
            return others * rows_[j][i] + (2 * sums_.total - sums_.all[j]) - sums_.all[i];
        };
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < j; ++i)
                if (isPresent_[i] && isPresent_[j]) least = std::min(least, criterion(i, j));
            search.ofRows.push_back(least);
            search.least = std::min(search.least, least);
        }
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            RowChoice best;
            for (std::size_t i = 0; i < j; ++i) {
                if (!isPresent_[i] || !isPresent_[j]) continue;
                if (criterion(i, j) > search.least + roundingOf(sums_.total)) continue;
                const double rounded =
                    isClustal() ? others * rows_[j][i] + 2 * search.clustalTotal - sumAt(i) - sumAt(j) : 0;
                if (best.column == kNoRowChoice || rounded < best.rounded)
                    best = {rounded, static_cast<std::uint32_t>(i)};
            }
            search.choices.push_back(best);
        }
        return search;
    }

    JoinedPair joinBest() {
        const JoiningSearch search = searchAll();
        std::size_t high = 0;
        for (std::size_t j = 1; j < rows_.size(); ++j)
            if (search.choices[j].column != kNoRowChoice &&
                (high == 0 || search.choices[j].rounded < search.choices[high].rounded))
                high = j;
        const std::size_t low = search.choices[high].column;
        const JoinedPair found{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high),
                               at(low, high), sumAt(low), sumAt(high)};
        double sum = 0, behind = 0, before = 0;
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            if (!isPresent_[k] || k == low || k == high) continue;
            const double toLow = at(k, low), toHigh = at(k, high), mean = (toLow + toHigh) / 2;
            sums_.all[k] -= toLow + toHigh - mean;
            sum += mean;
            if (isClustal()) {
                (k < high ? sums_.behind : sums_.before)[k] -= toHigh;
                (k < low ? sums_.behind : sums_.before)[k] -= toLow;
                (k < low ? sums_.behind : sums_.before)[k] += mean;
                (k < low ? before : behind) += mean;
            }
            at(k, low) = mean;
        }
        sums_.total -= found.distance + sum;
        sums_.all[low] = sum;
        sums_.all[high] = 0;
        if (isClustal()) {
            sums_.behind[low] = behind;
            sums_.before[low] = before;
            sums_.behind[high] = sums_.before[high] = 0;
        }
        isPresent_[high] = 0;
        --left_;
        return found;
    }

    JoiningSums sums_;
    const Faults& faults_;
    std::size_t left_, round_ = 0;
    std::vector<char> isPresent_;
    std::vector<std::vector<double>> rows_;
};

/// Repeats the merges of the host.
class PlainMerges final : public LinkageMerges {
  public:
    PlainMerges(std::vector<MergedPair> merges, const Faults& faults)
        : merges_(std::move(merges)), faults_(faults) {}
    void merge(std::span<MergedPair> found) override {
        for (MergedPair& pair : found) {
            pair = merges_[made_];
            if (faults_.merge) faults_.merge(made_, pair);
            ++made_;
        }
    }

  private:
    std::vector<MergedPair> merges_;
    const Faults& faults_;
    std::size_t made_ = 0;
};

class PlainEngine final : public TreeEngine {
  public:
    explicit PlainEngine(Faults faults = {}) : faults_(std::move(faults)) {}
    std::size_t leastInstances(TreeMethod) const override { return 0; }
    std::unique_ptr<JoiningRounds> startJoining(std::span<const double> distances,
                                                const JoiningSums& sums) override {
        return std::make_unique<PlainRounds>(distances, sums, faults_);
    }
    std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances, std::span<const float> some) override {
        return start(instances, some);
    }
    std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances,
                                                std::span<const double> some) override {
        return start(instances, some);
    }

  private:
    template <class T>
    std::unique_ptr<LinkageMerges> start(std::size_t instances, std::span<const T> distances) const {
        const Clustering clustering = clusterByAverageLinkage(
            instances, std::vector<T>(distances.begin(), distances.end()), silentProgress());
        std::vector<std::uint32_t> smallest(instances);
        for (std::size_t k = 0; k < instances; ++k) smallest[k] = static_cast<std::uint32_t>(k);
        std::vector<MergedPair> merges;
        for (const Merge& merge : clustering.merges) {
            merges.push_back({smallest[merge.left], smallest[merge.right], merge.height});
            smallest.push_back(std::min(smallest[merge.left], smallest[merge.right]));
        }
        return std::make_unique<PlainMerges>(std::move(merges), faults_);
    }

    Faults faults_;
};

}  // namespace glycine::trees
