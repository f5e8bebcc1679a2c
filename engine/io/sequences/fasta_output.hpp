#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace glycine::io {

/// Writes FASTA, atomically: a line with the name of each sequence, then its letters, 60 a line.
void writeFasta(const std::filesystem::path& path, std::span<const std::string> names,
                std::span<const std::string> letters);

}  // namespace glycine::io
