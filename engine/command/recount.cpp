#include "engine/command/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine {

namespace {

/// Seconds, and shares of the run, that a count may take: all of it, and a single element.
constexpr double kSeconds = 0.1;
constexpr double kShare = 0.03;
constexpr double kSecondsOfOne = 1;
constexpr double kShareOfOne = 0.1;

}  // namespace

Recount::Recount(const Backend& backend, const BackendRequest& request, std::string kind, std::string method)
    : backend_(backend.name()),
      device_(backend.device()),
      hasDevice_(backend_ == "gl" || backend_ == "cuda"),
      isWanted_(hasDevice_ && !request.isUnchecked) {
    report_.kind = std::move(kind);
    report_.method = std::move(method);
    if (request.isUnchecked) report_.skipped = "--no-check";
}

std::vector<std::size_t> Recount::someOf(std::vector<std::size_t> numbers, std::size_t wanted) {
    std::sort(numbers.begin(), numbers.end(),
              [](std::size_t a, std::size_t b) { return derivedSeed(kSeed, a) < derivedSeed(kSeed, b); });
    numbers.resize(std::min(numbers.size(), wanted));
    return numbers;
}

std::size_t Recount::begin(std::size_t most, const RecountTime& time) {
    if (!isWanted_ || most == 0) return 0;
    const double first = time.once + time.each;
    if (first > std::max(kSecondsOfOne, kShareOfOne * time.run)) {
        report_.skipped = fmt::format("one {} would take {}", report_.kind, formatSeconds(first));
        return 0;
    }
    seconds_ = std::max(kSeconds, kShare * time.run);
    secondsBefore_ = report_.seconds;
    watch_.restart();
    const double number = std::floor((seconds_ - time.once) / time.each);
    return number < 1 ? 1 : static_cast<std::size_t>(std::min(number, static_cast<double>(most)));
}

std::vector<std::size_t> Recount::beginPairs(std::size_t instances, const RecountTime& time) {
    const std::size_t pairs = instances * (instances - 1) / 2;
    return someOf(spreadSamples(pairs, kMost, kSeed), begin(std::min(kMost, pairs), time));
}

bool Recount::goesOnAfter(std::size_t elements) {
    const double seconds = watch_.seconds();
    report_.elements += elements;
    report_.seconds = secondsBefore_ + seconds;
    return seconds < seconds_;
}

Backend& Recount::reference() {
    if (!reference_) reference_ = createNamedBackend("reference", {});
    return *reference_;
}

std::optional<RecountReport> Recount::report() const {
    if (!hasDevice_) return std::nullopt;
    RecountReport report = report_;
    if (report.elements > 0)
        report.skipped.clear();
    else if (report.skipped.empty())
        report.skipped = fmt::format("there is no {}", report.kind);
    return report;
}

void Recount::refuse(const std::string& variant, double found, double expected, double allowed,
                     const std::string& place) const {
    throw WrongResultError(fmt::format(
        "the {} is {} by {} {} (on {}) and {} when it is counted again {}{}; nothing was written, for more "
        "may be "
        "wrong: use another backend or variant (`glycine list`)",
        place, found, backend_, variant, device_, expected, report_.method,
        allowed > 0 ? fmt::format(", which rounding does not explain ({:.1g} allowed)", allowed) : ""));
}

void discardIfWrong(pairs::PairOutput& values, const std::function<void()>& recount) {
    try {
        recount();
    } catch (const WrongResultError&) {
        // No device is to blame where the results were cut off.
        storage::requireWholeWorkingFiles();
        values.discard();
        throw;
    }
}

void addRecountField(Fields& fields, const std::optional<RecountReport>& recount) {
    if (!recount) return;
    fields.emplace_back("Check",
                        recount->elements > 0
                            ? fmt::format("re-counted {}: {}, all agree", recount->method,
                                          formatCount(recount->elements, recount->kind))
                            : fmt::format("nothing re-counted {}: {}", recount->method, recount->skipped));
}

Json toJson(const RecountReport& recount) {
    Json json{{"method", recount.method}, {"kind", recount.kind}, {"elements", recount.elements}};
    if (recount.elements > 0) {
        json["agree"] = true;
        json["largestDifference"] = recount.largestDifference;
        json["seconds"] = recount.seconds;
    } else {
        json["skipped"] = recount.skipped;
    }
    return json;
}

}  // namespace glycine
