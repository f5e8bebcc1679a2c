// Posteriors of residue pairs: the reference compared with sums over all alignments, the models, and the
// alignments made from posteriors.
#include "engine/alignment/posterior/heaviest_chain.hpp"
#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/posterior/scaled_posterior.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/core/parallel.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

using reference::mergedPosterior;
using reference::pairPosteriors;
using Codes = std::vector<std::uint8_t>;

/// Enumerates all alignments of two short sequences, each a chain of pairs.
class AllAlignments {
  public:
    AllAlignments(const PairModel& model, const Codes& first, const Codes& second)
        : model_(model),
          first_(first),
          second_(second),
          leads_(model.leads(first.size() + second.size())),
          trails_(model.trails(first.size() + second.size())),
          sums_(first.size(), second.size(), 0) {
        for (std::size_t i = 0; i < first.size(); ++i)
            for (std::size_t j = 0; j < second.size(); ++j)
                if (i == 0 || j == 0) extend(i, j, leads_[i + j].times2To(0));
    }
    double posterior(std::size_t i, std::size_t j) const { return sums_(i, j) / total_; }

  private:
    void extend(std::size_t i, std::size_t j, double weight) {
        weight *= model_.odds[first_[i]][second_[j]];
        chain_.emplace_back(i, j);
        const std::size_t below = first_.size() - 1 - i, behind = second_.size() - 1 - j;
        if (below == 0 || behind == 0) {
            const double all = weight * trails_[below + behind].times2To(0);
            total_ += all;
            for (const auto& [a, b] : chain_) sums_(a, b) += all;
        }
        for (std::size_t gap = 0; gap < below && behind > 0; ++gap)
            extend(i + 1 + gap, j + 1, weight * between(gap));
        for (std::size_t gap = 1; gap < behind && below > 0; ++gap)
            extend(i + 1, j + 1 + gap, weight * between(gap));
        chain_.pop_back();
    }
    double between(std::size_t gap) const {
        if (gap == 0) return model_.match;
        double sum = 0;
        for (std::size_t kind = 0; kind < model_.gapKinds; ++kind)
            sum += model_.open[kind] * std::pow(model_.extend[kind], static_cast<double>(gap - 1)) *
                   model_.close[kind];
        return sum;
    }

    const PairModel& model_;
    const Codes &first_, &second_;
    std::vector<ScaledNumber> leads_, trails_;
    Matrix<double> sums_;
    double total_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> chain_;
};

std::vector<const PairModel*> allModels() {
    return {&hiddenMarkovModel(Alphabet::Protein), &partitionModel(Alphabet::Protein),
            &hiddenMarkovModel(Alphabet::Rna), &partitionModel(Alphabet::Dna)};
}

TEST(PairPosteriors, AreSharesOfAllAlignments) {
    const Sequences proteins = sequencesOf({"MKVLAWGH", "MKVLWGY", "AC", "W", "XBZGA"}, Alphabet::Protein);
    const Sequences nucleotides = sequencesOf({"ACGTTGCA", "ACTTGNR", "GG", "T"}, Alphabet::Dna);
    for (const PairModel* model : allModels()) {
        const bool isProtein = model == allModels()[0] || model == allModels()[1];
        const Sequences& sequences = isProtein ? proteins : nucleotides;
        for (const Codes& a : sequences.codes)
            for (const Codes& b : sequences.codes) {
                const AllAlignments all(*model, a, b);
                const Matrix<double> found = pairPosteriors(*model, a, b);
                for (std::size_t i = 0; i < a.size(); ++i)
                    for (std::size_t j = 0; j < b.size(); ++j)
                        ASSERT_NEAR(found(i, j), all.posterior(i, j), 1e-13) << i << ", " << j;
            }
    }
}

TEST(PairPosteriors, OfARowSumToAtMostOne) {
    const Sequences sequences =
        randomSequences({.count = 6, .length = 300, .shortest = 0.2, .ambiguous = 0.05, .seed = 3});
    for (const PairModel* model : {allModels()[0], allModels()[1]})
        for (std::size_t x = 1; x < sequences.size(); ++x) {
            const Matrix<double> found = pairPosteriors(*model, sequences.codes[x], sequences.codes[x - 1]);
            for (std::size_t i = 0; i < found.rows(); ++i)
                EXPECT_LE(std::accumulate(found.row(i), found.row(i) + found.columns(), 0.0), 1 + 1e-12);
        }
}

