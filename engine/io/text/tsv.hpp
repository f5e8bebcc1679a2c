#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/io/text/buffered_text.hpp"

namespace glycine::io {

/// Writes a table of atom pairs as tab-separated values: columns i, j (counted from 1), atom_i, atom_j (only
/// when names are known), lower, upper (Å, shortest decimal form that reads back to the same double; "inf"
/// for unknown). The file appears with `commit`.
class PairTableWriter {
  public:
    /// `atomNames` is empty or has a name for every index used, and outlives the writer.
    PairTableWriter(const std::filesystem::path& path, std::span<const std::string> atomNames);
    /// i and j count from 0.
    void add(std::size_t i, std::size_t j, double lower, double upper);
    void commit();

  private:
    BufferedText file_;
    std::span<const std::string> atomNames_;
};

}  // namespace glycine::io
