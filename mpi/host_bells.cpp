#include "mpi/host_bells.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>

namespace glycine {

GrowingSleep::Time GrowingSleep::next() {
    last_ = std::clamp(last_ + last_ / 4, shortest_, longest_);
    return last_;
}

HostBells::HostBells(MPI_Comm host) {
    int place = 0, processes = 0;
    MPI_Comm_rank(host, &place);
    MPI_Comm_size(host, &processes);
    place_ = static_cast<std::size_t>(place);
    MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN);
    // A line of the cache for each process.
    constexpr MPI_Aint kBytes = 64;
    void* own = nullptr;
    if (MPI_Win_allocate_shared(kBytes, 1, MPI_INFO_NULL, host, &own, &window_) != MPI_SUCCESS) {
        window_ = MPI_WIN_NULL;
        return;
    }
    // Counts may begin with any number.
    for (int of = 0; of < processes; ++of) {
        MPI_Aint bytes = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, of, &bytes, &unit, &bells_.emplace_back());
    }
}

HostBells::~HostBells() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

void HostBells::ring(std::size_t place) const {
    if (!work()) return;
    ++std::atomic_ref(*bells_[place]);
    ::syscall(SYS_futex, bells_[place], FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t HostBells::rings() const {
    return work() ? std::atomic_ref(*bells_[place_]).load() : 0;
}

void HostBells::wait(std::uint32_t rings, std::chrono::microseconds longest) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
    const timespec limit{seconds.count(), std::chrono::nanoseconds(longest - seconds).count()};
    // Returns early if the count differs already, and for a signal.
    ::syscall(SYS_futex, bells_[place_], FUTEX_WAIT, rings, &limit, nullptr, 0);
}

}  // namespace glycine
