// Text that is read and written in pieces.
#include "engine/io/text/text_stream.hpp"

#include <htslib/bgzf.h>

#include <random>

#include "engine/io/text/text_output.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

std::string packed(const std::string& text) {
    const TemporaryFolder folder;
    writeGzip(folder / "text.gz", text);
    return readFile(folder / "text.gz");
}

/// All text, read in pieces of `piece` bytes.
std::string readAll(TextStream& stream, std::size_t piece) {
    std::string text;
    std::string buffer(piece, '\0');
    while (const std::size_t count = stream.read(buffer)) text.append(buffer, 0, count);
    return text;
}

/// Text that exceeds one buffer.
std::string longText() {
    std::string text;
    for (std::size_t i = 0; text.size() < 700000; ++i) text += std::to_string(i * i) + "\n";
    return text;
}

TEST(TextStream, PlainAndPackedTextAreTheSame) {
    const std::string text = longText();
    const std::string gzip = packed(text);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, std::size_t{1} << 20}) {
        EXPECT_EQ(readAll(*streamOf(text, "plain"), piece), text);
        EXPECT_EQ(readAll(*streamOf(gzip, "packed"), piece), text);
    }
}

TEST(TextStream, SeveralMembersCountAsOneAndPaddingIsPassedOver) {
    const std::string text = longText();
    const std::string members = packed(text) + packed("") + packed("end\n");
    EXPECT_EQ(readAll(*streamOf(members, "packed"), 1000), text + "end\n");
    EXPECT_EQ(readAll(*streamOf(members + std::string(600, '\0'), "packed"), 1000), text + "end\n");
}

TEST(TextStream, EmptyAndVeryShort) {
    EXPECT_EQ(readAll(*streamOf("", "empty"), 10), "");
    EXPECT_EQ(readAll(*streamOf("\x1f", "one byte"), 10), "\x1f");
    EXPECT_EQ(readAll(*streamOf(packed(""), "nothing packed"), 10), "");
}

TEST(TextStream, DamageAndTruncationAreErrors) {
    const std::string gzip = packed(longText());
    for (const std::size_t length : {std::size_t{2}, std::size_t{15}, gzip.size() / 2, gzip.size() - 1}) {
        const std::string cut = gzip.substr(0, length);
        EXPECT_THAT(messageOf<InputError>([&] { readAll(*streamOf(cut, "a.gz"), 1000); }),
                    HasSubstr("a.gz: truncated gzip data: it ends after " + std::to_string(length)));
    }
    std::string damaged = gzip;
    damaged[damaged.size() - 6] ^= 1;  // the checksum
    EXPECT_THAT(messageOf<InputError>([&] { readAll(*streamOf(damaged, "a.gz"), 1000); }),
                HasSubstr("a.gz: damaged gzip data near byte"));
}

/// Text of 3 MB that packs to about half: no step of the readers takes it whole.
std::string digits() {
    std::mt19937 random(7);
    std::string text;
    while (text.size() < 3000000) text += std::to_string(random()) + "\n";
    return text;
}

/// As bgzip packs text: blocks of at most 64 KiB, and an empty one.
std::string inBlocks(const std::string& text) {
    const TemporaryFolder folder;
    BGZF* const file = bgzf_open((folder / "text.gz").c_str(), "w");
    EXPECT_EQ(bgzf_write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(bgzf_close(file), 0);
    return readFile(folder / "text.gz");
}

/// The text before the error in damaged data, and the error.
std::pair<std::string, std::string> readUntilError(const std::string& bytes) {
    const auto stream = streamOf(bytes, "a.gz");
    std::string text, buffer(1000, '\0');
    const std::string error = messageOf<InputError>([&] {
        while (const std::size_t count = stream->read(buffer)) text.append(buffer, 0, count);
    });
    return {text, error};
}

TEST(TextStream, BlocksOfBgzip) {
    const std::string text = digits();
    const std::string blocks = inBlocks(text);
    for (const std::size_t piece : {std::size_t{77}, std::size_t{65536}, std::size_t{1} << 24})
        EXPECT_TRUE(readAll(*streamOf(blocks, "blocks"), piece) == text) << piece;
    EXPECT_EQ(readAll(*streamOf(inBlocks(""), "blocks"), 100), "");
    const TemporaryFolder folder;
    writeFile(folder / "blocks.gz", blocks);
    EXPECT_TRUE(readAll(*openText(folder / "blocks.gz"), 100000) == text);
}

TEST(TextStream, LargeMembersOfAllKindsCountAsOne) {
    const std::string text = digits();
    const std::string bytes = packed(text) + inBlocks(text) + packed("") + packed("short\n") + packed(text) +
                              inBlocks("end\n") + std::string(100, '\0');
    const std::string expected = text + text + "short\n" + text + "end\n";
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 24})
        EXPECT_TRUE(readAll(*streamOf(bytes, "members"), piece) == expected) << piece;
    const TemporaryFolder folder;
    writeFile(folder / "members.gz", bytes);
    EXPECT_TRUE(readAll(*openText(folder / "members.gz"), 100000) == expected);
}