TEST(ScaledPosteriors, AreTheReferences) {
    std::string similar;
    for (int k = 0; k < 150; ++k) similar += "WCHMYF";
    std::vector<Sequences> cases{
        randomSequences({.count = 5, .length = 150, .shortest = 0.1, .ambiguous = 0.05, .seed = 8}),
        randomSequences({.count = 4, .length = 90, .alphabet = Alphabet::Dna, .shortest = 0.1, .seed = 9}),
        sequencesOf({similar, similar.substr(3), "W", "MK"}, Alphabet::Protein),
        sequencesOf({std::string(1200, 'A'), std::string(700, 'C'), "G"}, Alphabet::Dna)};
    for (const Sequences& sequences : cases)
        for (std::size_t x = 0; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < sequences.size(); ++y) {
                if (x == y) continue;
                const SparsePosterior found = scaledPosterior(sequences, x, y);
                const SparsePosterior expected = mergedPosterior(sequences, x, y);
                ASSERT_EQ(found.rows(), expected.rows());
                for (std::size_t row = 0; row < found.rows(); ++row) {
                    ASSERT_EQ(found.row(row).size(), expected.row(row).size()) << x << ", " << y;
                    for (std::size_t k = 0; k < found.row(row).size(); ++k) {
                        EXPECT_EQ(found.row(row)[k].column, expected.row(row)[k].column);
                        EXPECT_NEAR(found.row(row)[k].value, expected.row(row)[k].value, 1e-7);
                    }
                }
            }
}

TEST(PairPosteriors, OfLongSequencesLeaveNoRange) {
    // Without scaling, sums of identical sequences leave the range of double before 500 letters.
    std::string letters;
    for (int k = 0; k < 400; ++k) letters += "WCHMYF";
    const Sequences sequences = sequencesOf({letters, letters});
    for (const PairModel* model : {allModels()[0], allModels()[1]}) {
        const Matrix<double> found = pairPosteriors(*model, sequences.codes[0], sequences.codes[1]);
        for (const std::size_t k : {std::size_t{0}, letters.size() / 2, letters.size() - 1}) {
            EXPECT_GT(found(k, k), 0.9);
            EXPECT_LE(found(k, k), 1 + 1e-12);
        }
    }
}

