#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::pairs {

/// Calls visit(row, values) once for each instance, on several threads, in any order: values[j] is the value
/// of instances `row` and j, on the diagonal that of the store. A few MiB of rows are in memory at a time.
/// The work of a row, under the stage of this name, is the number of instances.
void visitRows(const PairStore& store, const std::string& stage, Progress& progress,
               const std::function<void(std::size_t row, const double* values)>& visit);

}  // namespace glycine::pairs
