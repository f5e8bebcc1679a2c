#include <fmt/format.h>

#include <memory>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

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
        {"ceilings", "the most that the device does of one kind of work: what results are held against"}};
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
