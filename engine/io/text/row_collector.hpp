#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"

namespace glycine::io {

/// Gathers the rows of a matrix whose number is not known beforehand. Rows lie in chunks that are given back
/// to the system while they are copied, so that the whole is in memory little more than once.
template <class T>
class RowCollector {
  public:
    /// columns ≥ 1.
    explicit RowCollector(std::size_t columns) : columns_(columns) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    /// A new row of columns() elements, not initialised. Stays where it is until `take`.
    T* append() {
        if (chunks_.empty() || used_ == chunks_.back().rows()) {
            chunks_.emplace_back(std::max<std::size_t>(1, chunkBytes_ / (columns_ * sizeof(T))), columns_);
            chunkBytes_ = std::min(2 * chunkBytes_, kLargestChunk);
            used_ = 0;
        }
        ++rows_;
        return chunks_.back().row(used_++);
    }

    /// All rows. The collector is empty afterwards.
    Matrix<T> take() {
        Matrix<T> whole(rows_, columns_, typename Matrix<T>::TakesOver());
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
    /// Small data need little; large chunks come from the system and go back to it at once.
    static constexpr std::size_t kFirstChunk = std::size_t{64} << 10;
    static constexpr std::size_t kLargestChunk = std::size_t{64} << 20;

    std::size_t columns_;
    std::size_t rows_ = 0;
    std::size_t chunkBytes_ = kFirstChunk;
    std::size_t used_ = 0;  ///< rows of the last chunk
    std::vector<Matrix<T>> chunks_;
};

}  // namespace glycine::io
