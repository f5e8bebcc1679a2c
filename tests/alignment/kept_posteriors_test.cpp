// Posteriors that outlive a stop: what is kept, what a later run makes of it, and what it refuses.
#include "engine/alignment/posterior/kept_posteriors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::align {
namespace {

using testing::HasSubstr;

constexpr const char* kRun = "input: 00c0ffee\n";

class KeptPosteriorsTest : public testing::Test {
  protected:
    /// A run that keeps at once what it finds, and is stopped when it looks for the so manieth time.
    std::size_t stoppedAfter(int looks) const {
        KeptPosteriors kept(output, kRun, false, 0);
        Progress progress({}, [&] { return --looks < 0; });
        EXPECT_THROW(align(kept, progress), CancelledError);
        EXPECT_TRUE(kept.outlivesStop());
        return kept.resumed();
    }
    PosteriorAlignment align(KeptPosteriors& kept, Progress& progress) const {
        PosteriorAlignmentOptions options = usualOptions(sequences.size());
        options.kept = &kept;
        return alignByPosteriors(sequences, *createPosteriorEngine(cpu)->start(sequences), options, progress);
    }
    PosteriorAlignment alignedAtOnce() const {
        Progress progress;
        return alignByPosteriors(sequences, *createPosteriorEngine(cpu)->start(sequences),
                                 usualOptions(sequences.size()), progress);
    }
    static void expectEqual(const PosteriorAlignment& found, const PosteriorAlignment& expected) {
        EXPECT_EQ(found.columns, expected.columns);
        EXPECT_EQ(found.distances, expected.distances);
        EXPECT_EQ(found.confidences, expected.confidences);
        EXPECT_EQ(found.order, expected.order);
    }

    Sequences sequences = randomSequences({.count = 24, .length = 60, .shortest = 0.5, .seed = 3});
    mutable HostBackend cpu{"cpu", 1};
    test::TemporaryFolder folder;
    std::filesystem::path output = folder / "out.aln";
};

TEST_F(KeptPosteriorsTest, LeadToTheSameAlignment) {
    EXPECT_EQ(stoppedAfter(12), 0U);
    EXPECT_GT(stoppedAfter(3), 0U);
    Progress progress;
    KeptPosteriors kept(output, kRun, false, 0);
    expectEqual(align(kept, progress), alignedAtOnce());
    EXPECT_GT(kept.resumed(), 0U);
    EXPECT_LT(kept.resumed(), 24U * 23 / 2);
    kept.discard();
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST_F(KeptPosteriorsTest, AreComputedAgainWhereTheyAreDamaged) {
    stoppedAfter(10);
    const auto file = folder / "out.aln.unfinished";
    std::string bytes = test::readFile(file);
    bytes[bytes.size() / 2] ^= 1;
    test::writeFile(file, bytes);
    Progress progress;
    KeptPosteriors kept(output, kRun, false, 0);
    expectEqual(align(kept, progress), alignedAtOnce());
    EXPECT_EQ(kept.resumed(), 0U);
}

TEST_F(KeptPosteriorsTest, OfAnotherRunAreRefused) {
    stoppedAfter(10);
    EXPECT_THAT(test::messageOf<UsageError>([&] { KeptPosteriors kept(output, "input: 1\n", false); }),
                HasSubstr("input was 00c0ffee, is 1 now"));
    KeptPosteriors kept(output, "input: 1\n", true);
    Progress progress;
    expectEqual(align(kept, progress), alignedAtOnce());
    EXPECT_EQ(kept.resumed(), 0U);
}

TEST_F(KeptPosteriorsTest, OfAShortRunNeedNoFile) {
    Progress progress;
    KeptPosteriors kept(output, kRun, false);
    align(kept, progress);
    EXPECT_EQ(folder.fileCount(), 0U);
    EXPECT_FALSE(kept.outlivesStop());
}

TEST_F(KeptPosteriorsTest, AreNotWorthTheRun) {
    // The folder of the file is not there: the run goes on without.
    Progress progress;
    KeptPosteriors kept(folder / "missing" / "out.aln", kRun, false, 0);
    expectEqual(align(kept, progress), alignedAtOnce());
    EXPECT_THAT(kept.failure(), HasSubstr("No such file or directory"));
    EXPECT_FALSE(kept.outlivesStop());
}

}  // namespace
}  // namespace glycine::align
