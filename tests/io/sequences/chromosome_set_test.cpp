// Chromosomes of species, named as PLINK 1.9 names them.
#include "engine/io/sequences/chromosome_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ChromosomeSet, Humans) {
    const ChromosomeSet human;
    EXPECT_EQ(human.describe(), "1 – 22, X (23), Y (24), XY (25), MT (26)");
    EXPECT_EQ(human.leftOut(), "the chromosomes X, Y and MT");
    for (const char* name : {"X", "x", "chrX", "CHRx", "0X", "23", "chr23"})
        EXPECT_EQ(human.role(name), ChromosomeRole::X) << name;
    for (const char* name : {"Y", "24"}) EXPECT_EQ(human.role(name), ChromosomeRole::Y) << name;
    for (const char* name : {"M", "MT", "chrM", "0m", "26"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Mitochondrial) << name;
    for (const char* name :
         {"0", "1", "01", "chr22", "XY", "25", "PAR1", "Un", "0MT", "023", "100", "", "chr"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Autosome) << name;
    for (const char* name : {"27", "chr30", "99"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Absent) << name;
}

TEST(ChromosomeSet, Cattle) {
    const ChromosomeSet cow = ChromosomeSet::ofSpecies("cow");
    EXPECT_EQ(cow.describe(), "1 – 29, X (30), Y (31), MT (33)");
    for (const char* name : {"23", "24", "26", "29", "32"})
        EXPECT_EQ(cow.role(name), ChromosomeRole::Autosome) << name;
    EXPECT_EQ(cow.role("30"), ChromosomeRole::X);
    EXPECT_EQ(cow.role("Y"), ChromosomeRole::Y);
    EXPECT_EQ(cow.role("33"), ChromosomeRole::Mitochondrial);
    EXPECT_EQ(cow.role("34"), ChromosomeRole::Absent);
    EXPECT_EQ(cow.role("XY"), ChromosomeRole::Absent);
}

TEST(ChromosomeSet, SpeciesAreThoseOfPlink) {
    EXPECT_THAT(ChromosomeSet::species(), ElementsAre("cow", "dog", "horse", "mouse", "rice", "sheep"));
    EXPECT_EQ(ChromosomeSet::ofSpecies("human").describe(), ChromosomeSet().describe());
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").describe(), "1 – 12 (haploid)");
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").role("3"), ChromosomeRole::Haploid);
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").role("13"), ChromosomeRole::Absent);
    EXPECT_THAT(messageOf<UsageError>([] { ChromosomeSet::ofSpecies("chimp"); }),
                HasSubstr("unknown species 'chimp'; known: human, cow, dog"));
}

TEST(ChromosomeSet, NumbersOfAutosomes) {
    EXPECT_EQ(ChromosomeSet::parse({"5", "no-x", "no-y", "no-xy", "no-mt"}).describe(), "1 – 5");
    EXPECT_EQ(ChromosomeSet::parse({"-3"}).describe(), "1 – 3 (haploid)");
    for (const char* number : {"0", "96", "-96", "", "x", "2.5", "22x"})
        EXPECT_THAT(messageOf<UsageError>([number] { ChromosomeSet::parse({number}); }),
                    HasSubstr("is no number of autosomes from 1 to 95"))
            << number;
    EXPECT_THAT(messageOf<UsageError>([] {
                    ChromosomeSet::parse({"22", "no-z"});
                }),
                HasSubstr("'no-z' was not expected behind '22'; known: no-x"));
    EXPECT_THAT(messageOf<UsageError>([] { ChromosomeSet::parse({"-12", "no-x"}); }), HasSubstr("no X, Y"));
}

}  // namespace
}  // namespace glycine::io
