#include "engine/bounds/cpu/block_memory.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::bounds::cpu {

namespace {

storage::OwnFile makeFile() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) throw Error("$TMPDIR: " + error.message() + "; expected a folder for blocks of the matrices");
    for (;;)
        if (auto file = storage::OwnFile::make(folder / storage::Folder::temporaryName()))
            return std::move(*file);
}

}  // namespace

BlockMemory::File::File(std::size_t bytes) : file(makeFile()), mapping(file, bytes, false) {
    // The system frees it when the process ends, however that comes.
    std::error_code ignored;
    std::filesystem::remove(file.path(), ignored);
}

BlockMemory::BlockMemory(std::size_t bytes, Where where) {
    bytes = std::max<std::size_t>(bytes, 1);
    if (where == Where::Disk)
        file_ = std::make_unique<File>(bytes);
    else
        memory_.emplace(bytes);
}

}  // namespace glycine::bounds::cpu
