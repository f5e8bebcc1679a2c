#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tiling.hpp"

/// HDF5 files, read by the HDF5 library. Names are paths within the file: "obs/_index".
namespace glycine::io {

/// What the elements of a dataset are.
enum class Hdf5Kind { Numbers, Text, Other };

/// An array in a file, which is open.
class Hdf5Dataset {
  public:
    Hdf5Dataset(Hdf5Dataset&&) noexcept;
    ~Hdf5Dataset();

    /// For messages: "cells.h5ad: dataset 'X/data'".
    std::string place() const;
    Hdf5Kind kind() const;
    bool isWhole() const;       ///< whole numbers
    std::string words() const;  ///< what the elements are: "text", "float32"
    const std::vector<std::size_t>& shape() const;
    /// Extents of the pieces in which the file holds it, each of which is unpacked as a whole; 1 in every
    /// direction where it lies in one piece.
    const std::vector<std::size_t>& pieces() const;

    /// Elements of a part, a range in each direction, in row-major order; `target` has room for all of them.
    /// Throws InputError where they are no numbers, cannot be read, or are beyond what a double holds
    /// exactly.
    void readNumbers(std::span<const Range> part, double* target) const;
    /// The same of whole numbers; one beyond the largest of the type becomes that.
    void readWholeNumbers(std::span<const Range> part, std::int64_t* target) const;
    /// Of one direction: all of its texts. Throws InputError for anything else.
    std::vector<std::string> readTexts() const;

  private:
    friend class Hdf5File;
    struct State;
    explicit Hdf5Dataset(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// A file opened for reading.
class Hdf5File {
  public:
    /// Throws InputError when the file cannot be opened, or is damaged or no HDF5 file.
    explicit Hdf5File(const std::filesystem::path& path);
    ~Hdf5File();
    Hdf5File(const Hdf5File&) = delete;
    Hdf5File& operator=(const Hdf5File&) = delete;

    const std::filesystem::path& path() const;
    /// Whether there is an object of this name.
    bool has(const std::string& name) const;
    bool isGroup(const std::string& name) const;
    /// Names within a group, in alphabetical order. Throws InputError where there is no such group.
    std::vector<std::string> children(const std::string& group) const;
    /// Throws InputError where there is no such dataset.
    Hdf5Dataset dataset(const std::string& name) const;
    /// An attribute that is a text; nothing where `object` has none of this name, or one of another kind.
    std::optional<std::string> text(const std::string& object, const std::string& attribute) const;
    /// The same of an attribute that is some whole numbers.
    std::optional<std::vector<std::int64_t>> wholeNumbers(const std::string& object,
                                                          const std::string& attribute) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace glycine::io
