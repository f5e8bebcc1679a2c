#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::mutualinfo::fixtures {

/// A store of these values, row by row; elements above the diagonal are not looked at.
inline std::unique_ptr<pairs::PairStore> storeOf(const std::vector<std::vector<double>>& rows,
                                                 pairs::StoreLayout layout = pairs::StoreLayout::Square) {
    const std::size_t n = rows.size();
    auto store = std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {n, layout}, .diagonal = 99});
    Matrix<double> values(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) values(i, j) = rows[i][j];
    store->store({{0, n}, {0, n}}, values.view());
    return store;
}

}  // namespace glycine::mutualinfo::fixtures
