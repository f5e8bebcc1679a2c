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

/// What one backend has for an algorithm: its variants, and how the object is made that computes them.
/// `Interface` is the algorithm's own. It names the algorithm for messages, and has one list of what
/// implements it, in the library that defines the interface. The list begins with the processor's; the
/// modules of other backends add theirs.
///
///     static constexpr std::string_view kAlgorithm = "distance";
///     static ImplementationList<PairEngine>& implementations();
template <class Interface>
struct Implementation {
    std::string backend;
    std::vector<VariantInfo> variants;
    std::function<std::unique_ptr<Interface>(Backend&)> create;
};

/// Those of the backends that are loaded, in the order of the BackendRegistry. They stay where they are.
template <class Interface>
using ImplementationList = std::list<Implementation<Interface>>;

/// Adds what a backend's module has. Requires a backend that BackendRegistry knows.
template <class Interface>
void addImplementation(Implementation<Interface> one) {
    ImplementationList<Interface>& list = Interface::implementations();
    const BackendRegistry& backends = BackendRegistry::instance();
    auto place = list.begin();
    while (place != list.end() && backends.rank(place->backend) < backends.rank(one.backend)) ++place;
    list.insert(place, std::move(one));
}

/// The implementation for `backend`; null when there is none.
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

/// Makes what computes on `backend`. Throws UnavailableError when there is no implementation.
template <class Interface>
std::unique_ptr<Interface> createImplementation(
    Backend& backend, const ImplementationList<Interface>& all = Interface::implementations(),
    std::string_view algorithm = Interface::kAlgorithm) {
    if (const auto* found = findImplementation(backend, all)) return found->create(backend);
    throw UnavailableError(missingImplementation(backend, all, algorithm));
}

/// Whether the backend's implementation can take `request`; also "no" when there is none.
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

/// Why `backend` does not run `variant`, naming those that it has among `variants`; empty when that is one of
/// them, or when it has none at all.
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
