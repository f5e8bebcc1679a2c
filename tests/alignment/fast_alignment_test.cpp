// Alignments of many sequences: common subsequences compared with a plain dynamic program, guide trees from
// seeds, posteriors of profiles compared with those of sequences, and whole alignments.
#include <mutex>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/cpu/profile_kernel.hpp"
#include "engine/alignment/fast/column_profile.hpp"
#include "engine/alignment/fast/fast_alignment.hpp"
#include "engine/alignment/fast/subsequence_tree.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/core/parallel.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/instruction_sets.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

using Codes = std::vector<std::uint8_t>;

TEST(SerialSubsequence, OfWordsWorkedByHand) {
    const Sequences words = sequencesOf({"CWLKWPR", "WKLPWR", "A", "CWLKWPR"}, Alphabet::Protein);
    const auto common = [&](std::size_t a, std::size_t b) {
        return reference::commonSubsequence(words.codes[a], words.codes[b]);
    };
    EXPECT_EQ(common(0, 1), 4U) << "WKPR, WKWR or WLPR";
    EXPECT_EQ(common(1, 0), 4U);
    EXPECT_EQ(common(0, 2), 0U);
    EXPECT_EQ(common(0, 3), 7U);
}

TEST(SubsequenceQueries, FindWhatADynamicProgramFinds) {
    // Lengths of whole words, and one letter more or less; more words than the unrolled loops cover.
    Sequences sequences;
    for (const std::size_t length :
         std::vector<std::size_t>{1, 2, 63, 64, 65, 127, 128, 129, 300, 511, 512, 513, 700})
        sequences.add(
            std::to_string(length),
            randomSequences({.count = 2, .length = length, .shortest = 1, .seed = length}).letters[1]);
    const std::size_t n = sequences.size();
    for (const InstructionSet set : test::instructionSetsHere()) {
        SubsequenceQueries::Memory memory;
        std::array<std::uint32_t, SubsequenceQueries::kMaxLanes> common{};
        // Adjacent queries differ in length, and the last ones leave lanes empty.
        for (std::size_t first = 0; first < n; ++first) {
            std::vector<std::size_t> queried;
            for (std::size_t k = first; k < std::min(first + SubsequenceQueries::lanes(set), n); ++k)
                queried.push_back(k);
            const SubsequenceQueries queries(sequences, queried, set);
            for (std::size_t other = 0; other < n; ++other) {
                queries.commonWith(sequences.codes[other], memory, common);
                for (std::size_t lane = 0; lane < queried.size(); ++lane)
                    EXPECT_EQ(common[lane], reference::commonSubsequence(sequences.codes[queried[lane]],
                                                                         sequences.codes[other]))
                        << toString(set) << ": " << queried[lane] << " and " << other;
            }
        }
    }
}

TEST(SubsequenceTree, IsTheSameForAllInstructions) {
    const Sequences sequences = randomSequences({.count = 70, .length = 150, .shortest = 0.1, .seed = 6});
    for (const std::size_t most : {std::size_t{0}, kMaxForAllPairs}) {
        const trees::Tree plain =
            subsequenceTree(sequences, InstructionSet::Generic, silentProgress(), most, 20);
        for (const InstructionSet set : test::instructionSetsHere())
            EXPECT_EQ(subsequenceTree(sequences, set, silentProgress(), most, 20), plain) << toString(set);
    }
}

TEST(SubsequenceDistance, FollowsTheFormula) {
    EXPECT_EQ(subsequenceDistance(5, 5, 5), 0);
    EXPECT_FLOAT_EQ(subsequenceDistance(6, 5, 4), 3.0F / 16);
    EXPECT_FLOAT_EQ(subsequenceDistance(2, 3, 0), 5);
}

void expectWholeTree(const trees::Tree& tree, std::size_t leaves) {
    ASSERT_EQ(tree.leaves, leaves);
    ASSERT_EQ(tree.nodes.size(), 2 * leaves - 1);
    std::vector<int> visits(tree.nodes.size(), 0);
    for (const std::size_t node : postorder(tree)) {
        ++visits[node];
        EXPECT_EQ(tree.nodes[node].children.size(), node < leaves ? 0U : 2U);
        EXPECT_GE(tree.nodes[node].length, 0);
    }
    EXPECT_THAT(visits, Each(1));
}

