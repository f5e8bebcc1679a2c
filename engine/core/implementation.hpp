#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/algorithm.hpp"
#include "engine/core/error.hpp"

namespace glycine {

/// A backend's implementation of an algorithm: its variants, and the factory of the object that computes
/// them. `Interface` belongs to the algorithm. It names the algorithm for messages and holds the list of its
/// implementations, in the library that defines the interface. The list begins with the host backends;
/// modules of other backends add theirs.
///
///     static constexpr std::string_view kAlgorithm = "distance";
///     static ImplementationList<DistanceEngine>& implementations();
template <class Interface>
struct Implementation {
    std::string backend;
    std::vector<VariantInfo> variants;
    std::function<std::unique_ptr<Interface>(Backend&)> create;
};

/// The implementations of all loaded backends, in the order of BackendRegistry. Their addresses are stable.
template <class Interface>
using ImplementationList = std::list<Implementation<Interface>>;

/// Adds the implementation of a backend's module. Requires a backend that BackendRegistry knows.
template <class Interface>
void addImplementation(Implementation<Interface> one,
                       ImplementationList<Interface>& list = Interface::implementations()) {
    const BackendRegistry& backends = BackendRegistry::instance();
    auto place = list.begin();
    while (place != list.end() && backends.rank(place->backend) < backends.rank(one.backend)) ++place;
    list.insert(place, std::move(one));
}

/// The implementation for `backend`, or null.
template <class Interface>
const Implementation<Interface>* findImplementation(
    const Backend& backend, const ImplementationList<Interface>& all = Interface::implementations()) {
    for (const Implementation<Interface>& one : all)
        if (one.backend == backend.name()) return &one;
    return nullptr;
}

/// Why the algorithm does not run on `backend`.
template <class Interface>
std::string missingImplementation(const Backend& backend,
                                  const ImplementationList<Interface>& all = Interface::implementations(),
                                  std::string_view algorithm = Interface::kAlgorithm) {
    std::vector<std::string_view> known;
    for (const Implementation<Interface>& one : all) known.push_back(one.backend);
    return fmt::format("{} has no implementation for the backend '{}'; it has: {}", algorithm, backend.name(),
                       fmt::join(known, ", "));
}

/// Creates the object that computes on `backend`. Throws UnavailableError if there is no implementation.
template <class Interface>
std::unique_ptr<Interface> createImplementation(
    Backend& backend, const ImplementationList<Interface>& all = Interface::implementations(),
    std::string_view algorithm = Interface::kAlgorithm) {
    if (const auto* found = findImplementation(backend, all)) return found->create(backend);
    throw UnavailableError(missingImplementation(backend, all, algorithm));
}

/// Whether the backend's implementation supports `request`; "no" if there is no implementation.
template <class Interface, class Request>
Support supportsRequest(Backend& backend, const Request& request,
                        const ImplementationList<Interface>& all = Interface::implementations(),
                        std::string_view algorithm = Interface::kAlgorithm) {
    if (const auto* found = findImplementation(backend, all))
        return found->create(backend)->supports(request);
    return Support::no(missingImplementation(backend, all, algorithm));
}

/// The variants of all backends that can be loaded here.
template <class Interface>
std::vector<VariantInfo> allVariants(
    const ImplementationList<Interface>& all = Interface::implementations()) {
    BackendRegistry::instance().loadAll();
    std::vector<VariantInfo> variants;
    for (const Implementation<Interface>& one : all)
        variants.insert(variants.end(), one.variants.begin(), one.variants.end());
    return variants;
}

/// Why `backend` does not run `variant`, listing the variants that it has. Empty if `variants` contains it,
/// or contains none of this backend.
inline std::string missingVariant(std::string_view backend, std::string_view variant,
                                  const std::vector<VariantInfo>& variants) {
    std::vector<std::string_view> known;
    for (const VariantInfo& info : variants) {
        if (info.backend != backend) continue;
        if (info.name == variant) return {};
        known.push_back(info.name);
    }
    if (known.empty()) return {};
    return fmt::format("the backend '{}' has no variant '{}'; it has: {}", backend, variant,
                       fmt::join(known, ", "));
}

}  // namespace glycine
