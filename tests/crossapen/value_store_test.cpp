#include "engine/crossapen/results/value_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::crossapen {
namespace {

namespace fs = std::filesystem;
using test::messageOf;
using test::readFile;
using test::TemporaryFolder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two files of different shapes: 3 epochs of 2 × 2 × 2 values, 5 epochs of 1 × 3 × 1.
std::vector<StoredFile> twoFiles() {
    return {{3, {2, 2, 2}}, {5, {1, 3, 1}}};
}
constexpr std::string_view kIdentity = "m: 1\nr: 0.2\n";

void fill(ValueStore& store, std::size_t file, Range epochs, double value) {
    const std::span<double> values = store.values(file, epochs);
    std::fill(values.begin(), values.end(), value);
}

TEST(ValueStore, EpochsLieOneAfterTheOther) {
    ValueStore store(twoFiles());
    ASSERT_EQ(store.values(0, {0, 3}).size(), 24u);
    ASSERT_EQ(store.values(1, {1, 3}).size(), 6u);
    EXPECT_EQ(store.values(0, {2, 3}).data(), store.values(0, {0, 3}).data() + 16);
    EXPECT_EQ(store.values(1, {0, 1}).data(), store.values(0, {0, 3}).data() + 24);
    EXPECT_FALSE(store.has(0, 0));
}

TEST(ValueStore, EnteredTilesSurviveTheProcess) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        fill(store, 0, {0, 2}, 1.5);
        store.enter(0, {0, 2});
        fill(store, 1, {3, 5}, 2.5);
        store.enter(1, {3, 5});
        fill(store, 0, {2, 3}, 9);  // not entered
    }
    EXPECT_TRUE(storage::hasUnfinishedRun(path));
    ValueStore store(path, kIdentity, twoFiles(), false);
    std::vector<bool> entered;
    for (std::size_t epoch = 0; epoch < 3; ++epoch) entered.push_back(store.has(0, epoch));
    for (std::size_t epoch = 0; epoch < 5; ++epoch) entered.push_back(store.has(1, epoch));
    EXPECT_THAT(entered, ElementsAre(true, true, false, false, false, false, true, true));
    EXPECT_THAT(store.values(0, {0, 2}), Each(1.5));
    EXPECT_THAT(store.values(1, {3, 5}), Each(2.5));
    store.discard();
    EXPECT_FALSE(storage::hasUnfinishedRun(path));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ValueStore, ADamagedTileIsNotBelieved) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        for (const std::size_t epoch : {0u, 1u}) {
            fill(store, 0, {epoch, epoch + 1}, 1);
            store.enter(0, {epoch, epoch + 1});
        }
    }
    {
        std::fstream file(fs::path(path) += ".unfinished", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(8 * 8 + 3);  // within epoch 1
        file.put('x');
    }
    ValueStore store(path, kIdentity, twoFiles(), false);
    EXPECT_TRUE(store.has(0, 0));
    EXPECT_FALSE(store.has(0, 1));
}

TEST(ValueStore, AnotherRunIsRefusedAndRestartForgets) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        fill(store, 0, {0, 1}, 1);
        store.enter(0, {0, 1});
    }
    EXPECT_THAT(messageOf<UsageError>([&] { ValueStore(path, "m: 2\nr: 0.2\n", twoFiles(), false); }),
                HasSubstr("--restart"));
    ValueStore store(path, "m: 2\nr: 0.2\n", twoFiles(), true);
    EXPECT_FALSE(store.has(0, 0));
    EXPECT_THAT(store.values(0, {0, 3}), Each(0.0));
}

TEST(ValueStore, ARunThatFinishedNothingLeavesNothing) {
    const TemporaryFolder folder;
    { ValueStore store(folder / "run", kIdentity, twoFiles(), false); }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace glycine::crossapen
