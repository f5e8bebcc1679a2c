#include "engine/core/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

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

DefaultThreads::DefaultThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
}

DefaultThreads::~DefaultThreads() {
    omp_set_num_threads(before_);
}

}  // namespace glycine
