#include "engine/io/sequences/variant_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <htslib/bgzf.h>
#include <htslib/vcf.h>

#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "tests/algorithms/distance/input_fixtures.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using test::readFile;
using test::TemporaryFolder;
using test::writeFile;
using test::writeGzip;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeader =
    "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n##contig=<ID=7>\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n";

/// A record of three samples; blanks become tabs.
std::string record(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '\t');
    return text + "\n";
}

class VariantCallsTest : public ::testing::Test {
  protected:
    VariantCalls read(const std::string& text, bool strict = false) const {
        writeFile(folder_ / "test.vcf", text);
        return readVariantCalls(folder_ / "test.vcf", strict);
    }
    std::string refusal(const std::string& text, bool strict = false) const {
        return messageOf<InputError>([&] { read(text, strict); });
    }
    TemporaryFolder folder_;
};

/// One character a genotype, one string a variant: copies of the alternate allele, '.' for missing.
std::vector<std::string> copies(const VariantCalls& calls) {
    std::vector<std::string> rows;
    for (std::size_t k = 0; k < calls.genotypes.variants; ++k) {
        rows.emplace_back();
        for (std::size_t i = 0; i < calls.genotypes.samples; ++i)
            rows.back() += "2.10"[static_cast<std::size_t>(calls.genotypes.at(k, i))];
    }
    return rows;
}

TEST_F(VariantCallsTest, CountsAlternateAlleles) {
    const VariantCalls calls = read(kHeader + record("7 10 rs1 A C . . . GT 0/0 0|1 1/1") +
                                    record("7 11 . A C . . . GT:DP 1|0:3 ./.:. 0|0:12") +
                                    record("7 12 . A C . . . DP:GT 3:1/1 4:. 5:0/1"));
    EXPECT_THAT(calls.samples, ElementsAre("a", "b", "c"));
    EXPECT_THAT(copies(calls), ElementsAre("012", "1.0", "2.1"));
    EXPECT_EQ(calls.halfCalls, 0U);
    EXPECT_EQ(calls.multiAllelic, 0U);
}

TEST_F(VariantCallsTest, HaploidAlternateCountsTwice) {
    EXPECT_THAT(
        copies(read(kHeader + record("7 10 . A C . . . GT 0 1 .") + record("7 11 . A C . . . GT 0/1 1 0"))),
        ElementsAre("02.", "120"));
}

TEST_F(VariantCallsTest, HalfCallsAreMissingAndCounted) {
    const VariantCalls calls = read(kHeader + record("7 10 . A C . . . GT ./1 0|. ./."));
    EXPECT_THAT(copies(calls), ElementsAre("..."));
    EXPECT_EQ(calls.halfCalls, 2U);
}

TEST_F(VariantCallsTest, RecordsWithoutAnAlternateAlleleAreKept) {
    EXPECT_THAT(copies(read(kHeader + record("7 10 . A . . . . GT 0/0 ./. 0"))), ElementsAre("0.0"));
}

TEST_F(VariantCallsTest, MultiAllelicRecordsAreSkippedOrRefused) {
    const std::string text = kHeader + record("7 10 . A C,G . . . GT 1/2 0/0 0/1") +
                             record("7 11 . A C . . . GT 0/0 0/1 1/1") +
                             record("7 12 . A C,<DEL> . . . DP 1 2 3");
    const VariantCalls calls = read(text);
    EXPECT_THAT(copies(calls), ElementsAre("012"));
    EXPECT_EQ(calls.multiAllelic, 2U);
    EXPECT_THAT(refusal(text, true), AllOf(HasSubstr("test.vcf: record 1 (7:10)"),
                                           HasSubstr("has 2 alternate alleles (C,G); expected one")));
}

TEST_F(VariantCallsTest, UndeclaredChromosomesAndFieldsAreCustomary) {
    const std::string header =
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n";
    EXPECT_THAT(copies(read(header + record("22 10 . A C . . . GT 0/0 0|1 1/1"))), ElementsAre("012"));
}

TEST_F(VariantCallsTest, NoRecords) {
    const VariantCalls calls = read(kHeader);
    EXPECT_EQ(calls.genotypes.variants, 0U);
    EXPECT_EQ(calls.genotypes.samples, 3U);
}

TEST_F(VariantCallsTest, RefusesRecords) {
    const std::string good = kHeader + record("7 10 . A C . . . GT 0/0 0|1 1/1");
    const std::vector<std::pair<std::string, std::string>> cases{
        {record("7 12 . A C . . . DP 1 2 3"), "record 2 (7:12) has no genotypes; expected the field GT"},
        {record("7 12 . A C . . . . . . ."), "record 2 (7:12) has no genotypes"},
        {record("7 12 . A C . . . GT 0/0/1 0/0 0/0"), "record 2 (7:12), sample a: a genotype of 3 alleles"},
        {record("7 12 . A C . . . GT 0/0 0/2 0/0"),
         "record 2 (7:12), sample b: allele 2 was found; expected at most 1"},
        {record("7 12 . A C . . . GT 0/0 0/0"), "record 2 (7:12): has another number of columns"},
        {record("7 12 . A C . . . GT 0/0 0/x 0/0"), "record 2 (7:12): cannot be read"},
        {"7\t12\t.\tA", "record 2"},
    };
    for (const auto& [line, message] : cases)
        EXPECT_THAT(refusal(good + line), AllOf(HasSubstr("test.vcf: "), HasSubstr(message)));
}

