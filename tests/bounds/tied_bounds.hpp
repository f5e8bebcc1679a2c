#pragma once

#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

/// Bounds between whose atoms many paths are equally long, or equally long but for rounding: backends may
/// take others than the exact search, with more sums.
namespace glycine::bounds::fixtures {

/// Atoms on a line, whose distances are known: of all pairs, all paths between them are ties. With
/// `withLower` the lower bounds are the same distances.
template <class T>
FilledBounds<T> onALine(const std::vector<double>& places, bool withLower) {
    FilledBounds<T> bounds(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            const double distance = std::abs(places[i] - places[j]);
            bounds.set(i, j, withLower ? distance : 0, distance);
        }
    return bounds;
}
template <class T>
FilledBounds<T> onALine(std::size_t n, std::uint32_t seed, bool withLower) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(0, 40);
    std::vector<double> places(n);
    for (double& place : places) place = uniform(generator);
    return onALine<T>(places, withLower);
}

enum class Ties {
    Line,      ///< atoms on a line, upper bounds alone
    HeldLine,  ///< and lower bounds
    Lattice,   ///< a square lattice, the bonds known, and that its corners are apart
    Equal,     ///< all distances alike
    Zero,      ///< as HeldLine, eight atoms at each place
    Clusters,  ///< as HeldLine, eight atoms within what one sum rounds, but not in one place
};
inline constexpr Ties kAllTies[] = {Ties::Line,  Ties::HeldLine, Ties::Lattice,
                                    Ties::Equal, Ties::Zero,     Ties::Clusters};
inline std::string_view nameOf(Ties ties) {
    static constexpr std::string_view kNames[] = {"line",  "held line", "lattice",
                                                  "equal", "zero",      "clusters"};
    return kNames[static_cast<int>(ties)];
}

/// n: a square.
template <class T>
FilledBounds<T> makeTiedBounds(Ties ties, std::size_t n) {
    switch (ties) {
        case Ties::Line:
        case Ties::HeldLine:
            return onALine<T>(n, 5, ties == Ties::HeldLine);
        case Ties::Zero:
        case Ties::Clusters: {
            std::mt19937 generator(3);
            std::uniform_real_distribution<double> uniform(0, 40);
            std::vector<double> places(n);
            for (std::size_t i = 0; i < n; ++i) {
                places[i] = i % 8 == 0 ? uniform(generator) : places[i - 1];
                if (ties == Ties::Clusters) places[i] += 1e-7 * uniform(generator);
            }
            return onALine<T>(places, true);
        }
        case Ties::Lattice:
        case Ties::Equal:
            break;
    }
    FilledBounds<T> bounds(n);
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const auto apart = [side](std::size_t i, std::size_t j) {
        const auto along = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
        return along(i % side, j % side) + along(i / side, j / side);
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            if (ties == Ties::Equal)
                bounds.set(i, j, 9.1, 10.3);
            else
                bounds.set(i, j, apart(i, j) >= side ? 0.7 * static_cast<double>(apart(i, j)) : 0.1,
                           apart(i, j) == 1 ? 1.1 : std::numeric_limits<double>::infinity());
        }
    return bounds;
}

}  // namespace glycine::bounds::fixtures

namespace glycine::bounds {
using namespace fixtures;
}
