#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/core/implementation.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"

/// The result of all pairs in device memory that another library has allocated.
namespace glycine::pairs {

/// Numbers of a piece of the result in device memory; consecutive rows are `stride` elements apart.
template <class T>
struct DeviceNumbers {
    const T* data = nullptr;
    std::size_t stride = 0;
};

/// Stores tiles as PairStore does, from any thread. Values computed by the device stay on it.
class DeviceStore : public PairSink {
  public:
    DeviceStore* onDevice() final { return this; }
    virtual int device() const = 0;
    /// Stores a piece, and its mirror image if the layout has one. Returns false if the host must do it: a
    /// value is not finite, is computed from a number below `least`, or does not fit the type.
    virtual bool keep(const PairTile& piece, DeviceNumbers<double> numbers, const DeviceFinish& finish) = 0;
    virtual bool keep(const PairTile& piece, DeviceNumbers<std::uint32_t> numbers,
                      const DeviceFinish& finish) = 0;
    using PairSink::store;
    /// As PairStore::value does.
    virtual double value(std::size_t i, std::size_t j) const = 0;
};

/// Creates such stores.
class DeviceStores {
  public:
    static constexpr std::string_view kAlgorithm = "device results";
    static ImplementationList<DeviceStores>& implementations();
    virtual ~DeviceStores() = default;
    /// `memory`: storedBytes of the format in device memory, aligned for the type; it must outlive the store.
    /// Work already queued on the device runs first. Throws UsageError if the memory is on no device.
    virtual std::unique_ptr<DeviceStore> open(const PairFormat& format, void* memory) const = 0;
};

namespace cuda {
Implementation<DeviceStores> deviceStores();
}

}  // namespace glycine::pairs
