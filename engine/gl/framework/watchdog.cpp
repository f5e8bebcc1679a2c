#include "engine/gl/framework/watchdog.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

namespace {
/// Assumed rate of an unmeasured device. It is low, because the first portion only serves to measure.
constexpr double kFirstWorkPerSecond = 5e7;
/// Largest growth of a portion over the previous one; rates of small portions are mostly overhead.
constexpr double kLargestGrowth = 8;
/// Fraction of an earlier process' rate to begin with: the device may be busy now.
constexpr double kRecalledShare = 0.25;
/// Plausible rates, and how many of them a process remembers.
constexpr double kLeastRate = 1e3;
constexpr double kLargestRate = 1e15;
constexpr std::size_t kMaxRates = 1000;
/// Logarithm of the ratio from which on two rates count as different.
constexpr double kSignificantLogRatio = 0.25;
}  // namespace

void PassBudget::restart(std::string name) {
    name_ = std::move(name);
    const auto known = rates_.find(name_);
    workPerSecond_ = known == rates_.end() ? kFirstWorkPerSecond
                     : known->second.isOwn ? known->second.perSecond
                                           : known->second.perSecond * kRecalledShare;
    pending_ = 0;
    portionStart_ = Clock::now();
}

void PassBudget::begin() {
    if (pending_ == 0) portionStart_ = Clock::now();
}

bool PassBudget::note(double work) {
    pending_ += work;
    if (pending_ < workPerSecond_ * budgetSeconds_) return false;
    glFinish();
    const auto now = Clock::now();
    const double seconds = std::max(Clock::secondsBetween(portionStart_, now), 1e-6);
    workPerSecond_ = std::min(pending_ / seconds, workPerSecond_ * kLargestGrowth);
    if (!name_.empty()) measured_[name_] = workPerSecond_;
    pending_ = 0;
    portionStart_ = now;
    return true;
}

void PassBudget::confirm() {
    for (const auto& [name, rate] : measured_) {
        Rate& known = rates_[name];
        // Rates that changed little are not written again.
        if (known.stored == 0 || std::abs(std::log(rate / known.stored)) > kSignificantLogRatio)
            hasUnsavedRates_ = true;
        known.perSecond = rate;
        known.isOwn = true;
    }
    measured_.clear();
}

void PassBudget::distrust() {
    measured_.try_emplace(name_, 0);
    for (const auto& [name, rate] : measured_) hasUnsavedRates_ = rates_.erase(name) > 0 || hasUnsavedRates_;
    measured_.clear();
}

std::string PassBudget::remembered() const {
    std::string text;
    if (!hasUnsavedRates_) return text;
    for (const auto& [name, rate] : rates_) text += fmt::format("{}\t{:.6g}\n", name, rate.perSecond);
    // Written even if nothing is left to remember.
    return text.empty() ? "\n" : text;
}

void PassBudget::recall(std::string_view text) {
    while (!text.empty() && rates_.size() < kMaxRates) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos || tab == 0) continue;
        const std::string number(line.substr(tab + 1));
        char* end = nullptr;
        const double rate = std::strtod(number.c_str(), &end);
        if (*end != '\0' || !(rate >= kLeastRate && rate <= kLargestRate)) continue;
        rates_.try_emplace(std::string(line.substr(0, tab)), Rate{rate, false, rate});
    }
}

Canary::Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs, PassBudget& budget)
    : texel_(pool, {TextureFormat::RGBA32F, {1, 1}}),
      geometry_(geometry),
      program_(programs.get("common/rectangle.vert", "common/canary.frag")),
      budget_(budget) {}

void Canary::check(std::string_view doing) {
    number_ += 1;
    std::array<float, 4> texel{};
    try {
        FragmentPass(geometry_, program_).output(texel_.framebuffer()).uniform("passNumber", number_).draw();
        readPixels(texel_.framebuffer(), 0, TextureFormat::RGBA32F, texel_.texture().extent(), texel.data());
    } catch (...) {
        budget_.distrust();
        throw;
    }
    if (texel[0] == number_) return budget_.confirm();
    budget_.distrust();
    throw DeviceError(
        fmt::format("the graphics device stopped drawing while {} (its watchdog may have ended a long draw: "
                    "try a smaller --pass-budget)",
                    doing));
}

}  // namespace glycine::gl
