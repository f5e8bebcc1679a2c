#include "engine/command/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine {

namespace {

/// A recount may take this many times its processor time, on a busy processor or with slow files.
constexpr double kPatience = 10;

std::size_t pairsOf(std::size_t instances, std::size_t references) {
    return references == 0 ? instances * (instances - 1) / 2 : (instances - references) * references;
}

/// The pair, as pairs::pairNumber counts, with this number among those of an instance from `references` on
/// with one before it.
std::size_t pairAmong(std::size_t number, std::size_t references) {
    if (references == 0) return number;
    const std::size_t row = references + number / references;
    return row * (row - 1) / 2 + number % references;
}

}  // namespace

Recount::Recount(const Backend& backend, const BackendRequest& request, std::string kind, std::string method)
    : StageRecount(backend, request.isUnchecked, std::move(kind), method),
      withReference_(std::move(method)) {}

std::vector<std::size_t> Recount::someOf(std::vector<std::size_t> numbers, std::size_t wanted) {
    wanted = std::min(numbers.size(), wanted);
    std::vector<std::pair<std::uint64_t, std::size_t>>
        drawn;  // with their places in the order, all different
    drawn.reserve(numbers.size());
    for (const std::size_t number : numbers) drawn.emplace_back(derivedSeed(kSeed, number), number);
    std::partial_sort(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(wanted), drawn.end());
    numbers.resize(wanted);
    for (std::size_t i = 0; i < wanted; ++i) numbers[i] = drawn[i].second;
    return numbers;
}

std::size_t Recount::begin(std::size_t most, const RecountTime& time) {
    if (!isWanted_ || most == 0) return 0;
    if (!hasTimeFor(time)) {
        report_.skipped =
            fmt::format("one {} would take {}", report_.kind, formatSeconds(time.fixed + time.each));
        return 0;
    }
    secondsOfRuns_ += time.run;
    seconds_ = std::max(kStageSeconds, kStageShare * secondsOfRuns_) - secondsOfAll_;
    secondsOfBegun_ = 0;
    watch_.restart();
    processor_ = Clock::threadSeconds();
    const double number = std::floor((seconds_ - time.fixed) / time.each);
    return number < 1 ? 1 : static_cast<std::size_t>(std::min(number, static_cast<double>(most)));
}

std::vector<std::size_t> Recount::sampledPairs(std::size_t instances, std::size_t references) {
    std::vector<std::size_t> numbers = spreadSamples(pairsOf(instances, references), kMax, kSeed);
    for (std::size_t& number : numbers) number = pairAmong(number, references);
    return numbers;
}

std::vector<std::size_t> Recount::beginPairs(std::size_t instances, const RecountTime& time,
                                             std::size_t references) {
    const std::size_t pairs = pairsOf(instances, references);
    const std::size_t wanted = begin(std::min(kMax, pairs), time);
    if (wanted == 0) return {};
    std::vector<std::size_t> numbers = someOf(spreadSamples(pairs, kMax, kSeed), wanted);
    for (std::size_t& number : numbers) number = pairAmong(number, references);
    return numbers;
}

bool Recount::continuesAfter(std::size_t elements) {
    const double seconds = watch_.seconds();
    const double more = seconds - std::exchange(secondsOfBegun_, seconds);
    add(elements, more);
    secondsOfAll_ += more;
    return Clock::threadSeconds() - processor_ < seconds_ && seconds < kPatience * seconds_;
}

Backend& Recount::reference() {
    if (!reference_) {
        reference_ = createNamedBackend("reference", {});
        report_.method = withReference_;
    }
    return *reference_;
}

std::optional<RecountReport> reportOf(const StageRecount& recount) {
    if (!recount.hasDevice()) return std::nullopt;
    RecountReport report = recount.counted();
    if (report.elements > 0)
        report.skipped.clear();
    else if (report.skipped.empty())
        report.skipped = fmt::format("there is no {}", report.kind);
    return report;
}

void discardIfWrong(pairs::PairOutput& values, const std::function<void()>& recount) {
    try {
        recount();
    } catch (const WrongResultError&) {
        // If working files were truncated, the device is not to blame.
        storage::requireIntactWorkingFiles();
        values.discard();
        throw;
    }
}

void addRecountField(Fields& fields, const std::optional<RecountReport>& recount) {
    if (!recount) return;
    std::string counted;
    for (const RecountedStage& stage : recount->stages)
        if (stage.elements > 0)
            counted += fmt::format("{}{} of {}", counted.empty() ? "" : ", ",
                                   formatCount(stage.elements, stage.kind), stage.name);
    if (counted.empty()) counted = formatCount(recount->elements, recount->kind);
    fields.emplace_back("Check",
                        recount->elements > 0
                            ? fmt::format("re-counted {}: {}, all agree", recount->method, counted)
                            : fmt::format("nothing re-counted {}: {}", recount->method, recount->skipped));
}

Json toJson(const RecountReport& recount) {
    Json json{{"method", recount.method}, {"kind", recount.kind}, {"elements", recount.elements}};
    if (recount.elements > 0) {
        json["agree"] = true;
        json["largestDifference"] = recount.largestDifference;
        json["seconds"] = recount.seconds;
        for (const RecountedStage& stage : recount.stages)
            json["stages"][stage.name] = {{"kind", stage.kind},
                                          {"elements", stage.elements},
                                          {"largestDifference", stage.largestDifference},
                                          {"seconds", stage.seconds}};
    } else {
        json["skipped"] = recount.skipped;
    }
    return json;
}

}  // namespace glycine