TEST(SubsequenceTree, OfSeedsHasEachLeafOnce) {
    const Sequences sequences = randomSequences({.count = 150, .length = 60, .shortest = 0.3, .seed = 2});
    for (const std::size_t most : {1, 2, 7, 40, 200}) {
        SCOPED_TRACE(most);
        expectWholeTree(subsequenceTree(sequences, detectInstructionSet(), silentProgress(), 0, most),
                        sequences.size());
    }
    expectWholeTree(subsequenceTree(sequences, detectInstructionSet(), silentProgress()), sequences.size());
    expectWholeTree(subsequenceTree(sequencesOf({"MKV", "MK"}, Alphabet::Protein), InstructionSet::Generic,
                                    silentProgress(), 0, 1),
                    2);
}

TEST(SubsequenceTree, OfSeedsHandlesEqualSequences) {
    expectWholeTree(subsequenceTree(sequencesOf(std::vector<std::string>(90, "MKVLAW"), Alphabet::Protein),
                                    InstructionSet::Generic, silentProgress(), 0, 4),
                    90);
}

TEST(SubsequenceTree, OfSeedsKeepsFamiliesTogether) {
    // Two families without a common letter.
    std::vector<std::string> letters;
    RandomSequence random(5);
    for (int k = 0; k < 64; ++k) {
        std::string text;
        for (int i = 0; i < 50; ++i) text += (k % 2 == 0 ? "ACDEFGHIK" : "LMNPQRSTV")[random.below(9)];
        letters.push_back(text);
    }
    const trees::Tree tree = subsequenceTree(sequencesOf(letters, Alphabet::Protein), InstructionSet::Generic,
                                             silentProgress(), 0, 8);
    const std::size_t side = tree.nodes[tree.root].children[0];
    std::vector<std::size_t> below;
    std::vector<std::size_t> open{side};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        if (tree.isLeaf(node)) below.push_back(node % 2);
        for (const std::size_t child : tree.nodes[node].children) open.push_back(child);
    }
    ASSERT_EQ(below.size(), 32U);
    EXPECT_THAT(below, Each(below.front()));
}

TEST(GroupsOfRows, HaveAllRowsOnceAndAreNotLarger) {
    // At every level one row is far from all others: splits must not remove one row at a time.
    Matrix<float> rows(500, 2);
    for (std::size_t k = 0; k < rows.rows(); ++k) {
        rows(k, 0) = std::pow(1.2F, static_cast<float>(k % 100));
        rows(k, 1) = 0;
    }
    std::vector<std::size_t> all;
    for (const auto& group : groupsOfRows(rows, 20, silentProgress())) {
        EXPECT_LE(group.size(), 20U);
        EXPECT_TRUE(std::ranges::is_sorted(group));
        all.insert(all.end(), group.begin(), group.end());
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), rows.rows());
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k);
}

/// The kernel's input for two sequences: profiles of one sequence each, without gaps.
template <class Number>
class SequencePair {
  public:
    static constexpr std::size_t kPadding = cpu::kProfilePadding;
    SequencePair(Alphabet alphabet, const Codes& first, const Codes& second) {
        pair.rows = first.size();
        pair.columns = second.size();
        pair.components = kMaxCodes;
        pair.rowStride = first.size() + 1 + 2 * kPadding;
        pair.columnStride = second.size() + 2 * kPadding;
        pair.cutoff = static_cast<Number>(kSmallestPosterior);
        shares_.assign(kMaxCodes * pair.columnStride, 0);
        for (std::size_t j = 0; j < second.size(); ++j)
            shares_[second[j] * pair.columnStride + kPadding + second.size() - 1 - j] = 1;
        pair.shares = shares_.data() + kPadding;
        const PairModel* models[] = {&hiddenMarkovModel(alphabet), &partitionModel(alphabet)};
        for (std::size_t m = 0; m < 2; ++m) {
            const PairModel& model = *models[m];
            auto& target = pair.models[m];
            odds_[m].assign(kMaxCodes * pair.rowStride, 0);
            for (std::size_t code = 0; code < kMaxCodes; ++code)
                for (std::size_t i = 0; i < first.size(); ++i)
                    odds_[m][code * pair.rowStride + kPadding + 1 + i] =
                        static_cast<Number>(model.odds[first[i]][code]);
            target.odds = odds_[m].data() + kPadding;
            target.gapKinds = model.gapKinds;
            target.match = static_cast<Number>(model.match);
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                target.close[kind] = static_cast<Number>(model.close[kind]);
                const std::size_t most = std::max(pair.rowStride, pair.columnStride);
                gaps_[m][0][kind].assign(most, static_cast<Number>(model.open[kind]));
                gaps_[m][1][kind].assign(most, static_cast<Number>(model.extend[kind]));
                target.rowOpen[kind] = target.columnOpen[kind] = gaps_[m][0][kind].data() + kPadding;
                target.rowExtend[kind] = target.columnExtend[kind] = gaps_[m][1][kind].data() + kPadding;
            }
            target.rowLeads = model.leads(pair.rows);
            target.rowTrails = model.trails(pair.rows);
            target.columnLeads = model.leads(pair.columns);
            target.columnTrails = model.trails(pair.columns);
        }
    }
    cpu::JoinedProfiles<Number> pair;

  private:
    std::vector<Number> shares_, odds_[2], gaps_[2][2][kMaxGapKinds];
};

