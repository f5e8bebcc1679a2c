#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace glycine::bounds::cpu {

/// Numbers from one packed strip to the next. The gap of a cache line keeps strips whose length is a power of
/// two from competing for the same lines of the cache.
template <class T>
constexpr std::size_t stripStride(std::size_t depth, std::size_t width) {
    return depth * width + 64 / sizeof(T);
}

/// Room for `columns` columns (a multiple of any kernel's strip width) of `depth` packed numbers.
template <class T>
constexpr std::size_t packedSize(std::size_t depth, std::size_t columns) {
    constexpr std::size_t kNarrowest = 4;
    return columns / kNarrowest * stripStride<T>(depth, kNarrowest);
}

/// packStrips() for one width: known to the compiler, a group is copied in a few instructions.
template <std::size_t kWidth, bool kNegate, class T, class RowOf>
void packStripsOfWidth(T* strips, std::size_t depth, const RowOf& rowOf, std::size_t columns,
                       std::size_t paddedColumns, T padding) {
    constexpr std::size_t kRowsAhead = 8;
    const std::size_t stride = stripStride<T>(depth, kWidth);
    const std::size_t wholeColumns = columns / kWidth * kWidth;
    const auto signedValue = [](T value) { return kNegate ? -value : value; };
    for (std::size_t k = 0; k < depth; ++k) {
        const T* row = rowOf(k);
        // Rows lie far apart, where the processor does not look ahead by itself.
        if (k + kRowsAhead < depth) {
            const auto* ahead = reinterpret_cast<const char*>(rowOf(k + kRowsAhead));
            for (std::size_t byte = 0; byte < columns * sizeof(T); byte += 64)
                __builtin_prefetch(ahead + byte);
        }
        T* group = strips + k * kWidth;
        for (std::size_t column = 0; column < wholeColumns; column += kWidth, group += stride)
            for (std::size_t lane = 0; lane < kWidth; ++lane) group[lane] = signedValue(row[column + lane]);
        for (std::size_t column = wholeColumns; column < paddedColumns; column += kWidth, group += stride)
            for (std::size_t lane = 0; lane < kWidth; ++lane)
                group[lane] = signedValue(column + lane < columns ? row[column + lane] : padding);
    }
}

/// Lays `depth` rows of numbers out as strips of `width` columns for MinPlusProduct: strip s holds columns
/// s·width … of every row, one row after another. `rowOf(k)` points to the first of `columns` numbers of row
/// k; they are filled up to `paddedColumns` (a multiple of `width`) with `padding`. `negate` packs −x for x.
/// Either operand of a product is packed so, because rows of a symmetric matrix serve as columns too.
template <class T, class RowOf>
void packStrips(T* strips, std::size_t width, std::size_t depth, const RowOf& rowOf, std::size_t columns,
                std::size_t paddedColumns, T padding, bool negate = false) {
    const auto pack = [&]<std::size_t kWidth>(std::integral_constant<std::size_t, kWidth>) {
        if (negate)
            packStripsOfWidth<kWidth, true>(strips, depth, rowOf, columns, paddedColumns, padding);
        else
            packStripsOfWidth<kWidth, false>(strips, depth, rowOf, columns, paddedColumns, padding);
    };
    switch (width) {
        case 4:
            return pack(std::integral_constant<std::size_t, 4>{});
        case 8:
            return pack(std::integral_constant<std::size_t, 8>{});
        case 16:
            return pack(std::integral_constant<std::size_t, 16>{});
        case 32:
            return pack(std::integral_constant<std::size_t, 32>{});
        default:
            throw std::logic_error("packStrips: no kernel has strips of this width");
    }
}

}  // namespace glycine::bounds::cpu