TEST(TextStream, DamageOfLargeMembers) {
    const std::string text = digits();
    for (const std::string& sound : {packed(text), inBlocks(text)}) {
        const std::string before = packed(text);
        for (const std::size_t length : {std::size_t{100000}, sound.size() / 2, sound.size() - 40}) {
            const auto [read, error] = readUntilError(before + sound.substr(0, length));
            EXPECT_THAT(error, HasSubstr("a.gz: truncated gzip data: it ends after " +
                                         std::to_string(before.size() + length) + " bytes"));
            EXPECT_GT(read.size(), text.size() + length) << "contents before the end are returned";
            EXPECT_TRUE((text + text).starts_with(read));
        }
        for (const std::size_t place : {sound.size() / 2, sound.size() - 34}) {
            std::string damaged = sound;
            damaged[place] ^= 0x55;
            const auto [read, error] = readUntilError(before + damaged);
            EXPECT_THAT(error, HasSubstr("a.gz: damaged gzip data near byte"));
            EXPECT_GT(read.size(), text.size() + 60000);
        }
    }
}

TEST(TextStream, WrongChecksumOfALargeMember) {
    std::string damaged = packed(digits());
    damaged[damaged.size() - 8] ^= 1;
    EXPECT_THAT(readUntilError(damaged + packed("more")).second,
                HasSubstr("damaged gzip data near byte " + std::to_string(damaged.size() - 4) +
                          ": incorrect data check"));
    std::string blocks = inBlocks(digits());
    constexpr std::size_t kLastBlock = 28;
    blocks[blocks.size() - kLastBlock - 8] ^= 1;
    EXPECT_THAT(readUntilError(blocks).second, HasSubstr("incorrect data check"));
}

TEST(TextStream, AByteOrderMarkOfUtf8IsLeftOut) {
    const std::string text = "\xef\xbb\xbf>a\nAC\n";
    for (const std::size_t piece : {1U, 2U, 100U}) {
        EXPECT_EQ(readAll(*streamOf(text, "a.fa"), piece), ">a\nAC\n");
        EXPECT_EQ(readAll(*streamOf(packed(text), "a.fa"), piece), ">a\nAC\n");
        EXPECT_EQ(readAll(*streamOf("\xef\xbb", "a.fa"), piece), "\xef\xbb");
        EXPECT_EQ(readAll(*streamOf("\xef\xbb\xbf", "a.fa"), piece), "");
        EXPECT_EQ(readAll(*streamOf("ab\xef\xbb\xbf", "a.fa"), piece), "ab\xef\xbb\xbf");
    }
}

TEST(TextStream, Utf16IsRefused) {
    for (const char* text : {"\xff\xfe>", "\xfe\xff>"})
        EXPECT_THAT(messageOf<InputError>([&] { readAll(*streamOf(text, "a.fa"), 9); }),
                    HasSubstr("a.fa: begins with the byte order mark of UTF-16; expected text as UTF-8"));
}

TEST(TextStream, Utf32IsRefused) {
    const std::string bigEndian("\0\0\xfe\xff\0\0\0>", 8), littleEndian("\xff\xfe\0\0>\0\0\0", 8);
    EXPECT_THAT(messageOf<InputError>([&] { readAll(*streamOf(bigEndian, "a.fa"), 9); }),
                HasSubstr("a.fa: begins with the byte order mark of UTF-32; expected text as UTF-8"));
    EXPECT_THROW(readAll(*streamOf(littleEndian, "a.fa"), 9), InputError);
}

TEST(LineReader, HandsOutLinesWithTheirEnds) {
    const std::string text = "one\n\ntwo\r\nthree";
    const auto stream = streamOf(text, "lines");
    LineReader lines(*stream);
    std::vector<std::string> found;
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) found.emplace_back(line);
    EXPECT_THAT(found, ElementsAre("one\n", "\n", "two\r\n", "three"));
    EXPECT_EQ(lines.number(), 4U);
}

