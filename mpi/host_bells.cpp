#include "mpi/host_bells.hpp"

#include <algorithm>
#include <atomic>

#include "engine/core/system/futex.hpp"

namespace glycine {

namespace {

/// A line of the cache for each process.
constexpr std::size_t kBytes = 64;

}  // namespace

GrowingSleep::Time GrowingSleep::next() {
    last_ = std::clamp(last_ + last_ / 4, shortest_, longest_);
    return last_;
}

std::size_t HostBells::bytesFor(std::size_t processes) {
    return kBytes * processes;
}

std::uint32_t& HostBells::bell(std::size_t place) const {
    return *reinterpret_cast<std::uint32_t*>(memory_ + kBytes * place);
}

void HostBells::ring(std::size_t place) const {
    ++std::atomic_ref(bell(place));
    wakeAll(bell(place));
}

std::uint32_t HostBells::rings() const {
    return std::atomic_ref(bell(place_)).load();
}

void HostBells::wait(std::uint32_t rings, std::chrono::microseconds longest) const {
    waitWhile(bell(place_), rings, longest);
}

}  // namespace glycine
