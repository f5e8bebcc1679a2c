#pragma once

#include <optional>
#include <string>

#include "engine/core/backend.hpp"
#include "engine/core/parallel.hpp"

namespace glycine {

/// A backend that computes on the processor: "reference" (serial) or "cpu" (OpenMP and SIMD).
class HostBackend : public Backend {
  public:
    /// `threads` ≤ 0: one a core. `instructions`: at most these; the widest if absent. Throws
    /// UnavailableError when the processor lacks them.
    HostBackend(std::string name, int threads, std::optional<InstructionSet> instructions = {});
    std::string_view name() const override { return name_; }
    std::string device() const override { return device_; }
    std::string driver() const override;
    const Capabilities& capabilities() const override { return capabilities_; }
    /// Of "cpu".
    std::vector<DeviceProbe> probes() override;
    /// Number of threads that the backend may use, ≥ 1.
    int threads() const { return threads_; }
    InstructionSet instructions() const { return instructions_; }

  private:
    std::string name_;
    int threads_;
    InstructionSet instructions_;
    std::string device_;
    Capabilities capabilities_;
};

/// While it lives, what is computed beside a backend of the host, before and after its runs, has that
/// backend's threads: --threads is for all that is computed. Other backends leave the threads as they are.
class ThreadsOf {
  public:
    explicit ThreadsOf(const Backend& backend);

  private:
    std::optional<DefaultThreads> threads_;
};

}  // namespace glycine
