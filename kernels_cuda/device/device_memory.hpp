#pragma once

#include <cstddef>
#include <memory>
#include <utility>

struct CUstream_st;
struct CUevent_st;

/// Owners of CUDA resources, in plain C++: no CUDA header is needed to use them. Everything here throws
/// DeviceError naming the call that failed.
namespace glycine::cuda {

/// CUDA's own handles, as cuda_runtime.h declares them.
using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;

/// Tracks the device memory of one backend and keeps it within the user's limit.
class MemoryBudget {
  public:
    /// `limitBytes` = 0: no limit but the device's own.
    explicit MemoryBudget(std::size_t limitBytes) : limit_(limitBytes) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    /// Bytes that can still be allocated: the rest of the limit, at most 95 % of the free memory that the
    /// driver reports. The other 5 % are lost to fragmentation and to the driver.
    std::size_t available() const;
    std::size_t used() const { return used_; }

  private:
    friend class DeviceAllocation;
    std::size_t limit_;
    std::size_t used_ = 0;
};

/// Untyped device memory; DeviceBuffer is the typed interface.
class DeviceAllocation {
  public:
    DeviceAllocation() = default;
    /// The memory is not initialised. `budget` must outlive the allocation.
    DeviceAllocation(MemoryBudget& budget, std::size_t bytes);
    ~DeviceAllocation();
    DeviceAllocation(DeviceAllocation&& other) noexcept { swap(other); }
    DeviceAllocation& operator=(DeviceAllocation&& other) noexcept {
        DeviceAllocation(std::move(other)).swap(*this);
        return *this;
    }
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

  private:
    void swap(DeviceAllocation& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }
    MemoryBudget* budget_ = nullptr;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// `size()` elements of T in device memory, not initialised.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    DeviceBuffer(MemoryBudget& budget, std::size_t size) : memory_(budget, size * sizeof(T)), size_(size) {}
    T* data() const { return static_cast<T*>(memory_.data()); }
    std::size_t size() const { return size_; }

  private:
    DeviceAllocation memory_;
    std::size_t size_ = 0;
};

/// Page-locked host memory, which the device can copy asynchronously.
class PinnedBuffer {
  public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t bytes);
    std::byte* data() const { return data_.get(); }
    std::size_t bytes() const { return bytes_; }

  private:
    struct Release {
        void operator()(std::byte* data) const;
    };
    std::unique_ptr<std::byte, Release> data_;
    std::size_t bytes_ = 0;
};

class Event;

/// A queue of device work. Streams do not wait for one another unless requested.
class Stream {
  public:
    enum class Priority { Normal, High };
    explicit Stream(Priority priority = Priority::Normal);
    StreamHandle handle() const { return handle_.get(); }
    /// Waits until all work queued so far is done.
    void synchronize() const;
    /// Work queued after this call starts after `event`.
    void waitFor(const Event& event) const;

  private:
    struct Release {
        void operator()(StreamHandle handle) const;
    };
    std::unique_ptr<CUstream_st, Release> handle_;
};

/// A marker in a stream. Ordering events cost less than Timing events.
class Event {
  public:
    enum class Kind { Ordering, Timing };
    explicit Event(Kind kind = Kind::Ordering);
    /// Marks the work queued in `stream` so far.
    void record(const Stream& stream) const;
    void synchronize() const;
    /// Seconds between two completed events of kind Timing.
    static double secondsBetween(const Event& begin, const Event& end);
    EventHandle handle() const { return handle_.get(); }

  private:
    struct Release {
        void operator()(EventHandle handle) const;
    };
    std::unique_ptr<CUevent_st, Release> handle_;
};

}  // namespace glycine::cuda
