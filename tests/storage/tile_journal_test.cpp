#include "engine/storage/unfinished.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::storage {
namespace {

using test::messageOf;
using test::readFile;
using test::TemporaryFolder;
using test::writeFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kIdentity = "measure: allele\nmissing: flat\ninput: 00c0ffee\n";
constexpr FinishedTile kFirst{{0, 64}, {0, 64}, 0x0123456789abcdef};
constexpr FinishedTile kSecond{{64, 100}, {0, 64}, 0};
constexpr FinishedTile kThird{{64, 100}, {64, 100}, 0xffffffffffffffff};

class TileJournalTest : public ::testing::Test {
  protected:
    std::vector<FinishedTile> tilesNow(std::string_view identity = kIdentity) const {
        return TileJournal(path, identity, false).tiles();
    }
    void enter(std::span<const FinishedTile> tiles) const {
        TileJournal(path, kIdentity, false).enter(tiles);
    }
    std::string refusal(std::string_view identity) const {
        return messageOf<UsageError>([&] { TileJournal journal(path, identity, false); });
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "out.unfinished.tiles";
};

TEST_F(TileJournalTest, BeginsEmptyAndKeepsWhatWasEntered) {
    {
        TileJournal journal(path, kIdentity, false);
        EXPECT_THAT(journal.tiles(), IsEmpty());
        journal.enter(std::array{kFirst});
        journal.enter(std::array{kSecond, kThird});
    }
    EXPECT_THAT(tilesNow(), ElementsAre(kFirst, kSecond, kThird));
}

TEST_F(TileJournalTest, IsReadableText) {
    enter(std::array{kFirst});
    EXPECT_EQ(readFile(path),
              "Glycine journal of finished tiles, version 1\n"
              "measure: allele\nmissing: flat\ninput: 00c0ffee\n"
              "\n"
              "tile 0 64 0 64 0123456789abcdef\n");
}

TEST_F(TileJournalTest, ALaterEntryOfATileReplacesTheEarlier) {
    FinishedTile again = kFirst;
    again.checksum = 7;
    enter(std::array{kFirst, kSecond, again});
    EXPECT_THAT(tilesNow(), ElementsAre(again, kSecond));
}

// After a crash, any number of bytes at the end may be missing.
TEST_F(TileJournalTest, ATornEndCostsOnlyTheTornLine) {
    enter(std::array{kFirst, kSecond});
    const std::string whole = readFile(path);
    const std::size_t firstLine = whole.find("tile 0");
    const std::size_t secondLine = whole.find("tile 64");
    const std::size_t title = whole.find('\n') + 1;
    for (std::size_t length = title; length < whole.size(); ++length) {
        writeFile(path, whole.substr(0, length));
        std::vector<FinishedTile> expected;
        if (length >= secondLine) expected.push_back(kFirst);
        TileJournal journal(path, kIdentity, false);
        EXPECT_EQ(journal.tiles(), expected) << length << " bytes";
        journal.enter(std::array{kThird});
        EXPECT_THAT(readFile(path), ::testing::EndsWith("tile 64 100 64 100 ffffffffffffffff\n"));
        EXPECT_GE(readFile(path).size(), firstLine);
    }
    EXPECT_THAT(tilesNow(), ElementsAre(kFirst, kThird));
}

TEST_F(TileJournalTest, WhatFollowsADamagedLineIsDropped) {
    for (const std::string bad :
         {"tile 0 64 0 64 123\n", "tile 0 64 0 64 0123456789ABCDEG\n", "tile 64 64 0 64 0123456789abcdef\n",
          "tile 0 64 0 0123456789abcdef\n", "tile 0 64 0 64 0123456789abcdef \n",
          "tile -1 64 0 64 0123456789abcdef\n", "\n", "tale 0 64 0 64 0123456789abcdef\n",
          "tile 0 99999999999999999999 0 64 0123456789abcdef\n"}) {
        std::filesystem::remove(path);
        enter(std::array{kFirst});
        const std::string intact = readFile(path);
        writeFile(path, intact + bad + "tile 64 100 0 64 0000000000000000\n");
        EXPECT_THAT(tilesNow(), ElementsAre(kFirst)) << bad;
        EXPECT_EQ(readFile(path), intact);
    }
    writeFile(path, readFile(path) + std::string(4096, '\0'));
    EXPECT_THAT(tilesNow(), ElementsAre(kFirst));
}

TEST_F(TileJournalTest, RefusalShowsTheFirstParameterThatDiffers) {
    enter(std::array{kFirst});
    EXPECT_THAT(
        refusal("measure: ibs\nmissing: weighted\ninput: 00c0ffee\n"),
        AllOf(HasSubstr(path.string()), HasSubstr("measure was allele, is ibs now"), HasSubstr("--restart")));
    EXPECT_THAT(refusal("measure: allele\nmissing: flat\ninput: 11111111\n"),
                HasSubstr("input was 00c0ffee, is 11111111 now"));
    EXPECT_THAT(refusal("measure: allele\nmissing: flat\ninput: 00c0ffee\ntile: 64\n"),
                HasSubstr("tile was not given, is 64 now"));
    EXPECT_THAT(refusal("measure: allele\ninput: 00c0ffee\n"),
                HasSubstr("missing was flat, is not given now"));
    // Refusing has not changed anything.
    EXPECT_THAT(tilesNow(), ElementsAre(kFirst));
}

TEST_F(TileJournalTest, RestartForgets) {
    enter(std::array{kFirst});
    EXPECT_THAT(TileJournal(path, "measure: ibs\n", true).tiles(), IsEmpty());
    EXPECT_THAT(tilesNow("measure: ibs\n"), IsEmpty());
}

TEST_F(TileJournalTest, RefusesAForeignFileAlsoWithRestart) {
    enter(std::array{kFirst});
    const std::string whole = readFile(path);
    // A journal appears with its title: a part of that is none.
    for (const std::string& foreign :
         {std::string("my notes\n"), std::string(), whole.substr(0, whole.find('\n'))}) {
        writeFile(path, foreign);
        for (const bool restart : {false, true}) {
            EXPECT_THAT(
                messageOf<UsageError>([&] { TileJournal journal(path, kIdentity, restart); }),
                AllOf(HasSubstr("is no journal of finished tiles"), HasSubstr("it is not overwritten")));
            EXPECT_EQ(readFile(path), foreign);
        }
    }
}

TEST_F(TileJournalTest, NamesPathAndCauseForAMissingFolder) {
    EXPECT_THAT(messageOf<Error>([&] { TileJournal journal(folder / "no/out.tiles", kIdentity, false); }),
                AllOf(HasSubstr("no/out.tiles"), HasSubstr("No such file or directory")));
}

TEST_F(TileJournalTest, RemoveLeavesNothing) {
    TileJournal journal(path, kIdentity, false);
    journal.remove();
    EXPECT_EQ(folder.fileCount(), 0U);
    EXPECT_THAT(tilesNow(), IsEmpty());
}

TEST_F(TileJournalTest, ASecondProcessIsRefused) {
    const auto journal = std::make_unique<TileJournal>(path, kIdentity, false);
    const auto secondProcess = [&] {
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                const TileJournal second(path, kIdentity, true);
                ::_exit(0);
            } catch (const Error& error) {
                ::_exit(std::string(error.what()).find("another process") != std::string::npos ? 1 : 2);
            }
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    };
    EXPECT_EQ(secondProcess(), 1);
    journal->enter(std::array{kFirst});
    journal->remove();
    EXPECT_EQ(secondProcess(), 0);
}

}  // namespace
}  // namespace glycine::storage
