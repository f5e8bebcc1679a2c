#include "engine/core/cancellation.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

namespace glycine {

namespace {

constexpr int kExitCode = 130;

std::atomic<bool> requested{false};
std::atomic<bool (*)()> requestSource{nullptr};
std::atomic<bool> reported{false};
std::atomic<bool> hasTerminal{false};
timer_t deadline{};
std::atomic<bool> hasDeadline{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

/// Names of files to remove. No run has more open at a time; a file that finds no slot is left to the next
/// run.
constexpr std::size_t kSlots = 64;
std::array<std::atomic<const char*>, kSlots> discarded{};

void say(std::string_view text) {
    // A failed write is ignored.
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// Uses only what POSIX allows in a signal handler.
[[noreturn]] void abandon() {
    for (const std::atomic<const char*>& slot : discarded)
        if (const char* path = slot.load(); path != nullptr) ::unlink(path);
    // Folders are empty now.
    for (const std::atomic<const char*>& slot : discarded)
        if (const char* path = slot.load(); path != nullptr) ::rmdir(path);
    if (!reported) {
        if (hasTerminal) say("\r\033[K");
        say("glycine: cancelled in the middle of a step; no output file is incomplete, and what a long run "
            "has finished is kept\n");
    }
    ::_exit(kExitCode);
}

extern "C" void requestCancellation(int) {
    if (requested.exchange(true)) abandon();
    itimerspec time{};
    time.it_value.tv_sec = kStopMilliseconds / 1000;
    time.it_value.tv_nsec = kStopMilliseconds % 1000 * 1'000'000L;
    const int before = errno;
    if (hasDeadline) (void)::timer_settime(deadline, 0, &time, nullptr);
    errno = before;
}

extern "C" void endProcess(int) {
    abandon();
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    // Libraries must not mistake an interrupted call for a failure.
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

/// The stop requested by the environment; written once, before other threads exist.
struct StopRequest {
    bool isGiven = false;
    StopPoint point = StopPoint::Poll;
    std::uint64_t number = 0;  ///< 0: never
    int signal = SIGINT;
};
StopRequest stopRequest;
std::atomic<std::uint64_t> passed{0};

/// Intervals between polls, on the system's own clock even if tests hold ours.
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

void installCancellationHandler() {
    installStopPoints();
    hasTerminal = ::isatty(STDERR_FILENO) != 0;
    struct sigevent event {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    handle(SIGALRM, endProcess);
    hasDeadline = !stopsByItselfOnly() && ::timer_create(CLOCK_MONOTONIC, &event, &deadline) == 0;
    handle(SIGINT, requestCancellation);
    handle(SIGTERM, requestCancellation);
}

void setCancellationSource(bool (*isRequested)()) {
    requestSource = isRequested;
}

bool cancellationRequested() {
    passStopPoint(StopPoint::Poll);
    if (requested) return true;
    bool (*const isRequested)() = requestSource;
    return isRequested != nullptr && isRequested();
}

void throwIfCancellationRequested() {
    if (cancellationRequested()) throw CancelledError();
}

void cancellationReported() {
    reported = true;
}

DiscardOnAbort::DiscardOnAbort(const std::filesystem::path& file) : slot_(kSlots) {
    // Absolute, in case the working folder changes. Never freed, because the handler may be reading it.
    const std::string name = std::filesystem::absolute(file).string();
    char* const kept = ::strdup(name.c_str());
    if (kept == nullptr) return;
    for (std::size_t i = 0; i < kSlots; ++i) {
        const char* empty = nullptr;
        if (!discarded[i].compare_exchange_strong(empty, kept)) continue;
        slot_ = i;
        return;
    }
}

DiscardOnAbort::~DiscardOnAbort() {
    if (slot_ < kSlots) discarded[slot_] = nullptr;
}

void installStopPoints() {
    if (const char* text = std::getenv("GLYCINE_STOP_AT"); text != nullptr) stopRequest = parse(text);
    if (const char* file = std::getenv("GLYCINE_POLL_REPORT"); file != nullptr && pollTimes == nullptr) {
        pollTimes = new PollTimes;
        pollTimes->file = file;
        std::atexit([] { pollTimes->write(); });
    }
}

bool stopsByItselfOnly() {
    return stopRequest.isGiven;
}

void passStopPoint(StopPoint point) {
    if (pollTimes != nullptr && point == StopPoint::Poll) pollTimes->note();
    if (stopRequest.number == 0 || stopRequest.point != point) return;
    if (++passed == stopRequest.number) std::raise(stopRequest.signal);
}

}  // namespace glycine
