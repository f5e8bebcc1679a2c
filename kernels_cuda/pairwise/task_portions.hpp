#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/tiling.hpp"

namespace glycine::pairwise::cuda {

/// Tasks that are given to the device in one launch.
struct TaskPortion {
    Range tasks;
    double cells = 0;
};

/// Tasks 0 … `count` − 1 in order, in portions of at least `least` cells each but for the last one. `cellsOf`
/// tells the cells of a task.
template <class CellsOf>
std::vector<TaskPortion> portionsOf(std::size_t count, double least, const CellsOf& cellsOf) {
    std::vector<TaskPortion> portions;
    for (std::size_t k = 0; k < count; ++k) {
        if (portions.empty() || portions.back().cells >= least) portions.push_back({{k, k}});
        portions.back().tasks.end = k + 1;
        portions.back().cells += cellsOf(k);
    }
    return portions;
}

}  // namespace glycine::pairwise::cuda
