#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::gl {

/// Keeps draws short. A watchdog kills a draw that runs for seconds and leaves zeros without an error, so
/// work is handed over in portions: after each draw the caller notes how much it asked for, and when the
/// portion that is under way would take longer than the budget, the budget waits for the device and measures
/// its rate anew. One unit of work is what the caller likes (relaxations, texels), but the same for all work
/// of one name.
///
/// Rates are remembered by that name, also for later processes: these begin with a share of the last rate,
/// in case the device has become slower. A device that was reset is done with everything at once, so a rate
/// is remembered only after the canary has proved that the draws took place.
class PassBudget {
  public:
    explicit PassBudget(double milliseconds) : budgetSeconds_(milliseconds / 1000) { restart({}); }

    /// Work of another kind follows, whose rate may be known by this name; an empty one is known by nobody.
    /// The device must be idle.
    void restart(std::string name);
    /// The next draw is about to be submitted. The time of a portion counts from its first one.
    void begin();
    /// Counts `work` just submitted; waits for the device when the portion is full. Returns true if it
    /// waited.
    bool note(double work);
    /// Somebody has waited for the device: what was submitted is done, and the portion with it.
    void settle() { pending_ = 0; }
    /// The most work that one draw may hold, by the rate measured so far.
    double workPerDraw() const { return workPerSecond_ * budgetSeconds_; }

    /// What was measured since the last call is true: all draws were executed.
    void confirm();
    /// It is not; what is known of the present work is forgotten.
    void distrust();
    /// What is remembered, as text for a later process; empty where a later process knows it already.
    std::string remembered() const;
    /// Takes over what an earlier process remembered; ignores what makes no sense.
    void recall(std::string_view text);

  private:
    struct Rate {
        double perSecond;
        bool isOwn;  ///< measured by this process
    };

    double budgetSeconds_;
    double workPerSecond_ = 0;
    double pending_ = 0;
    Clock::TimePoint portionStart_;
    std::string name_;
    std::map<std::string, double> measured_;  ///< and not confirmed yet
    std::map<std::string, Rate> rates_;       ///< by names of work
    bool hasNews_ = false;                    ///< for later processes
};

/// Calls `draw(band)` for horizontal bands that together cover `region`, each within the budget. `workPerRow`
/// is the work that one row of the region takes.
template <class Draw>
void drawInBands(PassBudget& budget, const Rectangle& region, double workPerRow, Draw&& draw) {
    for (int row = 0; row < region.size.y;) {
        const double most = std::clamp(budget.workPerDraw() / workPerRow, 1.0, double(region.size.y - row));
        const int rows = static_cast<int>(most);
        budget.begin();
        draw(Rectangle{region.origin + glm::ivec2(0, row), {region.size.x, rows}});
        budget.note(rows * workPerRow);
        row += rows;
    }
}

/// The same for regions whose rows may be too much work for one draw: pieces of `region`, bands where the
/// budget allows, else parts of bands. `workPerTexel` is the work that one texel takes. Pieces are at least
/// 4 × 4 texels where the region has them, because rasterizers shade in blocks of up to that size.
template <class Draw>
void drawInPieces(PassBudget& budget, const Rectangle& region, double workPerTexel, Draw&& draw) {
    constexpr int kBlock = 4;
    const auto side = [](double texels, int most) {
        return texels >= most ? most
                              : std::min(kBlock * std::max(1, static_cast<int>(texels / kBlock)), most);
    };
    for (int y = 0; y < region.size.y;) {
        const double texels = budget.workPerDraw() / workPerTexel;
        const int height = side(texels / region.size.x, region.size.y - y);
        const int width = side(texels / height, region.size.x);
        for (int x = 0; x < region.size.x; x += width) {
            const Rectangle piece{region.origin + glm::ivec2(x, y),
                                  {std::min(width, region.size.x - x), height}};
            budget.begin();
            draw(piece);
            budget.note(workPerTexel * piece.size.x * piece.size.y);
        }
        y += height;
    }
}

/// Proves that the device still draws. A driver's watchdog that kills a long draw resets the device; later
/// draws are then dropped and their targets read as zeros, without an error. The canary is a texel that each
/// check draws anew with another number and reads back: it holds that number only if the device executed the
/// draw, and with it, in order, everything that was submitted before.
class Canary {
  public:
    /// `budget`: learns from each check whether its rates are true; must outlive the canary.
    Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs, PassBudget& budget);
    /// Waits for the device; throws DeviceError naming `doing` when the texel does not hold the new number,
    /// or when the context reports a reset.
    void check(std::string_view doing);

  private:
    RenderTexture texel_;
    PassGeometry& geometry_;
    Program& program_;
    PassBudget& budget_;
    float number_ = 0;
};

}  // namespace glycine::gl
