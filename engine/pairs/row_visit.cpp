#include "engine/pairs/row_visit.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::pairs {

void visitRows(const PairStore& store, const std::string& stage, Progress& progress,
               const std::function<void(std::size_t row, const double* values)>& visit) {
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    const std::size_t n = store.instances();
    progress.begin(stage, static_cast<double>(n) * static_cast<double>(n));
    if (n == 0) return;
    const std::size_t atOnce = std::min(n, std::max<std::size_t>(16, kBytes / (n * sizeof(double))));
    Matrix<double> values(atOnce, n);
    for (const Range& rows : splitRange(n, atOnce)) {
        store.readBlock(rows, {0, n}, {values.data(), rows.size(), n});
        parallelFor(omp_get_max_threads(), rows.size(), [&](std::size_t r, std::size_t) {
            visit(rows.begin + r, values.row(r));
            progress.advance(static_cast<double>(n));
        });
    }
}

}  // namespace glycine::pairs
