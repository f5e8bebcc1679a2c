#include "engine/study/device_ceilings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/system/machine.hpp"
#include "engine/study/conditions.hpp"

namespace glycine::study {

namespace {

/// Limits on lengthening a run: the factor of one step, and the total. Without them, a clock that stands
/// still or a device that skips work would lengthen runs without end.
constexpr double kMaxGrowth = 64;
constexpr std::size_t kMaxPortions = std::size_t{1} << 30U;

std::size_t lengthened(std::size_t portions, double seconds, double leastSeconds) {
    const double wanted = seconds > 0 ? 1.1 * leastSeconds / seconds : kMaxGrowth;
    return std::min(
        kMaxPortions,
        static_cast<std::size_t>(static_cast<double>(portions) * std::clamp(wanted, 1.5, kMaxGrowth)) + 1);
}

/// Number of portions that take at least `leastSeconds`, found with runs that also warm the device up. Too
/// small if something else slowed down one of these runs.
std::size_t portionsFor(const DeviceProbe::Runner& run, double leastSeconds, Progress& progress) {
    std::size_t portions = 1;
    run(portions);  // compiles shaders, touches memory
    while (portions < kMaxPortions) {
        progress.throwIfCancelled();
        const double seconds = run(portions).seconds;
        if (seconds >= leastSeconds) break;
        portions = lengthened(portions, seconds, leastSeconds);
    }
    return portions;
}

/// Rates (or µs per operation) of runs that are repeated until they no longer improve.
std::vector<double> valuesOf(const DeviceProbe& probe, const DeviceProbe::Runner& run,
                             const CeilingRules& rules, Progress& progress, ConditionsMeter* meter) {
    constexpr std::size_t kMax = 5;
    constexpr double kBetter = 1.01, kShort = 0.9;
    const std::size_t patience = std::min<std::size_t>(3, rules.repeats - 1);
    std::size_t portions = portionsFor(run, rules.leastSeconds, progress);
    std::vector<double> values;
    double best = 0;
    std::size_t runs = 0, sinceBest = 0;
    while (runs < rules.repeats || (runs < kMax * rules.repeats && sinceBest < patience)) {
        progress.throwIfCancelled();
        if (meter != nullptr) meter->probe();
        const ProbeRun one = run(portions);
        if (one.seconds < kShort * rules.leastSeconds && portions < kMaxPortions) {
            portions = lengthened(portions, one.seconds, rules.leastSeconds);
            values.clear();
            best = 0;
            runs = sinceBest = 0;
            continue;
        }
        ++runs;
        if (!(one.amount > 0) || !(one.seconds > 0)) continue;
        const double rate = one.least > 0 ? 1 / one.least : one.amount / one.seconds;
        values.push_back(probe.isTime() ? 1e6 / rate : rate);
        sinceBest = rate > kBetter * best ? 0 : sinceBest + 1;
        best = std::max(best, rate);
    }
    return values;
}

/// Shares above 1 by rounding alone do not count as above the ceiling.
constexpr double kAbove = 1 + 1e-9;

bool isBetter(bool isTime, double one, double other) {
    return isTime ? one < other : one > other;
}

CeilingKey ceilingKeyOf(const MeasuredRow& row, const CeilingUse& use) {
    return {row.configuration.backend, row.configuration.dialectName(),
            use.threads > 0 ? use.threads : row.threads, use.name};
}

}  // namespace

std::string DeviceCeiling::note() const {
    // A driver's error log has many lines; the JSON contains all of them.
    if (!wrong.empty()) return wrong.substr(0, wrong.find('\n'));
    return absent.empty() ? how : "not measured: " + absent;
}

CeilingRules quickCeilings() {
    return {.repeats = 4};
}

DeviceCeiling measureCeiling(const DeviceProbe& probe, const CeilingRules& rules, Progress& progress,
                             ConditionsMeter* meter) {
    DeviceCeiling ceiling{.name = probe.name, .unit = probe.unit, .how = probe.how, .absent = probe.absent};
    if (!ceiling.absent.empty()) return ceiling;
    try {
        const DeviceProbe::Runner run = probe.start();
        std::vector<double> values = valuesOf(probe, run, rules, progress, meter);
        ceiling.value = summarize(std::move(values));
        if (!ceiling.hasValue()) ceiling.absent = "the clock shows no time";
    } catch (const UnavailableError& error) {
        ceiling.absent = error.what();
    } catch (const DeviceError& error) {
        ceiling.wrong = error.what();
    }
    return ceiling;
}

int threadsOf(const Backend& backend) {
    const auto* host = dynamic_cast<const HostBackend*>(&backend);
    return host != nullptr ? host->threads() : 0;
}

void CeilingsInUse::keep(const std::string& backend, const std::string& dialect, int threads,
                         DeviceCeiling ceiling) {
    const Key key{backend, dialect, threads, ceiling.name};
    known_.insert_or_assign(key, std::move(ceiling));
}

const DeviceCeiling& CeilingsInUse::find(Backend& backend, const std::string& name, Progress& progress) {
    const Key key{std::string(backend.name()), std::string(backend.dialectName()), threadsOf(backend), name};
    asked_.insert(key);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const std::vector<DeviceProbe> probes = backend.probes();
    const auto found = std::ranges::find(probes, name, &DeviceProbe::name);
    DeviceCeiling ceiling =
        found != probes.end()
            ? measureCeiling(*found, rules_, progress)
            : DeviceCeiling{.name = name,
                            .unit = "G/s",
                            .absent = fmt::format("{} has no such ceiling", backend.name())};
    return known_.emplace(key, std::move(ceiling)).first->second;
}

std::string CeilingsInUse::text(const RaisedCeilings& raised) const {
    std::vector<std::string> lines;
    for (const Key& key : asked_) {
        const auto place = known_.find(key);
        if (place == known_.end()) continue;  // its measurement was cancelled
        const DeviceCeiling& ceiling = place->second;
        const auto& [backend, dialect, threads, name] = key;
        std::string line = fmt::format("{}: {} ", backend, name);
        line += ceiling.hasValue()
                    ? fmt::format("{} {}, {}", formatNumber(ceiling.best()), ceiling.unit, ceiling.how)
                    : ceiling.note();
        if (const auto* raise = raised.find({backend, dialect, threads, name})) line += ", " + raise->text();
        lines.push_back(std::move(line));
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

namespace {

/// Number of bytes that may stay in the caches. Smaller inputs are not bounded by memory, which is then not
/// measured.
double bytesInCaches(const Backend& backend) {
    constexpr double kUsualCaches = 64e6;
    if (dynamic_cast<const HostBackend*>(&backend) == nullptr) return kUsualCaches;
    return std::max(static_cast<double>(lastCacheBytes()), kUsualCaches);
}

}  // namespace

std::vector<CeilingUse> usesOf(const std::vector<RequiredWork>& needs, Backend& backend,
                               CeilingsInUse& ceilings, Progress& progress) {
    std::vector<CeilingUse> uses;
    const auto add = [&](const RequiredWork& need) {
        if (!(need.amount > 0)) return;
        if (need.ceiling == kCopyBandwidth && need.amount * 1e9 <= bytesInCaches(backend)) return;
        const DeviceCeiling& ceiling = ceilings.find(backend, need.ceiling, progress);
        if (ceiling.hasValue())
            uses.push_back({ceiling.name, ceiling.unit, ceiling.best(), ceiling.how, need.amount, need.stage,
                            threadsOf(backend)});
    };
    for (const RequiredWork& need : needs) add(need);
    // Every result takes at least one launch.
    if (uses.empty() && std::ranges::any_of(backend.probes(), &DeviceProbe::isTime))
        add({std::string(kLaunchOverhead), 1});
    std::ranges::stable_sort(uses, std::greater(), &CeilingUse::leastSeconds);
    return uses;
}

std::string RaisedCeilings::Raise::text() const {
    return fmt::format("raised from {} to {} {} by {}", formatNumber(probed), formatNumber(rate), unit, by);
}

void RaisedCeilings::note(const CeilingKey& key, const CeilingUse& use, double seconds,
                          const std::string& result) {
    const double probed = use.raisedBy.empty() ? use.rate : use.probed;
    const auto take = [&](double rate, const std::string& by) {
        const auto [place, isNew] = raises_.try_emplace(key, Raise{use.unit, rate, probed, by});
        Raise& raise = place->second;
        if (!isNew && isBetter(use.isTime(), rate, raise.rate)) {
            raise.rate = rate;
            raise.by = by;
        }
        if (isBetter(use.isTime(), probed, raise.probed)) raise.probed = probed;
    };
    if (!use.raisedBy.empty()) take(use.rate, use.raisedBy);
    if (seconds > 0 && use.leastSeconds() > kAbove * seconds) take(use.shownBy(seconds), result);
}

void RaisedCeilings::apply(const CeilingKey& key, CeilingUse& use) const {
    const Raise* raise = find(key);
    if (raise == nullptr || !isBetter(use.isTime(), raise->rate, use.rate)) return;
    use.probed = raise->probed;
    use.rate = raise->rate;
    use.raisedBy = raise->by;
}

const RaisedCeilings::Raise* RaisedCeilings::find(const CeilingKey& key) const {
    const auto place = raises_.find(key);
    return place == raises_.end() ? nullptr : &place->second;
}

RaisedCeilings raiseCeilings(const std::vector<MeasuredRow*>& rows, std::string_view where) {
    RaisedCeilings raised;
    for (const MeasuredRow* row : rows)
        for (const CeilingUse& use : row->ceilings)
            raised.note(ceilingKeyOf(*row, use), use, row->computingSeconds(use.stage),
                        fmt::format("{} on {}, {}", row->configuration.label(), where, row->problem));
    for (MeasuredRow* row : rows) {
        for (CeilingUse& use : row->ceilings) raised.apply(ceilingKeyOf(*row, use), use);
        std::ranges::stable_sort(row->ceilings, std::greater(), &CeilingUse::leastSeconds);
    }
    return raised;
}

Json ceilingUseToJson(const CeilingUse& use) {
    Json json{{"name", use.name}, {"unit", use.unit},   {"rate", use.rate},
              {"what", use.what}, {"work", use.amount}, {"leastSeconds", use.leastSeconds()}};
    if (!use.stage.empty()) json["stage"] = use.stage;
    if (use.threads > 0) json["threads"] = use.threads;
    if (!use.raisedBy.empty()) {
        json["raisedBy"] = use.raisedBy;
        json["probed"] = use.probed;
    }
    return json;
}

CeilingUse ceilingUseFrom(const Json& json) {
    CeilingUse use{.name = json.at("name").get<std::string>(),
                   .unit = json.at("unit").get<std::string>(),
                   .rate = json.at("rate").get<double>(),
                   .what = json.value("what", ""),
                   .amount = json.at("work").get<double>(),
                   .stage = json.value("stage", ""),
                   .threads = json.value("threads", 0)};
    use.raisedBy = json.value("raisedBy", "");
    use.probed = json.value("probed", 0.0);
    return use;
}

}  // namespace glycine::study
