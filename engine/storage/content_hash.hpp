#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace glycine::storage {

/// A checksum (XXH3) of the contents of several files, for runs that are resumed; it does not resist
/// adversaries. Changes if a byte changes or moves from one file to the next. Throws InputError for a file
/// that cannot be read.
std::uint64_t contentHash(const std::vector<std::filesystem::path>& files);

}  // namespace glycine::storage
