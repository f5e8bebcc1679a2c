#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace glycine {

/// A row-major window on memory that it does not own: `rows` × `columns` elements, consecutive rows
/// `rowStride` elements apart (rowStride ≥ columns). Pass it by value.
template <class T>
class MatrixView {
  public:
    MatrixView() = default;
    MatrixView(T* data, std::size_t rows, std::size_t columns, std::size_t rowStride)
        : data_(data), rows_(rows), columns_(columns), rowStride_(rowStride) {}
    MatrixView(T* data, std::size_t rows, std::size_t columns) : MatrixView(data, rows, columns, columns) {}

    /// A view of mutable elements is also a view of constant ones.
    operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
        return {data_, rows_, columns_, rowStride_};
    }

    T& operator()(std::size_t row, std::size_t column) const { return data_[row * rowStride_ + column]; }
    T* row(std::size_t index) const { return data_ + index * rowStride_; }
    T* data() const { return data_; }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t rowStride() const { return rowStride_; }
    bool empty() const { return rows_ == 0 || columns_ == 0; }
    bool isContiguous() const { return rowStride_ == columns_; }

    /// The `rows` × `columns` window whose first element is (firstRow, firstColumn).
    MatrixView block(std::size_t firstRow, std::size_t firstColumn, std::size_t rows,
                     std::size_t columns) const {
        return {data_ + firstRow * rowStride_ + firstColumn, rows, columns, rowStride_};
    }

  private:
    T* data_ = nullptr;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t rowStride_ = 0;
};

namespace detail {
/// Memory for the elements of a matrix. Throws MemoryError if a large block does not fit. With
/// `skipsMemoryCheck` there is no check, because other memory is released while this one is filled.
void* allocateElements(std::size_t rows, std::size_t columns, std::size_t elementBytes,
                       std::align_val_t alignment, bool skipsMemoryCheck);
}  // namespace detail

/// A matrix that owns its elements: row-major, contiguous, the first element on a 64-byte boundary. The
/// elements of a new matrix are *not* initialised, so that the threads that first write them decide on which
/// memory node they live. Throws MemoryError, with both figures, if the machine has too little memory.
template <class T>
class Matrix {
  public:
    /// The elements move in from other memory that is released on the way, so the memory that is free at the
    /// beginning is not checked.
    struct WithoutMemoryCheck {};

    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns)
        : data_(static_cast<T*>(detail::allocateElements(rows, columns, sizeof(T), kAlignment, false))),
          rows_(rows),
          columns_(columns) {}
    Matrix(std::size_t rows, std::size_t columns, WithoutMemoryCheck /*unused*/)
        : data_(static_cast<T*>(detail::allocateElements(rows, columns, sizeof(T), kAlignment, true))),
          rows_(rows),
          columns_(columns) {}
    Matrix(std::size_t rows, std::size_t columns, T value) : Matrix(rows, columns) {
        std::fill_n(data_.get(), rows * columns, value);
    }
    explicit Matrix(MatrixView<const T> source) : Matrix(source.rows(), source.columns()) {
        for (std::size_t i = 0; i < rows_; ++i) std::copy_n(source.row(i), columns_, row(i));
    }
    Matrix clone() const { return Matrix(view()); }

    MatrixView<T> view() { return {data_.get(), rows_, columns_}; }
    MatrixView<const T> view() const { return {data_.get(), rows_, columns_}; }
    T& operator()(std::size_t row, std::size_t column) { return data_.get()[row * columns_ + column]; }
    const T& operator()(std::size_t row, std::size_t column) const {
        return data_.get()[row * columns_ + column];
    }
    T* row(std::size_t index) { return data_.get() + index * columns_; }
    const T* row(std::size_t index) const { return data_.get() + index * columns_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t size() const { return rows_ * columns_; }
    bool empty() const { return size() == 0; }

  private:
    static_assert(std::is_trivially_copyable_v<T>, "Matrix holds plain numbers");
    static constexpr std::align_val_t kAlignment{64};
    struct Deleter {
        void operator()(T* pointer) const { ::operator delete(pointer, kAlignment); }
    };
    std::unique_ptr<T, Deleter> data_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
};

/// target(k, i) = source(i, k), in blocks that fit into a cache in both orders. `target` has as many rows as
/// `source` has columns, and vice versa.
template <class T>
void transpose(MatrixView<const T> source, MatrixView<T> target) {
    constexpr std::size_t kSide = 64;
    for (std::size_t row = 0; row < source.rows(); row += kSide)
        for (std::size_t column = 0; column < source.columns(); column += kSide)
            for (std::size_t i = row; i < std::min(row + kSide, source.rows()); ++i)
                for (std::size_t k = column; k < std::min(column + kSide, source.columns()); ++k)
                    target(k, i) = source(i, k);
}

/// The same into a new matrix.
template <class T>
Matrix<T> transposed(const Matrix<T>& source) {
    Matrix<T> target(source.columns(), source.rows());
    transpose<T>(source.view(), target.view());
    return target;
}

}  // namespace glycine