template <class Number>
void expectReferencePosteriors(Alphabet alphabet, const Sequences& sequences, std::size_t cellsAtOnce) {
    for (const Codes& a : sequences.codes)
        for (const Codes& b : sequences.codes) {
            const SparsePosterior expected =
                reference::mergedPosterior(hiddenMarkovModel(alphabet), partitionModel(alphabet), a, b);
            SequencePair<Number> one(alphabet, a, b);
            one.pair.cellsAtOnce = cellsAtOnce;
            for (const InstructionSet set : test::instructionSetsHere()) {
                cpu::ProfileMemory<Number> memory;
                cpu::ProfileEntries found;
                kernelFor<cpu::ProfileKernel<Number>>(set).compute(one.pair, memory, found);
                ASSERT_TRUE(found.isSound);
                Matrix<float> values(a.size(), b.size(), 0.0F);
                for (std::size_t k = 0; k < found.entries.size(); ++k)
                    values(found.rowOf[k], found.entries[k].column) = found.entries[k].value;
                std::size_t beyond = found.entries.size();
                for (std::size_t row = 0; row < expected.rows(); ++row)
                    for (const PosteriorEntry& entry : expected.row(row)) {
                        const float value = values(row, entry.column);
                        if (value > 0) --beyond;
                        // Posteriors at the cutoff may be missing on one side.
                        if (value > 0 || entry.value > 1.001F * kSmallestPosterior) {
                            ASSERT_NEAR(value, entry.value, 1e-5)
                                << a.size() << " × " << b.size() << ": " << row << ", " << entry.column;
                        }
                    }
                EXPECT_LE(beyond, found.entries.size() / 1000);
            }
        }
}

TEST(ProfileKernel, FindsThePosteriorsOfSequences) {
    for (const std::size_t cellsAtOnce : {std::size_t{1} << 20, std::size_t{200}, std::size_t{1}}) {
        SCOPED_TRACE(cellsAtOnce);
        const Sequences proteins =
            randomSequences({.count = 5, .length = 70, .gaps = 0.1, .shortest = 0.1, .seed = 4});
        expectReferencePosteriors<float>(Alphabet::Protein, proteins, cellsAtOnce);
        expectReferencePosteriors<double>(Alphabet::Protein, proteins, cellsAtOnce);
        expectReferencePosteriors<float>(
            Alphabet::Dna,
            sequencesOf({"ACGTTGCA", "ACTTGNR", "G", "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"}, Alphabet::Dna),
            cellsAtOnce);
    }
}

TEST(ProfileKernel, HoldsLongSequences) {
    const Sequences related = randomSequences({.count = 2, .length = 1500, .seed = 6});
    expectReferencePosteriors<float>(Alphabet::Protein, related, std::size_t{1} << 18);
    // Sums that exceed the range of float32.
    std::string letters;
    for (int k = 0; k < 60; ++k) letters += "WCHMYF";
    const Sequences repeats = sequencesOf({letters, letters.substr(180)});
    expectReferencePosteriors<double>(Alphabet::Protein, repeats, std::size_t{1} << 18);
}

