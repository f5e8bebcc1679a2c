#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "mpi/host_bells.hpp"

namespace glycine {

/// Bytes from one process to others of the same host, by memory that they share. MPI would be checked again
/// and again, several times for every long message.
///
/// Each process has an outbox of slots. It copies a piece into a free slot and enters the slot in the queue
/// of each receiver. A receiver takes pieces in the order of its queue; the last one frees the slot.
class HostMail {
  public:
    /// Bytes that one process sends to others.
    struct Letter {
        std::byte* data;
        std::size_t bytes;
        std::size_t from;             ///< place on the host
        std::vector<std::size_t> to;  ///< without `from`
    };

    static std::size_t bytesFor(std::size_t processes);
    /// `memory`: bytesFor(processes) bytes, first filled with zeros. `place`: of this process on the host.
    /// All of its threads may ring and await bells().
    HostMail(std::shared_ptr<std::byte> memory, std::size_t processes, std::size_t place);
    const HostBells& bells() const { return bells_; }

    /// Returns when the letters to this process have arrived, and those from it are in its outbox. Sender and
    /// receiver must list the letters between them in the same order. `idle` is called before this process
    /// sleeps; it says how long at most.
    void exchange(const std::vector<Letter>& letters,
                  const std::function<std::chrono::microseconds()>& idle) const;

  private:
    struct Outbox;
    struct Queue;
    Outbox& outbox(std::size_t from) const;
    Queue& queue(std::size_t from, std::size_t to) const;
    bool send(const Letter& letter, std::size_t& sent) const;
    bool receive(const Letter& letter, std::size_t& received) const;

    std::shared_ptr<std::byte> memory_;
    std::size_t processes_;
    std::size_t place_;
    HostBells bells_;
};

}  // namespace glycine
