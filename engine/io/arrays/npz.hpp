#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/byte_source.hpp"

/// NumPy's archive of arrays: a ZIP file whose members are NPY files. Uses libzip, and stored_zip.hpp for
/// stored members.
namespace glycine::io {

/// An NPZ file opened for reading. Members may be stored or deflated, of any size (zip64). Their CRC-32 is
/// checked.
class NpzReader {
  public:
    /// Throws InputError if the file cannot be opened or is no ZIP archive.
    explicit NpzReader(const std::filesystem::path& path);
    ~NpzReader();
    NpzReader(const NpzReader&) = delete;
    NpzReader& operator=(const NpzReader&) = delete;

    /// Names of the arrays, without ".npy", in the order of the archive.
    std::vector<std::string> names() const;
    bool contains(std::string_view name) const;
    /// The bytes of an array's NPY file. Throws InputError, listing the existing names, if it is missing. The
    /// source must not outlive the reader.
    std::unique_ptr<ByteSource> open(std::string_view name) const;

  private:
    struct Archive;
    std::unique_ptr<Archive> archive_;
};

/// Collects arrays and writes them as one NPZ file, without compression, in zip64 if a size requires it.
class NpzWriter {
  public:
    /// `write` reads the rows of `source`.
    void add(std::string name, NpyMatrixSource source);
    /// A one-dimensional `<U` array.
    void add(std::string name, const std::vector<std::string>& strings);
    /// Writes the file atomically. Throws Error with path and cause.
    void write(const std::filesystem::path& path) const;

  private:
    struct Member {
        std::string name;
        std::string header;      ///< the NPY header, or the whole array if there is no matrix
        NpyMatrixSource matrix;  ///< rows = 0: none
    };
    std::vector<Member> members_;
};

}  // namespace glycine::io
