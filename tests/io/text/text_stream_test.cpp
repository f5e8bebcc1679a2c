#include "engine/io/text/text_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "engine/core/error.hpp"
#include "tests/distance/input_fixtures.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using test::readFile;
using test::streamOf;
using test::TemporaryFolder;
using test::writeGzip;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

/// Text that does not fit one buffer.
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

TEST(LineReader, HandsOutLinesWithTheirEnds) {
    const std::string text = "one\n\ntwo\r\nthree";
    const auto stream = streamOf(text, "lines");
    LineReader lines(*stream);
    std::vector<std::string> found;
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) found.emplace_back(line);
    EXPECT_THAT(found, ElementsAre("one\n", "\n", "two\r\n", "three"));
    EXPECT_EQ(lines.number(), 4U);
}

TEST(LineReader, LinesLongerThanTheBuffer) {
    const std::string text = std::string(600000, 'a') + "\n" + std::string(300000, 'b') + "\nc\n";
    const auto stream = streamOf(text, "lines");
    LineReader lines(*stream);
    EXPECT_EQ(lines.next().size(), 600001U);
    EXPECT_EQ(lines.next().size(), 300001U);
    EXPECT_EQ(lines.next(), "c\n");
    EXPECT_EQ(lines.next(), "");
}

}  // namespace
}  // namespace glycine::io