TEST(PairModels, AreSymmetricAndProbabilities) {
    for (const PairModel* model : allModels()) {
        for (std::size_t a = 0; a < model->codes; ++a)
            for (std::size_t b = 0; b < model->codes; ++b) {
                EXPECT_DOUBLE_EQ(model->odds[a][b], model->odds[b][a]);
                EXPECT_GT(model->odds[a][b], 0);
            }
        EXPECT_THAT(model->leads(3), SizeIs(4));
    }
    // The transitions from each state of the hidden Markov model sum to 1.
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const PairModel& model = hiddenMarkovModel(alphabet);
        EXPECT_NEAR(model.match + 2 * (model.open[0] + model.open[1]), 1, 1e-12);
        EXPECT_NEAR(model.firstMatch + 2 * (model.firstGap[0] + model.firstGap[1]), 1, 1e-6);
        for (std::size_t kind = 0; kind < 2; ++kind)
            EXPECT_NEAR(model.extend[kind] + model.close[kind], 1, 1e-12);
        // Unpaired letters at an end are a gap of either kind that extends, and closes at the beginning or
        // opens at the end.
        const std::vector<ScaledNumber> leads = model.leads(9), trails = model.trails(9);
        for (std::size_t letters = 1; letters <= 9; ++letters) {
            double lead = 0, trail = 0;
            for (std::size_t kind = 0; kind < 2; ++kind) {
                const double goesOn = std::pow(model.extend[kind], static_cast<double>(letters - 1));
                lead += model.firstGap[kind] * goesOn * model.close[kind];
                trail += model.open[kind] * goesOn * model.firstGap[kind];
            }
            EXPECT_NEAR(leads[letters].times2To(0) / lead, 1, 1e-12);
            EXPECT_NEAR(trails[letters].times2To(0) / trail, 1, 1e-12);
        }
        // The weight of many unpaired letters at an end does not underflow.
        EXPECT_GT(model.leads(100'000).back().mantissa, 0);
        EXPECT_GT(model.trails(100'000).back().mantissa, 0);
    }
    // An unknown letter is neutral; an ambiguous one has the mean odds of the letters that it stands for.
    const PairModel& model = hiddenMarkovModel(Alphabet::Protein);
    const auto code = [](char letter) { return codeOf(Alphabet::Protein, letter); };
    EXPECT_EQ(model.odds[code('X')][code('W')], 1);
    EXPECT_GT(model.odds[code('B')][code('D')], 1);
    EXPECT_LT(model.odds[code('B')][code('D')], model.odds[code('D')][code('D')]);
    EXPECT_DOUBLE_EQ(model.odds[code('U')][code('C')], model.odds[code('C')][code('C')]);
}

SparsePosterior sparse(std::size_t rows,
                       const std::vector<std::tuple<std::size_t, std::uint32_t, float>>& all) {
    std::vector<std::uint32_t> begins(rows + 1, 0);
    std::vector<PosteriorEntry> entries;
    for (const auto& [row, column, value] : all) {
        ++begins[row + 1];
        entries.push_back({column, value});
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return {begins, entries};
}

TEST(SparsePosterior, IsTransposed) {
    const SparsePosterior pair = sparse(3, {{0, 1, .5F}, {0, 3, .25F}, {2, 1, .125F}});
    const SparsePosterior other = pair.transposed(5);
    ASSERT_EQ(other.rows(), 5U);
    EXPECT_TRUE(other.row(0).empty());
    ASSERT_EQ(other.row(1).size(), 2U);
    EXPECT_EQ(other.row(1)[0].column, 0U);
    EXPECT_EQ(other.row(1)[1].column, 2U);
    EXPECT_EQ(other.row(1)[1].value, .125F);
    EXPECT_EQ(other.row(3)[0].value, .25F);
}

TEST(PosteriorSet, KeepsPairsOfAllThreads) {
    constexpr std::size_t n = 40;
    const auto pairOf = [](std::size_t x, std::size_t y) {
        std::vector<std::tuple<std::size_t, std::uint32_t, float>> all;
        for (std::size_t row = 0; row < 2 * x; row += 1 + y % 3)
            all.emplace_back(row, static_cast<std::uint32_t>((row * 7 + y) % (y + 1)),
                             static_cast<float>(x * n + y));
        return sparse(2 * x, all);
    };
    PosteriorSet set(n);
    parallelFor(8, n, [&](std::size_t x, std::size_t) {
        for (std::size_t y = 0; y < x; ++y) set.setPair(x, y, pairOf(x, y), y + 1);
    });
    const PosteriorSet moved = std::move(set);
    std::size_t entries = 0;
    const auto expectSame = [](const PosteriorView& a, const PosteriorView& b) {
        EXPECT_TRUE(std::ranges::equal(a.begins(), b.begins()));
        EXPECT_TRUE(std::ranges::equal(a.entries(), b.entries(), [](const auto& one, const auto& other) {
            return one.column == other.column && one.value == other.value;
        }));
    };
    for (std::size_t x = 0; x < n; ++x) {
        EXPECT_EQ(moved.pair(x, x).rows(), 0U);
        EXPECT_EQ(moved.pair(x, x).size(), 0U);
        for (std::size_t y = 0; y < x; ++y) {
            const SparsePosterior expected = pairOf(x, y);
            expectSame(moved.pair(x, y), expected);
            expectSame(moved.pair(y, x), expected.transposed(y + 1));
            entries += 2 * expected.size();
        }
    }
    EXPECT_EQ(moved.entries(), entries);
}

TEST(SparsePosterior, ExpectsTheBestChain) {
    EXPECT_EQ(expectedAccuracy(SparsePosterior({0}, {}), 4), 0);
    // (0,2) excludes the other two pairs, which sum to more.
    EXPECT_FLOAT_EQ(
        static_cast<float>(expectedAccuracy(sparse(3, {{0, 2, .75F}, {1, 0, .5F}, {2, 1, .5F}}), 3)), 1.0F);
    // Two pairs in the same row or column exclude each other.
    EXPECT_FLOAT_EQ(
        static_cast<float>(expectedAccuracy(sparse(2, {{0, 0, .5F}, {0, 1, .5F}, {1, 1, .25F}}), 2)), .75F);
}

TEST(HeaviestChain, IsThatOfAllCells) {
    RandomSequence random(8);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t rows = 1 + random.below(30), columns = 1 + random.below(200);
        // Most pairs are near the diagonal, as in posteriors, some anywhere. Gains are quarters, so that sums
        // tie.
        std::vector<std::vector<double>> gains(rows, std::vector<double>(columns));
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = random.below(6); k > 0; --k) {
                const std::size_t near = std::min(columns - 1, row * columns / rows + random.below(5));
                gains[row][random.below(4) == 0 ? random.below(columns) : near] =
                    0.25 * static_cast<double>(1 + random.below(4));
            }
        HeaviestChain chain(columns);
        std::vector<double> best(columns + 1, 0);  // using only columns before
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<double> next = best;
            for (std::size_t column = 0; column < columns; ++column) {
                const double gain = gains[row][column];
                next[column + 1] = std::max({next[column], best[column + 1], best[column] + gain});
                if (gain > 0)
                    chain.offer(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), gain);
            }
            chain.endRow();
            best = next;
        }
        ASSERT_EQ(chain.sum(), best.back());
        double sum = 0;
        std::ptrdiff_t lastRow = -1, lastColumn = -1;
        for (const auto& [row, column] : chain.best()) {
            ASSERT_GT(row, lastRow);
            ASSERT_GT(column, lastColumn);
            lastRow = row;
            lastColumn = column;
            sum += gains[row][column];
        }
        ASSERT_EQ(sum, best.back());
    }
}

