#include "engine/core/parallel.hpp"
#include "engine/pairs/clusters.hpp"
#include "engine/pairs/nearest.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/stored_value.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

#include <omp.h>

namespace glycine::python {

namespace {

/// Calls use(numbers) with a matrix of the array's own type: int32, float32 or float64.
template <class Use>
void visitValues(const py::array& values, const Use& use) {
    if (py::isinstance<py::array_t<std::int32_t>>(values))
        use(matrixOf<std::int32_t>("the values", values));
    else if (py::isinstance<py::array_t<float>>(values))
        use(matrixOf<float>("the values", values));
    else
        use(matrixOf<double>("the values", values));
}

/// Returns (indices, values) of the nearest others of each row; −1 and NaN if there are fewer.
py::tuple nearest(const py::array& given, std::size_t count, bool isSimilarity, bool hasSelf) {
    py::array numbers, values;
    visitValues(given, [&](const auto& matrix) {
        const auto view = matrix.view;
        Matrix<std::int64_t> found(view.rows(), count);
        Matrix<double> near(view.rows(), count);
        unlocked([&](Progress& progress) {
            parallelFor(omp_get_max_threads(), view.rows(), [&](std::size_t row, std::size_t) {
                progress.throwIfCancelled();
                std::vector<double> all(view.columns());
                std::transform(view.row(row), view.row(row) + view.columns(), all.begin(),
                               [](auto value) { return pairs::fromStored(value); });
                const std::vector<std::size_t> others =
                    pairs::nearestOthers(all, hasSelf ? row : view.columns(), count, isSimilarity);
                for (std::size_t k = 0; k < count; ++k) {
                    const bool is = k < others.size();
                    found(row, k) = is ? static_cast<std::int64_t>(others[k]) : -1;
                    near(row, k) = is ? all[others[k]] : std::numeric_limits<double>::quiet_NaN();
                }
            });
        });
        numbers = arrayOf(std::move(found));
        values = arrayOf(std::move(near));
    });
    return py::make_tuple(numbers, values);
}

/// Returns (cluster index of each instance, sizes).
py::tuple clusters(const py::array& given, double within, const std::string& rule) {
    const auto linkage = fromString<trees::Linkage>(rule);
    if (!(within >= 0)) throw UsageError(fmt::format("within is {}; expected a distance from 0 on", within));
    pairs::Clusters found;
    visitValues(given, [&](const auto& matrix) {
        const auto view = matrix.view;
        unlocked([&](Progress& progress) {
            std::vector<pairs::ClosePair> close;
            for (std::size_t i = 1; i < view.rows(); ++i) {
                progress.throwIfCancelled();
                for (std::size_t j = 0; j < i; ++j) {
                    const double value = pairs::fromStored(view(i, j));
                    if (value <= within || (linkage == trees::Linkage::Average && !std::isnan(value)))
                        close.push_back(
                            {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), value});
                }
            }
            found = pairs::clustersWithin(view.rows(), close, within, linkage, progress);
        });
    });
    return py::make_tuple(arrayOf(std::move(found.of)), arrayOf(std::move(found.sizes)));
}

const Function functions[] = {{"nearest", &nearest}, {"clusters", &clusters}};

}  // namespace

}  // namespace glycine::python
