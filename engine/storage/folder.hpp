#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Files and folders as the system presents them, and its messages for failures.

namespace glycine::storage {

/// "PATH: cannot write: No space left on device". `code` is an errno value.
std::string systemErrorText(const std::filesystem::path& path, std::string_view action, int code);
/// Throws Error with that text.
[[noreturn]] void throwSystemError(const std::filesystem::path& path, std::string_view action, int code);

/// The descriptor of an open file, closed by the destructor.
class Descriptor {
  public:
    /// A negative number means none.
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    bool isOpen() const { return number_ >= 0; }
    /// Returns the result of the system call: 0, or -1 with errno.
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

/// A folder, opened once: operations in it do not depend on where its path leads later. Names are entries of
/// the folder; links are never followed.
class Folder {
  public:
    /// Not open if the folder does not exist or cannot be entered; errno then has the reason.
    explicit Folder(const std::filesystem::path& path);
    /// The folder that holds `file`. Throws Error, naming `file`.
    static Folder of(const std::filesystem::path& file);

    bool isOpen() const { return descriptor_.isOpen(); }

    /// A new, empty, nameless file for reading and writing; the system frees it when the process ends. Not
    /// open, with errno, on failure; EOPNOTSUPP if the system makes no nameless files that `giveName` can
    /// name.
    Descriptor makeNameless(mode_t permissions) const;
    /// The same with a name that is unique per call, returned in `name`. The file is locked (flock), which
    /// distinguishes it from leftovers of killed processes.
    Descriptor makeTemporary(mode_t permissions, std::string& name) const;
    /// ".glycine-123-0.tmp", where 123 is this process.
    static std::string temporaryName();
    /// Removes files of makeTemporary that killed processes have left.
    void removeLeftovers() const;
    /// Opens an entry, with O_NOFOLLOW. Not open, with errno, on failure.
    Descriptor open(const std::string& name, int flags, mode_t permissions = 0) const;
    /// Gives a file of this folder another name, or a nameless file its first. Returns false, with errno, on
    /// failure: EEXIST if the name is taken.
    bool giveName(const Descriptor& file, const std::string& name) const;
    /// Returns false, with errno, on failure.
    bool rename(const std::string& from, const std::string& to) const;
    bool remove(const std::string& name) const;

    /// The entries, in no particular order; empty if the folder cannot be read.
    std::vector<std::string> names() const;
    /// The status of the entry; nothing if there is none.
    std::optional<struct stat> find(const std::string& name) const;
    /// Whether this folder is the one that `status` describes.
    bool isSame(const struct stat& status) const;
    /// Whether the name refers to this open file.
    bool isAt(const std::string& name, const Descriptor& file) const;
    /// The owner of files that this process creates here; on some network folders not its own user.
    uid_t ownerOfNewFiles() const;
    /// Flushes the names to the disk. Does nothing on a file system that cannot.
    void flush() const;

  private:
    Descriptor descriptor_;
};

/// For tests: simulates file systems on which Folder::makeNameless and Folder::giveName fail.
void pretendNoNamelessFiles(bool pretend);

/// A file that this program keeps next to the user's, under a name that may already be in use. It is created
/// only if nothing has that name, and reused only if it is a regular file of this user with no other name.
/// Links are not followed.
///
/// Another program may remove the name or reuse it. The open file stays the same, and nothing else is removed
/// or renamed in its place.
class OwnFile {
  public:
    /// The file at `path`, open for reading and writing; nothing if there is none. Throws UsageError for a
    /// symbolic link, a folder, a device, a pipe, a file with several names (hard links) and a file of
    /// another user. Throws Error with the system's message for other failures.
    static std::optional<OwnFile> find(const std::filesystem::path& path);
    /// Throws as `find` does, without opening the file. Returns whether anything exists there.
    static bool check(const std::filesystem::path& path);
    /// Creates the file; with `contents`, it appears once they are on the disk. Returns nothing if the name
    /// is taken. Throws Error.
    static std::optional<OwnFile> make(const std::filesystem::path& path, std::string_view contents = {});

    const std::filesystem::path& path() const { return path_; }
    const Descriptor& descriptor() const { return file_; }
    int number() const { return file_.number(); }
    /// Whether the name still refers to this file.
    bool isInPlace() const { return folder_.isAt(name_, file_); }
    /// Renames the file within its folder, replacing a regular file. Returns false if the file is no longer
    /// in place. Throws Error.
    bool rename(const std::filesystem::path& target);
    /// Removes the name if it refers to this file, and closes the file.
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
