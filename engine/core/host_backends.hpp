#pragma once

#include <string>

#include "engine/core/backend.hpp"

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

}  // namespace glycine
