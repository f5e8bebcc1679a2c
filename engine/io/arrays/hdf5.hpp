#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/module.hpp"
#include "engine/core/tiling.hpp"

/// HDF5 files, read by the HDF5 library. Names are paths within the file: "obs/_index".
namespace glycine::io {

/// Kinds of elements of a dataset.
enum class Hdf5Kind { Numbers, Text, Other };

/// A dataset of a file.
class Hdf5Dataset {
  public:
    virtual ~Hdf5Dataset() = default;

    /// For messages: "cells.h5ad: dataset 'X/data'".
    virtual std::string place() const = 0;
    virtual Hdf5Kind kind() const = 0;
    virtual bool isWhole() const = 0;       ///< elements are integers
    virtual std::string words() const = 0;  ///< type of the elements: "text", "float32"
    virtual const std::vector<std::size_t>& shape() const = 0;
    /// Extents of the chunks in which the file stores the dataset; each chunk is unpacked as a whole. 1 in
    /// every direction for contiguous storage.
    virtual const std::vector<std::size_t>& pieces() const = 0;

    /// Reads the elements of a part, one range per direction, in row-major order. `target` must have room for
    /// all of them. Throws InputError if elements are no numbers, cannot be read, or exceed what a double
    /// holds exactly.
    virtual void readNumbers(std::span<const Range> part, double* target) const = 0;
    /// The same for integers; values beyond the largest std::int64_t saturate.
    virtual void readWholeNumbers(std::span<const Range> part, std::int64_t* target) const = 0;
    /// Reads all texts of a one-dimensional dataset. Throws InputError for any other dataset.
    virtual std::vector<std::string> readTexts() const = 0;
    /// Names of the objects that the elements, which are references, point to; empty for null references.
    /// Throws InputError if the elements are no object references.
    virtual std::vector<std::string> readReferences() const = 0;
};

/// A file opened for reading.
class Hdf5File {
  public:
    virtual ~Hdf5File() = default;

    virtual const std::filesystem::path& path() const = 0;
    /// Whether an object of this name exists.
    virtual bool has(const std::string& name) const = 0;
    virtual bool isGroup(const std::string& name) const = 0;
    /// Names within a group, in alphabetical order. Throws InputError if the group does not exist.
    virtual std::vector<std::string> children(const std::string& group) const = 0;
    /// Throws InputError if the dataset does not exist. The result may outlive the file.
    virtual std::unique_ptr<Hdf5Dataset> dataset(const std::string& name) const = 0;
    /// A text attribute; nothing if `object` has no attribute of this name, or one of another kind.
    virtual std::optional<std::string> text(const std::string& object,
                                            const std::string& attribute) const = 0;
    /// The same for an attribute of integers.
    virtual std::optional<std::vector<std::int64_t>> wholeNumbers(const std::string& object,
                                                                  const std::string& attribute) const = 0;
};

/// Throws InputError if the file cannot be opened, is damaged, or is no HDF5 file. Throws UnavailableError if
/// the HDF5 library cannot be loaded.
std::unique_ptr<Hdf5File> openHdf5(const std::filesystem::path& path);

/// The module `hdf5`: the functions that use the HDF5 library.
struct Hdf5Module {
    const char* build;
    std::unique_ptr<Hdf5File> (*open)(const std::filesystem::path& path);
};

}  // namespace glycine::io
