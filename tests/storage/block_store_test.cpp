#include "engine/storage/tile_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

TEST_F(BlockStoreTest, GoesOnBehindWhatIsThere) {
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

TEST_F(BlockStoreTest, LeavesNoFilesBehindWithoutBlocksOrWhenDiscarded) {
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
    // What was never entered goes; what is missing is not read.
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

}  // namespace
}  // namespace glycine::storage
