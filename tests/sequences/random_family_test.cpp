// Families made from a seed: what every sequence has from where it descends.
#include "engine/sequences/random_sequences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/core/error.hpp"

namespace glycine {
namespace {

TEST(RandomFamily, DependsOnTheSeedAndNotOnTheNumber) {
    const Sequences few = randomFamily({.count = 20, .length = 100, .seed = 4});
    const Sequences many = randomFamily({.count = 50, .length = 100, .seed = 4});
    EXPECT_EQ(few.letters, std::vector(many.letters.begin(), many.letters.begin() + 20));
    EXPECT_NE(few.letters, randomFamily({.count = 20, .length = 100, .seed = 5}).letters);
    EXPECT_EQ(few.names[1], "s2");
}

TEST(RandomFamily, WithoutChangesIsOneSequence) {
    const Sequences same = randomFamily({.count = 9, .length = 60, .divergence = 0, .gaps = 0});
    EXPECT_THAT(same.letters, testing::Each(same.letters[0]));
    const Sequences parts =
        randomFamily({.count = 9, .length = 60, .divergence = 0, .gaps = 0, .shortest = 0.5});
    for (const std::string& part : parts.letters) EXPECT_NE(same.letters[0].find(part), std::string::npos);
}

TEST(RandomFamily, ReplacesTheShareOfLettersThatIsAskedFor) {
    constexpr std::size_t kLetters = 100'000;
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const Sequences pair = randomFamily(
            {.count = 2, .length = kLetters, .alphabet = alphabet, .divergence = 0.1, .gaps = 0});
        std::size_t replaced = 0, transitions = 0;
        for (std::size_t k = 0; k < kLetters; ++k) {
            const int one = pair.codes[0][k], other = pair.codes[1][k];
            if (one != other) ++replaced;
            if (one != other && (one ^ other) == 2) ++transitions;
        }
        // Eleven of twelve places change by their class, the mean of which is 1.
        EXPECT_NEAR(static_cast<double>(replaced) / kLetters, 0.1, 0.005);
        if (alphabet == Alphabet::Dna) {
            EXPECT_NEAR(static_cast<double>(transitions) / static_cast<double>(replaced), 0.5, 0.02);
        }
    }
}

TEST(RandomFamily, PutsGapsAtHingesAlone) {
    // Replaced is nothing: what is left of the ancestor is a common subsequence.
    const Sequences pair = randomFamily({.count = 2, .length = 2400, .divergence = 0, .gaps = 0.5});
    const std::size_t common = align::reference::commonSubsequence(pair.codes[0], pair.codes[1]);
    EXPECT_LT(common, 2400U);
    EXPECT_GT(common, 1500U);
    EXPECT_NE(pair.codes[1].size(), common) << "letters were put in";
}

TEST(RandomFamily, RefusesSharesOutOfRange) {
    EXPECT_THROW(randomFamily({.count = 1, .length = 0}), UsageError);
    EXPECT_THROW(randomFamily({.count = 0, .length = 5}), UsageError);
    EXPECT_THROW(randomFamily({.count = 1, .length = 5, .divergence = 1.5}), UsageError);
}

}  // namespace
}  // namespace glycine
