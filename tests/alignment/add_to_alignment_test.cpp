// Sequences and alignments that are added to an alignment.
#include "engine/alignment/add_to_alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/alignment/align_commands.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/app/task_test.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::align {
namespace {

using test::expectTaskRefused;
using test::runTask;
using test::TaskOutcome;
using test::writeFile;
using testing::ElementsAre;
using testing::HasSubstr;

MultipleAlignment someOf(const Sequences& sequences, std::size_t begin, std::size_t end) {
    MultipleAlignment some;
    some.alphabet = sequences.alphabet;
    for (std::size_t k = begin; k < end; ++k) {
        some.names.push_back(sequences.names[k]);
        some.rows.push_back(sequences.letters[k]);
    }
    return some;
}

MultipleAlignment alignedOf(Backend& backend, const Sequences& sequences, std::size_t begin,
                            std::size_t end) {
    return computeAlignment(backend, withoutGaps(someOf(sequences, begin, end)),
                            {.method = AlignMethod::ClustalW}, silentProgress())
        .alignment;
}

/// Rows begin … end − 1 without the columns in which all of them have gaps.
std::vector<std::string> partOf(const MultipleAlignment& alignment, std::size_t begin, std::size_t end) {
    std::vector<std::string> rows(end - begin);
    for (std::size_t column = 0; column < alignment.columns(); ++column) {
        bool isGap = true;
        for (std::size_t k = begin; k < end; ++k) isGap = isGap && alignment.rows[k][column] == '-';
        for (std::size_t k = begin; k < end && !isGap; ++k) rows[k - begin] += alignment.rows[k][column];
    }
    return rows;
}

TEST(AddToAlignment, KeepsTheColumnsOfBoth) {
    HostBackend backend("cpu", 1);
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const Sequences sequences = randomSequences({.count = 9,
                                                         .length = 20 * seed,
                                                         .alphabet = alphabet,
                                                         .divergence = 0.12 * static_cast<double>(seed),
                                                         .gaps = 0.1,
                                                         .seed = seed});
            const MultipleAlignment base = alignedOf(backend, sequences, 0, 5);
            const MultipleAlignment group = alignedOf(backend, sequences, 5, 9);
            const MultipleAlignment both =
                addToAlignment(backend, base, group, {.asGroup = true}, silentProgress()).alignment;
            EXPECT_EQ(both.names, sequences.names);
            EXPECT_EQ(partOf(both, 0, 5), base.rows);
            EXPECT_EQ(partOf(both, 5, 9), group.rows);
            const AlignmentResult added =
                addToAlignment(backend, base, someOf(sequences, 5, 9), {}, silentProgress());
            EXPECT_EQ(partOf(added.alignment, 0, 5), base.rows);
            EXPECT_EQ(withoutGaps(added.alignment).letters, sequences.letters);
            std::vector<std::size_t> order = added.alignment.order;
            ASSERT_EQ(order.size(), 9U);
            EXPECT_TRUE(std::equal(order.begin(), order.begin() + 5,
                                   std::vector<std::size_t>{0, 1, 2, 3, 4}.begin()));
        }
}

TEST(AddToAlignment, PutsACopyBesideItsOriginal) {
    HostBackend backend("cpu", 1);
    const Sequences sequences = randomSequences({.count = 6, .length = 80, .divergence = 0.4, .seed = 4});
    const MultipleAlignment base = alignedOf(backend, sequences, 0, 6);
    for (std::size_t k = 0; k < 6; ++k) {
        MultipleAlignment copy = someOf(sequences, k, k + 1);
        copy.names[0] = "copy";
        const MultipleAlignment found = addToAlignment(backend, base, copy, {}, silentProgress()).alignment;
        EXPECT_EQ(found.rows[6], found.rows[k]);
        EXPECT_EQ(found.columns(), base.columns());
    }
}

TEST(AddToAlignment, SmallTilesLeaveOutWhatIsKnown) {
    HostBackend backend("cpu", 1);
    const Sequences sequences = randomSequences({.count = 12, .length = 40, .divergence = 0.4, .seed = 7});
    const MultipleAlignment base = alignedOf(backend, sequences, 0, 8);
    const AlignmentResult whole =
        addToAlignment(backend, base, someOf(sequences, 8, 12), {}, silentProgress());
    const AlignmentResult small =
        addToAlignment(backend, base, someOf(sequences, 8, 12), {.tile = 4}, silentProgress());
    EXPECT_EQ(small.alignment.rows, whole.alignment.rows);
    // Of six tiles of side 4, three hold pairs of the alignment alone.
    EXPECT_EQ(small.report.pairs->tiles, 3U);
    EXPECT_LT(small.report.pairs->cellsComputed, whole.report.pairs->cellsComputed);
    EXPECT_THROW(
        addToAlignment(backend, base,
                       someOf(randomSequences({.count = 1, .length = 9, .alphabet = Alphabet::Dna}), 0, 1),
                       {}, silentProgress()),
        UsageError);
}

TEST(AddCommand, AddsAndRefuses) {
    const test::TemporaryFolder folder;
    const auto file = [&](const std::string& name) { return (folder / name).string(); };
    writeFile(folder / "base.aln", "CLUSTAL\n\none   MKVLAAGIVGLLLAQWCE\ntwo   MKVLA-GIVGLL-AQWCE\n");
    writeFile(folder / "new.fa", ">three\nMKVLGIVGLLLAQWCE\n");
    writeFile(folder / "group.sto", "# STOCKHOLM 1.0\nthree MKVLGIVGLL-AQWCE\nfour  MKVLGIVGLLLAQ-CE\n//\n");
    const TaskOutcome outcome =
        runTask(declareAlign, {"--add", file("new.fa"), "--to", file("base.aln"), "-o", file("o.fa")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(outcome.out, HasSubstr("1 sequence added to the 2 of"));
    EXPECT_THAT(readAlignment(folder / "o.fa", {}).alignment.names, ElementsAre("one", "two", "three"));
    EXPECT_THAT(partOf(readAlignment(folder / "o.fa", {}).alignment, 0, 2),
                ElementsAre("MKVLAAGIVGLLLAQWCE", "MKVLA-GIVGLL-AQWCE"));
    const TaskOutcome group =
        runTask(declareAlign, {file("group.sto"), "--profile", "--to", file("base.aln"), "-o", file("p.fa")});
    ASSERT_EQ(group.exitCode, 0) << group.error;
    EXPECT_THAT(partOf(readAlignment(folder / "p.fa", {}).alignment, 2, 4),
                ElementsAre("MKVLGIVGLL-AQWCE", "MKVLGIVGLLLAQ-CE"));
    expectTaskRefused(declareAlign, {file("base.aln"), "--to", file("base.aln"), "-o", file("q.fa")},
                      "'one' is in");
    expectTaskRefused(declareAlign, {"-o", file("q.fa")}, "IN, the sequences, is missing");
    expectTaskRefused(declareAlign,
                      {file("new.fa"), "--add", file("new.fa"), "--to", file("base.aln"), "-o", file("q.fa")},
                      "IN and --add are the same");
    expectTaskRefused(declareAlign,
                      {file("new.fa"), "--thesis", "--to", file("base.aln"), "-o", file("q.fa")},
                      "--thesis is for sequences that are aligned anew");
    expectTaskRefused(declareAlign, {file("new.fa"), "--to", file("base.aln"), "-o", file("base.aln")},
                      "base.aln");
}

}  // namespace
}  // namespace glycine::align
