#include "engine/bounds/input/random_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>

#include "engine/bounds/number_format.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"

namespace glycine::bounds {

namespace {

constexpr double kStep = 1.5;              ///< Å, a carbon-carbon bond
constexpr double kSmallestDistance = 1.4;  ///< Å
constexpr double kVolumePerAtom = 10;      ///< Å³

/// Radius of the ball of this volume, by Newton's method: std::cbrt differs among platforms in the last bit.
double ballRadius(double volume) {
    const double cube = volume * 3 / (4 * std::numbers::pi);
    double radius = std::max(1.0, cube);
    for (double next = 0; (next = (2 * radius + cube / (radius * radius)) / 3) < radius;) radius = next;
    return radius;
}

/// The atoms placed so far, in cells so small that each holds at most one.
class CellGrid {
  public:
    explicit CellGrid(std::size_t atoms)
        : radius_(radiusFor(atoms)), side_(sideFor(radius_)), cells_(side_ * side_ * side_, kEmpty) {}
    static double bytes(std::size_t atoms) {
        const auto side = static_cast<double>(sideFor(radiusFor(atoms)));
        return side * side * side * sizeof(std::uint32_t);
    }

    void add(const Position& position, std::uint32_t atom) {
        cells_[(cellOf(position[0]) * side_ + cellOf(position[1])) * side_ + cellOf(position[2])] = atom;
    }
    /// Whether an atom may lie here: inside the ball and not too close to another.
    bool isFree(const Position& p, const std::vector<Position>& atoms) const {
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > radius_ * radius_) return false;
        constexpr std::size_t kReach = 2;  // cells; 2 × kCell > kSmallestDistance
        const auto first = [&](int axis) { return cellOf(p[axis]) - std::min(cellOf(p[axis]), kReach); };
        const auto last = [&](int axis) { return std::min(cellOf(p[axis]) + kReach, side_ - 1); };
        for (std::size_t x = first(0); x <= last(0); ++x)
            for (std::size_t y = first(1); y <= last(1); ++y)
                for (std::size_t z = first(2); z <= last(2); ++z) {
                    const std::uint32_t atom = cells_[(x * side_ + y) * side_ + z];
                    if (atom == kEmpty) continue;
                    const double dx = atoms[atom][0] - p[0];
                    const double dy = atoms[atom][1] - p[1];
                    const double dz = atoms[atom][2] - p[2];
                    if (dx * dx + dy * dy + dz * dz < kSmallestDistance * kSmallestDistance) return false;
                }
        return true;
    }

  private:
    /// Its diagonal is below the smallest distance (1.4 / √3 = 0.808).
    static constexpr double kCell = 0.8;
    static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
    static double radiusFor(std::size_t atoms) {
        return ballRadius(kVolumePerAtom * static_cast<double>(atoms));
    }
    static std::size_t sideFor(double radius) { return static_cast<std::size_t>(2 * radius / kCell) + 1; }
    std::size_t cellOf(double coordinate) const {
        return static_cast<std::size_t>((coordinate + radius_) / kCell);
    }

    double radius_;
    std::size_t side_;
    std::vector<std::uint32_t> cells_;
};

/// A point one step from `from`, in a direction that is uniform on the sphere.
Position randomStep(const Position& from, RandomSequence& random) {
    while (true) {
        const Position v{2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1};
        const double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (squared > 1 || squared < 1e-6) continue;
        const double scale = kStep / std::sqrt(squared);
        return {from[0] + v[0] * scale, from[1] + v[1] * scale, from[2] + v[2] * scale};
    }
}

/// Takes the bounds of all pairs away that have the molecule's diameter as upper bound, that is, the unknown
/// ones.
template <class T>
void forgetDefaults(OwnedBounds<T>& bounds) {
    T* const upper = bounds.upper.data();
    T* const lower = bounds.lower.data();
    const std::size_t elements = bounds.upper.size();
    const T diameter = *std::max_element(upper, upper + elements);
    if (diameter == 0) return;  // a single atom
    for (std::size_t k = 0; k < elements; ++k) {
        if (upper[k] < diameter) continue;
        upper[k] = kUnknownUpper<T>;
        lower[k] = 0;
    }
}

template <class T>
void contradict(OwnedBounds<T>& bounds, std::uint64_t seed) {
    constexpr std::uint64_t kOneIn = 20;
    // The random engine is portable; the standard distributions are not.
    std::mt19937_64 random(seed);
    const std::size_t n = bounds.upper.rows();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            if (random() % kOneIn != 0) continue;
            const double excess = 0.25 * static_cast<double>(1 + random() % 8);
            bounds.lower(i, j) = bounds.lower(j, i) =
                lowerFromAngstrom<T>(toAngstrom(bounds.upper(i, j)) + excess);
        }
}

}  // namespace

