#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/core/implementation.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"

/// A result of all pairs in the memory of a device, which others have allocated.
namespace glycine::pairs {

/// Numbers of a piece of the result in the memory of a device, `stride` apart from row to row.
template <class T>
struct DeviceNumbers {
    const T* data = nullptr;
    std::size_t stride = 0;
};

/// Takes tiles as PairStore does, from any thread. What the device has computed does not leave it.
class DeviceStore : public PairSink {
  public:
    DeviceStore* onDevice() final { return this; }
    virtual int device() const = 0;
    /// Stores a piece, and its mirror image where the layout has one. Returns false where the host has to do
    /// it: a value is not finite, comes from less than `least`, or does not fit the type.
    virtual bool keep(const PairTile& piece, DeviceNumbers<double> numbers, const DeviceFinish& finish) = 0;
    virtual bool keep(const PairTile& piece, DeviceNumbers<std::uint32_t> numbers,
                      const DeviceFinish& finish) = 0;
    using PairSink::store;
    /// As PairStore::value.
    virtual double value(std::size_t i, std::size_t j) const = 0;
};

/// Makes such stores.
class DeviceStores {
  public:
    static constexpr std::string_view kAlgorithm = "device results";
    static ImplementationList<DeviceStores>& implementations();
    virtual ~DeviceStores() = default;
    /// `memory`: storedBytes of the format on a device, aligned for the type, which outlive the store. What
    /// the device had queued is done first. Throws UsageError for memory that is on no device.
    virtual std::unique_ptr<DeviceStore> open(const PairFormat& format, void* memory) const = 0;
};

namespace cuda {
Implementation<DeviceStores> deviceStores();
}

}  // namespace glycine::pairs