class Alignments : public testing::Test {
  protected:
    PosteriorAlignment align(const Sequences& sequences, PosteriorAlignmentOptions options) {
        const auto run = createImplementation<PosteriorEngine>(reference_)->start(sequences);
        return alignByPosteriors(sequences, *run, options, progress_);
    }
    HostBackend reference_{"reference", 1};
    Progress progress_;
};

TEST_F(Alignments, LoseNothingAndKeepTheOrder) {
    for (const std::size_t count : {2U, 3U, 9U}) {
        const Sequences sequences =
            randomSequences({.count = count, .length = 40, .gaps = 0.2, .shortest = 0.05, .seed = count});
        const PosteriorAlignment found = align(sequences, defaultOptions(count));
        ASSERT_EQ(found.columns.size(), count);
        std::vector<int> isUsed(found.width, 0);
        for (std::size_t k = 0; k < count; ++k) {
            ASSERT_EQ(found.columns[k].size(), sequences.codes[k].size());
            for (std::size_t i = 0; i < found.columns[k].size(); ++i) {
                ASSERT_LT(found.columns[k][i], found.width);
                if (i > 0) {
                    ASSERT_LT(found.columns[k][i - 1], found.columns[k][i]);
                }
                isUsed[found.columns[k][i]] = 1;
            }
        }
        EXPECT_THAT(isUsed, Each(1));
        std::vector<std::size_t> order = found.order;
        std::ranges::sort(order);
        for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(order[k], k);
        ASSERT_EQ(found.confidences.columns.size(), found.width);
        EXPECT_THAT(found.confidences.columns, Each(AllOf(testing::Ge(0), testing::Le(1))));
        ASSERT_EQ(found.confidences.residues.size(), count);
        for (std::size_t k = 0; k < count; ++k) {
            EXPECT_EQ(found.confidences.residues[k].size(), sequences.codes[k].size());
            EXPECT_THAT(found.confidences.residues[k], Each(AllOf(testing::Ge(0), testing::Le(1))));
        }
    }
}

TEST_F(Alignments, OfEqualSequencesHaveNoGaps) {
    const std::string letters = "MKVLAWGHERTYIPASDFGHKLCVNM";
    const PosteriorAlignment found = align(sequencesOf({letters, letters, letters}), defaultOptions(3));
    EXPECT_EQ(found.width, letters.size());
    EXPECT_THAT(found.confidences.columns, Each(testing::Gt(0.5)));
}

TEST_F(Alignments, OfSingleLetters) {
    EXPECT_EQ(align(sequencesOf({"A", "A"}, Alphabet::Protein), defaultOptions(2)).width, 1U);
    const PosteriorAlignment found =
        align(sequencesOf({"W", "MKVWLA", "G"}, Alphabet::Protein), defaultOptions(3));
    EXPECT_EQ(found.columns[1].size(), 6U);
}

