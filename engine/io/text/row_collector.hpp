#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/huge_pages.hpp"
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

    /// Appends an uninitialised row of columns() elements. Its address is stable until `take`. Throws
    /// MemoryError.
    T* append() {
        if (chunks_.empty() || used_ == chunks_.back().rows) {
            const std::size_t rows = std::max<std::size_t>(1, chunkBytes_ / (columns_ * sizeof(T)));
            const std::size_t bytes = rows * columns_ * sizeof(T);
            if (bytes >= kLargestChunk) requireHostMemory("reading more rows", static_cast<double>(bytes));
            chunks_.push_back({LargeArray(bytes), rows});
            chunkBytes_ = std::min(2 * chunkBytes_, kLargestChunk);
            used_ = 0;
        }
        ++rows_;
        return chunks_.back().row(used_++, columns_);
    }

    /// Returns all rows, which all threads copy; the collector is empty afterwards.
    Matrix<T> take() {
        return take([](const T* row, std::size_t columns, T* target) { std::copy_n(row, columns, target); });
    }
    /// The same with copyRow(row, columns, target), which may convert the elements. All threads call it.
    template <class CopyRow>
    Matrix<T> take(const CopyRow& copyRow) {
        Matrix<T> whole(rows_, columns_, typename Matrix<T>::WithoutMemoryCheck());
        preferHugePages(whole.data(), whole.size() * sizeof(T));
        std::size_t first = 0;
        for (Chunk& chunk : chunks_) {
            const std::size_t count = std::min(chunk.rows, rows_ - first);
#pragma omp parallel for if (count * columns_ * sizeof(T) > 16 * kFirstChunk)
            for (std::size_t i = 0; i < count; ++i)
                copyRow(chunk.row(i, columns_), columns_, whole.row(first + i));
            first += count;
            chunk.memory = LargeArray(0);
        }
        chunks_.clear();
        rows_ = 0;
        return whole;
    }

  private:
    struct Chunk {
        LargeArray memory;
        std::size_t rows;
        T* row(std::size_t index, std::size_t columns) const {
            return reinterpret_cast<T*>(memory.data()) + index * columns;
        }
    };
    /// Small data need little memory; large chunks come from the system and return to it at once.
    static constexpr std::size_t kFirstChunk = std::size_t{64} << 10;
    static constexpr std::size_t kLargestChunk = std::size_t{64} << 20;

    std::size_t columns_;
    std::size_t rows_ = 0;
    std::size_t chunkBytes_ = kFirstChunk;
    std::size_t used_ = 0;  ///< rows used in the last chunk
    std::vector<Chunk> chunks_;
};

}  // namespace glycine::io
