#include <fmt/format.h>

#include <functional>
#include <memory>
#include <ostream>

#include "app/commands.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/error.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

struct BackendInfo {
    const BackendRegistry::Entry* entry = nullptr;
    std::vector<std::string> devices;
    std::string unavailable;  ///< the reason; empty: it is available
    DeviceDescription device;
    Capabilities capabilities;
};

BackendInfo inspect(const BackendRegistry::Entry& entry, const BackendOptions& options) {
    BackendInfo info;
    info.entry = &entry;
    try {
        if (entry.listDevices) info.devices = entry.listDevices();
        const std::unique_ptr<Backend> backend = entry.create(options);
        info.device = describeDevice(*backend, options);
        info.capabilities = backend->capabilities();
    } catch (const UnavailableError& error) {
        info.unavailable = error.what();
    }
    return info;
}

/// What the rule gives on this machine for work that every backend can do: its name and the reason. The
/// backend is gone before the next context is made.
std::pair<std::string, std::string> chooseForAnything(const BackendOptions& options) {
    const BackendChoice choice = chooseBackend(options, [](Backend&) { return Support::yes(); });
    return {std::string(choice.backend->name()), choice.reason};
}

void printCapabilities(std::ostream& out, std::string_view title,
                       const std::vector<Capability>& capabilities) {
    if (capabilities.empty()) return;
    TableOf<Capability> table;
    table.add({std::string(title)}, std::mem_fn(&Capability::name));
    table.add({"value"}, std::mem_fn(&Capability::value));
    table.add({"how it is known"}, std::mem_fn(&Capability::cause));
    out << '\n';
    table.print(out, capabilities, terminalWidth());
}

void printBackend(std::ostream& out, const BackendInfo& info) {
    out << fmt::format("\n{}: {}\n", info.entry->name, info.entry->summary);
    Fields fields;
    for (std::size_t index = 0; index < info.devices.size(); ++index)
        fields.emplace_back(fmt::format("--device {}", index), info.devices[index]);
    if (!info.unavailable.empty()) {
        fields.emplace_back("not available", info.unavailable);
    } else {
        fields.emplace_back("device", info.device.device);
        fields.emplace_back("driver", info.device.driver);
    }
    printFields(out, fields, terminalWidth());
    printCapabilities(out, "limit", info.capabilities.limits);
    printCapabilities(out, "feature", info.capabilities.features);
    printCapabilities(out, "known bug", info.capabilities.bugs);
}

Json toJson(const std::vector<Capability>& capabilities) {
    return jsonArray(capabilities, [](const Capability& capability) {
        return Json{{"name", capability.name}, {"value", capability.value}, {"cause", capability.cause}};
    });
}

Json toJson(const BackendInfo& info) {
    Json json{{"name", info.entry->name},
              {"summary", info.entry->summary},
              {"available", info.unavailable.empty()},
              {"devices", info.devices}};
    if (!info.unavailable.empty()) {
        json["reason"] = info.unavailable;
        return json;
    }
    json["device"] = info.device.device;
    json["driver"] = info.device.driver;
    if (!info.device.dialect.empty()) json["dialect"] = info.device.dialect;
    json["limits"] = toJson(info.capabilities.limits);
    json["features"] = toJson(info.capabilities.features);
    json["bugs"] = toJson(info.capabilities.bugs);
    return json;
}

int printInfo(CommandContext& context, const BackendOptions& options, bool asJson) {
    const Environment environment = currentEnvironment();
    std::vector<BackendInfo> backends;
    for (const auto& entry : BackendRegistry::instance().entries())
        backends.push_back(inspect(entry, options));
    const auto [chosen, reason] = chooseForAnything(options);
    if (asJson) {
        Json json{{"command", "info"}, {"environment", toJson(environment)}};
        json["defaultBackend"] = {{"name", chosen}, {"reason", reason}, {"rule", defaultBackendRule()}};
        json["backends"] = jsonArray(backends, [](const auto& info) { return toJson(info); });
        printJson(context.out(), json);
        return 0;
    }
    Fields head = environmentFields(environment);
    head.emplace_back("default backend", reason.empty() ? chosen : fmt::format("{} ({})", chosen, reason));
    head.emplace_back("its rule", defaultBackendRule());
    printFields(context.out(), head, terminalWidth());
    for (const BackendInfo& info : backends) printBackend(context.out(), info);
    return 0;
}

}  // namespace

CommandAction declareInfo(Options& options) {
    struct InfoOptions {
        BackendOptions device;
        bool json = false;
    };
    auto info = std::make_shared<InfoOptions>();
    addJsonOption(options, info->json, "Print everything as one JSON object");
    addBackendOptions(options, info->device);
    options.remove("--device");  // an index has no meaning for all backends at once
    options.footer(
        "Examples:\n"
        "  glycine info\n"
        "  glycine info --dialect es300 --context egl");
    return [info](CommandContext& context) { return printInfo(context, info->device, info->json); };
}

}  // namespace glycine
