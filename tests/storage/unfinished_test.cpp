// The working files of runs: what else may have their names, and what other programs may do to them during a
// run.
#include "engine/storage/unfinished.hpp"

#include <sys/stat.h>

#include "engine/storage/atomic_file.hpp"
#include "engine/storage/tile_store.hpp"
#include "tests/test.hpp"

namespace glycine::storage {
namespace {

constexpr std::string_view kUnfinishedRun = "measure: allele\n";
constexpr std::size_t kTileBytes = 10000;
constexpr std::size_t kTiles = 8;

class Unfinished : public ::testing::Test {
  protected:
    std::unique_ptr<TileStore> openTiles(bool restart = false) const {
        return std::make_unique<TileStore>(
            output, kUnfinishedRun, kTiles * kTileBytes,
            [](Range rows, Range, const std::function<void(Range)>& visit) {
                visit({rows.begin * kTileBytes, rows.end * kTileBytes});
                return true;
            },
            restart);
    }
    static void fill(TileStore& store, std::size_t tile) {
        std::fill_n(store.data() + tile * kTileBytes, kTileBytes, static_cast<std::byte>('a' + tile));
        store.finish({tile, tile + 1}, {0, 1});
    }
    static std::string wholeResult() {
        std::string text;
        for (std::size_t tile = 0; tile < kTiles; ++tile)
            text += std::string(kTileBytes, static_cast<char>('a' + tile));
        return text;
    }
    /// Names and contents; for links, their targets.
    std::map<std::string, std::string> everything() const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            all[entry.path().filename()] = entry.is_symlink()        ? fs::read_symlink(entry.path()).string()
                                           : entry.is_regular_file() ? readFile(entry.path())
                                                                     : "";
        return all;
    }
    void expectRefused(const std::string& message) const {
        const auto before = everything();
        for (const bool restart : {false, true}) {
            EXPECT_THAT(messageOf<UsageError>([&] { openTiles(restart); }), HasSubstr(message));
            EXPECT_THAT(messageOf<UsageError>([&] { BlockStore store(output, kUnfinishedRun, restart); }),
                        HasSubstr(message));
            EXPECT_EQ(everything(), before);
        }
    }

