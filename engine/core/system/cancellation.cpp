#include "engine/core/cancellation.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/stop_point.hpp"

namespace glycine {

namespace {

constexpr int kExitCode = 130;

std::atomic<bool> requested{false};
std::atomic<bool> reported{false};
std::atomic<bool> hasTerminal{false};
timer_t deadline{};
std::atomic<bool> hasDeadline{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

/// Names of files to remove. More are open at a time in no run; one that finds no slot is left to the next
/// run.
constexpr std::size_t kSlots = 64;
std::array<std::atomic<const char*>, kSlots> discarded{};

void say(std::string_view text) {
    // What cannot be said is not said.
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// Only what POSIX allows in a signal handler.
[[noreturn]] void abandon() {
    for (const std::atomic<const char*>& slot : discarded)
        if (const char* path = slot.load(); path != nullptr) ::unlink(path);
    // Folders are empty by now.
    for (const std::atomic<const char*>& slot : discarded)
        if (const char* path = slot.load(); path != nullptr) ::rmdir(path);
    if (!reported) {
        if (hasTerminal) say("\r\033[K");
        say("glycine: cancelled in the middle of a step; no output file is incomplete, and what a long run "
            "has "
            "finished is kept\n");
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
    // Libraries at work shall not take an interrupted call for a failure.
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
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

bool cancellationRequested() {
    passStopPoint(StopPoint::Poll);
    return requested;
}

void throwIfCancellationRequested() {
    if (cancellationRequested()) throw CancelledError();
}

void cancellationReported() {
    reported = true;
}

DiscardOnAbort::DiscardOnAbort(const std::filesystem::path& file) : slot_(kSlots) {
    // Absolute, should somebody change the working folder; never freed, because the handler may be reading
    // it.
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

}  // namespace glycine
