#include "engine/core/suggestion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/text.hpp"

namespace glycine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Suggestion, EditDistance) {
    EXPECT_EQ(editDistance("", ""), 0U);
    EXPECT_EQ(editDistance("abc", ""), 3U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("Fp1", "pF1"), 1U);  // a swap of neighbours
    EXPECT_EQ(editDistance("CZ", "cz"), 0U);
    EXPECT_EQ(editDistance("ca", "abc"), 3U);
}

TEST(Suggestion, NearestNames) {
    const std::vector<std::string> known = {"Fp1", "Fp2", "Cz", "Fc5.", "Oz"};
    EXPECT_THAT(nearestNames("Fc5", known), ElementsAre("Fc5."));
    EXPECT_THAT(nearestNames("Fp3", known), ElementsAre("Fp1", "Fp2"));
    EXPECT_THAT(nearestNames("Pz", known, 1), ElementsAre("Cz"));
    EXPECT_THAT(nearestNames("something else", known), IsEmpty());
    EXPECT_EQ(suggestNames("Fp3", known), "nearest: 'Fp1', 'Fp2'");
    EXPECT_EQ(suggestNames("???", known), "there are: 'Fp1', 'Fp2', 'Cz', 'Fc5.', 'Oz'");
    EXPECT_EQ(quoteNames(known, 2), "'Fp1', 'Fp2' and 3 more");
    EXPECT_EQ(quoteNames({}), "none");
}

TEST(Wildcards, StandForText) {
    EXPECT_TRUE(matchesWildcards("*", ""));
    EXPECT_TRUE(matchesWildcards("EEG *", "eeg Fz"));
    EXPECT_TRUE(matchesWildcards("*z", "Cz"));
    EXPECT_TRUE(matchesWildcards("F?z", "FCz"));
    EXPECT_TRUE(matchesWildcards("a*b*c", "aXbYbZc"));
    EXPECT_TRUE(matchesWildcards("abc", "ABC"));
    EXPECT_FALSE(matchesWildcards("a*b", "abc"));
    EXPECT_FALSE(matchesWildcards("?", ""));
    EXPECT_FALSE(matchesWildcards("F?", "F"));
    EXPECT_FALSE(matchesWildcards("", "a"));
    EXPECT_TRUE(hasWildcard("a?"));
    EXPECT_FALSE(hasWildcard("a"));
}

TEST(Suggestion, TheFirstNameThatIsThereTwiceIsFound) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(firstRepeated(Names{}), std::nullopt);
    EXPECT_EQ(firstRepeated(Names{"a", "b", "A", ""}), std::nullopt);
    EXPECT_EQ(firstRepeated(Names{"a", "b", "c", "b", "a"}), std::pair(std::size_t{1}, std::size_t{3}));
    EXPECT_EQ(firstRepeated(Names{"a", "a", "a"}), std::pair(std::size_t{0}, std::size_t{1}));
}

}  // namespace
}  // namespace glycine
