#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"

namespace glycine::bounds {

/// The input of a run that has smoothed it in place: a copy, or what the run has left below the diagonals of
/// its result (SmoothingReport::hasKeptInput).
class RunInput {
  public:
    /// `copy`: made before the run.
    explicit RunInput(AnyOwnedBounds copy) : whole_(std::move(copy)) {}
    /// `mixed`: matrices of a run that has kept its input. They outlive this object. `available`: bytes of
    /// memory for a copy; by default, those that are free during canBeWhole().
    explicit RunInput(const AnyBoundMatrices& mixed, std::optional<std::uint64_t> available = std::nullopt)
        : mixed_(mixed), available_(available) {}

    /// The input below the diagonals. The elements above them are its mirror image or the result.
    AnyBoundMatrices half();
    /// Whether the input lies apart from the result, so that neither changes the other.
    bool isApart() const { return whole_.has_value(); }
    /// Whether there is memory for whole().
    bool canBeWhole() const;
    /// Symmetric matrices. The first call copies an input that was kept, and completes the result. Throws
    /// MemoryError.
    AnyBoundMatrices whole();
    /// Completes the result below its diagonals, where the input was kept; it is gone then. O(n²).
    void completeResult();

  private:
    std::optional<AnyBoundMatrices> mixed_;  ///< until the result is complete
    std::optional<std::uint64_t> available_;
    std::optional<AnyOwnedBounds> whole_;
};

}  // namespace glycine::bounds
