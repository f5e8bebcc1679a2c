#include "engine/core/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/algorithm.hpp"
#include "engine/core/error.hpp"

namespace glycine {

namespace {

/// The value that `table` holds under `name`; throws UsageError with all names otherwise.
template <class Value, std::size_t count>
Value parseName(std::string_view what, std::string_view name,
                const std::array<std::pair<std::string_view, Value>, count>& table) {
    std::vector<std::string_view> known;
    for (const auto& [candidate, value] : table) {
        if (candidate == name) return value;
        known.push_back(candidate);
    }
    throw UsageError(fmt::format("unknown {} '{}'; known: {}", what, name, fmt::join(known, ", ")));
}

constexpr std::array<std::pair<std::string_view, Dialect>, 3> kDialects{
    {{"gl33", Dialect::Gl33}, {"es300", Dialect::Es300}, {"gl21", Dialect::Gl21}}};
constexpr std::array<std::pair<std::string_view, ContextKind>, 3> kContextKinds{
    {{"auto", ContextKind::Automatic}, {"egl", ContextKind::Egl}, {"glfw", ContextKind::Glfw}}};
constexpr std::array<std::pair<std::string_view, InteropMode>, 3> kInteropModes{
    {{"auto", InteropMode::Automatic}, {"direct", InteropMode::Direct}, {"staged", InteropMode::Staged}}};

}  // namespace

std::string_view toString(Dialect dialect) {
    return kDialects[static_cast<std::size_t>(dialect)].first;
}
Dialect parseDialect(std::string_view name) {
    return parseName("dialect", name, kDialects);
}
const std::vector<Dialect>& allDialects() {
    static const std::vector<Dialect> dialects{Dialect::Gl33, Dialect::Es300, Dialect::Gl21};
    return dialects;
}
ContextKind parseContextKind(std::string_view name) {
    return parseName("context", name, kContextKinds);
}
std::string_view toString(InteropMode mode) {
    return kInteropModes[static_cast<std::size_t>(mode)].first;
}
InteropMode parseInteropMode(std::string_view name) {
    return parseName("interop mode", name, kInteropModes);
}

Support Backend::supports(std::string_view algorithm, std::string_view variant, std::size_t size) {
    return AlgorithmRegistry::instance().find(algorithm).supports(*this, variant, size);
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

AlgorithmRegistry& AlgorithmRegistry::instance() {
    static AlgorithmRegistry registry;
    return registry;
}

void AlgorithmRegistry::add(std::unique_ptr<Algorithm> algorithm) {
    algorithms_.push_back(std::move(algorithm));
}

const Algorithm& AlgorithmRegistry::find(std::string_view name) const {
    std::vector<std::string> known;
    for (const auto& algorithm : algorithms_) {
        if (algorithm->name() == name) return *algorithm;
        known.emplace_back(algorithm->name());
    }
    throw UsageError(fmt::format("unknown algorithm '{}'; known: {}", name, fmt::join(known, ", ")));
}

}  // namespace glycine
