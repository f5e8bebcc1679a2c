#include "engine/command/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>

#include "engine/core/build_info.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

Environment currentEnvironment() {
    Environment result;
    result.build = describeBuild();
    result.processor = HostBackend("cpu", 0).device();
    utsname system{};
    if (uname(&system) == 0)
        result.system = fmt::format("{} {}, {}", system.sysname, system.release, system.machine);
    result.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return result;
}

Fields environmentFields(const Environment& environment) {
    return {{"build", environment.build},
            {"processor", environment.processor},
            {"system", environment.system},
            {"date", environment.date}};
}

Json toJson(const Environment& environment) {
    Json json;
    for (const auto& [name, value] : environmentFields(environment)) json[name] = value;
    return json;
}

DeviceDescription describeDevice(const Backend& backend) {
    return {std::string(backend.name()),
            std::string(backend.dialectName()),
            backend.device(),
            backend.driver(),
            backend.note(),
            backend.isEmulated()};
}

std::pair<std::string, std::string> deviceField(const DeviceDescription& description) {
    return {description.dialect.empty() ? description.backend
                                        : fmt::format("{} ({})", description.backend, description.dialect),
            fmt::format("{}; {}{}", description.device, description.driver,
                        description.isSoftware ? "; a software renderer, no GPU" : "")};
}

Json toJson(const DeviceDescription& description) {
    Json json{
        {"backend", description.backend}, {"device", description.device}, {"driver", description.driver}};
    if (!description.dialect.empty()) json["dialect"] = description.dialect;
    if (!description.note.empty()) json["note"] = description.note;
    if (description.isSoftware) json["softwareRenderer"] = true;
    return json;
}

}  // namespace glycine
