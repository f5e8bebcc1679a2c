#pragma once

#include <filesystem>

namespace glycine::crossapen {

/// How a name in a table stands for a file; a later one fits better.
enum class NameFit {
    None,
    Stem,  ///< the file's name without extension, and without ".gz"
    Name,  ///< the file's name
    Path   ///< its path, from the working folder or from the table's own
};
NameFit fitOf(const std::filesystem::path& listed, const std::filesystem::path& table,
              const std::filesystem::path& file);

}  // namespace glycine::crossapen
