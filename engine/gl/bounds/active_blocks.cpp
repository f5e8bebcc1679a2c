#include "engine/gl/bounds/active_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace glycine::bounds::gl {

template <class T>
std::vector<T> pruningThresholds(MatrixView<const T> lower) {
    const std::size_t n = lower.rows();
    std::vector<T> thresholds(n, T(0));
    if (n < 2) return thresholds;
    T smallest = std::numeric_limits<T>::max();
#pragma omp parallel for schedule(static) reduction(min \
                                                    : smallest) if (n * n >= layout::kElementsWorthThreads)
    for (std::size_t p = 0; p < n; ++p) {
        T largest = 0;
        for (std::size_t q = 0; q < n; ++q) {
            if (q == p) continue;
            largest = std::max(largest, lower(p, q));
            smallest = std::min(smallest, lower(p, q));
        }
        thresholds[p] = largest;
    }
    for (T& threshold : thresholds) {
        threshold -= smallest;
        if constexpr (std::is_floating_point_v<T>)
            if (threshold > 0) threshold = std::nextafter(threshold, std::numeric_limits<T>::infinity());
    }
    return thresholds;
}

template <class T>
ActiveBlocks findActiveBlocks(MatrixView<const T> upper, const T* thresholds, std::size_t rowsPerStrip) {
    constexpr std::size_t kBlock = layout::kStripBlock;
    const layout::StripShape shape{upper.rows(), upper.columns(), rowsPerStrip};
    ActiveBlocks active(shape.strips(), shape.paddedColumns() / kBlock, false);
#pragma omp parallel for schedule(dynamic, \
                                  16) if (upper.rows() * upper.columns() >= layout::kElementsWorthThreads)
    for (std::size_t strip = 0; strip < shape.strips(); ++strip) {
        const std::size_t firstRow = strip * rowsPerStrip;
        const std::size_t lastRow = std::min(firstRow + rowsPerStrip, upper.rows());
        for (std::size_t begin = 0; begin < upper.columns(); begin += kBlock) {
            const std::size_t end = std::min(begin + kBlock, upper.columns());
            bool needed = false;
            for (std::size_t i = firstRow; i < lastRow && !needed; ++i) {
                const T* const row = upper.row(i);
                for (std::size_t p = begin; p < end; ++p) needed |= row[p] < thresholds[p];
            }
            if (needed) active.activate(strip, begin / kBlock);
        }
    }
    return active;
}

template std::vector<float> pruningThresholds<float>(MatrixView<const float>);
template std::vector<std::int32_t> pruningThresholds<std::int32_t>(MatrixView<const std::int32_t>);
template ActiveBlocks findActiveBlocks<float>(MatrixView<const float>, const float*, std::size_t);
template ActiveBlocks findActiveBlocks<std::int32_t>(MatrixView<const std::int32_t>, const std::int32_t*,
                                                     std::size_t);

}  // namespace glycine::bounds::gl
