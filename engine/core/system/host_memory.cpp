#include "engine/core/host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/huge_pages.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"

namespace glycine {

namespace fs = std::filesystem;

namespace {

/// The sum of the numbers after `keys` in a file of lines "key number"; nothing if there are none.
std::optional<std::uint64_t> sumAfter(const fs::path& path, std::initializer_list<std::string_view> keys) {
    std::ifstream file(path);
    std::string name;
    std::uint64_t number = 0;
    std::optional<std::uint64_t> sum;
    for (std::size_t left = keys.size(); left > 0 && file >> name;) {
        if (std::ranges::find(keys, name) != keys.end() && file >> number) {
            sum = sum.value_or(0) + number;
            --left;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return sum;
}

/// The number that a file holds; nothing if it holds none ("max").
std::optional<std::uint64_t> numberIn(const fs::path& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? std::optional(number) : std::nullopt;
}

/// File names in the two versions of control groups.
struct GroupFiles {
    const char* limit;
    const char* usage;
    const char* droppable[2];  ///< keys in memory.stat: reclaimable pages of files
};
constexpr GroupFiles kVersion1{
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", {"inactive_file", "active_file"}};

/// Bytes that the group in `folder` leaves of its own limit.
std::optional<std::uint64_t> leftInGroup(const fs::path& folder, const GroupFiles& files) {
    const std::optional<std::uint64_t> limit = numberIn(folder / files.limit);
    const std::optional<std::uint64_t> usage = numberIn(folder / files.usage);
    if (!limit || !usage) return std::nullopt;
    const std::uint64_t droppable =
        sumAfter(folder / "memory.stat", {files.droppable[0], files.droppable[1]}).value_or(0);
    return *limit - std::min(*limit, *usage - std::min(*usage, droppable));
}

/// The least that the group and its ancestors leave. In a container, the path may be the host's and not
/// exist; its parent folders are checked all the same.
void lookAtGroups(const fs::path& mounted, const fs::path& group, const GroupFiles& files,
                  std::uint64_t& least) {
    fs::path relative = group.relative_path();
    for (;;) {
        if (const auto left = leftInGroup(mounted / relative, files)) least = std::min(least, *left);
        if (relative.empty()) return;
        relative = relative.parent_path();
    }
}

std::uint64_t leftInGroups(const fs::path& root) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::ifstream file(root / "proc/self/cgroup");
    // Lines "hierarchy:controllers:path"; in version 2 "0::path".
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const fs::path group = line.substr(second + 1);
        if (controllers == ",,") lookAtGroups(root / "sys/fs/cgroup", group, kVersion2, least);
        if (controllers.find(",memory,") != std::string::npos)
            lookAtGroups(root / "sys/fs/cgroup/memory", group, kVersion1, least);
    }
    return least;
}

std::uint64_t wholeBytes(double bytes) {
    constexpr double kMax = 9e18;
    return static_cast<std::uint64_t>(std::min(bytes, kMax));
}

}  // namespace

std::uint64_t freeAddressSpace(const fs::path& root) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t pages = numberIn(root / "proc/self/statm").value_or(0);
    const std::uint64_t taken = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, taken);
}

HostMemory availableHostMemory(const fs::path& root) {
    HostMemory least{std::numeric_limits<std::uint64_t>::max(), "can be addressed"};
    const auto consider = [&least](std::uint64_t bytes, const char* bound) {
        if (bytes < least.bytes) least = {bytes, bound};
    };
    if (const auto kibibytes = sumAfter(root / "proc/meminfo", {"MemAvailable:"}))
        consider(*kibibytes * 1024, "are free on this machine");
    consider(leftInGroups(root), "are left by the control group's limit");
    consider(freeAddressSpace(root), "are left by the limit on address space (ulimit -v)");
    return least;
}

void requireHostMemory(std::string_view what, double bytes) {
    // Less than what the program itself takes: not worth looking.
    constexpr double kSmall = 4.0 * (1 << 20);
    if (bytes <= kSmall) return;
    const HostMemory available = availableHostMemory();
    if (bytes <= static_cast<double>(available.bytes)) return;
    throw MemoryError(fmt::format("{} needs {} of memory, and {} {}", what, formatBytes(wholeBytes(bytes)),
                                  formatBytes(available.bytes), available.bound));
}

std::string lackOfDeviceMemory(std::string_view what, double bytes, std::uint64_t available) {
    return fmt::format("{} needs {} of device memory, and {} are free", what, formatBytes(wholeBytes(bytes)),
                       formatBytes(available));
}

namespace {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

}  // namespace

void preferHugePages(void* begin, std::size_t bytes) {
    if (std::align(kLargePage, kLargePage, begin, bytes) != nullptr)
        (void)::madvise(begin, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
}

LargeArray::LargeArray(std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    if (bytes == 0) return;
    const bool isLarge = bytes >= 2 * kLargePage;
    const std::size_t boundary = isLarge ? kLargePage : kLine;
    const std::size_t whole = roundUp(bytes, boundary);
    if (whole < bytes) throw std::bad_alloc();
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(boundary, whole)));
    if (!data_) throw std::bad_alloc();
    if (isLarge) preferHugePages(data_.get(), whole);
}

void LargeArray::Release::operator()(std::byte* data) const {
    std::free(data);
}

}  // namespace glycine
