#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/atomic_file.hpp"

/// What all files of pair values share.
namespace glycine::pairs {

/// Rows that are read and formatted together: as much as a cache holds, but enough to read columns of a
/// triangle in whole lines of the cache.
std::size_t rowsAtOnce(std::size_t instances);

/// Passes the result through `format`, row by row, and writes what it appends to `text` in the order of the
/// rows, packed by gzip where the file's name ends in .gz. values[j] is the value in column j; of a triangle
/// for j ≤ row only, of the condensed form for j ≥ row. `format` is called from several threads; a few rows
/// at a time are in memory. Progress is in rows, under the stage "writing NAME".
void writeRows(storage::AtomicFile& file, const PairStore& store, StoreLayout part, Progress& progress,
               const std::function<void(std::size_t row, const double* values, std::string& text)>& format);

/// The text as a file of this name holds it: packed by gzip where the name ends in .gz.
std::string packedFor(const std::filesystem::path& file, std::string text);

/// Writes `value` as io::writeShortest does, as a number of the value type; at most io::kNumberChars bytes.
char* writeValue(char* out, double value, ValueType type);

/// `name` with each of the `separators` turned into '_'.
std::string nameWithout(std::string_view separators, std::string name);

/// The names as a file can hold them: each of the `separators` becomes '_'. Throws InputError when that makes
/// two names equal, or leaves one empty.
std::vector<std::string> namesWithout(std::string_view separators, std::span<const std::string> names,
                                      const std::filesystem::path& file);

}  // namespace glycine::pairs
