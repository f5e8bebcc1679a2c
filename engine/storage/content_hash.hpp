#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/process_team.hpp"

namespace glycine::storage {

/// A checksum (XXH3) of the contents of several files, for runs that are resumed; it does not resist
/// adversaries. Changes if a byte changes or moves from one file to the next. Throws InputError for a file
/// that cannot be read.
///
/// If all processes of a `team` call it for the same files, each reads only its part of them. Processes that
/// see other files, for example copies on their own disks, read them completely, so that their checksums
/// differ if the contents do.
std::uint64_t contentHash(const std::vector<std::filesystem::path>& files, ProcessTeam* team = nullptr);

/// Whether all processes of the team, which must all call it, see the same files: equal numbers (inodes),
/// sizes and times of modification. Throws InputError for a file that cannot be read.
bool areSameFiles(const std::vector<std::filesystem::path>& files, ProcessTeam& team);

}  // namespace glycine::storage
