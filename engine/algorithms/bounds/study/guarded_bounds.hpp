#pragma once

#include <algorithm>
#include <optional>

#include "engine/algorithms/bounds/input/bound_files.hpp"
#include "engine/core/guarded_matrix.hpp"

namespace glycine::bounds {

/// A copy of bounds inside guards: shows whether somebody writes beside the n × n elements.
template <class T>
class GuardedBounds {
  public:
    explicit GuardedBounds(const BoundMatrices<T>& source) : upper_(source.atoms(), source.atoms()) {
        copy(source.upper, upper_);
        if (source.hasLower()) copy(source.lower, lower_.emplace(source.atoms(), source.atoms()));
    }

    BoundMatrices<T> matrices() { return {upper_.view(), lower_ ? lower_->view() : MatrixView<T>()}; }

    /// Whether everything around the elements is as it was.
    bool isIntact() const { return upper_.isIntact() && (!lower_ || lower_->isIntact()); }

  private:
    static void copy(MatrixView<T> source, GuardedMatrix<T>& target) {
        const MatrixView<T> view = target.view();
        for (std::size_t i = 0; i < source.rows(); ++i)
            std::copy_n(source.row(i), source.columns(), view.row(i));
    }

    GuardedMatrix<T> upper_;
    std::optional<GuardedMatrix<T>> lower_;
};

}  // namespace glycine::bounds
