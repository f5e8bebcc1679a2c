#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "app/commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/run_report.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

/// Support of `gl` for one dialect on this machine.
struct DialectInfo {
    Dialect dialect = Dialect::Gl33;
    std::string unavailable;  ///< reason; empty: available
    std::string driver;
    /// Names of the variants that can run, by algorithm.
    std::vector<std::pair<std::string, std::vector<std::string>>> variants;
};

struct BackendInfo {
    const BackendRegistry::Entry* entry = nullptr;
    std::vector<std::string> devices;
    std::string unavailable;  ///< reason; empty: available
    DeviceDescription device;
    bool isEmulated = false;
    Capabilities capabilities;
    std::vector<DialectInfo> dialects;  ///< for gl only
};

/// Inspects the `gl` backend in its present dialect.
DialectInfo inspectDialect(Backend& gl) {
    DialectInfo info;
    info.dialect = fromString<Dialect>(gl.dialectName());
    info.driver = gl.driver();
    for (const auto& algorithm : AlgorithmRegistry::instance().algorithms()) {
        std::vector<std::string>& names =
            info.variants.emplace_back(algorithm->name(), std::vector<std::string>()).second;
        for (const VariantInfo& variant : algorithm->variants())
            if (std::ranges::find(variant.dialects, info.dialect) != variant.dialects.end() &&
                algorithm->supports(gl, {"gl", variant.name, info.dialect, ""}, {}))
                names.push_back(variant.name);
    }
    return info;
}

DialectInfo inspectDialect(Dialect dialect, BackendOptions options) {
    options.dialect = dialect;
    options.allowDialectFallback = false;
    try {
        return inspectDialect(*BackendRegistry::instance().create("gl", options));
    } catch (const UnavailableError& error) {
        return {.dialect = dialect, .unavailable = error.what(), .driver = {}, .variants = {}};
    }
}

BackendInfo inspect(const BackendRegistry::Entry& entry, const BackendOptions& options) {
    BackendInfo info;
    info.entry = &entry;
    const bool isGl = entry.name == "gl";
    // for gl: from its first context, which is destroyed before the next one is created
    std::optional<DialectInfo> usual;
    try {
        info.devices = BackendRegistry::instance().listDevices(entry.name);
        const std::unique_ptr<Backend> backend = BackendRegistry::instance().create(entry.name, options);
        info.device = describeDevice(*backend);
        info.isEmulated = backend->isEmulated();
        info.capabilities = backend->capabilities();
        if (isGl) usual = inspectDialect(*backend);
    } catch (const UnavailableError& error) {
        info.unavailable = error.what();
    }
    if (isGl)
        for (const Dialect dialect : allDialects())
            info.dialects.push_back(usual && usual->dialect == dialect ? *usual
                                                                       : inspectDialect(dialect, options));
    return info;
}

/// The backend that the rule chooses on this machine for work that every backend supports. For `gl`, only the
/// default dialect counts.
RuleChoice chooseForAnything(const std::vector<BackendInfo>& backends, Dialect usual) {
    return applyDefaultRule([&](std::string_view name) -> Candidate {
        const auto info = std::ranges::find_if(
            backends, [name](const BackendInfo& one) { return one.entry->name == name; });
        const auto dialect = std::ranges::find(info->dialects, usual, &DialectInfo::dialect);
        const std::string reluctance = info->entry->reluctance ? info->entry->reluctance() : "";
        return {
            dialect == info->dialects.end() ? info->unavailable : dialect->unavailable,
            reluctance.empty() ? reluctanceOfEmulated(info->isEmulated, info->device.device) : reluctance};
    });
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

std::string describe(const DialectInfo& info) {
    if (!info.unavailable.empty()) return "not available: " + info.unavailable;
    std::string text = info.driver;
    for (const auto& [algorithm, names] : info.variants)
        text += fmt::format("; {}: {}", algorithm,
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, " ")));
    return text;
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
        if (!info.device.note.empty()) fields.emplace_back("note", info.device.note);
    }
    // A reason that all dialects share is printed above.
    const bool allLackTheSame =
        !info.unavailable.empty() && std::ranges::all_of(info.dialects, [&](const DialectInfo& dialect) {
            return dialect.unavailable == info.unavailable;
        });
    for (const DialectInfo& dialect : allLackTheSame ? std::vector<DialectInfo>() : info.dialects)
        fields.emplace_back(fmt::format("dialect {}", toString(dialect.dialect)), describe(dialect));
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

Json toJson(const std::vector<DialectInfo>& dialects) {
    Json json = Json::object();
    for (const DialectInfo& info : dialects) {
        Json& one = json[std::string(toString(info.dialect))] = {{"available", info.unavailable.empty()}};
        if (!info.unavailable.empty()) {
            one["reason"] = info.unavailable;
            continue;
        }
        one["driver"] = info.driver;
        for (const auto& [algorithm, names] : info.variants) one["variants"][algorithm] = names;
    }
    return json;
}

Json toJson(const BackendInfo& info) {
    Json json{{"name", info.entry->name},
              {"summary", info.entry->summary},
              {"available", info.unavailable.empty()},
              {"devices", info.devices}};
    if (!info.dialects.empty()) json["dialects"] = toJson(info.dialects);
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
    const auto [chosen, reason] = chooseForAnything(backends, options.dialect);
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
    options.remove("--device");  // an index is meaningless for several backends
    options.footer(
        "Examples:\n"
        "  glycine info\n"
        "  glycine info --dialect es300 --context egl");
    return [info, &options](CommandContext& context) {
        info->device.allowDialectFallback = !options.isGiven("--dialect");
        return printInfo(context, info->device, info->json);
    };
}

}  // namespace glycine
