#pragma once

#include <optional>

#include "engine/core/guarded_matrix.hpp"
#include "engine/study/problem.hpp"

namespace glycine::study {

/// Memory that a computation writes one matrix of its result to, tile by tile. CheckScope::Full: new memory
/// between guards for each tile. CheckScope::Sampled: memory that is reused for all tiles and filled in
/// advance, so that runs do not pay for page faults.
template <class T>
class ResultMemory {
  public:
    /// Invalid value that overwrites checked elements, so that no later run can pass with them.
    static constexpr T kNoResult = GuardedMatrix<T>::kGuard;

    explicit ResultMemory(CheckScope scope) : scope_(scope) {}
    /// Room for the next tile; invalidates the last one.
    MatrixView<T> view(std::size_t rows, std::size_t columns) {
        if (scope_ == CheckScope::Full) return guarded_.emplace(rows, columns).view();
        if (kept_.size() < rows * columns) kept_ = Matrix<T>(rows, columns, kNoResult);
        return {kept_.data(), rows, columns};
    }
    /// Whether nothing was written outside the last view; always true without guards.
    bool isIntact() const { return !guarded_ || guarded_->isIntact(); }

  private:
    CheckScope scope_;
    Matrix<T> kept_;
    std::optional<GuardedMatrix<T>> guarded_;
};

}  // namespace glycine::study
