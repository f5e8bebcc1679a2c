#include "engine/core/system/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace glycine {

void waitWhile(const std::uint32_t& word, std::uint32_t value, std::chrono::microseconds longest) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
    const timespec limit{seconds.count(), std::chrono::nanoseconds(longest - seconds).count()};
    // Returns early if the value differs already, and for a signal.
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wakeAll(const std::uint32_t& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace glycine
