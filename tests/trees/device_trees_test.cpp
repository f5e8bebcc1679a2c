// Trees of which a device runs the rounds: what it returns is checked and counted again. The device here is
// made of plain loops, which return wrong numbers where a test wants them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/trees/tree_fixtures.hpp"

namespace glycine::trees {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
        JoiningSearch search{
            .sums = sums_, .clustalTotal = 0, .least = kInfinity, .ofRows = {}, .choices = {}};
        for (const double sum : sums_.behind) search.clustalTotal += sum;
        const auto criterion = [&](std::size_t i, std::size_t j) {
            return others * rows_[j][i] + (2 * sums_.total - sums_.all[j]) - sums_.all[i];
        };
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            double least = kInfinity;
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

/// The refusal of a tree that a device with these faults builds; empty: the tree is taken.
class DeviceTrees : public testing::Test {
  protected:
    template <class Build>
    std::string refusalOf(Faults faults, bool isCounted, Build&& build) {
        StageRecount recount(backend_, !isCounted, "round");
        TreeDevice device(backend_, std::make_unique<PlainEngine>(std::move(faults)), &recount);
        try {
            build(device);
        } catch (const WrongResultError& error) {
            return error.what();
        }
        return "";
    }
    std::string refusalOfJoining(Faults faults, bool isCounted = true, bool roundsAsClustalW = false) {
        return refusalOf(std::move(faults), isCounted, [&](TreeDevice& device) {
            joinNeighbours(kInstances, distances_, silentProgress(), {.roundsAsClustalW = roundsAsClustalW},
                           &device);
        });
    }
    std::string refusalOfLinkage(Faults faults, bool isCounted = true) {
        return refusalOf(std::move(faults), isCounted, [&](TreeDevice& device) {
            clusterByAverageLinkage(kInstances, std::vector<float>(distances_.begin(), distances_.end()),
                                    silentProgress(), &device);
        });
    }

    static constexpr std::size_t kInstances = 40;
    test::NamedBackend backend_{"cuda"};
    std::vector<double> distances_ = randomDistances(kInstances, 0, 3);
};

TEST_F(DeviceTrees, AreThoseOfTheHost) {
    for (const std::size_t instances : {2, 3, 4, 5, 33, 90}) {
        StageRecount recount(backend_, false, "round");
        TreeDevice device(backend_, std::make_unique<PlainEngine>(), &recount);
        expectHostsTrees(device, instances);
        if (instances >= 4) {
            EXPECT_GT(recount.counted().elements, 0U);
        }
    }
}

TEST_F(DeviceTrees, IndicesAreCheckedWithoutARecount) {
    using testing::HasSubstr;
    EXPECT_THAT(refusalOfJoining({}, false), "");
    for (const std::uint32_t place : {std::uint32_t{40}, std::uint32_t{0xffffffff}})
        for (const bool isLow : {false, true})
            EXPECT_THAT(refusalOfJoining({.pair =
                                              [&](std::size_t round, JoinedPair& pair) {
                                                  if (round == 5) (isLow ? pair.low : pair.high) = place;
                                              }},
                                         false),
                        HasSubstr("pair of round 6 of neighbour joining is that of places"));
    // Two equal places, and a place that is empty after the first round.
    EXPECT_THAT(
        refusalOfJoining({.pair = [](std::size_t, JoinedPair& pair) { pair.low = pair.high; }}, false),
        HasSubstr("expected two clusters, by cuda (on a device)"));
    std::uint32_t gone = 0;
    EXPECT_THAT(refusalOfJoining({.pair =
                                      [&](std::size_t round, JoinedPair& pair) {
                                          if (round == 0) gone = pair.high;
                                          if (round == 1) pair.high = gone;
                                          if (round == 1) pair.low = 0;
                                      }},
                                 false),
                HasSubstr("expected two clusters"));
    EXPECT_THAT(refusalOfJoining(
                    {.pair = [](std::size_t, JoinedPair& pair) { pair.distance = std::nan(""); }}, false),
                HasSubstr("not finite"));
    EXPECT_THAT(
        refusalOfJoining({.row = [](std::size_t, std::vector<double>& row) { row[0] = kInfinity; }}, false),
        HasSubstr("not finite"));
    EXPECT_THAT(refusalOfLinkage({}, false), "");
    for (const std::uint32_t name : {std::uint32_t{40}, std::uint32_t{0xffffffff}})
        EXPECT_THAT(refusalOfLinkage({.merge =
                                          [&](std::size_t number, MergedPair& pair) {
                                              if (number == 7) pair.b = name;
                                          }},
                                     false),
                    HasSubstr("pair of merge 8 of the clusters is that of"));
    EXPECT_THAT(refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.a = pair.b; }}, false),
                HasSubstr("expected two clusters"));
    EXPECT_THAT(
        refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.height = kInfinity; }}, false),
        HasSubstr("not finite"));
}

