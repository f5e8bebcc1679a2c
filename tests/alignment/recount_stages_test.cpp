// Recounts of stages: every kind of device fault in each stage is refused, and correct results are accepted.
// No device is needed: the tests corrupt the numbers.
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/posterior_checkpoint.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

/// Corrupts one entry, as a faulty device would.
using Fault = std::function<void(std::size_t x, std::size_t y, std::size_t row, PosteriorEntry& entry)>;

template <class Call>
std::string refusalOf(Call&& call) {
    try {
        call();
    } catch (const WrongResultError& error) {
        return error.what();
    }
    return "";
}

class RecountedStages : public testing::Test {
  protected:
    PosteriorSet changed(const PosteriorSet& from, const Fault& fault) const {
        PosteriorSet set(from.sequences());
        for (std::size_t x = 0; x < from.sequences(); ++x)
            for (std::size_t y = 0; y < x; ++y) {
                SparsePosterior pair(from.pair(x, y));
                for (std::size_t row = 0; row < pair.rows(); ++row)
                    for (PosteriorEntry& entry : pair.row(row)) fault(x, y, row, entry);
                set.setPair(x, y, pair, from.pair(y, x).rows());
            }
        return set;
    }
    std::string refusalOfPosteriors(const PosteriorSet& posteriors) {
        StageRecount recount(device_, false, "pair");
        const std::string refusal = refusalOf(
            [&] { recountPosteriors(recount, sequences_, posteriors, "intertask", 0.1, progress_); });
        if (refusal.empty()) {
            EXPECT_EQ(recount.counted().elements, 11U * 10 / 2);
        }
        return refusal;
    }

    Sequences sequences_ = randomSequences({.count = 11, .length = 60, .seed = 7});
    PosteriorSet right_ = posteriorsByReference(sequences_);
    test::NamedBackend device_{"cuda"};
    Progress progress_;
};

TEST_F(RecountedStages, TakePosteriorsThatAreRight) {
    EXPECT_EQ(refusalOfPosteriors(right_), "");
    StageRecount unwanted(device_, true, "pair");
    recountPosteriors(unwanted, sequences_,
                      changed(right_, [](auto, auto, auto, PosteriorEntry& entry) { entry.value = 0.5F; }),
                      "intertask", 0.1, progress_);
    EXPECT_EQ(unwanted.counted().elements, 0U);
}

TEST_F(RecountedStages, RefusePosteriorsThatAreWrong) {
    const std::vector<std::pair<std::string, Fault>> faults{
        {"scaled", [](auto, auto, auto, PosteriorEntry& entry) { entry.value *= 0.05F; }},
        {"zero", [](auto, auto, auto, PosteriorEntry& entry) { entry.value = 0; }},
        {"no number",
         [](std::size_t x, std::size_t, std::size_t row, PosteriorEntry& entry) {
             if (x == 3 && row == 5) entry.value = std::numeric_limits<float>::quiet_NaN();
         }},
        {"one lane",
         [](std::size_t x, std::size_t y, auto, PosteriorEntry& entry) {
             if (x == 9 && y == 4) entry.value *= 0.9F;
         }},
        {"one tile",
         [](std::size_t x, std::size_t y, std::size_t row, PosteriorEntry& entry) {
             if (x == 9 && y == 4 && row / 6 == 2) entry.value *= 0.9F;
         }},
        {"one value",
         [](std::size_t x, std::size_t y, std::size_t row, PosteriorEntry& entry) {
             if (x == 6 && y == 0 && row == 30) entry.value += entry.value > 0.5F ? -0.01F : 0.01F;
         }},
    };
    for (const auto& [name, fault] : faults)
        EXPECT_THAT(refusalOfPosteriors(changed(right_, fault)),
                    AllOf(HasSubstr("posterior"), HasSubstr("by cuda intertask (on a device)"),
                          HasSubstr("nothing was written")))
            << name;
}

TEST_F(RecountedStages, RefusePosteriorsOfOtherPairs) {
    PosteriorSet swapped(sequences_.size());
    const Sequences& all = sequences_;
    for (std::size_t x = 1; x < all.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            SparsePosterior pair(right_.pair(x, y));
            // Swap the values of two neighbouring rows.
            if (x == 5 && y == 2) std::swap(pair.row(10).front().value, pair.row(11).front().value);
            swapped.setPair(x, y, pair, all.codes[y].size());
        }
    EXPECT_THAT(refusalOfPosteriors(swapped), HasSubstr("when it is counted again on the host"));
}

