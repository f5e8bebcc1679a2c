#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"

namespace glycine::io {

/// Collects the rows of a matrix whose number is unknown in advance. Chunks of rows are returned to the
/// system while they are copied, so that memory holds the whole little more than once.
template <class T>
class RowCollector {
  public:
    /// `columns` must be ≥ 1.
    explicit RowCollector(std::size_t columns) : columns_(columns) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    /// Appends an uninitialised row of columns() elements. Its address is stable until `take`.
    T* append() {
        if (chunks_.empty() || used_ == chunks_.back().rows()) {
            chunks_.emplace_back(std::max<std::size_t>(1, chunkBytes_ / (columns_ * sizeof(T))), columns_);
            chunkBytes_ = std::min(2 * chunkBytes_, kLargestChunk);
            used_ = 0;
        }
        ++rows_;
        return chunks_.back().row(used_++);
    }

    /// Returns all rows; the collector is empty afterwards.
    Matrix<T> take() {
        Matrix<T> whole(rows_, columns_, typename Matrix<T>::WithoutMemoryCheck());
        std::size_t row = 0;
        for (Matrix<T>& chunk : chunks_) {
            for (std::size_t i = 0; i < chunk.rows() && row < rows_; ++i, ++row)
                std::copy_n(chunk.row(i), columns_, whole.row(row));
            chunk = {};
        }
        chunks_.clear();
        rows_ = 0;
        return whole;
    }

  private:
    /// Small data need little memory; large chunks come from the system and return to it at once.
    static constexpr std::size_t kFirstChunk = std::size_t{64} << 10;
    static constexpr std::size_t kLargestChunk = std::size_t{64} << 20;

    std::size_t columns_;
    std::size_t rows_ = 0;
    std::size_t chunkBytes_ = kFirstChunk;
    std::size_t used_ = 0;  ///< rows used in the last chunk
    std::vector<Matrix<T>> chunks_;
};

}  // namespace glycine::io
