#include "engine/core/shared_items.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/system/futex.hpp"
#include "engine/core/tiling.hpp"

namespace glycine {

namespace {

constexpr std::size_t kLine = 64;
/// States of an item. Memory begins with zeros.
enum State : std::uint32_t { kOpen, kBegun, kAwaited, kMade };

std::size_t firstItem(std::size_t items) {
    return roundUp(items * sizeof(std::uint32_t), kLine);
}

/// Maps the pages of a block at once: page by page, the first accesses may take longer than the work.
void mapPages(std::byte* begin, std::size_t bytes, bool isWritten) {
#ifdef MADV_POPULATE_WRITE
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
    const std::uintptr_t end = roundUp(reinterpret_cast<std::uintptr_t>(begin) + bytes, page);
    // A failure is harmless (an older system): the first accesses map the pages.
    ::madvise(reinterpret_cast<void*>(first), end - first,
              isWritten ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
#endif
}

}  // namespace

std::size_t SharedItems::bytesFor(std::size_t items, std::size_t itemBytes) {
    return firstItem(items) + items * roundUp(itemBytes, kLine);
}

SharedItems::SharedItems(std::shared_ptr<std::byte> memory, std::size_t items, std::size_t itemBytes)
    : memory_(std::move(memory)), items_(items), itemBytes_(roundUp(itemBytes, kLine)), areMapped_(items) {}

std::byte* SharedItems::data(std::size_t item) const {
    return memory_.get() + firstItem(items_) + item * itemBytes_;
}

std::uint32_t& SharedItems::state(std::size_t item) const {
    return reinterpret_cast<std::uint32_t*>(memory_.get())[item];
}

bool SharedItems::begin(std::size_t item) const {
    std::uint32_t expected = kOpen;
    return std::atomic_ref(state(item)).compare_exchange_strong(expected, kBegun);
}

void SharedItems::setState(std::span<const std::size_t> items, std::uint32_t to) const {
    for (const std::size_t item : items)
        if (std::atomic_ref(state(item)).exchange(to) == kAwaited) wakeAll(state(item));
}

void SharedItems::makeBegun(std::span<const std::size_t> items,
                            const std::function<void(std::span<const std::size_t>)>& make) {
    if (items.empty()) return;
    for (const std::size_t item : items) {
        mapPages(data(item), itemBytes_, true);
        areMapped_[item] = true;
    }
    try {
        make(items);
    } catch (...) {
        setState(items, kOpen);
        throw;
    }
    setState(items, kMade);
}

void SharedItems::complete(std::span<const std::size_t> wanted, std::size_t atOnce,
                           const std::function<void(std::span<const std::size_t>)>& make) {
    std::vector<std::size_t> own, others;
    own.reserve(atOnce);
    others.reserve(wanted.size());
    for (const std::size_t item : wanted) {
        if (begin(item))
            own.push_back(item);
        else
            others.push_back(item);
        if (own.size() < atOnce) continue;
        makeBegun(own, make);
        own.clear();
    }
    makeBegun(own, make);
    for (const std::size_t item : others) {
        std::atomic_ref<std::uint32_t> now(state(item));
        while (now.load() != kMade) {
            throwIfCancellationRequested();
            if (begin(item)) {
                makeBegun({&item, 1}, make);
                break;
            }
            std::uint32_t expected = kBegun;
            now.compare_exchange_strong(expected, kAwaited);
            waitWhile(state(item), kAwaited, std::chrono::milliseconds(100));
        }
        if (!areMapped_[item]) mapPages(data(item), itemBytes_, false);
        areMapped_[item] = true;
    }
}

}  // namespace glycine