TEST_F(RecountedStages, RefuseIndicesBeyondTheirRange) {
    const auto refusal = [&](std::vector<std::uint32_t> begins, std::vector<PosteriorEntry> entries) {
        return refusalOf([&] {
            PosteriorSet(3).setPair(2, 1, SparsePosterior(std::move(begins), std::move(entries)), 4);
        });
    };
    EXPECT_EQ(refusal({0, 1, 2}, {{0, 0.5F}, {3, 0.5F}}), "");
    EXPECT_THAT(
        refusal({0, 1, 2}, {{0, 0.5F}, {4, 0.5F}}),
        "the posteriors of sequences 3 and 2 have letter 5 of the second sequence for letter 2 of the first "
        "one; expected 1 to 4");
    EXPECT_THAT(refusal({0, 2, 2}, {{3, 0.5F}, {0, 0.5F}}), HasSubstr("have letter 1"));
    EXPECT_THAT(refusal({0, 2, 1}, {{0, 0.5F}}), HasSubstr("expected rows that ascend from 0 to 1"));
    EXPECT_THAT(refusal({1, 1, 2}, {{0, 0.5F}, {3, 0.5F}}), HasSubstr("begin at 1"));
    const auto chain = [](std::uint32_t step) {
        return chainAlongSteps(3, 3, [&](std::size_t, std::size_t) { return step; }).size();
    };
    EXPECT_EQ(chain(2), 3U);
    EXPECT_THAT(refusalOf([&] { chain(3); }),
                HasSubstr("step of a join at columns 3 and 3 is 3; expected 0 to 2"));
}

/// The host's joins with corrupted results.
class FaultyJoins final : public GroupJoins {
  public:
    FaultyJoins(std::unique_ptr<GroupJoins> joins, std::function<void(std::vector<ColumnChain>&)> onChains,
                std::function<void(ResidueValues&)> onSums)
        : joins_(std::move(joins)), onChains_(std::move(onChains)), onSums_(std::move(onSums)) {}
    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override {
        auto chains = joins_->heaviestChains(joins, residues, progress);
        onChains_(chains);
        return chains;
    }
    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override {
        auto sums = joins_->sumsWithin(residues, progress);
        onSums_(sums);
        return sums;
    }

  private:
    std::unique_ptr<GroupJoins> joins_;
    std::function<void(std::vector<ColumnChain>&)> onChains_;
    std::function<void(ResidueValues&)> onSums_;
};

TEST_F(RecountedStages, RefuseJoinsThatAreWrong) {
    const GroupsOfSequences all(sequences_, 2, 5);
    const auto refusal = [&](const std::function<void(std::vector<ColumnChain>&)>& onChains,
                             const std::function<void(ResidueValues&)>& onSums) {
        StageRecount recount(device_, false, "pair");
        RecountedJoins joins(
            std::make_unique<FaultyJoins>(joinsOnHost(right_, all.weights), onChains, onSums), recount,
            sequences_, right_, all.weights, "intertask", true);
        return refusalOf([&] {
            joins.enter("progressive alignment");
            joins.heaviestChains(all.joins, all.residues, progress_);
            EXPECT_EQ(recount.counted().stages.back().elements, all.joins.size());
            joins.enter("confidence");
            joins.sumsWithin(all.residues, progress_);
            EXPECT_EQ(recount.counted().stages.back().name, "confidence");
            EXPECT_GT(recount.counted().stages.back().elements, 0U);
        });
    };
    const auto keepChains = [](std::vector<ColumnChain>&) {};
    const auto keepSums = [](ResidueValues&) {};
    EXPECT_EQ(refusal(keepChains, keepSums), "");
    const auto ofJoin =
        AllOf(HasSubstr("the sum of posteriors of the join of "), HasSubstr("by cuda intertask"));
    EXPECT_THAT(refusal([](auto& chains) { chains[0].clear(); }, keepSums), ofJoin);
    EXPECT_THAT(refusal([](auto& chains) { chains[1].erase(chains[1].begin() + 3); }, keepSums), ofJoin);
    EXPECT_THAT(refusal([](auto& chains) { std::swap(chains[0], chains[1]); }, keepSums), ofJoin);
    EXPECT_THAT(refusal(
                    [](auto& chains) {
                        for (auto& pair : chains[1]) ++pair.second;
                    },
                    keepSums),
                ofJoin);
    EXPECT_THAT(refusal(keepChains,
                        [](auto& sums) {
                            for (auto& one : sums)
                                for (double& sum : one) sum *= 1.01;
                        }),
                HasSubstr("the sum of posteriors of letter "));
    EXPECT_THAT(refusal(keepChains, [](auto& sums) { std::swap(sums[0], sums[1]); }),
                HasSubstr(" within its column is "));
}

