#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "engine/storage/descriptor.hpp"

namespace glycine::storage {

/// A folder, opened once: what is made, found and removed in it does not depend on what its path leads to
/// later. Names are those of entries in it; links are never followed.
class Folder {
  public:
    /// Not open where there is none or it may not be entered; errno then says why.
    explicit Folder(const std::filesystem::path& path);
    /// The one that holds `file`. Throws Error, naming that.
    static Folder of(const std::filesystem::path& file);

    bool isOpen() const { return descriptor_.isOpen(); }

    /// A new, empty file without a name, for reading and writing: the system frees it when the process ends.
    /// Not open, with errno, where there cannot be one; EOPNOTSUPP where this system makes none that
    /// `giveName` could name.
    Descriptor makeNameless(mode_t permissions) const;
    /// The same with a name that is different at each call, put into `name`. It is locked (flock), which
    /// tells it from what a killed process has left.
    Descriptor makeTemporary(mode_t permissions, std::string& name) const;
    /// ".glycine-123-0.tmp", where 123 is this process.
    static std::string temporaryName();
    /// Removes what killed processes have left of makeTemporary.
    void removeLeftovers() const;
    /// Opens an entry, with O_NOFOLLOW. Not open, with errno, where that fails.
    Descriptor open(const std::string& name, int flags, mode_t permissions = 0) const;
    /// Gives a file of this folder a further name; a nameless one its first. False, with errno, where that
    /// fails: EEXIST when the name is taken.
    bool giveName(const Descriptor& file, const std::string& name) const;
    /// False, with errno, where that fails.
    bool rename(const std::string& from, const std::string& to) const;
    bool remove(const std::string& name) const;

    /// What stands at a name; nothing where nothing does.
    std::optional<struct stat> find(const std::string& name) const;
    /// Whether the name leads to this open file.
    bool isAt(const std::string& name, const Descriptor& file) const;
    /// The owner that files have which this process makes here: on some network folders not its own user.
    uid_t ownerOfNewFiles() const;
    /// Brings the names to the disk. A file system that cannot do this has nothing to flush.
    void flush() const;

  private:
    Descriptor descriptor_;
};

/// For tests: file systems as some are, on which Folder::makeNameless and Folder::giveName fail.
void pretendNoNamelessFiles(bool pretend);

}  // namespace glycine::storage
