#pragma once

#include <filesystem>
#include <string>

#include "engine/storage/descriptor.hpp"

/// Files without a name on the disk: the system frees them when the process ends, however it ends.
namespace glycine::storage {

/// The folder for temporary files: TMPDIR, else /tmp. Throws UsageError where that is no folder.
std::filesystem::path temporaryFolder();

/// A new, empty file in `folder` for reading and writing by this user alone. Where the file system makes none
/// without a name, the name is removed at once. Throws Error with the folder and the system's own words.
Descriptor createNamelessFile(const std::filesystem::path& folder);

/// Lets readers open a file without a name as if it lay at `path`: from now until the object's end.
class NamelessInput {
  public:
    NamelessInput(std::filesystem::path path, Descriptor file);
    NamelessInput(const NamelessInput&) = delete;
    NamelessInput& operator=(const NamelessInput&) = delete;
    ~NamelessInput();

  private:
    std::string path_;
    Descriptor file_;
};

/// What the system's own calls and libraries open to read `path`: another path for a NamelessInput, else
/// `path` itself. InputDescriptor and MappedFile do this by themselves.
std::string openablePath(const std::filesystem::path& path);

}  // namespace glycine::storage
