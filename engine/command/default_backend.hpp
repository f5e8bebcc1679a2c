#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/backend_options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"

/// Which backend runs when the user names none.
namespace glycine {

/// The rule in one sentence, for `glycine info`.
std::string_view defaultBackendRule();

/// The backend that the user named. Throws UsageError for an unknown name, UnavailableError with name and
/// reason.
std::unique_ptr<Backend> createNamedBackend(const std::string& name, const BackendOptions& options);

struct BackendChoice {
    std::unique_ptr<Backend> backend;
    std::string
        reason;  ///< why this one: "no cuda: built without nvcc; gl runs on the processor (llvmpipe …)"
};

/// Applies the rule: the first candidate that exists on this machine and for which `canRun` says yes.
/// Throws UnavailableError with everybody's reason when there is none.
BackendChoice chooseBackend(const BackendOptions& options, const std::function<Support(Backend&)>& canRun);

/// Refuses wrong use of --backend, --variant and the backend options before a file is read or a device woken:
/// throws UsageError for a backend that is not registered, a variant that it does not have, or options that
/// it does not read.
void checkBackendUse(const Options& options, const Algorithm& algorithm, const BackendRequest& request);

/// The backend that the user named, or the one that the rule chooses (with its reason). Throws
/// UnavailableError when it cannot do the work, UsageError when the chosen one does not read a backend option
/// that was given.
BackendChoice selectBackend(const Options& options, const BackendRequest& request,
                            const std::function<Support(Backend&)>& canRun);

}  // namespace glycine
