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
/// `Interface` is the algorithm's own.
template <class Interface>
struct Implementation {
    std::string backend;
    std::vector<VariantInfo> variants;
    std::function<std::unique_ptr<Interface>(Backend&)> create;
};

/// Those of the backends that are loaded, in the order of the BackendRegistry. They stay where they are.
template <class Interface>
using ImplementationList = std::list<Implementation<Interface>>;

/// The implementations of an interface: one list in the library that defines the interface, which begins it
/// with the processor's. The modules of other backends add theirs. Each interface declares its
/// specialisation.
template <class Interface>
ImplementationList<Interface>& implementations();

/// Adds what a backend's module has. Requires a backend that BackendRegistry knows.
template <class Interface>
void addImplementation(Implementation<Interface> one) {
    ImplementationList<Interface>& list = implementations<Interface>();
    const BackendRegistry& backends = BackendRegistry::instance();
    auto place = list.begin();
    while (place != list.end() && backends.rank(place->backend) < backends.rank(one.backend)) ++place;
    list.insert(place, std::move(one));
}

/// The implementation for `backend`; null when there is none.
template <class Interface>
const Implementation<Interface>* findImplementation(const ImplementationList<Interface>& all,
                                                    const Backend& backend) {
    for (const Implementation<Interface>& one : all)
        if (one.backend == backend.name()) return &one;
    return nullptr;
}

/// Why `algorithm` does not run on `backend`.
template <class Interface>
std::string missingImplementation(std::string_view algorithm, const ImplementationList<Interface>& all,
                                  const Backend& backend) {
    std::vector<std::string_view> known;
    for (const Implementation<Interface>& one : all) known.push_back(one.backend);
    return fmt::format("{} has no implementation for the backend '{}'; it has: {}", algorithm, backend.name(),
                       fmt::join(known, ", "));
}

/// Makes what computes on `backend`. Throws UnavailableError when there is no implementation.
template <class Interface>
std::unique_ptr<Interface> createImplementation(std::string_view algorithm,
                                                const ImplementationList<Interface>& all, Backend& backend) {
    if (const auto* found = findImplementation(all, backend)) return found->create(backend);
    throw UnavailableError(missingImplementation(algorithm, all, backend));
}

/// Whether the backend's implementation can take `request`; also "no" when there is none.
template <class Interface, class Request>
Support supportsRequest(std::string_view algorithm, const ImplementationList<Interface>& all,
                        Backend& backend, const Request& request) {
    if (const auto* found = findImplementation(all, backend))
        return found->create(backend)->supports(request);
    return Support::no(missingImplementation(algorithm, all, backend));
}

/// The variants of all backends that can be loaded here.
template <class Interface>
std::vector<VariantInfo> allVariants(const ImplementationList<Interface>& all) {
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
