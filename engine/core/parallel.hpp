#pragma once

#include <cstddef>
#include <functional>
#include <future>

namespace glycine {

/// Calls body(index, thread) for every index in [0, count), 0 ≤ thread < `threads`; indices are handed out in
/// ascending order. The first exception stops the rest and is thrown again here: none may leave an OpenMP
/// region.
void parallelFor(int threads, std::size_t count, const std::function<void(std::size_t, std::size_t)>& body);

/// Starts `work` on a thread of its own, whose OpenMP regions have as many threads as the caller's. `thread`
/// tells its end and what it threw; destroyed, it waits. False, and nothing is begun, where the process can
/// have no further thread.
bool startBeside(std::future<void>& thread, std::function<void()> work);
/// Whether it has been started and has not ended.
bool isAtWork(const std::future<void>& thread);

/// What the program sets GOMP_SPINCOUNT to where the user has not (app/program.cpp).
inline constexpr const char* kSpinCount = "5000";

/// Threads, the calling one included, that the process may use at once: `wanted`, or half of those that the
/// system gives where these are fewer (a limit of memory or processes), but 1 at least. They are tried here,
/// as GNU OpenMP ends the process where the system refuses it a thread.
int availableThreads(int wanted);

/// Gives OpenMP regions that name no number of threads no more of them than the process can have, and has
/// them made now, before data take the room of their stacks.
void startThreads();

/// While it lives, OpenMP regions that the thread starts without naming a number of threads have `threads`.
class DefaultThreads {
  public:
    explicit DefaultThreads(int threads);
    ~DefaultThreads();
    DefaultThreads(const DefaultThreads&) = delete;
    DefaultThreads& operator=(const DefaultThreads&) = delete;

  private:
    int before_;
};

}  // namespace glycine
