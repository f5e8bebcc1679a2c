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

/// Keeps draws short. A driver's watchdog kills a draw that runs for seconds and leaves zeros without an
/// error, so work is submitted in portions. After each draw the caller notes its amount of work. If the
/// current portion would exceed the budget, PassBudget waits for the device and measures its rate anew. The
/// caller chooses the unit of work (relaxations, texels), which must be the same for all work of one name.
///
/// Rates are remembered by that name, also for later processes. These begin with a fraction of the last rate,
/// in case the device has become slower. After a reset, the device seems to finish everything at once, so a
/// rate is remembered only after the canary has proved that the draws took place.
class PassBudget {
  public:
    explicit PassBudget(double milliseconds) : budgetSeconds_(milliseconds / 1000) { restart({}); }

    /// Starts another kind of work, whose rate may be known by this name; no rate is known for an empty name.
    /// The device must be idle.
    void restart(std::string name);
    /// Call before submitting a draw. The time of a portion counts from its first draw.
    void begin();
    /// Adds `work` just submitted and waits for the device if the portion is full. Returns true if it waited.
    bool note(double work);
    /// Call after waiting for the device elsewhere: the work submitted is done, which ends the portion.
    void settle() { pending_ = 0; }
    /// The most work that one draw may hold, by the rate measured so far.
    double workPerDraw() const { return workPerSecond_ * budgetSeconds_; }

    /// Accepts the rates measured since the last call: all draws were executed.
    void confirm();
    /// Discards the rates measured since the last call, and all known rates of the same and of the current
    /// work.
    void distrust();
    /// The remembered rates, as text for a later process; empty if the stored text is still current.
    std::string remembered() const;
    /// Reads the rates that an earlier process remembered; ignores implausible entries.
    void recall(std::string_view text);

  private:
    struct Rate {
        double perSecond = 0;
        bool isOwn = false;  ///< measured by this process
        double stored = 0;   ///< by an earlier process; 0: by none
    };

    double budgetSeconds_;
    double workPerSecond_ = 0;
    double pending_ = 0;
    Clock::TimePoint portionStart_;
    std::string name_;
    std::map<std::string, double> measured_;  ///< not confirmed yet
    std::map<std::string, Rate> rates_;       ///< by names of work
    bool hasUnsavedRates_ = false;            ///< for later processes
};

/// Calls `draw(band)` for horizontal bands that together cover `region`, each within the budget. `workPerRow`
/// is the work per row of the region.
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

/// The same for regions whose rows may be too much work for one draw. Cuts `region` into bands, or into parts
/// of bands if the budget is smaller than a row. `workPerTexel` is the work per texel. Pieces are at least 4
/// × 4 texels if the region allows, because rasterizers shade in blocks of up to that size.
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
/// draws are dropped and their targets read as zeros, without an error. Each check draws a new number into
/// one texel and reads it back. The texel holds that number only if the device executed this draw and, in
/// order, everything submitted before.
class Canary {
  public:
    /// Each check confirms or distrusts the rates of `budget`, which must outlive the canary.
    Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs, PassBudget& budget);
    /// Waits for the device. Throws DeviceError naming `doing` if the texel does not hold the new number, or
    /// if the context reports a reset.
    void check(std::string_view doing);

  private:
    RenderTexture texel_;
    PassGeometry& geometry_;
    Program& program_;
    PassBudget& budget_;
    float number_ = 0;
};

}  // namespace glycine::gl
