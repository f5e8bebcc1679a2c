#pragma once

#include <initializer_list>

#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/measures.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

/// Small data and complete runs, for the tests of `distance`.
namespace glycine::distance::fixtures {

/// Genotypes from one string per instance: '0', '1', '2', or '.' for a missing one.
inline SymbolMatrix genotypes(std::initializer_list<std::string> rows) {
    Matrix<std::uint8_t> symbols(rows.size(), rows.begin()->size());
    std::size_t i = 0;
    for (const std::string& row : rows) {
        for (std::size_t k = 0; k < symbols.columns(); ++k)
            symbols(i, k) = row[k] == '.' ? kMissingSymbol : static_cast<std::uint8_t>(row[k] - '0');
        ++i;
    }
    return SymbolMatrix(std::move(symbols), {.planes = 2, .isGenotypes = true});
}

inline Matrix<std::uint8_t> symbolsOf(const DiscreteSource& source, Range instances, Range attributes) {
    Matrix<std::uint8_t> symbols(instances.size(), attributes.size());
    source.readSymbols(instances, attributes, symbols.view());
    return symbols;
}

/// A complete run into memory.
struct Run {
    std::unique_ptr<pairs::PairStore> store;
    DistanceReport report;
    double operator()(std::size_t i, std::size_t j) const { return store->value(i, j); }
};

inline Run compute(const std::string& backend, const DataView& data, const DistanceOptions& options) {
    Run run;
    const std::unique_ptr<Backend> made = BackendRegistry::instance().create(backend, {});
    run.store =
        std::make_unique<pairs::PairStore>(pairs::PairFormat{{data.instances(), pairs::StoreLayout::Square},
                                                             pairs::ValueType::Float64,
                                                             diagonalValue(options.measure)});
    run.report = computeDistances(*made, data, options, *run.store, silentProgress());
    return run;
}

inline DataView view(const DiscreteSource& source) {
    DataView data;
    data.discrete = &source;
    return data;
}

template <class Number>
DataView view(const Matrix<Number>& coordinates) {
    DataView data;
    data.coordinates = coordinates.view();
    return data;
}

}  // namespace glycine::distance::fixtures

namespace glycine::distance {
using namespace fixtures;
}