TEST_F(RecountedStages, RefuseAccuraciesThatAreWrong) {
    HostBackend host("reference", 1);
    const auto run = createImplementation<PosteriorEngine>(host)->start(sequences_);
    std::vector<double> accuracies = run->expectedAccuracies(right_, progress_);
    const auto refusal = [&] {
        StageRecount recount(device_, false, "pair");
        return refusalOf(
            [&] { recountAccuracies(recount, sequences_, right_, accuracies, "intertask", 0.1); });
    };
    EXPECT_EQ(refusal(), "");
    accuracies[17] *= 0.99;
    EXPECT_THAT(refusal(), HasSubstr("the expected accuracy of "));
}

TEST_F(RecountedStages, RefuseConsistencyThatIsWrong) {
    HostBackend host("cpu", 1);
    const auto run = createImplementation<PosteriorEngine>(host)->start(sequences_);
    const std::vector<double> weights(sequences_.size(), 1.0);
    const ThirdSequences thirds(sequences_.size());
    const ConsistencyRound round{weights, 3, thirds};
    const PosteriorSet consistent = run->applyConsistency(right_, round, progress_);
    const auto refusal = [&](const Fault& fault) {
        StageRecount recount(device_, false, "pair");
        return refusalOf([&] {
            recountConsistency(recount, sequences_, right_, round, changed(consistent, fault), "intertask",
                               0.1);
            EXPECT_EQ(recount.counted().elements, 55U);
        });
    };
    EXPECT_EQ(refusal([](auto, auto, auto, PosteriorEntry&) {}), "");
    const auto ofPair =
        AllOf(HasSubstr("posterior after consistency of letter "), HasSubstr("by cuda intertask"));
    EXPECT_THAT(refusal([](auto, auto, auto, PosteriorEntry& entry) { entry.value *= 1.001F; }), ofPair);
    EXPECT_THAT(refusal([](std::size_t x, std::size_t y, std::size_t row, PosteriorEntry& entry) {
                    if (x == 8 && y == 1 && row == 20) entry.value *= 0.9F;
                }),
                ofPair);
    EXPECT_THAT(refusal([](std::size_t x, std::size_t y, auto, PosteriorEntry& entry) {
                    if (x == 8 && y == 1) entry.value = 0;
                }),
                ofPair);
}

/// A device whose posteriors are wrong.
class FaultyRun final : public PosteriorRun {
  public:
    FaultyRun(const Sequences& sequences, PosteriorRun& right)
        : PosteriorRun(sequences.size()), sequences_(sequences), right_(right) {}
    std::string_view variantName() const override { return "intertask"; }
    void complete(PosteriorSet& posteriors, Progress& progress) override {
        const PosteriorSet all = right_.posteriors(progress);
        for (std::size_t x = 1; x < sequences_.size(); ++x)
            for (std::size_t y = 0; y < x; ++y) {
                SparsePosterior pair(all.pair(x, y));
                for (std::size_t row = 0; row < pair.rows(); ++row)
                    for (PosteriorEntry& entry : pair.row(row)) entry.value *= 0.9F;
                posteriors.setPair(x, y, pair, sequences_.codes[y].size());
            }
    }
    PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                  Progress& progress) override {
        return right_.applyConsistency(posteriors, round, progress);
    }

  private:
    const Sequences& sequences_;
    PosteriorRun& right_;
};

TEST_F(RecountedStages, LeaveNothingOfWhatIsWrong) {
    HostBackend host("reference", 1);
    const auto right = createImplementation<PosteriorEngine>(host)->start(sequences_);
    FaultyRun run(sequences_, *right);
    const TemporaryFolder folder;
    const auto filesIn = [&] {
        return std::distance(std::filesystem::directory_iterator(folder.path()),
                             std::filesystem::directory_iterator());
    };
    for (const bool isUnchecked : {true, false}) {
        StageRecount recount(device_, isUnchecked, "pair");
        // Posteriors are kept from the beginning.
        PosteriorCheckpoint kept(folder.path() / "out.aln", "identity\n", false, 0);
        PosteriorAlignmentOptions options = defaultOptions(sequences_.size());
        options.recount = &recount;
        options.kept = &kept;
        const auto align = [&] { alignByPosteriors(sequences_, run, options, progress_); };
        if (isUnchecked) {
            align();
            EXPECT_GT(filesIn(), 0);
            kept.discard();
        } else {
            EXPECT_THROW(align(), WrongResultError);
        }
        EXPECT_EQ(filesIn(), 0);
    }
}

}  // namespace
}  // namespace glycine::align