/// The posteriors that a kernel finds, as a matrix.
template <class Number>
Matrix<float> posteriorsBy(InstructionSet set, const cpu::JoinedProfiles<Number>& pair) {
    cpu::ProfileMemory<Number> memory;
    cpu::ProfileEntries found;
    kernelFor<cpu::ProfileKernel<Number>>(set).compute(pair, memory, found);
    EXPECT_TRUE(found.isSound);
    Matrix<float> values(pair.rows, pair.columns, 0.0F);
    for (std::size_t k = 0; k < found.entries.size(); ++k) {
        EXPECT_EQ(values(found.rowOf[k], found.entries[k].column), 0) << "found twice";
        values(found.rowOf[k], found.entries[k].column) = found.entries[k].value;
    }
    return values;
}

/// A path through all pairs of at least one half, rows before columns between them.
std::vector<std::uint32_t> pathThrough(const Matrix<float>& posteriors) {
    std::vector<std::uint32_t> path{0};
    std::size_t row = 0, column = 0;
    const auto goTo = [&](std::size_t nextRow, std::size_t nextColumn) {
        for (; row < nextRow; ++row) path.push_back(static_cast<std::uint32_t>(row + 1));
        for (; column < nextColumn; ++column) path.push_back(static_cast<std::uint32_t>(row));
    };
    for (std::size_t i = 0; i < posteriors.rows(); ++i)
        for (std::size_t j = column; j < posteriors.columns(); ++j)
            if (posteriors(i, j) >= 0.5F) {
                goTo(i, j);
                goTo(i + 1, j + 1);
                break;
            }
    goTo(posteriors.rows(), posteriors.columns());
    return path;
}

/// The posteriors of one model, cell by cell, with all sums of cells farther than `reach` from the path 0.
Matrix<double> plainPosteriors(const PairModel& model, const Codes& a, const Codes& b,
                               const std::vector<std::uint32_t>& path, std::size_t reach) {
    const std::size_t rows = a.size(), columns = b.size(), kinds = model.gapKinds;
    const auto isNear = [&](std::size_t i, std::size_t j) {
        return i >= 1 && j >= 1 && i <= rows && j <= columns && path[i + j] <= i + reach &&
               i <= path[i + j] + reach;
    };
    const auto plain = [](const ScaledNumber& number) { return number.times2To(0); };
    const auto rowLeads = model.leads(rows), columnLeads = model.leads(columns);
    const auto rowTrails = model.trails(rows), columnTrails = model.trails(columns);
    using Sums = Matrix<double>;
    const auto zeros = [&] { return Sums(rows + 2, columns + 2, 0.0); };
    Sums pairs = zeros(), ready = zeros(), after = zeros(), ends = zeros();
    std::vector<Sums> inRows, inColumns, rowAfter, columnAfter;
    for (std::size_t k = 0; k < kinds; ++k)
        for (auto* sums : {&inRows, &inColumns, &rowAfter, &columnAfter}) sums->push_back(zeros());
    for (std::size_t i = 0; i <= rows; ++i) ready(i, 0) = plain(rowLeads[i]);
    for (std::size_t j = 1; j <= columns; ++j) ready(0, j) = plain(columnLeads[j]);
    for (std::size_t j = 1; j <= columns; ++j) ends(rows, j) = plain(columnTrails[columns - j]);
    for (std::size_t i = 1; i < rows; ++i) ends(i, columns) = plain(rowTrails[rows - i]);
    double total = 0;
    for (std::size_t i = 1; i <= rows; ++i)
        for (std::size_t j = 1; j <= columns; ++j) {
            if (!isNear(i, j)) continue;
            pairs(i, j) = model.odds[a[i - 1]][b[j - 1]] * ready(i - 1, j - 1);
            ready(i, j) = model.match * pairs(i, j);
            for (std::size_t k = 0; k < kinds; ++k) {
                inRows[k](i, j) = model.open[k] * pairs(i - 1, j) + model.extend[k] * inRows[k](i - 1, j);
                inColumns[k](i, j) =
                    model.open[k] * pairs(i, j - 1) + model.extend[k] * inColumns[k](i, j - 1);
                ready(i, j) += model.close[k] * (inRows[k](i, j) + inColumns[k](i, j));
            }
            total += pairs(i, j) * ends(i, j);
        }
    Matrix<double> result(rows, columns, 0.0);
    for (std::size_t i = rows; i >= 1; --i)
        for (std::size_t j = columns; j >= 1; --j) {
            if (!isNear(i, j)) continue;
            const double next = after(i + 1, j + 1);
            double all = model.match * next + ends(i, j);
            for (std::size_t k = 0; k < kinds; ++k) {
                all += model.open[k] * (rowAfter[k](i + 1, j) + columnAfter[k](i, j + 1));
                rowAfter[k](i, j) = model.close[k] * next + model.extend[k] * rowAfter[k](i + 1, j);
                columnAfter[k](i, j) = model.close[k] * next + model.extend[k] * columnAfter[k](i, j + 1);
            }
            after(i, j) = model.odds[a[i - 1]][b[j - 1]] * all;
            result(i - 1, j - 1) = pairs(i, j) * all / total;
        }
    return result;
}

