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

/// What the elements of a dataset are.
enum class Hdf5Kind { Numbers, Text, Other };

/// An array in a file, which is open.
class Hdf5Dataset {
  public:
    virtual ~Hdf5Dataset() = default;

    /// For messages: "cells.h5ad: dataset 'X/data'".
    virtual std::string place() const = 0;
    virtual Hdf5Kind kind() const = 0;
    virtual bool isWhole() const = 0;       ///< whole numbers
    virtual std::string words() const = 0;  ///< what the elements are: "text", "float32"
    virtual const std::vector<std::size_t>& shape() const = 0;
    /// Extents of the pieces in which the file holds it, each of which is unpacked as a whole; 1 in every
    /// direction where it lies in one piece.
    virtual const std::vector<std::size_t>& pieces() const = 0;

    /// Elements of a part, a range in each direction, in row-major order; `target` has room for all of them.
    /// Throws InputError where they are no numbers, cannot be read, or are beyond what a double holds
    /// exactly.
    virtual void readNumbers(std::span<const Range> part, double* target) const = 0;
    /// The same of whole numbers; one beyond the largest of the type becomes that.
    virtual void readWholeNumbers(std::span<const Range> part, std::int64_t* target) const = 0;
    /// Of one direction: all of its texts. Throws InputError for anything else.
    virtual std::vector<std::string> readTexts() const = 0;
    /// Names of the objects that all elements, references, point to; empty where one points nowhere. Throws
    /// InputError where they are no references to objects.
    virtual std::vector<std::string> readReferences() const = 0;
};

/// A file opened for reading.
class Hdf5File {
  public:
    virtual ~Hdf5File() = default;

    virtual const std::filesystem::path& path() const = 0;
    /// Whether there is an object of this name.
    virtual bool has(const std::string& name) const = 0;
    virtual bool isGroup(const std::string& name) const = 0;
    /// Names within a group, in alphabetical order. Throws InputError where there is no such group.
    virtual std::vector<std::string> children(const std::string& group) const = 0;
    /// Throws InputError where there is no such dataset. It may outlive the file.
    virtual std::unique_ptr<Hdf5Dataset> dataset(const std::string& name) const = 0;
    /// An attribute that is a text; nothing where `object` has none of this name, or one of another kind.
    virtual std::optional<std::string> text(const std::string& object,
                                            const std::string& attribute) const = 0;
    /// The same of an attribute that is some whole numbers.
    virtual std::optional<std::vector<std::int64_t>> wholeNumbers(const std::string& object,
                                                                  const std::string& attribute) const = 0;
};

/// Throws InputError when the file cannot be opened, or is damaged or no HDF5 file; UnavailableError where
/// the HDF5 library cannot be loaded.
std::unique_ptr<Hdf5File> openHdf5(const std::filesystem::path& path);

/// The module `hdf5`: what the HDF5 library does.
struct Hdf5Module {
    const char* build;
    std::unique_ptr<Hdf5File> (*open)(const std::filesystem::path& path);
};

}  // namespace glycine::io
