#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/core/host_memory.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::bounds::cpu {

/// Memory for blocks, not initialised, on a boundary of 64 bytes.
class BlockMemory {
  public:
    enum class Where {
        Memory,
        /// In a file without a name in the folder of temporary files ($TMPDIR): the system keeps in memory
        /// what it has room for.
        Disk,
    };

    BlockMemory() = default;
    /// Throws std::bad_alloc; Error where the disk has no room.
    BlockMemory(std::size_t bytes, Where where);
    std::byte* data() const { return file_ ? file_->mapping.bytes().data() : memory_->data(); }

  private:
    struct File {
        explicit File(std::size_t bytes);
        storage::OwnFile file;
        storage::WorkingFile mapping;
    };
    std::optional<LargeArray> memory_;
    std::unique_ptr<File> file_;
};

}  // namespace glycine::bounds::cpu
