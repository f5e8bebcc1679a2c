#include "engine/core/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace glycine {

void parallelFor(int threads, std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
    std::exception_ptr failure;
    std::atomic<bool> stopped{false};
    const int team = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(threads)));
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
    for (std::size_t index = 0; index < count; ++index) {
        if (stopped) continue;
        try {
            body(index, static_cast<std::size_t>(omp_get_thread_num()));
        } catch (...) {
            if (!stopped.exchange(true)) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

namespace {

/// How many of the wanted threads can exist at once.
int countAvailableThreads(int wanted) {
    std::mutex waiting;
    std::unique_lock lock(waiting);
    std::vector<std::thread> threads;
    try {
        threads.reserve(static_cast<std::size_t>(std::max(wanted, 1)));
        while (static_cast<int>(threads.size()) + 1 < wanted)
            // Each thread waits until all have started.
            threads.emplace_back([&waiting] { const std::lock_guard turn(waiting); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    lock.unlock();
    const int available = static_cast<int>(threads.size()) + 1;
    for (std::thread& thread : threads) thread.join();
    // If the system does not provide all threads, half of the room is left for data.
    return available < wanted ? std::max(1, available / 2) : std::max(1, wanted);
}

}  // namespace

bool startThread(std::future<void>& thread, std::function<void()> work) {
    const auto begin = [threads = omp_get_max_threads(), work = std::move(work)] {
        const DefaultThreads asBefore(threads);
        work();
    };
    try {
        thread = std::async(std::launch::async, begin);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

bool isAtWork(const std::future<void>& thread) {
    return thread.valid() && thread.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

int availableThreads(int wanted) {
    static std::mutex mutex;
    static std::map<int, int> counted;  // by wanted number
    const std::lock_guard lock(mutex);
    const auto [place, isNew] = counted.try_emplace(wanted);
    if (isNew) place->second = countAvailableThreads(wanted);
    return place->second;
}

void startThreads() {
    const int threads = availableThreads(omp_get_max_threads());
    omp_set_num_threads(threads);
    std::atomic<int> started{0};
#pragma omp parallel num_threads(threads)
    ++started;
}

DefaultThreads::DefaultThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
}

DefaultThreads::~DefaultThreads() {
    omp_set_num_threads(before_);
}

}  // namespace glycine