TEST(ProfileKernel, NearAPathLeavesOutAllOtherAlignments) {
    const Sequences both = randomSequences({.count = 2, .length = 70, .gaps = 0.1, .seed = 3});
    const Codes &a = both.codes[0], &b = both.codes[1];
    SequencePair<float> one(Alphabet::Protein, a, b);
    SequencePair<double> exact(Alphabet::Protein, a, b);
    for (const InstructionSet set : test::instructionSetsHere()) {
        SCOPED_TRACE(toString(set));
        one.pair.cellsAtOnce = exact.pair.cellsAtOnce = std::size_t{1} << 20;
        one.pair.path = exact.pair.path = {};
        const Matrix<float> all = posteriorsBy(set, one.pair);
        const std::vector<std::uint32_t> path = pathThrough(all);
        ASSERT_EQ(path.size(), a.size() + b.size() + 1);
        one.pair.path = exact.pair.path = path;
        one.pair.reach = a.size() + b.size();
        const Matrix<float> wide = posteriorsBy(set, one.pair);
        EXPECT_TRUE(std::equal(all.data(), all.data() + all.size(), wide.data()));
        for (const std::size_t reach : {2U, 3U, 7U, 16U, 17U, 33U}) {
            SCOPED_TRACE(reach);
            const Matrix<double> first =
                plainPosteriors(hiddenMarkovModel(Alphabet::Protein), a, b, path, reach);
            const Matrix<double> second =
                plainPosteriors(partitionModel(Alphabet::Protein), a, b, path, reach);
            one.pair.reach = exact.pair.reach = reach;
            for (const std::size_t cellsAtOnce : {std::size_t{1} << 20, std::size_t{300}}) {
                one.pair.cellsAtOnce = exact.pair.cellsAtOnce = cellsAtOnce;
                const Matrix<float> inFloat = posteriorsBy(set, one.pair);
                const Matrix<float> inDouble = posteriorsBy(set, exact.pair);
                for (std::size_t i = 0; i < a.size(); ++i)
                    for (std::size_t j = 0; j < b.size(); ++j) {
                        const double expected = std::hypot(first(i, j), second(i, j)) / std::sqrt(2.0);
                        // Less than the cutoff is not listed.
                        const double least =
                            expected < 1.001 * kSmallestPosterior ? 1.001 * kSmallestPosterior : 1e-5;
                        ASSERT_NEAR(inFloat(i, j), expected, least) << i << ", " << j;
                        ASSERT_NEAR(inDouble(i, j), expected, least) << i << ", " << j;
                    }
            }
        }
    }
}

FastAlignment aligned(const Sequences& sequences, FastOptions options = {}) {
    return alignFast(sequences, options, silentProgress());
}

void expectWhole(const FastAlignment& found, const Sequences& sequences) {
    // Throws if a residue is lost or moved.
    const std::vector<std::string> rows = letteredRows(sequences, found.columns, found.width);
    for (std::size_t column = 0; column < found.width; ++column)
        EXPECT_TRUE(std::ranges::any_of(rows, [&](const std::string& row) { return row[column] != '-'; }))
            << column;
    std::vector<std::size_t> order = found.order;
    std::ranges::sort(order);
    ASSERT_EQ(order.size(), sequences.size());
    for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
}

