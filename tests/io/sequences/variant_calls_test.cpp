#include "engine/io/sequences/variant_calls.hpp"

#include <htslib/bgzf.h>

#include <htslib/vcf.h>
#include <random>

#include "tests/test.hpp"

namespace glycine::io {
namespace {

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
    VariantCalls read(const std::string& text, const CallOptions& options = {}) const {
        writeFile(folder_ / "test.vcf", text);
        return readVariantCalls(folder_ / "test.vcf", options);
    }
    std::string refusal(const std::string& text, const CallOptions& options = {}) const {
        return messageOf<InputError>([&] { read(text, options); });
    }
    std::string refusalOfFile(const std::string& name) const {
        return messageOf<InputError>([&] { readVariantCalls(folder_ / name, {}); });
    }
    void writeBlocks(const std::string& name, const std::string& text) const {
        BGZF* const blocks = bgzf_open((folder_ / name).c_str(), "w");
        ASSERT_EQ(bgzf_write(blocks, text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ASSERT_EQ(bgzf_close(blocks), 0);
    }
    TemporaryFolder folder_;
};

CallOptions strictly() {
    CallOptions options;
    options.strict = true;
    return options;
}

CallOptions withAnyAlleles() {
    CallOptions options;
    options.anyAlleles = true;
    return options;
}

/// Symbols of a site as digits and letters, '.' for missing.
std::string symbols(const SymbolSite& site) {
    std::string text;
    for (const std::uint8_t symbol : site.symbols)
        text += symbol == kMissingCopies ? '.' : static_cast<char>('0' + symbol);
    return text;
}

/// One character per genotype, one string per variant: copies of the alternate allele, '.' for missing.
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

TEST_F(VariantCallsTest, AByteOrderMarkIsPassedOver) {
    const std::string text = kHeader + record("7 1 . A C . . . GT 0/0 0/1 1/1");
    const VariantCalls plain = read(text), marked = read("\xef\xbb\xbf" + text);
    ASSERT_EQ(marked.genotypes.variants, 1U);
    for (std::size_t sample = 0; sample < 3; ++sample)
        EXPECT_EQ(marked.genotypes.at(0, sample), plain.genotypes.at(0, sample));
    EXPECT_THAT(refusal("\xef\xbb" + text), HasSubstr("expected VCF"));
}

TEST_F(VariantCallsTest, GenotypesThatEverySampleDropsAreMissing) {
    EXPECT_THAT(copies(read(kHeader + record("7 10 . A C . . . DP:GT 5 6 7") +
                            record("7 11 . A C . . . DP:GT 5 6:0/1 7"))),
                ElementsAre("...", ".1."));
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
    EXPECT_EQ(calls.sites, 3U);
    EXPECT_TRUE(calls.symbolSites.empty());
    EXPECT_THAT(refusal(text, strictly()), AllOf(HasSubstr("test.vcf: record 1 (7:10)"),
                                                 HasSubstr("has 2 alternate alleles (C,G); expected one")));
}

TEST_F(VariantCallsTest, GenotypesOfManyAllelesAreSymbols) {
    const std::string text =
        kHeader + record("7 10 . A C,G . . . GT 1/2 0/0 2|1") + record("7 11 . A C . . . GT 0/0 0/1 1/1") +
        record("7 12 . A C,G,T . . . GT 3 3/3 ./.") + record("7 13 . A C,G . . . GT 1 0|2 ./2");
    const VariantCalls calls = read(text, withAnyAlleles());
    EXPECT_THAT(copies(calls), ElementsAre("000", "012", "00.", "00."));
    ASSERT_EQ(calls.symbolSites.size(), 3U);
    EXPECT_EQ(calls.symbolSites[0].variant, 0U);
    EXPECT_EQ(symbols(calls.symbolSites[0]), "010") << "the order of alleles does not matter";
    EXPECT_EQ(calls.symbolSites[1].variant, 2U);
    EXPECT_EQ(symbols(calls.symbolSites[1]), "00.") << "one allele counts as two of it";
    EXPECT_EQ(symbols(calls.symbolSites[2]), "01.");
    EXPECT_EQ(calls.multiAllelic, 0U);
    EXPECT_EQ(calls.sites, 4U);
    EXPECT_EQ(calls.halfCalls, 1U);
    CallOptions strict = withAnyAlleles();
    strict.strict = true;
    EXPECT_EQ(read(text, strict).symbolSites.size(), 3U) << "nothing is left out";
}

TEST_F(VariantCallsTest, GapsAreMissingOrAnAllele) {
    const std::string text = kHeader + record("7 10 . A *,G . . . GT 1 0 2") +
                             record("7 11 . A * . . . GT 0 1 .") +
                             record("7 12 . A C,*,T . . . GT 3/2 1/1 0/3");
    const VariantCalls missing = read(text, withAnyAlleles());
    EXPECT_THAT(copies(missing), ElementsAre(".02", "0..", ".00"));
    ASSERT_EQ(missing.symbolSites.size(), 1U) << "without the gap, the first site has two alleles";
    EXPECT_EQ(symbols(missing.symbolSites[0]), ".01");
    EXPECT_EQ(missing.gapCalls, 3U);
    EXPECT_EQ(missing.halfCalls, 0U);
    CallOptions states = withAnyAlleles();
    states.gapsAreMissing = false;
    const VariantCalls symbol = read(text, states);
    EXPECT_THAT(copies(symbol), ElementsAre("000", "02.", "000"));
    ASSERT_EQ(symbol.symbolSites.size(), 2U);
    EXPECT_EQ(symbols(symbol.symbolSites[0]), "012");
    EXPECT_EQ(symbol.gapCalls, 0U);
    EXPECT_THAT(copies(read(text)), ElementsAre("02.")) << "where copies count, * is an allele like others";
}

TEST_F(VariantCallsTest, TooManyGenotypesOfASiteAreLeftOut) {
    for (const std::size_t different : {255U, 256U}) {
        std::string header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
        std::string alleles = "A1", calls = "0";
        for (std::size_t k = 0; k < different; ++k) header += "\ts" + std::to_string(k);
        for (std::size_t k = 1; k < different; ++k) {
            alleles += (k > 1 ? "," : "") + std::string(k, 'C');
            calls += "\t" + std::to_string(k);
        }
        alleles.erase(0, 2);
        const std::string text = header + "\n7\t10\t.\tA\t" + alleles + "\t.\t.\t.\tGT\t" + calls + "\n";
        const VariantCalls found = read(text, withAnyAlleles());
        EXPECT_EQ(found.symbolSites.size(), different == 255 ? 1U : 0U);
        EXPECT_EQ(found.manyGenotypes, different == 255 ? 0U : 1U);
        EXPECT_EQ(found.genotypes.variants, found.symbolSites.size());
        if (different == 255) {
            EXPECT_EQ(found.symbolSites[0].symbols.back(), 254);
            continue;
        }
        CallOptions strict = withAnyAlleles();
        strict.strict = true;
        EXPECT_THAT(refusal(text, strict), HasSubstr("and more than 255 different genotypes"));
    }
}

TEST_F(VariantCallsTest, OnlyWantedRecordsAreRead) {
    CallOptions options;
    std::vector<std::string> asked;
    options.keeps = [&](std::string_view chromosome, std::int64_t position, std::string_view,
                        const std::function<std::string()>& place) {
        asked.push_back(place());
        return chromosome != "X" && position != 12;
    };
    const VariantCalls calls =
        read(kHeader + record("7 10 . A C . . . GT 0/0 0/1 1/1") + record("X 11 . A C . . . DP 1 2 3") +
                 record("7 12 . A C,G . . . GT 0/0 0/1 1/1"),
             options);
    EXPECT_THAT(copies(calls), ElementsAre("012"));
    EXPECT_EQ(calls.sites, 1U);
    EXPECT_EQ(calls.multiAllelic, 0U);
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_THAT(asked[1], HasSubstr("test.vcf: record 2 (X:11)"));
}

TEST_F(VariantCallsTest, PositionsAreNumbers) {
    for (const std::string position : {"abc", "12abc", "-5", "+5", ".", "", "0x10", "1e5", " 7", "7 "}) {
        std::string line = record("7 ~ . A C . . . GT 0/0 0|1 1/1");
        line.replace(line.find('~'), 1, position);
        EXPECT_THAT(refusal(kHeader + line), HasSubstr("test.vcf: record 1: the position '" + position +
                                                       "' was found; expected a whole number"));
    }
    EXPECT_EQ(read(kHeader + record("7 0 . A C . . . GT 0/0 0|1 1/1")).genotypes.variants, 1U);
}

TEST_F(VariantCallsTest, LongFieldsAreCutInMessages) {
    const std::string letters(50000, 'x');
    for (const std::string& line : {record("7 " + letters + " . A C . . . GT 0/0 0|1 1/1"),
                                    record(letters + " 10 . A C . . . GT 0/0 0|1 " + letters),
                                    record("7 10 . A " + letters + ",C . . . GT 0/0 0|1 0/0")})
        EXPECT_LT(refusal(kHeader + line, strictly()).size(), 400U);
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

TEST_F(VariantCallsTest, NamesPlacesBeyondAllNumbers) {
    EXPECT_THAT(refusal(kHeader + record("7 " + std::string(40, '5') + " . A C . . . GT 0/0 0/1 0/0")),
                HasSubstr("7:9223372036854775808"));
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
    EXPECT_THAT(refusalOfFile("none.vcf"), HasSubstr("none.vcf: cannot read: No such file"));
    EXPECT_THAT(messageOf<InputError>([&] { readVariantCalls(folder_.path(), {}); }), HasSubstr("a folder"));
}

TEST_F(VariantCallsTest, ErrorsAreSaidOnce) {
    ::testing::internal::CaptureStderr();
    refusal(kHeader + record("7 12 . A C . . . GT 0/0 0/x 0/0"));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// Text long enough for several blocks.
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
    EXPECT_EQ(copies(readVariantCalls(folder_ / "plain.vcf.gz", strictly())), expected);

    writeBlocks("blocks.vcf.gz", text);
    EXPECT_EQ(copies(readVariantCalls(folder_ / "blocks.vcf.gz", strictly())), expected);

    for (const char* name : {"plain.vcf.gz", "blocks.vcf.gz"}) {
        const std::string whole = readFile(folder_ / name);
        writeFile(folder_ / "cut.vcf.gz", whole.substr(0, whole.size() * 2 / 3));
        EXPECT_THAT(refusalOfFile("cut.vcf.gz"), AllOf(HasSubstr("cut.vcf.gz: "), HasSubstr("truncated")));
    }
    // A cut between two blocks leaves a valid file except for its end.
    const std::string whole = readFile(folder_ / "blocks.vcf.gz");
    constexpr std::size_t kEndBlock = 28;
    writeFile(folder_ / "cut.vcf.gz", whole.substr(0, whole.size() - kEndBlock));
    EXPECT_THAT(refusalOfFile("cut.vcf.gz"), HasSubstr("truncated: it ends after record 5000"));
}

/// Offset of each bgzip block.
std::vector<std::size_t> blockOffsets(const std::string& bytes) {
    std::vector<std::size_t> offsets;
    for (std::size_t at = 0; at < bytes.size();) {
        offsets.push_back(at);
        at += static_cast<unsigned char>(bytes[at + 16]) + 256U * static_cast<unsigned char>(bytes[at + 17]) +
              1;
    }
    return offsets;
}

TEST_F(VariantCallsTest, OtherThreadsUnpackLargeFiles) {
    // Names that do not pack make the file large.
    std::mt19937_64 random(3);
    std::string text = kHeader;
    constexpr int kRecords = 130000;
    for (int k = 1; k <= kRecords; ++k)
        text += record("7 " + std::to_string(k) + " r" + std::to_string(random()) + " A C . . . GT " +
                       (k % 3 == 0 ? "0/1" : "0/0") + " 1/1 " + (k % 7 == 0 ? "./." : "1/0"));
    writeBlocks("blocks.vcf.gz", text);
    const std::string whole = readFile(folder_ / "blocks.vcf.gz");
    ASSERT_GT(whole.size(), std::size_t{1} << 20);
    EXPECT_TRUE(copies(readVariantCalls(folder_ / "blocks.vcf.gz", strictly())) == copies(read(text)));

    const std::vector<std::size_t> offsets = blockOffsets(whole);
    const std::size_t late = offsets[offsets.size() * 2 / 3];
    std::string bytes = whole;
    bytes[late + 100] = static_cast<char>(~bytes[late + 100]);
    writeFile(folder_ / "bad.vcf.gz", bytes);
    EXPECT_THAT(refusalOfFile("bad.vcf.gz"),
                HasSubstr("bad.vcf.gz: damaged or truncated: the compressed block at byte " +
                          std::to_string(late) + " cannot be unpacked"));
    writeFile(folder_ / "cut.vcf.gz", whole.substr(0, late + 100));
    EXPECT_THAT(refusalOfFile("cut.vcf.gz"), HasSubstr("truncated"));
    writeFile(folder_ / "cut.vcf.gz", whole.substr(0, offsets.back()));
    EXPECT_THAT(refusalOfFile("cut.vcf.gz"),
                HasSubstr("truncated: it ends after record " + std::to_string(kRecords)));
    // An error in a record, while blocks behind it are unpacked already.
    writeBlocks("wrong.vcf.gz", text.substr(0, text.size() / 2) + "x\n" + text.substr(text.size() / 2));
    EXPECT_THAT(refusalOfFile("wrong.vcf.gz"), HasSubstr("wrong.vcf.gz: record "));
}

TEST_F(VariantCallsTest, DamageIsFoundWhereItIs) {
    writeBlocks("whole.vcf.gz", manyRecords() + manyRecords().substr(kHeader.size()));
    const std::string whole = readFile(folder_ / "whole.vcf.gz");
    const std::vector<std::size_t> offsets = blockOffsets(whole);
    ASSERT_GE(offsets.size(), 4U);
    // Damage the data of a block, the checksum at its end, and its first bytes. The first block has the
    // header.
    for (const std::size_t block : {0U, 1U, 2U})
        for (const std::size_t byte : {offsets[block] + 100, offsets[block + 1] - 7, offsets[block] + 1}) {
            if (byte == 1) continue;  // otherwise it is no gzip file at all
            std::string bytes = whole;
            bytes[byte] = static_cast<char>(~bytes[byte]);
            writeFile(folder_ / "bad.vcf.gz", bytes);
            EXPECT_THAT(refusalOfFile("bad.vcf.gz"),
                        HasSubstr("bad.vcf.gz: damaged or truncated: the compressed block at byte " +
                                  std::to_string(offsets[block]) + " cannot be unpacked"))
                << "byte " << byte;
        }
    // Whole blocks are missing, from the middle of a record on.
    writeFile(folder_ / "cut.vcf.gz", whole.substr(0, offsets[2]));
    EXPECT_THAT(refusalOfFile("cut.vcf.gz"), HasSubstr("cut.vcf.gz: truncated: it ends after record"));
    // gzip has no blocks: the error names where unpacking stopped.
    writeGzip(folder_ / "plain.vcf.gz", manyRecords());
    std::string plain = readFile(folder_ / "plain.vcf.gz");
    plain[plain.size() / 2] = static_cast<char>(~plain[plain.size() / 2]);
    writeFile(folder_ / "bad.vcf.gz", plain);
    EXPECT_THAT(refusalOfFile("bad.vcf.gz"), HasSubstr("bad.vcf.gz: damaged gzip data near byte"));
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

    EXPECT_EQ(copies(readVariantCalls(folder_ / "test.bcf", strictly())), expected);
    const std::string whole = readFile(folder_ / "test.bcf");
    writeFile(folder_ / "cut.bcf", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(refusalOfFile("cut.bcf"), HasSubstr("cut.bcf: damaged or truncated"));
    writeFile(folder_ / "cut.bcf", whole.substr(0, 40));
    EXPECT_THAT(refusalOfFile("cut.bcf"), HasSubstr("cut.bcf: "));
}

}  // namespace
}  // namespace glycine::io
