#pragma once

#include <string>
#include <utility>

#include "engine/command/text_table.hpp"
#include "engine/core/backend.hpp"
#include "engine/io/text/json_forward.hpp"

/// Where a number was measured: the head of every report.
namespace glycine {

struct Environment {
    std::string build;      ///< program, version, commit, compiler
    std::string processor;  ///< its name and the number of its threads
    std::string system;     ///< "Linux 6.1.0-18-amd64, x86_64"
    std::string date;       ///< UTC, ISO 8601: "2026-01-31T12:00:00Z"
};
Environment currentEnvironment();
Fields environmentFields(const Environment& environment);
Json toJson(const Environment& environment);

/// A backend that took part in a report.
struct DeviceDescription {
    std::string backend;
    std::string dialect;  ///< `gl` only
    std::string device;
    std::string driver;
    std::string note = {};    ///< Backend::note
    bool isSoftware = false;  ///< Backend::isEmulated: what it does says nothing about a GPU
    bool operator==(const DeviceDescription&) const = default;
};
DeviceDescription describeDevice(const Backend& backend);
/// "gl (es300)", with the device and driver as value, and that it is a software renderer.
std::pair<std::string, std::string> deviceField(const DeviceDescription& description);
Json toJson(const DeviceDescription& description);

}  // namespace glycine
