#include "engine/command/default_backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/error.hpp"
#include "engine/core/implementation.hpp"

namespace glycine {

namespace {

bool isRegistered(std::string_view name) {
    const auto& entries = BackendRegistry::instance().entries();
    return std::any_of(entries.begin(), entries.end(),
                       [name](const auto& entry) { return entry.name == name; });
}

}  // namespace

std::string_view defaultBackendRule() {
    return "the first of these that is available and can do the work: cuda; gl on a GPU; cpu; gl on a "
           "software "
           "renderer; reference";
}

std::unique_ptr<Backend> createNamedBackend(const std::string& name, const BackendOptions& options) {
    try {
        return BackendRegistry::instance().create(name, options);
    } catch (const UnavailableError& error) {
        throw UnavailableError(fmt::format("the backend {} is not available: {}", name, error.what()));
    }
}

BackendChoice chooseBackend(const BackendOptions& options, const std::function<Support(Backend&)>& canRun) {
    std::vector<std::string> refusals;
    std::unique_ptr<Backend> emulated;
    const auto isAble = [&](Backend& backend) {
        const Support support = canRun(backend);
        if (!support) refusals.push_back(fmt::format("{}: {}", backend.name(), support.reason()));
        return static_cast<bool>(support);
    };
    const auto chosen = [&](std::unique_ptr<Backend> backend) {
        return BackendChoice{std::move(backend), fmt::format("{}", fmt::join(refusals, "; "))};
    };

    for (const std::string_view name : {"cuda", "gl", "cpu"}) {
        if (!isRegistered(name)) continue;
        std::unique_ptr<Backend> backend;
        try {
            backend = BackendRegistry::instance().create(name, options);
        } catch (const UnavailableError& error) {
            refusals.push_back(fmt::format("{}: {}", name, error.what()));
            continue;
        }
        if (!isAble(*backend)) continue;
        if (!backend->isEmulated()) return chosen(std::move(backend));
        refusals.push_back(fmt::format("{}: only on the processor, through {}", name, backend->device()));
        emulated = std::move(backend);
    }
    if (emulated) return chosen(std::move(emulated));
    std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", options);
    if (isAble(*reference)) return chosen(std::move(reference));
    throw UnavailableError(
        fmt::format("no backend of this machine can do this: {}", fmt::join(refusals, "; ")));
}

void checkBackendUse(const Options& options, const Algorithm& algorithm, const BackendRequest& request) {
    std::vector<std::string> names;
    if (request.backend.empty()) {
        for (const auto& entry : BackendRegistry::instance().entries()) names.push_back(entry.name);
    } else {
        names.push_back(BackendRegistry::instance().find(request.backend).name);
        if (request.variant != "default") requireVariant(algorithm, request.backend, request.variant);
    }
    checkBackendOptions(options, names);
}

BackendChoice selectBackend(const Options& options, const BackendRequest& request,
                            const std::function<Support(Backend&)>& canRun) {
    if (!request.backend.empty()) {
        BackendChoice choice{createNamedBackend(request.backend, request.device), ""};
        if (const Support support = canRun(*choice.backend); !support)
            throw UnavailableError(support.reason());
        return choice;
    }
    BackendChoice choice = chooseBackend(request.device, canRun);
    checkBackendOptions(options, {std::string(choice.backend->name())});
    if (choice.reason.empty()) choice.reason = "the first of the default order";
    return choice;
}

}  // namespace glycine
