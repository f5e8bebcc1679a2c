// Pairs that are aligned once more, against a run of all of them.
#include "engine/pairwise/recount_pairs.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "engine/core/host_backends.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::pairwise {
namespace {

TEST(RecountedPairs, AreThoseOfTheRun) {
    const Sequences sequences = randomSequences({.count = 7, .length = 30, .seed = 3});
    HostBackend cpu("cpu", 1), reference("reference", 1);
    std::vector<std::size_t> numbers(21);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    Progress progress;
    for (const PairMeasure measure : {PairMeasure::Score, PairMeasure::Identity, PairMeasure::Distance}) {
        PairwiseOptions options{
            .scoring = {.matrix = namedMatrix("BLOSUM62", Alphabet::Protein), .gaps = {11, 1}},
            .measure = measure,
            .variant = Variant::InterPair};
        pairs::PairStore store({.layout = {7, pairs::StoreLayout::Square}});
        computePairwise(cpu, sequences, options, store, progress);
        std::size_t counted = 0;
        countAgain(reference, sequences, options, numbers, progress, [&](const RealignedPair& pair) {
            EXPECT_EQ(pair.value, store.value(pair.row, pair.column)) << pair.row << ' ' << pair.column;
            return ++counted < 20;
        });
        EXPECT_EQ(counted, 20U);
    }
}

TEST(RecountedPairs, TakeLongerWhereSequencesAreLonger) {
    const auto secondsOf = [](std::size_t letters, PairMethod method) {
        return secondsForRecount(randomSequences({.count = 3, .length = letters}), method);
    };
    EXPECT_GT(secondsOf(400, PairMethod::Global), 50 * secondsOf(40, PairMethod::Global));
    EXPECT_GT(secondsOf(40, PairMethod::ClustalW), secondsOf(40, PairMethod::Local));
}

}  // namespace
}  // namespace glycine::pairwise
