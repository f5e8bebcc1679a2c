#include "engine/core/backend.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/arguments.hpp"
#include "engine/core/backend_module.hpp"
#include "engine/core/error.hpp"

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
    for (const int device : options.devices.value_or(std::vector<int>()))
        checkNumber("a device", device, device >= 0, "an index of 0 or more");
    checkNumber("the longest draw", options.passBudgetMilliseconds,
                options.passBudgetMilliseconds > 0 && std::isfinite(options.passBudgetMilliseconds),
                "a finite number of milliseconds above 0");
}

bool isSoftwareRenderer(std::string_view renderer) {
    constexpr std::string_view kNames[] = {"llvmpipe",
                                           "lavapipe",
                                           "softpipe",
                                           "swrast",
                                           "swiftshader",
                                           "software rasterizer",
                                           "software renderer",
                                           "software adapter",
                                           "microsoft basic render driver",
                                           "mesa offscreen",
                                           "mesa x11",
                                           "gdi generic"};
    // Too short to be searched for within other words.
    constexpr std::string_view kWords[] = {"swr", "warp"};
    std::string name(renderer);
    std::ranges::transform(name, name.begin(),
                           [](char c) { return 'A' <= c && c <= 'Z' ? char(c + 32) : c; });
    const auto isLetter = [&](std::size_t place) {
        return place < name.size() && 'a' <= name[place] && name[place] <= 'z';
    };
    const auto hasWord = [&](std::string_view word) {
        for (std::size_t place = name.find(word); place != std::string::npos;
             place = name.find(word, place + 1))
            if ((place == 0 || !isLetter(place - 1)) && !isLetter(place + word.size())) return true;
        return false;
    };
    return std::ranges::any_of(
               kNames, [&](std::string_view known) { return name.find(known) != std::string::npos; }) ||
           std::ranges::any_of(kWords, hasWord);
}

BackendRegistry& BackendRegistry::instance() {
    static BackendRegistry registry;
    return registry;
}

void BackendRegistry::add(Entry entry) {
    const std::size_t place = rank(entry.name);
    if (place == entries_.size()) {
        entries_.push_back(std::move(entry));
        return;
    }
    entries_[place].create = std::move(entry.create);
    entries_[place].listDevices = std::move(entry.listDevices);
    entries_[place].wake = std::move(entry.wake);
}

void BackendRegistry::addModule(std::string name, std::string summary,
                                std::function<std::string()> reluctance) {
    if (rank(name) < entries_.size()) return;
    entries_.push_back({std::move(name), std::move(summary), {}, {}, std::move(reluctance)});
}

const BackendRegistry::Entry& BackendRegistry::find(std::string_view name) const {
    const std::size_t place = rank(name);
    if (place < entries_.size()) return entries_[place];
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) known.push_back(entry.name);
    throwUnknownName("backend", name, known);
}

std::size_t BackendRegistry::rank(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(entries_, name, &Entry::name) - entries_.begin());
}

void BackendRegistry::load(std::string_view name) {
    const Entry& entry = find(name);
    if (entry.create) return;
    auto lack = lacks_.find(name);
    if (lack == lacks_.end()) lack = lacks_.emplace(entry.name, loadBackendModule(name)).first;
    if (!lack->second.empty()) throw UnavailableError(lack->second);
}

void BackendRegistry::loadAll() {
    for (const Entry& entry : entries_) {
        try {
            load(entry.name);
        } catch (const UnavailableError&) {
            // `create` reports the reason when this backend is requested.
        }
    }
}

std::unique_ptr<Backend> BackendRegistry::create(std::string_view name, const BackendOptions& options) {
    find(name);
    checkBackendOptions(options);
    load(name);
    return find(name).create(options);
}

std::vector<std::string> BackendRegistry::listDevices(std::string_view name) {
    load(name);
    const Entry& entry = find(name);
    return entry.listDevices ? entry.listDevices() : std::vector<std::string>();
}

}  // namespace glycine
