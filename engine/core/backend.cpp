#include "engine/core/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/error.hpp"
#include "engine/core/names.hpp"

namespace glycine {

namespace {

constexpr NameTable<Dialect, 3> kDialects{
    {{Dialect::Gl33, "gl33"}, {Dialect::Es300, "es300"}, {Dialect::Gl21, "gl21"}}};
constexpr NameTable<ContextKind, 3> kContextKinds{
    {{ContextKind::Automatic, "auto"}, {ContextKind::Egl, "egl"}, {ContextKind::Glfw, "glfw"}}};
constexpr NameTable<InteropMode, 3> kInteropModes{
    {{InteropMode::Automatic, "auto"}, {InteropMode::Direct, "direct"}, {InteropMode::Staged, "staged"}}};

}  // namespace

std::string_view toString(Dialect dialect) {
    return nameOf(dialect, kDialects);
}
Dialect parseDialect(std::string_view name) {
    return valueOf("dialect", name, kDialects);
}
const std::vector<Dialect>& allDialects() {
    static const std::vector<Dialect> dialects{Dialect::Gl33, Dialect::Es300, Dialect::Gl21};
    return dialects;
}
std::string_view toString(ContextKind kind) {
    return nameOf(kind, kContextKinds);
}
ContextKind parseContextKind(std::string_view name) {
    return valueOf("context", name, kContextKinds);
}
std::string_view toString(InteropMode mode) {
    return nameOf(mode, kInteropModes);
}
InteropMode parseInteropMode(std::string_view name) {
    return valueOf("interop mode", name, kInteropModes);
}

BackendRegistry& BackendRegistry::instance() {
    static BackendRegistry registry;
    return registry;
}

void BackendRegistry::add(Entry entry) {
    entries_.push_back(std::move(entry));
}

const BackendRegistry::Entry& BackendRegistry::find(std::string_view name) const {
    std::vector<std::string> known;
    for (const Entry& entry : entries_) {
        if (entry.name == name) return entry;
        known.push_back(entry.name);
    }
    throw UsageError(fmt::format("unknown backend '{}'; known: {}", name, fmt::join(known, ", ")));
}

std::unique_ptr<Backend> BackendRegistry::create(std::string_view name, const BackendOptions& options) const {
    return find(name).create(options);
}

}  // namespace glycine
