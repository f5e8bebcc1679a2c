#include "engine/study/conditions.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "engine/core/system/machine.hpp"

namespace glycine::study {

namespace {

/// Largest share of the processors that other programs may use on a machine that counts as quiet.
constexpr double kQuietShare = 0.05;
/// Largest noise of the loop on a quiet machine: clocks of a warm processor vary by less.
constexpr double kQuietNoise = 0.1;
constexpr double kLoopSeconds = 1e-3;
constexpr double kSecondsBefore = 0.2;

std::optional<ProcessorTimes> readProcessorTimes() {
    static const std::set<int> numbers = ownProcessors();
    const std::optional<ProcessorTimes> times = parseProcessorTimes(processorTimesText(), numbers);
    if (!times) return {};
    return ProcessorTimes{times->total / ticksPerSecond(), times->idle / ticksPerSecond()};
}

double secondsOf(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string shareText(const std::optional<double>& share) {
    return share ? fmt::format("{:.0f} %", 100 * *share) : "an unknown share";
}

Json orNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

std::string Conditions::disturbance() const {
    for (const auto& [share, when] :
         {std::pair(othersDuring, "during the runs"), std::pair(othersBefore, "before")})
        if (share.value_or(0) > kQuietShare)
            return fmt::format("other programs used {} of the processors {}", shareText(share), when);
    if (loopNoise > kQuietNoise)
        return fmt::format("the same loop took {:.0f} % longer between the runs than at its best",
                           100 * loopNoise);
    return {};
}

Fields conditionFields(const Conditions& conditions) {
    const std::string average = conditions.loadAverageBefore ? fmt::format("load average {:.2f} before; ",
                                                                           *conditions.loadAverageBefore)
                                                             : std::string();
    return {
        {"load", fmt::format("{}other programs used {} of the processors before, {} during the runs", average,
                             shareText(conditions.othersBefore), shareText(conditions.othersDuring))},
        {"noise",
         fmt::format(
             "runs of a row differ by {:.1f} % (median of all rows); a loop of one thread took {:.1f} "
             "% longer between runs than at its best",
             100 * conditions.runSpread, 100 * conditions.loopNoise)}};
}

void addToJson(Json& report, const Conditions& conditions) {
    report["load"] = {{"averageBefore", orNull(conditions.loadAverageBefore)},
                      {"othersBefore", orNull(conditions.othersBefore)},
                      {"othersDuring", orNull(conditions.othersDuring)}};
    report["noise"] = {{"runSpread", conditions.runSpread},
                       {"loop", conditions.loopNoise},
                       {"loopSeconds", conditions.loopSeconds.samples}};
    report["busy"] = conditions.disturbance();
}

Conditions conditionsFrom(const Json& report) {
    const auto optional = [](const Json& value) {
        return value.is_null() ? std::nullopt : std::optional(value.get<double>());
    };
    const Json& load = report.at("load");
    const Json& noise = report.at("noise");
    return {.loadAverageBefore = optional(load.at("averageBefore")),
            .othersBefore = optional(load.at("othersBefore")),
            .othersDuring = optional(load.at("othersDuring")),
            .loopNoise = noise.at("loop").get<double>(),
            .loopSeconds = summarize(noise.at("loopSeconds").get<std::vector<double>>()),
            .runSpread = noise.at("runSpread").get<double>()};
}

std::string busyLine(const Conditions& conditions) {
    const std::string disturbance = conditions.disturbance();
    return disturbance.empty() ? std::string() : fmt::format("BUSY MACHINE: {}\n", disturbance);
}

std::optional<ProcessorTimes> parseProcessorTimes(std::string_view procStat, const std::set<int>& numbers) {
    std::optional<ProcessorTimes> sum;
    std::istringstream lines{std::string(procStat)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        // "cpu" without a number is the sum over all processors.
        if (!name.starts_with("cpu") || name.size() == 3) continue;
        if (!numbers.empty() && !numbers.contains(std::stoi(name.substr(3)))) continue;
        if (!sum) sum.emplace();
        // The columns are user nice system idle iowait irq softirq steal. Later columns are part of user and
        // nice.
        constexpr int kIdle = 3, kWaiting = 4, kColumns = 8;
        double ticks = 0;
        for (int column = 0; column < kColumns && words >> ticks; ++column) {
            sum->total += ticks;
            if (column == kIdle || column == kWaiting) sum->idle += ticks;
        }
    }
    return sum;
}

ConditionsMeter::ConditionsMeter() {
    conditions_.loadAverageBefore = loadAverage();
    iterations_ = 1024;
    while (timeLoop() < kLoopSeconds) iterations_ *= 2;
    const Usage before = usageNow();
    const Stopwatch watch;
    fastestLoop_ = timeLoop();
    while (watch.seconds() < kSecondsBefore) fastestLoop_ = std::min(fastestLoop_, timeLoop());
    start_ = usageNow();
    conditions_.othersBefore = othersBetween(before, start_);
}

void ConditionsMeter::probe() {
    loops_.push_back(timeLoop());
    fastestLoop_ = std::min(fastestLoop_, loops_.back());
}

Conditions ConditionsMeter::finish(std::vector<double> runSpreads) const {
    Conditions result = conditions_;
    result.othersDuring = othersBetween(start_, usageNow());
    result.loopSeconds = summarize(loops_);
    if (!loops_.empty()) result.loopNoise = result.loopSeconds.median / fastestLoop_ - 1;
    result.runSpread = summarize(std::move(runSpreads)).median;
    return result;
}

ConditionsMeter::Usage ConditionsMeter::usageNow() {
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    return {readProcessorTimes(), secondsOf(own.ru_utime) + secondsOf(own.ru_stime)};
}

std::optional<double> ConditionsMeter::othersBetween(const Usage& start, const Usage& end) {
    if (!start.all || !end.all) return {};
    const double total = end.all->total - start.all->total;
    if (total <= 0) return {};
    const double busy = total - (end.all->idle - start.all->idle);
    return std::clamp((busy - (end.own - start.own)) / total, 0.0, 1.0);
}

double ConditionsMeter::timeLoop() const {
    // Each step depends on the one before (xorshift): nothing overlaps, and memory is not touched.
    volatile std::uint64_t start = 88172645463325252U;
    const Stopwatch watch;
    std::uint64_t state = start;
    for (unsigned long i = 0; i < iterations_; ++i) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
    }
    start = state;
    return watch.seconds();
}

}  // namespace glycine::study
