#include "engine/storage/block_store.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"

namespace glycine::storage {

namespace {

/// False where the file ends before them.
bool readBytes(const Descriptor& file, const std::filesystem::path& path, std::size_t begin,
               std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throwSystemError(path, "read", errno);
        if (count == 0) return false;
        begin += static_cast<std::size_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

BlockStore::BlockStore(const std::filesystem::path& path, std::string_view identity, bool restart)
    : run_(std::make_unique<UnfinishedRun>(path, identity, restart)) {
    for (const FinishedTile& block : run_->journal().tiles()) {
        end_ = std::max(end_, block.columns.end);
        blocks_ = std::max(blocks_, block.rows.end);
    }
    // What follows the last block was not entered.
    if (::ftruncate(run_->results().number(), static_cast<off_t>(end_)) != 0)
        throwSystemError(run_->results().path(), "write", errno);
}

BlockStore::~BlockStore() {
    if (run_ && !outlivesStop()) discard();
}

void BlockStore::readKept(const std::function<void(std::span<const std::byte> block)>& visit) {
    const OwnFile& file = run_->results();
    double bytes = 0;
    for (const FinishedTile& block : run_->journal().tiles())
        bytes += static_cast<double>(block.columns.size());
    BackgroundWork work(fmt::format("reading {}", file.path().filename().string()), bytes);
    std::vector<std::byte> read;
    for (const FinishedTile& block : run_->journal().tiles()) {
        work.advance(static_cast<double>(block.columns.size()));
        read.resize(block.columns.size());
        if (readBytes(file.descriptor(), file.path(), block.columns.begin, read) &&
            XXH3_64bits(read.data(), read.size()) == block.checksum)
            visit(read);
    }
}

void BlockStore::append(std::span<const std::byte> block) {
    if (!run_) throw std::logic_error("a store that was discarded takes no blocks");
    if (block.empty()) throw std::logic_error("a block has at least one byte");
    const OwnFile& file = run_->results();
    if (::lseek(file.number(), static_cast<off_t>(end_), SEEK_SET) < 0)
        throwSystemError(file.path(), "write", errno);
    writeAll(file.descriptor(), file.path(), {reinterpret_cast<const char*>(block.data()), block.size()});
    if (::fdatasync(file.number()) != 0) throwSystemError(file.path(), "write", errno);
    const FinishedTile entry{.rows = {blocks_, blocks_ + 1},
                             .columns = {end_, end_ + block.size()},
                             .checksum = XXH3_64bits(block.data(), block.size())};
    run_->journal().enter({&entry, 1});
    ++blocks_;
    end_ += block.size();
}

void BlockStore::discard() {
    if (!run_) return;
    run_->discard();
    run_.reset();
    blocks_ = 0;
}

}  // namespace glycine::storage
