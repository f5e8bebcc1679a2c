#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels_cuda/device/device_memory.hpp"

namespace glycine::cuda {

/// Tells what each of several kernels takes while they are queued one behind the other: by marks in the
/// stream, which cost next to nothing and let the device go on.
class KernelClock {
  public:
    /// Name of a kernel and its seconds.
    using Time = std::pair<std::string_view, double>;

    explicit KernelClock(const std::vector<std::string_view>& names) {
        for (const std::string_view name : names) times_.emplace_back(name, 0.0);
    }
    /// `launch()` queues kernel number `kernel` in `stream`.
    template <class Launch>
    void time(std::size_t kernel, const Stream& stream, const Launch& launch) {
        constexpr std::size_t mostMarks = 1024;
        while (marks_.size() >= mostMarks) settleOldest();
        Mark mark{kernel, Event(Event::Kind::Timing), Event(Event::Kind::Timing)};
        mark.begin.record(stream);
        launch();
        mark.end.record(stream);
        marks_.push_back(std::move(mark));
    }
    /// Of all that was queued; waits until it is done.
    const std::vector<Time>& times() {
        while (!marks_.empty()) settleOldest();
        return times_;
    }

  private:
    struct Mark {
        std::size_t kernel;
        Event begin, end;
    };
    void settleOldest() {
        const Mark& oldest = marks_.front();
        oldest.end.synchronize();
        times_[oldest.kernel].second += Event::secondsBetween(oldest.begin, oldest.end);
        marks_.pop_front();
    }

    std::vector<Time> times_;
    std::deque<Mark> marks_;
};

}  // namespace glycine::cuda
