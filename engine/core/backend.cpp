#include "engine/core/backend.hpp"

#include <cmath>

#include "engine/core/arguments.hpp"

namespace glycine {

const std::vector<Dialect>& allDialects() {
    static const std::vector<Dialect> dialects{Dialect::Gl33, Dialect::Es300, Dialect::Gl21};
    return dialects;
}

void checkBackendOptions(const BackendOptions& options) {
    checkKnown(options.dialect);
    checkKnown(options.context);
    if (options.instructions) checkKnown(*options.instructions);
    checkNumber("the number of threads", options.threads, options.threads >= 0,
                "0, one for each core, or more");
    if (options.device)
        checkNumber("the device", *options.device, *options.device >= 0, "an index of 0 or more");
    checkNumber("the longest draw", options.passBudgetMilliseconds,
                options.passBudgetMilliseconds > 0 && std::isfinite(options.passBudgetMilliseconds),
                "a finite number of milliseconds above 0");
}

BackendRegistry& BackendRegistry::instance() {
    static BackendRegistry registry;
    return registry;
}

void BackendRegistry::add(Entry entry) {
    entries_.push_back(std::move(entry));
}

const BackendRegistry::Entry& BackendRegistry::find(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) {
        if (entry.name == name) return entry;
        known.push_back(entry.name);
    }
    throwUnknownName("backend", name, known);
}

std::unique_ptr<Backend> BackendRegistry::create(std::string_view name, const BackendOptions& options) const {
    const Entry& entry = find(name);
    checkBackendOptions(options);
    return entry.create(options);
}

}  // namespace glycine