std::vector<std::string> linesOf(const std::string& text) {
    const auto stream = streamOf(text, "lines");
    LineReader lines(*stream);
    std::vector<std::string> found;
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) found.emplace_back(line);
    return found;
}

TEST(LineReader, LinesMayEndWithCarriageReturnsAlone) {
    EXPECT_THAT(linesOf("one\rtwo\r\rthree"), ElementsAre("one\r", "two\r", "\r", "three"));
    EXPECT_THAT(linesOf("one\r"), ElementsAre("one\r"));
    EXPECT_THAT(linesOf("one\r\ntwo\rand\n"), ElementsAre("one\r\n", "two\rand\n"));
    EXPECT_THAT(linesOf("one\r\r\ntwo\n"), ElementsAre("one\r\r\n", "two\n"));
    // The end is the last byte of what is read at once.
    const std::string line((std::size_t{1} << 16) - 1, 'a');
    for (const char* const end : {"\r", "\r\n"})
        EXPECT_TRUE(linesOf(line + end + "two" + end) == std::vector({line + end, std::string("two") + end}))
            << std::string_view(end).size();
}

TEST(LineReader, LinesLongerThanTheBuffer) {
    std::string text(600000, 'a');
    text.append("\n").append(300000, 'b').append("\nc\n");
    const auto stream = streamOf(text, "lines");
    LineReader lines(*stream);
    EXPECT_EQ(lines.next().size(), 600001U);
    EXPECT_EQ(lines.next().size(), 300001U);
    EXPECT_EQ(lines.next(), "c\n");
    EXPECT_EQ(lines.next(), "");
}

std::string fieldOf(std::string_view text) {
    std::string line = "x,";
    appendCsvField(line, text);
    return line.substr(2);
}

TEST(CsvText, PlainFieldsStayAsTheyAre) {
    EXPECT_EQ(fieldOf("Fp1"), "Fp1");
    EXPECT_EQ(fieldOf("EEG Fpz-Cz"), "EEG Fpz-Cz");
    EXPECT_EQ(fieldOf("µV °"), "µV °");
    EXPECT_EQ(fieldOf(""), "");
}

TEST(CsvText, WhatAReaderWouldMisunderstandIsQuoted) {
    EXPECT_EQ(fieldOf("a,b"), "\"a,b\"");
    EXPECT_EQ(fieldOf("a;b"), "\"a;b\"");
    EXPECT_EQ(fieldOf("a\tb"), "\"a\tb\"");
    EXPECT_EQ(fieldOf("say \"ah\""), "\"say \"\"ah\"\"\"");
    EXPECT_EQ(fieldOf("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(fieldOf("two\rlines"), "\"two\rlines\"");
    EXPECT_EQ(fieldOf(" blank"), "\" blank\"");
    EXPECT_EQ(fieldOf("blank\t"), "\"blank\t\"");
}

TEST(TsvText, FieldsStayBetweenTabs) {
    const auto field = [](std::string_view text) {
        std::string line;
        appendTsvField(line, text);
        return line;
    };
    EXPECT_EQ(field("a,b;c"), "a,b;c");
    EXPECT_EQ(field(""), "");
    EXPECT_EQ(field("a\tb\r\nc"), "a_b__c");
    EXPECT_EQ(field("5\" end"), "5\" end");
    EXPECT_EQ(field("\"a\" b"), "\"\"\"a\"\" b\"");
    EXPECT_EQ(field(" a"), "\" a\"");
    EXPECT_EQ(field("a "), "\"a \"");
}

TEST(BufferedText, AppearsWithCommit) {
    const TemporaryFolder folder;
    {
        BufferedText file(folder / "a.csv");
        file.text() += "lost";
        file.endLine();
    }
    EXPECT_EQ(folder.fileCount(), 0);
    BufferedText file(folder / "a.csv");
    std::string expected;
    for (int line = 0; line < 200000; ++line) {
        const std::string text = "line " + std::to_string(line);
        file.text() += text;
        file.endLine();
        expected += text + '\n';
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "a.csv"));
    file.commit();
    EXPECT_EQ(readFile(folder / "a.csv"), expected);
    EXPECT_THAT(messageOf<Error>([&] { BufferedText(folder / "missing/a.csv"); }),
                HasSubstr("missing/a.csv"));
}

}  // namespace
}  // namespace glycine::io
