// Digests of alignments: of where each residue stands, the same for all backends where integers decide.
#include "engine/alignment/study/alignment_problem.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "engine/api/backends.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::align {
namespace {

TEST(AlignmentDigest, IsOfTheResiduesPlaces) {
    const auto digestOf = [](std::vector<std::string> rows) {
        MultipleAlignment alignment;
        alignment.rows = std::move(rows);
        return study::digestOfRows(residueColumns(alignment));
    };
    const study::ResultDigest one = digestOf({"AC-T", "A-GT"});
    EXPECT_EQ(one, study::digestOfRows({{0, 1, 3}, {0, 2, 3}}));
    EXPECT_EQ(one.elements, 6u);
    EXPECT_EQ(one, digestOf({"TT-T", "T-TT"})) << "letters are those of the input";
    EXPECT_NE(one, digestOf({"A-CT", "A-GT"}));
    EXPECT_NE(one, digestOf({"A-GT", "AC-T"})) << "other sequences";
    EXPECT_NE(one, study::digestOfRows({{0, 1, 3}, {0, 2, 3}, {}, {0}})) << "one more";
}

TEST(AlignmentDigest, BackendsHaveTheSameWhereIntegersDecide) {
    registerBackends();
    for (const AlignMethod method : {AlignMethod::ClustalW, AlignMethod::Thesis}) {
        auto sequences = std::make_shared<pairwise::StudySequences>();
        sequences->sequences = randomSequences({.count = 6, .length = 40, .seed = 3});
        const auto problem = alignmentProblem(sequences, method, 1);
        std::vector<study::ResultDigest> digests;
        for (const char* name : {"reference", "cpu"}) {
            HostBackend backend(name, 2);
            const auto computation =
                problem->start(backend, {name, "", {}, ""}, study::Depth::Sampled, silentProgress());
            computation->run(silentProgress());
            const auto digest = computation->digest();
            ASSERT_TRUE(digest.has_value());
            digests.push_back(*digest);
            EXPECT_TRUE(computation->check(silentProgress()).agrees());
        }
        EXPECT_GT(digests[0].elements, 100u);
        EXPECT_EQ(digests[0], digests[1]);
    }
}

}  // namespace
}  // namespace glycine::align
