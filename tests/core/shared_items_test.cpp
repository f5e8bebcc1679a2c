// Items that processes of a host share, here threads with an object each on the same memory.
#include <atomic>
#include <numeric>
#include <thread>

#include "engine/core/shared_items.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

constexpr std::size_t kItems = 50;
constexpr std::size_t kItemBytes = 100;  // not a multiple of the alignment

std::shared_ptr<std::byte> zeroedMemory() {
    return {new std::byte[SharedItems::bytesFor(kItems, kItemBytes)](), std::default_delete<std::byte[]>()};
}

void fill(const SharedItems& items, std::size_t item) {
    std::fill_n(items.data(item), kItemBytes, static_cast<std::byte>(item + 1));
}

bool isFilled(const SharedItems& items, std::size_t item) {
    return std::all_of(items.data(item), items.data(item) + kItemBytes,
                       [&](std::byte byte) { return byte == static_cast<std::byte>(item + 1); });
}

TEST(SharedItems, AreMadeOnceByThoseWhoNeedThem) {
    const auto memory = zeroedMemory();
    std::vector<std::atomic<int>> made(kItems);
    std::atomic<bool> areAllFilled{true};
    std::vector<std::thread> processes;
    for (std::size_t process = 0; process < 4; ++process)
        processes.emplace_back([&, process] {
            SharedItems items(memory, kItems, kItemBytes);
            std::vector<std::size_t> wanted(kItems);
            std::iota(wanted.begin(), wanted.end(), std::size_t{0});
            std::rotate(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(7 * process),
                        wanted.end());
            items.complete(wanted, 3, [&](std::span<const std::size_t> some) {
                if (some.empty() || some.size() > 3) areAllFilled = false;
                for (const std::size_t item : some) {
                    ++made[item];
                    fill(items, item);
                }
            });
            for (const std::size_t item : wanted)
                if (!isFilled(items, item)) areAllFilled = false;
        });
    for (std::thread& process : processes) process.join();
    EXPECT_TRUE(areAllFilled);
    for (const std::atomic<int>& times : made) EXPECT_EQ(times, 1);
}

TEST(SharedItems, AreAwaitedWhileAnotherProcessMakesThem) {
    const auto memory = zeroedMemory();
    std::atomic<bool> isBegun{false}, isAwaiting{false};
    std::thread other([&] {
        SharedItems items(memory, kItems, kItemBytes);
        items.complete(std::vector<std::size_t>{3}, 1, [&](std::span<const std::size_t>) {
            isBegun = true;
            while (!isAwaiting) std::this_thread::yield();
            fill(items, 3);
        });
    });
    while (!isBegun) std::this_thread::yield();
    SharedItems items(memory, kItems, kItemBytes);
    std::vector<std::size_t> made;
    items.complete(std::vector<std::size_t>{3, 4}, 2, [&](std::span<const std::size_t> some) {
        made.assign(some.begin(), some.end());
        fill(items, 4);
        isAwaiting = true;
    });
    EXPECT_EQ(made, std::vector<std::size_t>{4}) << "the item of the other process comes last";
    EXPECT_TRUE(isFilled(items, 3));
    other.join();
}

TEST(SharedItems, GoToAnotherProcessIfMakingThemFails) {
    const auto memory = zeroedMemory();
    SharedItems first(memory, kItems, kItemBytes), second(memory, kItems, kItemBytes);
    const std::vector<std::size_t> wanted{0, 1, 2};
    EXPECT_EQ(test::messageOf<Error>([&] {
                  first.complete(wanted, 2, [&](std::span<const std::size_t> some) {
                      if (some.front() == 2) throw Error("no memory");
                      for (const std::size_t item : some) fill(first, item);
                  });
              }),
              "no memory");
    std::vector<std::size_t> made;
    second.complete(wanted, 8, [&](std::span<const std::size_t> some) {
        for (const std::size_t item : some) {
            made.push_back(item);
            fill(second, item);
        }
    });
    EXPECT_EQ(made, std::vector<std::size_t>{2});
    for (const std::size_t item : wanted) EXPECT_TRUE(isFilled(second, item));
}

}  // namespace
}  // namespace glycine
