#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/study/data_size.hpp"

namespace glycine::distance {

/// The kinds of generated input on which backends are compared.
enum class InputKind {
    Genotypes,
    GappedGenotypes,  ///< a tenth of the entries is missing, and one instance altogether
    Dna,              ///< four symbols, two planes
    GappedDna,
    Protein,  ///< twenty symbols, five planes
    GappedProtein,
    Coordinates,  ///< standard normal
};
std::string_view toString(InputKind kind);
const std::vector<InputKind>& allInputKinds();

/// Data without names. The same for the same arguments on every machine. Both sides of `size` are at least 1.
DataSet makeValidationInput(InputKind kind, DataSize size, std::uint64_t seed);

}  // namespace glycine::distance
