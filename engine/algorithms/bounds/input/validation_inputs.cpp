#include "engine/algorithms/bounds/input/validation_inputs.hpp"

#include <algorithm>
#include <random>

#include "engine/algorithms/bounds/input/random_bounds.hpp"
#include "engine/algorithms/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

/// Takes the bounds of all pairs away that have the molecule's diameter as upper bound, that is, the unknown
/// ones.
template <class T>
void forgetDefaults(const BoundMatrices<T>& bounds) {
    T diameter = 0;
    for (std::size_t i = 0; i < bounds.atoms(); ++i)
        diameter =
            std::max(diameter, *std::max_element(bounds.upper.row(i), bounds.upper.row(i) + bounds.atoms()));
    for (std::size_t i = 0; i < bounds.atoms(); ++i) {
        for (std::size_t j = 0; j < bounds.atoms(); ++j) {
            if (i == j || bounds.upper(i, j) < diameter) continue;
            bounds.upper(i, j) = kUnknownUpper<T>;
            bounds.lower(i, j) = 0;
        }
    }
}

template <class T>
void contradict(const BoundMatrices<T>& bounds, std::uint64_t seed) {
    constexpr std::uint64_t kOneIn = 20;
    // The engine's numbers are the same everywhere; those of the standard distributions are not.
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bounds.atoms(); ++i) {
        for (std::size_t j = i + 1; j < bounds.atoms(); ++j) {
            if (random() % kOneIn != 0) continue;
            const double excess = 0.25 * static_cast<double>(1 + random() % 8);
            bounds.lower(i, j) = bounds.lower(j, i) =
                lowerFromAngstrom<T>(toAngstrom(bounds.upper(i, j)) + excess);
        }
    }
}

}  // namespace

std::string_view toString(InputKind kind) {
    switch (kind) {
        case InputKind::Dense:
            return "dense";
        case InputKind::Sparse:
            return "sparse";
        case InputKind::Contradictory:
            break;
    }
    return "contradictory";
}

AnyOwnedBounds makeValidationInput(InputKind kind, std::size_t atoms, std::uint64_t seed,
                                   NumberFormat format) {
    const double known = kind == InputKind::Sparse ? 0.1 : 0.5;
    BoundSet set = randomBounds({.atoms = atoms, .known = known, .seed = seed}, format);
    std::visit(
        [kind, seed](const auto& typed) {
            if (kind == InputKind::Sparse) forgetDefaults(typed);
            if (kind == InputKind::Contradictory) contradict(typed, seed);
        },
        set.matrices());
    return std::move(set.bounds);
}

}  // namespace glycine::bounds
