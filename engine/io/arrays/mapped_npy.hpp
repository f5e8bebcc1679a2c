#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "engine/core/matrix.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

/// A matrix of numbers that stays in its .npy file: a row is read when it is touched, so a process reads only
/// the rows that it needs.
class MappedNpy {
  public:
    /// `header` describes `path`. Null for arrays that have to be copied: without elements, columns first, in
    /// the other byte order, or not aligned. Throws InputError if the file cannot be opened or mapped.
    static std::unique_ptr<MappedNpy> open(const std::filesystem::path& path, const NpyHeader& header) {
        if (header.fortranOrder || header.elements() == 0) return nullptr;
        auto file = std::make_unique<storage::MappedFile>(path);
        const std::optional<NpyValues> values = npyValuesInPlace(file->bytes(), header);
        if (!values) return nullptr;
        return std::unique_ptr<MappedNpy>(new MappedNpy(std::move(file), *values, header));
    }

    const NpyValues& values() const { return values_; }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    /// Throws std::bad_variant_access if the elements have another type.
    template <class Number>
    MatrixView<const Number> view() const {
        return {std::get<std::span<const Number>>(values_).data(), rows_, columns_};
    }
    /// MappedFile::requireUnchanged: whatever was read before this call is valid if it returns.
    void requireUnchanged() const { file_->requireUnchanged(); }

  private:
    MappedNpy(std::unique_ptr<storage::MappedFile> file, NpyValues values, const NpyHeader& header)
        : file_(std::move(file)), values_(values), rows_(header.shape[0]), columns_(header.shape[1]) {}

    std::unique_ptr<storage::MappedFile> file_;
    NpyValues values_;
    std::size_t rows_;
    std::size_t columns_;
};

}  // namespace glycine::io