    TemporaryFolder folder;
    fs::path output = folder / "out.npy";
    fs::path results = folder / "out.npy.unfinished";
    fs::path journal = folder / "out.npy.unfinished.tiles";
};

TEST_F(Unfinished, WhatIsNoFileOfARunIsRefusedAndUntouched) {
    writeFile(folder / "victim", std::string(kTiles * kTileBytes, 'v'));
    const std::pair<const char*, std::function<void(const fs::path&)>> kinds[] = {
        {"is a symbolic link", [](const fs::path& name) { fs::create_symlink("victim", name); }},
        {"is a symbolic link", [](const fs::path& name) { fs::create_symlink("not there", name); }},
        {"is a file with other names, too",
         [this](const fs::path& name) { fs::create_hard_link(folder / "victim", name); }},
        {"is a folder", [](const fs::path& name) { fs::create_directory(name); }},
        {"is a pipe", [](const fs::path& name) { ASSERT_EQ(mkfifo(name.c_str(), 0600), 0); }},
    };
    for (const auto& [words, make] : kinds) {
        for (const fs::path& name : {results, journal}) {
            make(name);
            expectRefused(name.filename().string() + " " + words);
            fs::remove(name);
        }
        // The same next to a genuine journal.
        auto run = openTiles();
        fill(*run, 0);
        run.reset();
        fs::remove(results);
        make(results);
        expectRefused(words);
        fs::remove(results);
        fs::remove(journal);
    }
}

TEST_F(Unfinished, TheUsersOwnFilesAreRefusedAndUntouched) {
    writeFile(results, "my notes");
    expectRefused("out.npy.unfinished is there already, and no journal");
    writeFile(journal, "");
    expectRefused("out.npy.unfinished.tiles is there already and is no journal");
    writeFile(journal, "Glycine journal");
    expectRefused("is no journal");
    fs::remove(results);
    writeFile(journal, "my notes");
    expectRefused("is no journal");
}

TEST_F(Unfinished, LiesNextToTheFileThatALinkLeadsTo) {
    fs::create_directory(folder / "data");
    fs::create_symlink("data/real.npy", output);
    EXPECT_EQ(unfinishedFile(output), folder / "data/real.npy.unfinished");
    auto store = openTiles();
    for (std::size_t tile = 0; tile < kTiles; ++tile) fill(*store, tile);
    store->becomeOutput();
    EXPECT_TRUE(fs::is_symlink(output));
    EXPECT_EQ(readFile(folder / "data/real.npy"), wholeResult());
    EXPECT_THAT(everything(), SizeIs(2));
}

TEST_F(Unfinished, ARunWhoseFileIsRemovedFinishes) {
    for (const fs::path& removed : {results, journal}) {
        auto store = openTiles();
        fill(*store, 0);
        EXPECT_TRUE(store->outlivesStop());
        fs::remove(removed);
        EXPECT_FALSE(store->outlivesStop());
        for (std::size_t tile = 1; tile < kTiles; ++tile) fill(*store, tile);
        store->becomeOutput();
        EXPECT_EQ(readFile(output), wholeResult());
        EXPECT_THAT(everything(), SizeIs(1));
    }
}

TEST_F(Unfinished, ARunWhoseFileIsReplacedLeavesTheOtherAlone) {
    for (const bool becomes : {true, false}) {
        auto store = openTiles();
        for (std::size_t tile = 0; tile < kTiles; ++tile) fill(*store, tile);
        fs::rename(results, folder / "moved");
        writeFile(results, "the user's");
        becomes ? store->becomeOutput() : store->discard();
        EXPECT_EQ(readFile(results), "the user's");
        EXPECT_EQ(fs::exists(output), becomes);
        if (becomes) {
            EXPECT_EQ(readFile(output), wholeResult());
        }
        EXPECT_FALSE(fs::exists(journal));
        for (const fs::path& file : {results, output, folder / "moved"}) fs::remove(file);
    }
}

TEST_F(Unfinished, ARunThatIsStoppedWithoutItsFilesLeavesNone) {
    auto store = openTiles();
    fill(*store, 0);
    fs::remove(results);
    store.reset();
    EXPECT_THAT(everything(), SizeIs(0));
    BlockStore blocks(output, kUnfinishedRun, false);
    blocks.append(std::as_bytes(std::span("block")));
    EXPECT_TRUE(blocks.outlivesStop());
    fs::remove(journal);
    EXPECT_FALSE(blocks.outlivesStop());
}

TEST_F(Unfinished, AFileThatIsCutShortIsSaidAndEndsNothing) {
    for (const std::size_t left : {std::size_t{0}, std::size_t{1}, kTileBytes, kTiles * kTileBytes - 1}) {
        auto store = openTiles();
        fill(*store, 0);
        fs::resize_file(results, left);
        const std::string words =
            "out.npy.unfinished: another program has cut it to " + std::to_string(left) + " of 80000 bytes";
        // The last page may be lost: writing and reading it still work.
        EXPECT_THAT(messageOf<Error>([&] { fill(*store, kTiles - 1); }),
                    AllOf(HasSubstr(words), HasSubstr("run the command again")));
        EXPECT_EQ(store->data()[kTiles * kTileBytes - 1], static_cast<std::byte>('a' + kTiles - 1));
        AtomicFile other(folder / "other.tsv");
        EXPECT_THAT(messageOf<Error>([&] { other.commit(); }), HasSubstr(words));
        EXPECT_THAT(messageOf<Error>([&] { store->becomeOutput(); }), HasSubstr(words));
        store.reset();
        EXPECT_THAT(everything(), SizeIs(0)) << "nothing of it is of use";
        EXPECT_NO_THROW(AtomicFile(folder / "other.tsv").commit());
        fs::remove(folder / "other.tsv");
    }
}

TEST_F(Unfinished, AFileThatWasShorterMeanwhileIsSaid) {
    for (const bool byRun : {false, true}) {
        auto store = openTiles();
        fill(*store, 0);
        const std::uintmax_t whole = fs::file_size(results);
        fs::resize_file(results, kTileBytes);
        if (!byRun) fs::resize_file(results, whole);
        const std::string last(kTileBytes, 'z');
        store->put((kTiles - 1) * kTileBytes, std::as_bytes(std::span(last)));
        EXPECT_EQ(
            std::string(reinterpret_cast<const char*>(store->data()) + (kTiles - 1) * kTileBytes, kTileBytes),
            last);
        EXPECT_THAT(messageOf<Error>([&] {
                        store->finish({kTiles - 1, kTiles}, {0, 1});
                    }),
                    HasSubstr("out.npy.unfinished: another program has cut it short while results"));
        store.reset();
        EXPECT_THAT(everything(), SizeIs(0)) << "nothing of it is of use";
    }
}

TEST_F(Unfinished, AResultIsAsLongAsItsBytes) {
    auto store = openTiles();
    for (std::size_t tile = 0; tile < kTiles; ++tile) fill(*store, tile);
    store->becomeOutput();
    EXPECT_EQ(readFile(output), wholeResult());
}

TEST_F(Unfinished, AJournalThatIsCutShortIsWrittenAnew) {
    auto store = openTiles();
    fill(*store, 0);
    store.reset();
    store = openTiles();
    EXPECT_THAT(store->kept(), SizeIs(1));
    fs::resize_file(journal, 10);
    fill(*store, 1);
    store.reset();
    EXPECT_THAT(openTiles()->kept(), SizeIs(2));
}

}  // namespace
}  // namespace glycine::storage
