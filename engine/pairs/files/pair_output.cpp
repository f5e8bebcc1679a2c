#include "engine/pairs/files/pair_output.hpp"

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine::pairs {

bool PairOutput::isKeptInFile(const std::filesystem::path& first, const PairFormat& format,
                              std::size_t tile) {
    return format.layout.instances > tile && !storage::isStandardOutput(first);
}

std::size_t PairOutput::bytesInMemory(const std::filesystem::path& first, const PairFormat& format,
                                      std::size_t tile) {
    return isKeptInFile(first, format, tile) ? 0 : storedBytes(format.layout, format.type);
}

PairOutput::PairOutput(const std::filesystem::path& first, const PairFormat& format, std::size_t tile,
                       const std::function<std::string()>& identity, bool restart)
    : first_(first),
      survivesStop_(isKeptInFile(first, format, tile)),
      becomesFirst_(survivesStop_ && lowerCase(first.extension().string()) == ".npy") {
    if (!survivesStop_)
        store_ = std::make_unique<PairStore>(format);
    else
        store_ = std::make_unique<PairStore>(
            first, identity(), format, becomesFirst_ ? npyHeader(format.layout, format.type) : "", restart);
}

void PairOutput::fill(const std::function<void(PairStore& store)>& compute) {
    try {
        runKeepingValues([&] { compute(*store_); });
    } catch (const UsageError&) {
        store_->discard();
        throw;
    }
}

void PairOutput::runKeepingValues(const std::function<void()>& work) {
    try {
        work();
    } catch (const UnreadableInputError&) {
        throw;
    } catch (const InputError&) {
        store_->discard();
        throw;
    } catch (const CancelledError&) {
        if (!store_->outlivesStop()) throw;
        throw storage::resumableStop("tiles", first_);
    }
}

void PairOutput::finish() {
    if (becomesFirst_)
        store_->becomeOutput();
    else
        store_->discard();
}

}  // namespace glycine::pairs
