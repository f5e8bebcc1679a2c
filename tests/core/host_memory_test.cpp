// The machine's available memory, read from the system's files, and refusals that name both figures.

#include <sys/resource.h>

#include <cstdio>

#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

constexpr std::uint64_t kMebibytes = std::uint64_t{1} << 20;

/// A folder with its own proc and sys.
class FakeSystem : public testing::Test {
  protected:
    FakeSystem() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        root_ = fs::path(testing::TempDir()) / (std::string("memory_") + test->name());
        fs::remove_all(root_);
        write("proc/meminfo",
              "MemTotal:  8388608 kB\nMemFree:  1 kB\nMemAvailable:  4194304 kB\nSwapFree: 99 kB\n");
    }
    ~FakeSystem() override { fs::remove_all(root_); }
    void write(const fs::path& file, const std::string& text) {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    HostMemory available() const { return availableHostMemory(root_); }
    fs::path root_;
};

TEST_F(FakeSystem, MachineReportsItsResources) {
    EXPECT_EQ(available().bytes, 4096 * kMebibytes);
    EXPECT_THAT(available().bound, HasSubstr("free on this machine"));
}

TEST_F(FakeSystem, GroupOfVersion2LeavesItsLimitWithoutWhatFilesTake) {
    write("proc/self/cgroup", "0::/user/job\n");
    write("sys/fs/cgroup/user/job/memory.max", "max\n");
    write("sys/fs/cgroup/user/job/memory.current", "1\n");
    write("sys/fs/cgroup/user/memory.max", std::to_string(1000 * kMebibytes));
    write("sys/fs/cgroup/user/memory.current", std::to_string(700 * kMebibytes));
    write("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file " + std::to_string(100 * kMebibytes) +
                                                "\nactive_file " + std::to_string(50 * kMebibytes) + "\n");
    EXPECT_EQ(available().bytes, 450 * kMebibytes);
    EXPECT_THAT(available().bound, HasSubstr("control group"));
}

TEST_F(FakeSystem, GroupOfVersion1IsFoundAmongControllers) {
    write("proc/self/cgroup", "9:name=systemd:/\n4:cpuset,memory:/docker/0123\n3:pids:/\n");
    // In a container, the group's own path does not exist: its folder is mounted as the root.
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(500 * kMebibytes));
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(600 * kMebibytes));
    write("sys/fs/cgroup/memory/memory.stat",
          "total_inactive_file " + std::to_string(200 * kMebibytes) + "\n");
    EXPECT_EQ(available().bytes, 100 * kMebibytes);
}

TEST_F(FakeSystem, GroupBeyondItsLimitLeavesNothing) {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", std::to_string(500 * kMebibytes));
    write("sys/fs/cgroup/memory.current", std::to_string(600 * kMebibytes));
    EXPECT_EQ(available().bytes, 0U);
}

TEST(HostMemory, SystemWithoutLimitsRefusesNothing) {
    const HostMemory memory = availableHostMemory("/nowhere");
    EXPECT_GT(memory.bytes, std::uint64_t{1} << 62);
}

TEST(HostMemory, RefusalNamesWhatIsNeededAndWhatIsThere) {
    EXPECT_NO_THROW(requireHostMemory("a little", 4096));
    try {
        requireHostMemory("smoothing 10⁹ atoms", 8e18);
        FAIL() << "nothing was thrown";
    } catch (const MemoryError& error) {
        EXPECT_THAT(error.what(), MatchesRegex("smoothing 10⁹ atoms needs .* TiB of memory, and "
                                               ".* [KMGT]iB (are|is) (free|left) .*"));
    }
}

TEST(HostMemory, LackOnADeviceNamesBothFigures) {
    EXPECT_EQ(lackOfDeviceMemory("a texture", 3 * kMebibytes, kMebibytes),
              "a texture needs 3.0 MiB of device memory, and 1.0 MiB are free");
}

/// Runs in a process of its own, because the limit is permanent.
[[noreturn]] void allocateWithin(std::uint64_t addressSpace) {
    const rlimit limit{addressSpace, addressSpace};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
        const Matrix<float> matrix(60000, 60000);
    } catch (const MemoryError& error) {
        std::fprintf(stderr, "%s", error.what());
        std::_Exit(3);
    }
    std::_Exit(0);
}

TEST(HostMemory, LimitOnAddressSpaceCounts) {
    if (const std::string lack = test::lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    EXPECT_EXIT(allocateWithin(std::uint64_t{4} << 30), testing::ExitedWithCode(3),
                "a matrix of 60000 × 60000 elements needs 13.4 GiB of memory, and .* "
                "are left by the limit on address space");
}

TEST(Matrix, SizeThatDoesNotFitIntoANumberIsRefused) {
    EXPECT_THROW(Matrix<double>(std::size_t{1} << 40, std::size_t{1} << 40), MemoryError);
}

TEST(LargestFitting, IsTheLastThatFits) {
    for (std::size_t most = 0; most < 20; ++most)
        for (std::size_t fitting = 0; fitting < 22; ++fitting)
            EXPECT_EQ(largestFitting(most, [&](std::size_t n) { return n <= fitting; }),
                      std::min(most, fitting))
                << most << ", " << fitting;
}

}  // namespace
}  // namespace glycine
