#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "kernels_cuda/device/device_memory.hpp"

namespace glycine::cuda {

/// Receives finished work, in a unit of the caller's choice; may throw to stop.
using WorkListener = std::function<void(double)>;

/// Cuts work into portions that are whole numbers and add up to the total.
class WorkSplit {
  public:
    /// `work` is a whole number; it corresponds to `shares` in any unit.
    WorkSplit(double work, double shares) : work_(work), shares_(shares) {}
    /// The work of the next `share`.
    double next(double share) {
        taken_ += share;
        const double upTo = std::floor(work_ * (taken_ / shares_));
        return upTo - std::exchange(reported_, upTo);
    }

  private:
    double work_, shares_;
    double taken_ = 0;
    double reported_ = 0;
};

/// Waits for device work in queue order, always slightly behind, and notifies a listener. Progress and
/// cancellation follow the device, and the device never waits for the host.
class PacedReport {
  public:
    /// `worked` may be empty. `ahead`: portions queued beyond the one that is waited for.
    PacedReport(const WorkListener& worked, std::size_t ahead) : worked_(worked), ahead_(ahead) {}
    /// `work` counts as done when everything queued in `stream` so far is done.
    void queued(const Stream& stream, double work) {
        pending_.emplace_back(Event(), work);
        pending_.back().first.record(stream);
        while (pending_.size() > ahead_) settleOldest();
    }
    void settleAll() {
        while (!pending_.empty()) settleOldest();
    }

  private:
    void settleOldest() {
        pending_.front().first.synchronize();
        const double work = pending_.front().second;
        pending_.pop_front();
        if (worked_) worked_(work);
    }
    const WorkListener& worked_;
    std::size_t ahead_;
    std::deque<std::pair<Event, double>> pending_;
};

}  // namespace glycine::cuda
