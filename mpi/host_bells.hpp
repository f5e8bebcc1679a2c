#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

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
    static std::size_t bytesFor(std::size_t processes);
    /// `memory`: bytesFor(processes) bytes, which must outlive this object. `place`: of this process on the
    /// host.
    HostBells(std::byte* memory, std::size_t place) : memory_(memory), place_(place) {}

    /// Wakes the process at this place on the host; any thread may call it.
    void ring(std::size_t place) const;
    /// How often this process was rung; any thread may call it.
    std::uint32_t rings() const;
    /// Sleeps until this process has been rung more than `rings` times, at most this long.
    void wait(std::uint32_t rings, std::chrono::microseconds longest) const;

  private:
    std::uint32_t& bell(std::size_t place) const;

    std::byte* memory_;
    std::size_t place_;
};

}  // namespace glycine
