#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/row_collector.hpp"

namespace glycine::io {

/// A missing entry among small whole numbers; others are −127 to 127.
inline constexpr std::int8_t kNoSmall = std::numeric_limits<std::int8_t>::min();

/// Converts values that are missing or whole numbers from −127 to 127; returns whether all are. −0 is not,
/// because its sign would be lost.
template <class T>
bool toSmall(const T* values, std::size_t count, std::int8_t* small) {
    constexpr T kLargest = std::numeric_limits<std::int8_t>::max();
    using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    Bits others = 0;
    // In a form that the compiler turns into vector instructions.
#pragma omp simd reduction(| : others)
    for (std::size_t k = 0; k < count; ++k) {
        const T value = values[k];
        const bool isNone = value != value;
        const bool isInRange = (value >= -kLargest) & (value <= kLargest);
        const int whole = static_cast<int>(isInRange ? value : T(0));
        small[k] = static_cast<std::int8_t>(isNone ? kNoSmall : whole);
        const Bits differing = std::bit_cast<Bits>(static_cast<T>(whole)) ^ std::bit_cast<Bits>(value);
        others |= isNone ? Bits(0) : differing;
    }
    return others == 0;
}

/// The value that toSmall has converted.
template <class T>
constexpr T fromSmall(std::int8_t small) {
    return small == kNoSmall ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(small);
}

/// Collects the rows of a table. On request they take a byte a value as long as all are small whole numbers:
/// the first touch of memory takes longer than parsing genotypes.
template <class T>
class NumberRows {
  public:
    NumberRows(std::size_t columns, bool keepsSmall)
        : wide_(columns), small_(columns), isSmall_(keepsSmall) {}

    std::size_t rows() const { return isSmall_ ? small_.rows() : wide_.rows(); }
    std::size_t columns() const { return wide_.columns(); }

    /// Appends copies of these rows, on all threads. Throws MemoryError.
    void append(std::span<const T* const> sources) {
        if (isSmall_) {
            if (appendSmall(sources)) return;
            widen(sources.size());
        }
        appendEach(wide_, sources.size(),
                   [&](std::size_t i, T* target) { std::copy_n(sources[i], columns(), target); });
    }

    /// Returns all rows if they are small, else an empty matrix.
    Matrix<std::int8_t> takeSmall() { return isSmall_ ? small_.take() : Matrix<std::int8_t>(); }
    /// Returns all rows if they are not small, else an empty matrix.
    Matrix<T> take() { return isSmall_ ? Matrix<T>() : wide_.take(); }

  private:
    /// Appends `count` rows and calls fill(i, target) for each of them.
    template <class Element, class Fill>
    static void appendEach(RowCollector<Element>& rows, std::size_t count, const Fill& fill) {
        std::vector<Element*> targets(count);
        for (Element*& target : targets) target = rows.append();
        const auto end = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(static) if (count * rows.columns() > kElementsWorthThreads)
        for (std::ptrdiff_t i = 0; i < end; ++i)
            fill(static_cast<std::size_t>(i), targets[static_cast<std::size_t>(i)]);
    }

    bool appendSmall(std::span<const T* const> sources) {
        std::vector<char> fits(sources.size(), 0);
        appendEach(small_, sources.size(), [&](std::size_t i, std::int8_t* target) {
            fits[i] = toSmall(sources[i], columns(), target) ? 1 : 0;
        });
        return std::ranges::count(fits, 0) == 0;
    }

    /// Converts all rows but the last `count` back.
    void widen(std::size_t count) {
        const Matrix<std::int8_t> rows = small_.take();
        isSmall_ = false;
        appendEach(wide_, rows.rows() - count, [&](std::size_t i, T* target) {
            std::transform(rows.row(i), rows.row(i) + columns(), target, fromSmall<T>);
        });
    }

    static constexpr std::size_t kElementsWorthThreads = std::size_t{1} << 17;

    RowCollector<T> wide_;
    RowCollector<std::int8_t> small_;
    bool isSmall_;
};

}  // namespace glycine::io
