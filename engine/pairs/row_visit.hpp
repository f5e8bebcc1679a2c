#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::pairs {

/// Calls visit(row, values) once for each instance, on several threads, in any order. values[j] is the value
/// of instances `row` and j; on the diagonal, the store's. A few MiB of rows are in memory at a time. The
/// stage has this name; a row's work is the number of instances.
void visitRows(const PairStore& store, const std::string& stage, Progress& progress,
               const std::function<void(std::size_t row, const double* values)>& visit);

}  // namespace glycine::pairs
