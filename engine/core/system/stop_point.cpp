#include "engine/core/stop_point.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

namespace glycine {

namespace {

/// What the environment asks for; written once, before there are other threads.
struct StopRequest {
    bool isGiven = false;
    StopPoint point = StopPoint::Poll;
    std::uint64_t number = 0;  ///< 0: never
    int signal = SIGINT;
};
StopRequest asked;
std::atomic<std::uint64_t> passed{0};

/// How polls follow each other. On the system's own clock, whatever the tests make of ours.
struct PollTimes {
    using Time = std::chrono::steady_clock::time_point;
    std::string file;
    std::mutex mutex;
    std::uint64_t count = 0;
    Time first;
    Time last;
    std::chrono::duration<double> longest{0};

    void note() {
        const std::lock_guard lock(mutex);
        const Time now = std::chrono::steady_clock::now();
        if (count++ == 0)
            first = now;
        else
            longest = std::max(longest, std::chrono::duration<double>(now - last));
        last = now;
    }
    void write() {
        const std::lock_guard lock(mutex);
        std::FILE* const out = std::fopen(file.c_str(), "w");
        if (out == nullptr) return;
        std::fprintf(out, "%llu %.6f %.6f\n", static_cast<unsigned long long>(count), longest.count(),
                     std::chrono::duration<double>(last - first).count());
        std::fclose(out);
    }
};
PollTimes* pollTimes = nullptr;  // never freed: threads may poll while the process ends

StopRequest parse(std::string_view text) {
    StopRequest parsed{.isGiven = true};
    if (text.starts_with("entry:"))
        parsed.point = StopPoint::Entry;
    else if (!text.starts_with("poll:"))
        return parsed;
    parsed.number = std::strtoull(text.data() + text.find(':') + 1, nullptr, 10);
    if (text.ends_with(":kill")) parsed.signal = SIGKILL;
    if (text.ends_with(":pause")) parsed.signal = SIGSTOP;
    return parsed;
}

}  // namespace

void installStopPoints() {
    if (const char* text = std::getenv("GLYCINE_STOP_AT"); text != nullptr) asked = parse(text);
    if (const char* file = std::getenv("GLYCINE_POLL_REPORT"); file != nullptr && pollTimes == nullptr) {
        pollTimes = new PollTimes;
        pollTimes->file = file;
        std::atexit([] { pollTimes->write(); });
    }
}

bool stopsByItselfOnly() {
    return asked.isGiven;
}

void passStopPoint(StopPoint point) {
    if (pollTimes != nullptr && point == StopPoint::Poll) pollTimes->note();
    if (asked.number == 0 || asked.point != point) return;
    if (++passed == asked.number) std::raise(asked.signal);
}

}  // namespace glycine
