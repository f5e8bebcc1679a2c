// Loops on several threads.
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/core/parallel.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

TEST(ParallelFor, CallsEveryIndexOnce) {
    for (const int threads : {1, 2, 5})
        for (const std::size_t count : {0, 1, 3, 100}) {
            std::vector<std::atomic<int>> calls(count);
            std::atomic<std::size_t> largestThread{0};
            parallelFor(threads, count, [&](std::size_t index, std::size_t thread) {
                ++calls[index];
                if (thread > largestThread) largestThread = thread;
            });
            for (const std::atomic<int>& one : calls) EXPECT_EQ(one, 1);
            EXPECT_LT(largestThread, static_cast<std::size_t>(threads));
        }
}

/// Bytes of address space in use by the process.
std::size_t bytesTaken() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(AvailableThreads, AreNoMoreThanTheSystemGives) {
    EXPECT_EQ(availableThreads(1), 1);
    EXPECT_EQ(availableThreads(3), 3);
    const auto limited = [] {
        const rlimit room{bytesTaken() + (std::size_t{64} << 20), RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &room);
        const int threads = availableThreads(200);
        _exit(threads >= 1 && threads < 200 ? 0 : 1);
    };
    EXPECT_EXIT(limited(), testing::ExitedWithCode(0), "");
}

TEST(AvailableThreads, AreCountedOnce) {
    const auto limited = [] {
        const int threads = availableThreads(23);
        // No room is left for another thread.
        const rlimit room{bytesTaken(), RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &room);
        _exit(threads == 23 && availableThreads(23) == threads ? 0 : 1);
    };
    EXPECT_EXIT(limited(), testing::ExitedWithCode(0), "");
}

TEST(ParallelFor, StopsAtTheFirstException) {
    for (const int threads : {1, 3}) {
        std::atomic<int> calls{0};
        const auto stopAtFive = [&](std::size_t index, std::size_t) {
            ++calls;
            if (index == 5) throw std::runtime_error("stop");
        };
        EXPECT_THROW(parallelFor(threads, 1000, stopAtFive), std::runtime_error);
        if (threads == 1) {
            EXPECT_EQ(calls, 6);
        }
    }
}

TEST(DefaultThreads, HoldWhileTheyLive) {
    const int before = omp_get_max_threads();
    {
        const DefaultThreads three(3);
        EXPECT_EQ(omp_get_max_threads(), 3);
        {
            const DefaultThreads one(1);
            EXPECT_EQ(omp_get_max_threads(), 1);
        }
        EXPECT_EQ(omp_get_max_threads(), 3);
    }
    EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace
}  // namespace glycine
