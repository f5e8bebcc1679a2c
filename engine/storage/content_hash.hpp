#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace glycine::storage {

/// A number that tells whether bytes have changed (XXH3), for runs that are resumed; not for adversaries. Of
/// files one after another: it changes when a byte changes or moves from one file to the next. Throws
/// InputError for a file that cannot be read.
std::uint64_t contentHash(const std::vector<std::filesystem::path>& files);

}  // namespace glycine::storage
