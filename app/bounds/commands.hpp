#pragma once

#include <memory>
#include <string>

#include "engine/algorithms/bounds/bounds.hpp"
#include "engine/algorithms/bounds/smoother.hpp"
#include "engine/core/algorithm.hpp"

/// The tasks of `bounds` on the command line, one source file each.
namespace glycine::bounds {

Algorithm::Action addRunTask(CLI::App& command);
Algorithm::Action addGenerateTask(CLI::App& command);
Algorithm::Action addValidateTask(CLI::App& command);
Algorithm::Action addBenchTask(CLI::App& command);

/// `bounds` as it is registered.
const Algorithm& registeredAlgorithm();

/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const SmoothingRequest& request);

}  // namespace glycine::bounds