TEST_F(VariantCallsTest, RefusesHeaders) {
    const std::string columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "expected VCF"},
        {"hello\n", "expected VCF"},
        {record("7 10 . A C . . . GT 0/0 0|1 1/1"), "expected VCF"},
        {"##fileformat=VCFv4.2\n" + columns + "\n", "has no samples"},
        {"##fileformat=VCFv4.2\n" + record("7 10 . A C . . . GT 0/0 0|1 1/1"),
         "line 2: expected the line with the names of the columns, which begins #CHROM"},
        {"##fileformat=VCFv4.2\n" + columns + "\tFORMAT\tx\ty\tx\n",
         "line 2: columns 10 and 12 are both named 'x'; expected each sample once"},
    };
    for (const auto& [text, message] : cases)
        EXPECT_THAT(refusal(text), AllOf(HasSubstr("test.vcf: "), HasSubstr(message)));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_ / "none.vcf", false); }),
                HasSubstr("none.vcf: cannot read: No such file"));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_.path(), false); }),
                HasSubstr("a folder"));
}

TEST_F(VariantCallsTest, ErrorsAreSaidOnce) {
    ::testing::internal::CaptureStderr();
    refusal(kHeader + record("7 12 . A C . . . GT 0/0 0/x 0/0"));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// Enough text for several blocks.
std::string manyRecords() {
    std::string text = kHeader;
    for (int k = 1; k <= 5000; ++k)
        text += record("7 " + std::to_string(k) + " . A C . . . GT " + (k % 3 == 0 ? "0/1" : "0/0") +
                       " 1/1 " + (k % 7 == 0 ? "./." : "1/0"));
    return text;
}

TEST_F(VariantCallsTest, PackedFilesAreTheSame) {
    const std::string text = manyRecords();
    const std::vector<std::string> expected = copies(read(text));
    ASSERT_EQ(expected.size(), 5000U);
    writeGzip(folder_ / "plain.vcf.gz", text);
    EXPECT_EQ(copies(readVariantCalls(folder_ / "plain.vcf.gz", true)), expected);

    BGZF* const blocks = bgzf_open((folder_ / "blocks.vcf.gz").c_str(), "w");
    ASSERT_EQ(bgzf_write(blocks, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_EQ(bgzf_close(blocks), 0);
    EXPECT_EQ(copies(readVariantCalls(folder_ / "blocks.vcf.gz", true)), expected);

    for (const char* name : {"plain.vcf.gz", "blocks.vcf.gz"}) {
        const std::string whole = readFile(folder_ / name);
        writeFile(folder_ / "cut.vcf.gz", whole.substr(0, whole.size() * 2 / 3));
        EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_ / "cut.vcf.gz", false); }),
                    AllOf(HasSubstr("cut.vcf.gz: "), HasSubstr("truncated")));
    }
    // A cut between two blocks leaves a valid file in all but its end.
    const std::string whole = readFile(folder_ / "blocks.vcf.gz");
    constexpr std::size_t kEndBlock = 28;
    writeFile(folder_ / "cut.vcf.gz", whole.substr(0, whole.size() - kEndBlock));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_ / "cut.vcf.gz", false); }),
                HasSubstr("truncated: it ends behind record 5000"));
}

TEST_F(VariantCallsTest, BcfIsTheSame) {
    const std::string text = manyRecords();
    const std::vector<std::string> expected = copies(read(text));
    htsFile* const from = hts_open((folder_ / "test.vcf").c_str(), "r");
    htsFile* const to = hts_open((folder_ / "test.bcf").c_str(), "wb");
    bcf_hdr_t* const header = bcf_hdr_read(from);
    bcf1_t* const line = bcf_init();
    ASSERT_EQ(bcf_hdr_write(to, header), 0);
    while (bcf_read(from, header, line) == 0) ASSERT_EQ(bcf_write(to, header, line), 0);
    bcf_destroy(line);
    bcf_hdr_destroy(header);
    hts_close(from);
    ASSERT_EQ(hts_close(to), 0);

    EXPECT_EQ(copies(readVariantCalls(folder_ / "test.bcf", true)), expected);
    const std::string whole = readFile(folder_ / "test.bcf");
    writeFile(folder_ / "cut.bcf", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_ / "cut.bcf", false); }),
                HasSubstr("cut.bcf: damaged or truncated"));
    writeFile(folder_ / "cut.bcf", whole.substr(0, 40));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_ / "cut.bcf", false); }),
                HasSubstr("cut.bcf: "));
}

}  // namespace
}  // namespace glycine::io
