#include "engine/gl/framework/watchdog.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/core/error.hpp"
#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

namespace {
/// Until something was measured, a device is taken to be slow: the first portion only finds out.
constexpr double kFirstWorkPerSecond = 5e7;
/// A portion may grow at most this much over the last one, because small ones are all overhead.
constexpr double kLargestGrowth = 8;
}  // namespace

void PassBudget::restart() {
    workPerSecond_ = kFirstWorkPerSecond;
    pending_ = 0;
    portionStart_ = Clock::now();
}

bool PassBudget::note(double work) {
    pending_ += work;
    if (pending_ < workPerSecond_ * budgetSeconds_) return false;
    glFinish();
    const auto now = Clock::now();
    const double seconds = std::max(Clock::secondsBetween(portionStart_, now), 1e-6);
    workPerSecond_ = std::min(pending_ / seconds, workPerSecond_ * kLargestGrowth);
    pending_ = 0;
    portionStart_ = now;
    return true;
}

Canary::Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs)
    : texel_(pool, {TextureFormat::RGBA32F, {1, 1}}),
      geometry_(geometry),
      program_(programs.get("common/rectangle.vert", "common/canary.frag")) {}

void Canary::check(std::string_view doing) {
    number_ += 1;
    FragmentPass(geometry_, program_).output(texel_.framebuffer()).uniform("passNumber", number_).draw();
    std::array<float, 4> texel{};
    readPixels(texel_.framebuffer(), 0, TextureFormat::RGBA32F, texel_.texture().extent(), texel.data());
    if (texel[0] != number_)
        throw DeviceError(
            fmt::format("the graphics device stopped drawing while {} (its watchdog may have ended a long "
                        "draw: try a smaller "
                        "--pass-budget)",
                        doing));
}

}  // namespace glycine::gl
