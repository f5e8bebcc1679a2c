#pragma once

#include <cstdint>
#include <filesystem>

namespace glycine {

/// Bytes that the limit on address space (`ulimit -v`) leaves this process; as much as 64 bits can say
/// without a limit. `root`: where proc is found, for tests.
std::uint64_t leftOfAddressSpace(const std::filesystem::path& root = "/");

}  // namespace glycine
