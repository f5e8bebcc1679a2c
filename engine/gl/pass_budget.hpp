#pragma once

#include <algorithm>
#include <chrono>

#include "engine/gl/texture.hpp"

namespace glycine::gl {

/// Keeps draws short. A watchdog kills a draw that runs for seconds and leaves zeros without an error, so
/// work is handed over in portions: after each draw the caller notes how much it asked for, and when the
/// portion that is under way would take longer than the budget, the budget waits for the device and measures
/// its rate anew. One unit of work is what the caller likes (relaxations, texels), but the same through the
/// life of a budget.
class PassBudget {
  public:
    explicit PassBudget(double milliseconds) : budgetSeconds_(milliseconds / 1000) { restart(); }

    /// Forgets the rate: another program is about to run. The device must be idle.
    void restart();
    /// Counts `work` just submitted; waits for the device when the portion is full. Returns true if it
    /// waited.
    bool note(double work);
    /// The most work that one draw may hold, by the rate measured so far.
    double workPerDraw() const { return workPerSecond_ * budgetSeconds_; }
    double workPerSecond() const { return workPerSecond_; }

  private:
    double budgetSeconds_;
    double workPerSecond_ = 0;
    double pending_ = 0;
    std::chrono::steady_clock::time_point portionStart_;
};

/// Calls `draw(band)` for horizontal bands that together cover `region`, each within the budget. `workPerRow`
/// is the work that one row of the region takes.
template <class Draw>
void drawInBands(PassBudget& budget, const Rect& region, double workPerRow, Draw&& draw) {
    for (int row = 0; row < region.height;) {
        const double most = std::clamp(budget.workPerDraw() / workPerRow, 1.0, double(region.height - row));
        const int rows = static_cast<int>(most);
        draw(Rect{region.x, region.y + row, region.width, rows});
        budget.note(rows * workPerRow);
        row += rows;
    }
}

}  // namespace glycine::gl
