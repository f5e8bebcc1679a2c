#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace glycine {

/// Items of equal size that several processes of a host need, in memory that they share: each item is made
/// once, by the first process that needs it. Every process has its own object on the same memory. Only one
/// thread may use an object at a time.
class SharedItems {
  public:
    static std::size_t bytesFor(std::size_t items, std::size_t itemBytes);
    /// `memory`: bytesFor(items, itemBytes) bytes, zero before the first process uses them
    /// (ProcessTeam::memoryOfHost).
    SharedItems(std::shared_ptr<std::byte> memory, std::size_t items, std::size_t itemBytes);

    /// Starts at a multiple of 64 bytes.
    std::byte* data(std::size_t item) const;
    /// Returns when all `wanted` items are made. `make` is called for those that no process has begun, at
    /// most `atOnce` at a time, and fills data() of each. Items that others have begun are awaited last. If
    /// `make` throws, another process may make its items. Throws CancelledError once a signal has come.
    void complete(std::span<const std::size_t> wanted, std::size_t atOnce,
                  const std::function<void(std::span<const std::size_t> items)>& make);

  private:
    std::uint32_t& state(std::size_t item) const;
    bool begin(std::size_t item) const;
    void makeBegun(std::span<const std::size_t> items,
                   const std::function<void(std::span<const std::size_t> items)>& make);
    void setState(std::span<const std::size_t> items, std::uint32_t to) const;

    std::shared_ptr<std::byte> memory_;
    std::size_t items_;
    std::size_t itemBytes_;
    std::vector<bool> areMapped_;  ///< in this process
};

}  // namespace glycine
