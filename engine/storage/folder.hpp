#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Files and folders as the system sees them, and what it says where it fails.

namespace glycine::storage {

/// "PATH: cannot write: No space left on device". `code` is an errno value.
std::string systemErrorText(const std::filesystem::path& path, std::string_view action, int code);
/// Throws Error with that text.
[[noreturn]] void throwSystemError(const std::filesystem::path& path, std::string_view action, int code);

/// The number of an open file, closed by the destructor.
class Descriptor {
  public:
    /// Below 0: none.
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    bool isOpen() const { return number_ >= 0; }
    /// Returns what the system does: 0, or -1 with errno.
    int close();

  private:
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }

    int number_;
};

/// Writes all bytes at the present position. Throws Error, naming `path`: "PATH: cannot ACTION: …".
void writeAll(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
              std::string_view action = "write");

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

    /// What stands in it, in no order; nothing where it cannot be read.
    std::vector<std::string> names() const;
    /// What stands at a name; nothing where nothing does.
    std::optional<struct stat> find(const std::string& name) const;
    /// Whether it is the folder of which the system said this.
    bool isSame(const struct stat& status) const;
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
