#include "engine/io/text/text_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using test::readFile;
using test::TemporaryFolder;

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
                ::testing::HasSubstr("missing/a.csv"));
}

}  // namespace
}  // namespace glycine::io
