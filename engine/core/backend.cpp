#include "engine/core/backend.hpp"

namespace glycine {

const std::vector<Dialect>& allDialects() {
    static const std::vector<Dialect> dialects{Dialect::Gl33, Dialect::Es300, Dialect::Gl21};
    return dialects;
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
    return find(name).create(options);
}

}  // namespace glycine