std::vector<Position> randomPositions(std::size_t atoms, std::uint64_t seed, Progress& progress) {
    if (atoms == 0) throw UsageError("a random molecule of 0 atoms; expected at least 1");
    if (atoms >= std::numeric_limits<std::uint32_t>::max())
        throw UsageError(fmt::format("a random molecule of {} atoms; expected fewer than 2³²", atoms));
    progress.begin("atoms", static_cast<double>(atoms));
    RandomSequence random(seed);
    CellGrid grid(atoms);
    std::vector<Position> positions{{0, 0, 0}};
    positions.reserve(atoms);
    grid.add(positions[0], 0);
    std::size_t from = 0;
    // Dead ends count, too, so that cancellation is checked even without new atoms.
    constexpr std::size_t kRoundsBetweenLooks = 1024;
    std::size_t reported = 0;
    for (std::size_t round = 1; positions.size() < atoms; ++round) {
        if (round % kRoundsBetweenLooks == 0) {
            progress.advance(static_cast<double>(positions.size() - reported));
            reported = positions.size();
        }
        constexpr int kTries = 24;
        std::optional<Position> next;
        for (int k = 0; k < kTries && !next; ++k) {
            const Position candidate = randomStep(positions[from], random);
            if (grid.isFree(candidate, positions)) next = candidate;
        }
        if (!next) {
            // A dead end: the chain goes on as a branch somewhere else. The atoms fill a seventh of the ball,
            // so that there always is a place.
            from = random.below(positions.size());
            continue;
        }
        from = positions.size();
        grid.add(*next, static_cast<std::uint32_t>(from));
        positions.push_back(*next);
    }
    progress.advance(static_cast<double>(atoms - reported));
    return positions;
}

double bytesForRandomBounds(const RandomBoundsOptions& options, NumberFormat format) {
    return bytesForBounds(format, options.atoms) +
           static_cast<double>(options.atoms) * (2 * sizeof(Position)) + CellGrid::bytes(options.atoms);
}

BoundSet randomBounds(const RandomBoundsOptions& options, NumberFormat format, Progress& progress) {
    checkKnown(format);
    if (options.atoms == 0) throw UsageError("a random molecule of 0 atoms; expected at least 1");
    requireHostMemory(fmt::format("making bounds of {}", formatCount(options.atoms, "atom")),
                      bytesForRandomBounds(options, format));
    const std::vector<Position> positions = randomPositions(options.atoms, options.seed, progress);
    PairBoundsOptions pairs;
    pairs.known = options.known;
    pairs.tolerance = options.tolerance;
    pairs.cutoff = std::numeric_limits<double>::infinity();
    pairs.seed = options.seed;
    PairBoundsReport report;
    BoundSet set;
    set.bounds = makePairBounds(positions, pairs, format, report, progress);
    set.knownPairs = std::visit([](const auto& owned) { return countKnownPairs(owned.upper); }, set.bounds);
    if (!options.withLower) std::visit([](auto& owned) { owned.lower = {}; }, set.bounds);
    set.description = fmt::format("{} random atoms, seed {}: {} of {} pairs known, ±{:g} Å", options.atoms,
                                  options.seed, set.knownPairs, report.candidatePairs, options.tolerance);
    return set;
}

AnyOwnedBounds makeValidationInput(InputKind kind, std::size_t atoms, std::uint64_t seed,
                                   NumberFormat format) {
    const double known = kind == InputKind::Sparse ? 0.1 : 0.5;
    BoundSet set = randomBounds({.atoms = atoms, .known = known, .seed = seed}, format);
    std::visit(
        [kind, seed](auto& owned) {
            if (kind == InputKind::Sparse) forgetDefaults(owned);
            if (kind == InputKind::Contradictory) contradict(owned, seed);
        },
        set.bounds);
    return std::move(set.bounds);
}

}  // namespace glycine::bounds
