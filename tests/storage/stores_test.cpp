// Results that a stopped run keeps.
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/process_team.hpp"
#include "engine/storage/tile_store.hpp"
#include "engine/storage/unfinished.hpp"
#include "tests/test.hpp"

namespace glycine::storage {
namespace {

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
        EXPECT_THAT(readFile(path), EndsWith("tile 64 100 64 100 ffffffffffffffff\n"));
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
    // The refusal has not changed anything.
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
    // A journal is created with its title, so a file with part of the title is not a journal.
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

constexpr std::string_view kRun = "measure: allele\ninput: 00c0ffee\n";

class BlockStoreTest : public ::testing::Test {
  protected:
    static void append(BlockStore& store, const std::string& text) {
        store.append(std::as_bytes(std::span(text)));
    }
    static std::vector<std::string> keptIn(BlockStore& store) {
        std::vector<std::string> blocks;
        store.readKept([&](std::span<const std::byte> block) {
            blocks.emplace_back(reinterpret_cast<const char*>(block.data()), block.size());
        });
        return blocks;
    }
    std::vector<std::string> kept() const {
        BlockStore store(output, kRun, false);
        return keptIn(store);
    }
    void leaveThree() const {
        BlockStore store(output, kRun, false);
        for (const char* text : {"one", "twice two", "3"}) append(store, text);
        EXPECT_TRUE(store.outlivesStop());
    }

    TemporaryFolder folder;
    std::filesystem::path output = folder / "out.aln";
    std::filesystem::path blocks = folder / "out.aln.unfinished";
    std::filesystem::path journal = folder / "out.aln.unfinished.tiles";
};

TEST_F(BlockStoreTest, AppendsToExistingContents) {
    leaveThree();
    {
        BlockStore store(output, kRun, false);
        EXPECT_THAT(keptIn(store), ElementsAre("one", "twice two", "3"));
        append(store, "four");
        EXPECT_THAT(keptIn(store), ElementsAre("one", "twice two", "3")) << "an earlier run's alone";
    }
    EXPECT_THAT(kept(), ElementsAre("one", "twice two", "3", "four"));
    EXPECT_EQ(readFile(blocks), "onetwice two3four");
}

TEST_F(BlockStoreTest, LeavesNoFilesWithoutBlocksOrWhenDiscarded) {
    EXPECT_THAT(kept(), IsEmpty());
    EXPECT_EQ(folder.fileCount(), 0U);
    leaveThree();
    EXPECT_EQ(folder.fileCount(), 2U);
    BlockStore(output, kRun, false).discard();
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST_F(BlockStoreTest, PassesOverWhatIsDamaged) {
    leaveThree();
    std::string bytes = readFile(blocks);
    bytes[5] ^= 1;
    writeFile(blocks, bytes);
    EXPECT_THAT(kept(), ElementsAre("one", "3"));
    // Bytes that were never entered are removed; missing bytes are not read.
    writeFile(blocks, bytes + "half a block");
    EXPECT_THAT(kept(), ElementsAre("one", "3"));
    writeFile(blocks, bytes.substr(0, 6));
    EXPECT_THAT(kept(), ElementsAre("one"));
    std::filesystem::remove(blocks);
    EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(BlockStoreTest, RefusesAnotherRunUntilItIsForgotten) {
    leaveThree();
    constexpr std::string_view kOther = "measure: ibs\ninput: 00c0ffee\n";
    EXPECT_THAT(messageOf<UsageError>([&] { BlockStore store(output, kOther, false); }),
                AllOf(HasSubstr("measure was allele, is ibs now"), HasSubstr("--restart")));
    EXPECT_THAT(kept(), ElementsAre("one", "twice two", "3"));
    BlockStore store(output, kOther, true);
    EXPECT_THAT(keptIn(store), IsEmpty());
    EXPECT_EQ(readFile(blocks), "");
    EXPECT_THAT(messageOf<Error>([&] { BlockStore second(output, kOther, false); }),
                HasSubstr("another process is working on this result"));
}

TEST_F(BlockStoreTest, RefusesWhatIsNoFile) {
    std::filesystem::create_directory(blocks);
    EXPECT_THAT(messageOf<Error>([&] { BlockStore store(output, kRun, false); }), HasSubstr("unfinished"));
    EXPECT_FALSE(std::filesystem::exists(journal));
}

/// Rank 0 of two processes.
class FarTeam final : public ProcessTeam {
  public:
    explicit FarTeam(std::size_t onHost) : onHost_(onHost) {}
    std::size_t rank() const override { return 0; }
    std::size_t processes() const override { return 2; }
    std::size_t processesOnHost() const override { return onHost_; }
    std::size_t placeOnHost() const override { return 0; }
    void broadcast(const std::vector<Parcel>&) override {}
    std::string fromLead(const std::string& text) override { return text; }
    std::optional<std::size_t> take() override { return std::nullopt; }
    void reportStored(const StoredTile&) override {}
    void answer(const LeadCallbacks&) override {}

  private:
    std::size_t onHost_;
};

TEST(TileStoreOfProcesses, RefusesValuesThatItsHostDoesNotSee) {
    const TemporaryFolder folder;
    for (const std::size_t onHost : {1, 2}) {
        FarTeam team(onHost);
        setProcessTeam(&team);
        {
            const TeamAtWork atWork;
            TileStore store(
                folder / "out.npy", "a: 1\n", 64,
                [](Range, Range, const std::function<void(Range)>& visit) {
                    visit({0, 64});
                    return true;
                },
                false);
            const auto record = [] { recordTileOfOtherProcess({{0, 4}, {0, 4}, 0x00c0ffee}); };
            if (onHost == 1) {
                EXPECT_THAT(messageOf<Error>(record),
                            AllOf(HasSubstr("out.npy.unfinished"), HasSubstr("another process has written")));
                EXPECT_FALSE(store.has({0, 4}, {0, 4}));
            } else {
                record();
                EXPECT_TRUE(store.has({0, 4}, {0, 4}))
                    << "processes of one host share the memory of the file";
            }
            store.discard();
        }
        setProcessTeam(nullptr);
    }
}

}  // namespace
}  // namespace glycine::storage
