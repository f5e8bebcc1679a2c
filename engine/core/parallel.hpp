#pragma once

#include <cstddef>
#include <functional>
#include <future>

namespace glycine {

/// Calls body(index, thread) for every index in [0, count), with 0 ≤ thread < `threads`. Indices are handed
/// out in ascending order. The first exception stops the rest and is rethrown here, because none may leave an
/// OpenMP region.
void parallelFor(int threads, std::size_t count, const std::function<void(std::size_t, std::size_t)>& body);

/// Starts `work` on a thread of its own, whose OpenMP regions use as many threads as the caller's. `thread`
/// reports its end and its exception; its destructor waits. Returns false, without starting anything, if the
/// process cannot have another thread.
bool startThread(std::future<void>& thread, std::function<void()> work);
/// Whether the work has started and not yet ended.
bool isAtWork(const std::future<void>& thread);

/// GOMP_SPINCOUNT, the rounds for which waiting threads of GNU OpenMP spin, unless the user has set it.
/// app/early_environment.cpp shows it to the runtime before the runtime is initialised. Only where that is
/// impossible, the program restarts itself with it (app/program.cpp).
inline constexpr const char* kSpinCount = "5000";

/// Number of threads, including the calling one, that the process may use at once: `wanted`, or half of what
/// the system provides if that is less (limits on memory or processes), but at least 1. The threads are tried
/// here, because GNU OpenMP terminates the process if the system refuses a thread.
int availableThreads(int wanted);

/// Limits OpenMP regions without an explicit number of threads to what the process can have, and starts these
/// threads now, before data occupy the memory for their stacks.
void startThreads();

/// During its lifetime, OpenMP regions of this thread without an explicit number of threads use `threads`.
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
