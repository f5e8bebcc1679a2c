#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

struct DeviceBench {
    std::vector<std::string> backends;
    bool isQuick = false;
    StudyOptions options{};
};

int benchDevice(CommandContext& context, const Options& options, const DeviceBench& bench) {
    for (const std::string& name : bench.backends) {
        BackendRegistry::instance().find(name);
        if (name == kReference)
            throw UsageError("--backend: the reference is not measured; expected cpu, gl or cuda");
    }
    const std::vector<std::string> backends = backendsToMeasure(bench.backends);
    checkBackendOptions(options, backends);
    if (!bench.options.output.empty()) checkOutputFiles({bench.options.output}, {});

    CeilingRules rules = bench.isQuick ? quickCeilings() : CeilingRules{};
    if (options.isGiven("--repeats")) rules.repeats = bench.options.repeats;
    const DeviceReport report = measureDevices(backends, bench.options.device, rules, context);
    context.clearProgressLine();
    deliver(context, report, bench.options.json, bench.options.output);
    const auto any = [&report](const auto& has) {
        return std::ranges::any_of(report.measured, [&](const MeasuredDevice& one) {
            return std::ranges::any_of(one.ceilings, has);
        });
    };
    if (any([](const DeviceCeiling& ceiling) { return !ceiling.wrong.empty(); })) return 1;
    if (!any(&DeviceCeiling::hasValue)) throw UnavailableError("nothing was measured: no backend could run");
    return 0;
}

}  // namespace

CommandAction declareBenchDevice(Options& options) {
    const auto state = std::make_shared<DeviceBench>();
    state->options.repeats = CeilingRules{}.repeats;
    options.value("--backend B,…", state->backends, "Only these backends (default: all but reference)")
        .suggests(backendNames());
    options.flag("--quick", state->isQuick, "Make fewer runs, for small machines");
    addReportOptions(options, state->options);
    addBackendOptions(options, state->options.device);
    options.footer(
        "Measures the ceilings of each backend on this machine: memory and transfer bandwidth,\n"
        "arithmetic by kind and number format, texel fetches, overheads. `glycine bench ALGORITHM`\n"
        "compares its results with them (docs/ceilings.md). Every run is verified; a wrong one gets no\n"
        "value, and exit code 1.\n\n"
        "Examples:\n"
        "  glycine bench device\n"
        "  glycine bench device --backend gl --dialect es300 --quick\n"
        "  glycine bench device -o ceilings.json");
    return [state, &options](CommandContext& context) { return benchDevice(context, options, *state); };
}

void addBenchDeviceCommand() {
    CommandRegistry::instance().add(
        {"bench", "device", "", "Measure the peak rates of each backend's device", declareBenchDevice});
}

DeviceReport measureDevices(const std::vector<std::string>& backends, const BackendOptions& device,
                            const CeilingRules& rules, CommandContext& context) {
    DeviceReport report;
    report.environment = currentEnvironment();
    ConditionsMeter meter;
    std::vector<double> spreads;
    for (const std::string& name : backends) {
        MeasuredDevice& one = report.measured.emplace_back();
        one.device.backend = name;
        try {
            const std::unique_ptr<Backend> backend = BackendRegistry::instance().create(name, device);
            one.device = describeDevice(*backend);
            one.threads = threadsOf(*backend);
            report.addDevice(one.device);
            const std::vector<DeviceProbe> probes = backend->probes();
            context.setProgressPrefix(name + ": ");
            context.progress().begin("ceilings", static_cast<double>(probes.size()));
            for (const DeviceProbe& probe : probes) {
                one.ceilings.push_back(measureCeiling(probe, rules, context.progress(), &meter));
                if (one.ceilings.back().hasValue()) spreads.push_back(one.ceilings.back().value.spread());
                context.progress().advance(1);
            }
        } catch (const UnavailableError& error) {
            one.unavailable = error.what();
        }
    }
    report.conditions = meter.finish(std::move(spreads));
    report.settings = {
        {"runs", fmt::format("of at least {} ms, each verified; those that found the length dropped, {} "
                             "timed at least, more while they get better: best (median)",
                             1000 * rules.leastSeconds, rules.repeats)},
        {"ceilings", "the most that the device does of one kind of work; results are compared with it"}};
    return report;
}

std::vector<std::string> backendsToMeasure(std::vector<std::string> chosen) {
    if (chosen.empty())
        for (const BackendRegistry::Entry& entry : BackendRegistry::instance().entries())
            chosen.push_back(entry.name);
    dropReference(chosen);
    return chosen;
}

}  // namespace glycine::study
