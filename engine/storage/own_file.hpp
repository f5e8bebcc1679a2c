#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/descriptor.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::storage {

/// A file that this program keeps next to the user's, at a name that may stand for something else: it is made
/// only where nothing is, and used again only where a regular file of this user with no other name is. Links
/// are not followed.
///
/// Another program may take the name away, or put something else there: the open file stays what it is, and
/// nothing else is removed or renamed in its place.
class OwnFile {
  public:
    /// The file at `path`, open for reading and writing; nothing where nothing is there. Throws UsageError
    /// for a symbolic link, a folder, a device, a pipe, a file with several names (hard links) and a file of
    /// another user; Error in the system's own words.
    static std::optional<OwnFile> find(const std::filesystem::path& path);
    /// Throws as `find`, without opening the file. Whether something is there.
    static bool check(const std::filesystem::path& path);
    /// Makes the file; with `contents` it appears when they are on the disk. Nothing where something is
    /// there. Throws Error.
    static std::optional<OwnFile> make(const std::filesystem::path& path, std::string_view contents = {});

    const std::filesystem::path& path() const { return path_; }
    const Descriptor& descriptor() const { return file_; }
    int number() const { return file_.number(); }
    /// Whether the name still leads to it.
    bool isInPlace() const { return folder_.isAt(name_, file_); }
    /// Renames it within its folder, over a regular file that may be there; false where it is not in place
    /// any more. Throws Error.
    bool rename(const std::filesystem::path& target);
    /// Takes the name away where it leads to the file, and closes it.
    void remove();

  private:
    OwnFile(std::filesystem::path path, Folder folder)
        : path_(std::move(path)), name_(path_.filename().string()), folder_(std::move(folder)) {}

    std::filesystem::path path_;
    std::string name_;
    Folder folder_;
    Descriptor file_;
};

}  // namespace glycine::storage