TEST(FastAlignment, LosesNothing) {
    for (const std::size_t count : {2U, 3U, 40U}) {
        const Sequences sequences = randomSequences(
            {.count = count, .length = 50, .gaps = 0.2, .shortest = 0.05, .ambiguous = 0.05, .seed = count});
        for (const std::size_t refinements : {0U, 12U})
            expectWhole(aligned(sequences, {.refinements = refinements}), sequences);
    }
}

TEST(FastAlignment, OfOddInput) {
    for (const auto& letters : std::vector<std::vector<std::string>>{
             {"A", "A"}, {"A", "W"}, {"X", "XX"}, {"A", std::string(3000, 'W')}, {"MKV", "MKV", "MKV"}}) {
        const Sequences sequences = sequencesOf(letters, Alphabet::Protein);
        expectWhole(aligned(sequences, {.refinements = 3}), sequences);
    }
    EXPECT_EQ(aligned(sequencesOf({"MKVLAW", "MKVLAW", "MKVLAW"}, Alphabet::Protein)).width, 6U);
    const Sequences dna = sequencesOf({"ACGTNACGT", "ACGACGT", "ACGTRYACGT"}, Alphabet::Dna);
    expectWhole(aligned(dna), dna);
}

TEST(FastAlignment, IsTheSameForAnyNumberOfThreads) {
    const Sequences sequences = randomSequences({.count = 60, .length = 80, .gaps = 0.1, .seed = 9});
    const auto with = [&](int count) {
        const DefaultThreads threads(count);
        return aligned(sequences, {.refinements = 5});
    };
    const FastAlignment one = with(1), two = with(2), five = with(5);
    EXPECT_EQ(one.columns, two.columns);
    EXPECT_EQ(one.columns, five.columns);
    EXPECT_EQ(one.order, two.order);
}

TEST(FastAlignment, GoesAlongTheTreeThatIsGiven) {
    const Sequences sequences = randomSequences({.count = 4, .length = 30, .seed = 3});
    trees::Tree tree{.leaves = 4, .nodes = std::vector<trees::TreeNode>(7), .root = 6};
    attach(tree, 4, 3, 1);
    attach(tree, 4, 1, 1);
    attach(tree, 5, 2, 1);
    attach(tree, 5, 0, 1);
    attach(tree, 6, 5, 1);
    attach(tree, 6, 4, 1);
    EXPECT_THAT(aligned(sequences, {.guideTree = tree}).order, ElementsAre(2, 0, 3, 1));
}

TEST(FastAlignment, StopsOnRequest) {
    const Sequences sequences = randomSequences({.count = 30, .length = 40, .seed = 3});
    const DefaultThreads threads(3);
    int checks = 0;
    for (const int most : {0, 3, 40}) {
        checks = 0;
        std::mutex mutex;
        Progress progress({}, [&] {
            const std::lock_guard lock(mutex);
            return ++checks > most;
        });
        EXPECT_THROW(alignFast(sequences, {}, progress), CancelledError) << most;
    }
}

TEST(FastAlignment, OfProfilesWithGapsPutsResiduesWhereTheyBelong) {
    // The last sequence has a stretch that half of the others lack.
    const std::string whole = "MKVLAWGHERTYIPWSDFGHKLCVNMRRTYWPLKH";
    const std::string cut = whole.substr(0, 12) + whole.substr(20);
    const Sequences sequences = sequencesOf({cut, whole, cut, whole, cut, whole}, Alphabet::Protein);
    const FastAlignment found = aligned(sequences);
    EXPECT_EQ(found.width, whole.size());
    for (std::size_t k = 1; k < 6; k += 2) EXPECT_EQ(found.columns[k], found.columns[1]);
}

TEST(FastAlignment, RunsOnTheProcessorsBackends) {
    const Sequences sequences = randomSequences({.count = 5, .length = 40, .seed = 3});
    for (const char* name : {"cpu", "reference"}) {
        HostBackend backend(name, 2);
        const AlignmentResult result =
            computeAlignment(backend, sequences, {.method = AlignMethod::Fast}, silentProgress());
        EXPECT_EQ(withoutGaps(result.alignment).letters, sequences.letters);
        EXPECT_THAT(result.report.variant, HasSubstr("profiles"));
        EXPECT_TRUE(result.alignment.hasGuideTree());
    }
}

}  // namespace
}  // namespace glycine::align
