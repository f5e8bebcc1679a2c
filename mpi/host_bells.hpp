#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glycine {

/// Sleeps of growing length between two checks.
class GrowingSleep {
  public:
    using Time = std::chrono::microseconds;
    GrowingSleep(Time shortest, Time longest) : shortest_(shortest), longest_(longest) {}
    /// The next length.
    Time next();
    void restart() { last_ = Time(0); }

  private:
    Time shortest_, longest_;
    Time last_{0};
};

/// Wakes processes of one host that sleep until a message arrives, since MPI itself can only be checked
/// again and again. Each process has a count of rings in memory that the host's processes share.
class HostBells {
  public:
    /// All processes of `host` must call it.
    explicit HostBells(MPI_Comm host);
    HostBells(const HostBells&) = delete;
    HostBells& operator=(const HostBells&) = delete;
    /// All processes must call it, before MPI ends.
    ~HostBells();
    /// False if the processes share no memory; then nobody is woken.
    bool work() const { return !bells_.empty(); }

    /// Wakes the process at this place on the host; any thread may call it.
    void ring(std::size_t place) const;
    /// How often this process was rung; any thread may call it.
    std::uint32_t rings() const;
    /// Sleeps until this process has been rung more than `rings` times, at most this long. Only where
    /// they work.
    void wait(std::uint32_t rings, std::chrono::microseconds longest) const;

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::size_t place_ = 0;
    std::vector<std::uint32_t*> bells_;  ///< by place on the host
};

}  // namespace glycine
