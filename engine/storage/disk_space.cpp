#include "engine/storage/disk_space.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <map>
#include <system_error>

#include "engine/storage/atomic_file.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

constexpr double kGigabyte = 1e9;

fs::path folderOf(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

struct Disk {
    std::string files;  ///< names
    double free = 0;
    double least = 0;
    double most = 0;
};

}  // namespace

std::uintmax_t freeSpaceNextTo(const fs::path& path) {
    std::error_code unknown;
    const std::uintmax_t available = fs::space(folderOf(path), unknown).available;
    return unknown ? std::numeric_limits<std::uintmax_t>::max() : available;
}

Error noRoomOnDisk(std::string_view files, std::string_view atLeast, double needed, double free) {
    return Error(
        fmt::format("{}: the disk has no room for the result: {}{:.3g} GB are needed, {:.3g} GB are free",
                    files, atLeast, needed / kGigabyte, free / kGigabyte));
}

NameCharacters::NameCharacters(std::span<const std::string> names, std::size_t padded) {
    for (const std::string& name : names) {
        const auto quotes = static_cast<std::size_t>(std::ranges::count(name, '"'));
        least += static_cast<double>(name.size());
        most += static_cast<double>(std::max(padded, name.size() + quotes + 2));
        longest = std::max(longest, static_cast<double>(name.size()));
    }
}

std::string requireDiskSpace(std::span<const ExpectedFile> files) {
    std::map<dev_t, Disk> disks;
    for (const ExpectedFile& file : files) {
        if (isStandardOutput(file.path)) continue;
        const fs::path path = resolveLink(file.path);
        std::error_code unknown;
        if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)) continue;
        struct stat folder {};
        if (::stat(folderOf(path).c_str(), &folder) != 0) continue;
        Disk& disk = disks[folder.st_dev];
        disk.files += (disk.files.empty() ? "" : ", ") + file.path.string();
        disk.free = static_cast<double>(freeSpaceNextTo(path));
        disk.least += file.least;
        disk.most += file.most;
    }
    std::string tight;
    for (const auto& [device, disk] : disks) {
        if (disk.least > disk.free) throw noRoomOnDisk(disk.files, "at least ", disk.least, disk.free);
        if (disk.most > disk.free)
            tight += fmt::format("{}{}: up to {:.3g} GB will be written, {:.3g} GB are free",
                                 tight.empty() ? "" : "; ", disk.files, disk.most / kGigabyte,
                                 disk.free / kGigabyte);
    }
    return tight;
}

}  // namespace glycine::storage