TEST_F(Alignments, AreRefinedForTheBetter) {
    const Sequences sequences =
        randomSequences({.count = 12, .length = 60, .divergence = 0.7, .gaps = 0.3, .seed = 5});
    const auto run = createImplementation<PosteriorEngine>(reference_)->start(sequences);
    const PosteriorSet posteriors = run->posteriors(progress_);
    const std::vector<double> weights(sequences.size(), 1);
    const auto joins = run->joins(posteriors, weights);
    AccuracyAligner aligner(sequences, *joins, weights);
    aligner.alignAlong(align(sequences, {.consistencyRounds = 0, .refinements = 0}).guideTree, progress_);
    double before = accuracyOf(aligner.columns(), posteriors);
    const double first = before;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        aligner.refine(1, seed, progress_);
        const double now = accuracyOf(aligner.columns(), posteriors);
        EXPECT_GE(now, before * (1 - 1e-5));
        before = now;
    }
    EXPECT_GT(before, first);
}

TEST_F(Alignments, GoAlongAGivenTree) {
    const Sequences sequences = randomSequences({.count = 4, .length = 30, .seed = 6});
    PosteriorAlignmentOptions options = defaultOptions(4);
    options.guideTree = align(sequences, options).guideTree;
    std::swap(options.guideTree->nodes[options.guideTree->root].children[0],
              options.guideTree->nodes[options.guideTree->root].children[1]);
    const PosteriorAlignment found = align(sequences, options);
    EXPECT_EQ(found.guideTree.root, options.guideTree->root);
    EXPECT_THAT(found.order, SizeIs(4));
}

TEST(ThirdSequences, AreTheNearest) {
    // Distances of 5 sequences on a line: 0, 1, 2, 10, 11.
    const std::vector<float> places{0, 1, 2, 10, 11};
    std::vector<float> distances;
    for (std::size_t j = 1; j < 5; ++j)
        for (std::size_t i = 0; i < j; ++i) distances.push_back(places[j] - places[i]);
    std::vector<std::size_t> found;
    const ThirdSequences two(5, distances, 2);
    two.find(3, 4, found);
    EXPECT_THAT(found, ElementsAre(1, 2));
    two.find(0, 4, found);
    // All sequences between the two are equally near: the first ones are taken.
    EXPECT_THAT(found, ElementsAre(1, 2));
    two.find(4, 1, found);
    EXPECT_THAT(found, ElementsAre(2, 3));
    EXPECT_FALSE(two.areAll());
    const ThirdSequences three(5, distances, 3);
    EXPECT_TRUE(three.areAll());
    three.find(1, 2, found);
    EXPECT_THAT(found, ElementsAre(0, 3, 4));
    EXPECT_EQ(ThirdSequences::weightOf(found, std::vector<double>{1, 2, 4, 8, 16}), 25);
}

TEST_F(Alignments, ConsistencyFollowsItsFormula) {
    const Sequences sequences = randomSequences({.count = 4, .length = 25, .divergence = 0.5, .seed = 7});
    const auto run = createImplementation<PosteriorEngine>(reference_)->start(sequences);
    const PosteriorSet before = run->posteriors(progress_);
    const std::vector<double> weights{1, 0.5, 2, 0.25};
    const PosteriorSet after = run->applyConsistency(before, {weights, 3, ThirdSequences(4)}, progress_);
    const auto at = [&](std::size_t x, std::size_t y, std::size_t i, std::size_t j) {
        for (const PosteriorEntry& entry : before.pair(x, y).row(i))
            if (entry.column == j) return static_cast<double>(entry.value);
        return 0.0;
    };
    for (std::size_t x = 0; x < 4; ++x)
        for (std::size_t y = 0; y < 4; ++y) {
            if (x == y) continue;
            ASSERT_EQ(after.pair(x, y).size(), before.pair(x, y).size());
            for (std::size_t i = 0; i < sequences.codes[x].size(); ++i)
                for (const PosteriorEntry& entry : after.pair(x, y).row(i)) {
                    double all = 3 * (weights[x] + weights[y]);
                    double sum = all * at(x, y, i, entry.column);
                    for (std::size_t z = 0; z < 4; ++z) {
                        if (z == x || z == y) continue;
                        all += weights[z];
                        for (std::size_t k = 0; k < sequences.codes[z].size(); ++k)
                            sum += weights[z] * at(x, z, i, k) * at(z, y, k, entry.column);
                    }
                    EXPECT_NEAR(static_cast<double>(entry.value), sum / all, 1e-6);
                }
        }
}

}  // namespace
}  // namespace glycine::align
