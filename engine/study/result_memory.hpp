#pragma once

#include <optional>

#include "engine/core/guarded_matrix.hpp"
#include "engine/study/problem.hpp"

namespace glycine::study {

/// Where a computation writes one matrix of its result, tile by tile. Depth::Whole: between guards, each time
/// anew. Depth::Sampled: into memory that is kept for all tiles and filled, so that no run pays for the
/// pages.
template <class T>
class ResultMemory {
  public:
    /// What no result is: written over what was checked, so that no later run can pass with it.
    static constexpr T kNoResult = GuardedMatrix<T>::kGuard;

    explicit ResultMemory(Depth depth) : depth_(depth) {}
    /// Room for the next tile; the last one's is gone.
    MatrixView<T> view(std::size_t rows, std::size_t columns) {
        if (depth_ == Depth::Whole) return guarded_.emplace(rows, columns).view();
        if (kept_.size() < rows * columns) kept_ = Matrix<T>(rows, columns, kNoResult);
        return {kept_.data(), rows, columns};
    }
    /// Whether nothing was written beside the last view, as far as there are guards.
    bool isIntact() const { return !guarded_ || guarded_->isIntact(); }

  private:
    Depth depth_;
    Matrix<T> kept_;
    std::optional<GuardedMatrix<T>> guarded_;
};

}  // namespace glycine::study
