#pragma once

#include <optional>
#include <string>

#include "engine/core/backend.hpp"
#include "engine/core/parallel.hpp"

namespace glycine {

/// A backend that computes on the processor: "reference" (serial) or "cpu" (OpenMP and SIMD).
class HostBackend : public Backend {
  public:
    /// `threads` ≤ 0: one per core. `instructions`: the widest set allowed; unlimited if absent. Throws
    /// UnavailableError if the processor lacks them.
    HostBackend(std::string name, int threads, std::optional<InstructionSet> instructions = {});
    std::string_view name() const override { return name_; }
    std::string device() const override { return device_; }
    std::string driver() const override;
    const Capabilities& capabilities() const override { return capabilities_; }
    /// Only "cpu" has probes.
    std::vector<DeviceProbe> probes() override;
    /// Number of threads that the backend may use, at least 1.
    int threads() const { return threads_; }
    InstructionSet instructions() const { return instructions_; }

  private:
    std::string name_;
    int threads_;
    InstructionSet instructions_;
    std::string device_;
    Capabilities capabilities_;
};

/// During its lifetime, host code around a host backend's runs uses that backend's number of threads, so
/// --threads applies to all computing. Other backends leave the number unchanged.
class ThreadsOf {
  public:
    explicit ThreadsOf(const Backend& backend);

  private:
    std::optional<DefaultThreads> threads_;
};

}  // namespace glycine
