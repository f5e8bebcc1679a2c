#include "engine/core/stage_recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

constexpr const char* kAdvice =
    "; nothing was written, for more may be wrong: use another backend or variant (`glycine list`)";

}  // namespace

StageRecount::StageRecount(const Backend& backend, bool isUnchecked, std::string kind, std::string method)
    : backend_(backend.name()),
      hasDevice_(backend_ == "gl" || backend_ == "cuda"),
      isWanted_(hasDevice_ && !isUnchecked),
      device_(backend.device()) {
    report_.kind = std::move(kind);
    report_.method = std::move(method);
    if (isUnchecked) report_.skipped = "--no-check";
}

void StageRecount::enter(const std::string& stage, const std::string& kind, std::string variant) {
    variant_ = std::move(variant);
    const auto found = std::ranges::find(report_.stages, stage, &RecountedStage::name);
    stage_ = static_cast<std::size_t>(found - report_.stages.begin());
    if (found != report_.stages.end()) return;
    report_.stages.push_back({stage, kind});
    granted_.insert(granted_.end() - 1, Granted{});
}

std::size_t StageRecount::affordable(std::size_t most, double each, double seconds) {
    if (!isWanted_ || most == 0) return 0;
    Granted& granted = granted_[stage_];
    const auto grant = [&](std::size_t elements) {
        granted.elements += elements;
        granted.seconds += static_cast<double>(elements) * each;
        return elements;
    };
    const double left = std::max(kStageSeconds, kStageShare * seconds) - granted.seconds;
    // A grant that adds up to exactly the whole must not fail in the last bit.
    const double number = std::floor(left / each * (1 + 1e-9));
    if (number >= 1) return grant(static_cast<std::size_t>(std::min(number, static_cast<double>(most))));
    if (granted.elements > 0) return 0;
    if (each <= std::max(kSecondsOfOne, kShareOfOne * seconds)) return grant(1);
    const bool hasStage = stage_ < report_.stages.size();
    report_.skipped =
        fmt::format("one {}{} would take {}", hasStage ? report_.stages[stage_].kind : report_.kind,
                    hasStage ? " of " + report_.stages[stage_].name : "", formatSeconds(each));
    return 0;
}

void StageRecount::add(std::size_t elements, double seconds) {
    report_.elements += elements;
    report_.seconds += seconds;
    if (stage_ >= report_.stages.size()) return;
    report_.stages[stage_].elements += elements;
    report_.stages[stage_].seconds += seconds;
}

void StageRecount::noteDifference(double difference) {
    static std::mutex one;  // differences that rounding explains are rare
    const std::lock_guard lock(one);
    report_.largestDifference = std::max(report_.largestDifference, difference);
    if (stage_ < report_.stages.size())
        report_.stages[stage_].largestDifference =
            std::max(report_.stages[stage_].largestDifference, difference);
}

void StageRecount::refuse(const std::string& variant, double found, double expected, double allowed,
                          const std::string& place) const {
    throw WrongResultError(
        fmt::format(
            "the {} is {} by {} {} (on {}) and {} when it is counted again {}{}", place, found, backend_,
            variant, device_, expected, report_.method,
            allowed > 0 ? fmt::format(", which rounding does not explain ({:.1g} allowed)", allowed) : ""),
        kAdvice);
}

void StageRecount::refuseBeyond(const std::string& variant, double found, double least, double most,
                                const std::string& place) const {
    throw WrongResultError(fmt::format("the {} is {} by {} {} (on {}); expected {} to {}", place, found,
                                       backend_, variant, device_, least, most),
                           kAdvice);
}

void refuseImpossible(const ImpossibleResultError& error, const Backend& backend) {
    throw WrongResultError(fmt::format("{}, by {} (on {})", error.what(), backend.name(), backend.device()),
                           kAdvice);
}

void throwBeyond(const std::string& name, std::size_t found, std::size_t end) {
    throw ImpossibleResultError(fmt::format("the {} is {}; expected less than {}", name, found, end));
}

}  // namespace glycine
