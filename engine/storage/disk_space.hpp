#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

/// Room on disks, checked before work whose result would not fit.
namespace glycine::storage {

/// Free bytes for files next to `path`; the largest number if the system does not say.
std::uintmax_t freeSpaceNextTo(const std::filesystem::path& path);

/// "FILES: the disk has no room for the result: 3.2 GB are needed, 1.1 GB are free". `atLeast`: "" or
/// "at least ".
Error noRoomOnDisk(std::string_view files, std::string_view atLeast, double needed, double free);

/// An output that is still to be written, with bounds of its size in bytes.
struct ExpectedFile {
    std::filesystem::path path;
    double least = 0;
    double most = 0;
};

/// Characters of names in files of text, all together.
struct NameCharacters {
    /// `padded`: to so many characters each name may be padded.
    explicit NameCharacters(std::span<const std::string> names, std::size_t padded = 0);
    double least = 0;    ///< as they are
    double most = 0;     ///< all quoted or padded
    double longest = 0;  ///< of one name as it is
};

/// Throws Error if a disk has no room for the least sizes of the files that are to lie on it. Replaced files
/// keep their room until the new ones are complete. Returns a line about the disks on which the largest sizes
/// alone would find no room; usually empty. Does not count standard output, pipes and devices.
std::string requireDiskSpace(std::span<const ExpectedFile> files);

}  // namespace glycine::storage
