#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

/// Numbers that tell whether bytes have changed (XXH3), for runs that are resumed. Not for adversaries.
namespace glycine::storage {

std::uint64_t contentHash(std::span<const std::byte> bytes);

/// Of files one after another. It changes when a byte changes or moves from one file to the next. Throws
/// InputError for a file that cannot be read.
std::uint64_t contentHash(const std::vector<std::filesystem::path>& files);

}  // namespace glycine::storage