TEST_F(DeviceTrees, WrongNumbersAreFound) {
    using testing::HasSubstr;
    for (const bool roundsAsClustalW : {false, true}) {
        const auto refusal = [&](Faults faults) {
            return refusalOfJoining(std::move(faults), true, roundsAsClustalW);
        };
        EXPECT_EQ(refusal({}), "");
        const auto found = [&](const Faults& faults, const char* message) {
            EXPECT_THAT(refusal(faults), HasSubstr(message));
            EXPECT_EQ(refusalOfJoining(faults, false, roundsAsClustalW), "");
        };
        // The chosen pair, and what its branches are computed from.
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.distance *= 1.001; }},
              "the distance of round 1");
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.lowSum += 1e-6; }},
              "the sum at the lower place of round 1");
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.highSum += 1e-6; }},
              "the sum at the higher place of round 1");
        // The search.
        found({.search = [](JoiningSearch& search) { search.least -= 0.001; }},
              "smallest criterion of round 1");
        found({.search = [](JoiningSearch& search) { search.sums.total *= 1.001; }}, "sum of all distances");
        found({.search =
                   [](JoiningSearch& search) {
                       for (double& sum : search.sums.all) sum *= 1.001;
                       search.sums.total *= 1.001;
                   }},
              "the sum of distances of the cluster of instance");
        found({.row =
                   [](std::size_t, std::vector<double>& row) {
                       for (double& distance : row) distance *= 1.001;
                   }},
              "a distance of the cluster of instance");
        // All of the device's own numbers agree, but not with the input.
        found({.distances =
                   [](std::vector<double>& row) {
                       for (double& distance : row) distance *= 1.001;
                   }},
              "a distance of the cluster of instance");
        // A row whose smallest criterion is too large hides the best pair.
        found({.search =
                   [](JoiningSearch& search) {
                       const auto least = std::ranges::min_element(search.ofRows);
                       *least = kInfinity;
                       search.least = std::ranges::min(search.ofRows);
                   }},
              "of round 1");
    }
    EXPECT_EQ(refusalOfLinkage({}), "");
    EXPECT_THAT(refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.height *= 1.001; }}),
                HasSubstr("height of merge 1 of the clusters"));
    // The second merge before the first.
    EXPECT_THAT(refusalOfLinkage({.merge =
                                      [](std::size_t number, MergedPair& pair) {
                                          if (number == 0) pair = {0, 1, 0.5};
                                      }}),
                HasSubstr("merge 1 of the clusters"));
}

TEST_F(DeviceTrees, ColumnsOfASearchAreCheckedBeforeTheyAreUsed) {
    for (const std::uint32_t column : {std::uint32_t{40}, kNoRowChoice})
        EXPECT_THAT(refusalOfJoining({.search =
                                          [&](JoiningSearch& search) {
                                              for (RowChoice& choice : search.choices) choice.column = column;
                                          }}),
                    testing::HasSubstr("column of row"));
}

TEST_F(DeviceTrees, StayOnTheHostForUnusualDistances) {
    TreeDevice device(backend_, std::make_unique<PlainEngine>(), nullptr);
    for (const double distance : {-0.5, 1e305}) {
        std::vector<double> distances = distances_;
        distances[7] = distance;
        const Tree expected = joinNeighbours(kInstances, distances, silentProgress());
        EXPECT_TRUE(joinNeighbours(kInstances, distances, silentProgress(), {}, &device) == expected);
        EXPECT_EQ(device.reason(), kTreeOfUnusualDistances);
    }
    TreeDevice none(backend_, nullptr, nullptr);
    joinNeighbours(kInstances, distances_, silentProgress(), {}, &none);
    EXPECT_EQ(none.reason(), kNoTreeKernels);
}

}  // namespace
}  // namespace glycine::trees
