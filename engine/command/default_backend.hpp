#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace glycine
