#pragma once

#include <string>

#include "engine/core/backend.hpp"

namespace glycine {

/// A backend that computes on the processor: "reference" (serial) or "cpu" (OpenMP and SIMD).
class HostBackend : public Backend {
  public:
    HostBackend(std::string name, int threads);
    std::string_view name() const override { return name_; }
    std::string device() const override { return device_; }
    std::string driver() const override;
    const Capabilities& capabilities() const override { return capabilities_; }
    /// Number of threads that the backend may use, ≥ 1.
    int threads() const { return threads_; }

  private:
    std::string name_;
    int threads_;
    std::string device_;
    Capabilities capabilities_;
};

/// Widest vector instructions of this processor that Glycine has kernels for.
enum class InstructionSet { Generic, Avx2, Avx512 };
InstructionSet detectInstructionSet();
std::string_view toString(InstructionSet set);

}  // namespace glycine
