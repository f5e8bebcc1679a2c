#include "engine/storage/mapping_guard.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace glycine::storage {

/// Written by threads under a lock, read by the signal handler at any moment. Ranges are never freed: an
/// unused one is empty and reused by the next guard.
struct MappingGuard::Range {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> isBroken{false};
    std::atomic<int> protection{PROT_READ};
    bool isInUse = false;
    Range* next = nullptr;
};

namespace {

std::atomic<MappingGuard::Range*> ranges{nullptr};
std::mutex rangesMutex;
struct sigaction previousAction;
std::uintptr_t pageSize = 4096;

/// Replaces the lost pages of a guarded range with zeros. mmap is a plain system call, hence safe here.
bool replacePages(std::uintptr_t address) {
    for (MappingGuard::Range* range = ranges.load(); range != nullptr; range = range->next) {
        const std::uintptr_t end = range->end.load();
        if (address < range->begin.load() || address >= end) continue;
        const std::uintptr_t page = address / pageSize * pageSize;
        range->isBroken.store(true);
        return ::mmap(reinterpret_cast<void*>(page), end - page, range->protection.load(),
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

void onBusError(int number, siginfo_t* info, void* context) {
    const int errorNumber = errno;
    const bool isReplaced = replacePages(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = errorNumber;
    if (isReplaced) return;
    if ((previousAction.sa_flags & SA_SIGINFO) != 0) {
        previousAction.sa_sigaction(number, info, context);
    } else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
        previousAction.sa_handler(number);
    } else {
        // The signal is delivered after this handler returns, and ends the process.
        ::sigaction(SIGBUS, &previousAction, nullptr);
        ::raise(number);
    }
}

void installHandler() {
    pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previousAction);
}

MappingGuard::Range& takeRange() {
    for (MappingGuard::Range* range = ranges.load(); range != nullptr; range = range->next)
        if (!range->isInUse) return *range;
    auto* const range = new MappingGuard::Range;
    range->next = ranges.load();
    ranges.store(range);
    return *range;
}

MappingGuard::Range& guardRange(std::span<const std::byte> mapping, int protection) {
    static std::once_flag installed;
    std::call_once(installed, installHandler);
    const std::lock_guard lock(rangesMutex);
    MappingGuard::Range& range = takeRange();
    range.isInUse = true;
    range.isBroken.store(false);
    range.protection.store(protection);
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
    range.begin.store(begin);
    range.end.store(begin + mapping.size());
    return range;
}

}  // namespace

MappingGuard::MappingGuard(std::span<const std::byte> mapping, bool isWritable)
    : range_(guardRange(mapping, isWritable ? PROT_READ | PROT_WRITE : PROT_READ)) {}

MappingGuard::~MappingGuard() {
    const std::lock_guard lock(rangesMutex);
    range_.end.store(0);
    range_.begin.store(0);
    range_.isInUse = false;
}

bool MappingGuard::isBroken() const {
    return range_.isBroken.load();
}

}  // namespace glycine::storage
