#include "engine/bounds/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::bounds {

namespace {

/// A contradiction, with the data to decide which other pairs it proves inconsistent.
struct Proof {
    Contradiction contradiction;
    std::vector<double> fromP;  ///< U_p· of the smoothed bounds, Å
    std::vector<double> fromQ;

    /// Whether l_pq − U_ip − U_qj > U_ij, either way round.
    bool covers(const Violation& pair) const {
        const double way = fromP[pair.i] + fromQ[pair.j];
        const double otherWay = fromP[pair.j] + fromQ[pair.i];
        return contradiction.lowerInput - std::min(way, otherWay) > pair.upper;
    }
};

/// The shortest paths from an atom, in Å. Sums over int32 bounds are exact in units of the format, and so in
/// Å.
template <class T>
ShortestPathTree<double> searchUpper(const BoundMatrices<T>& input, std::size_t atom) {
    ShortestPathTree<double> tree = denseDijkstra<double, T>(input.upper, atom);
    for (double& distance : tree.distance) distance *= toAngstrom(T(1));
    return tree;
}

/// The input lower bound behind L_ij and the shortest path that it contradicts; nothing when the pair is
/// consistent in exact sums.
template <class T>
std::optional<Proof> prove(const BoundMatrices<T>& input, std::size_t i, std::size_t j) {
    const std::vector<double> fromI = denseDijkstra<double, T>(input.upper, i).distance;
    const LowerSearch<double> lower = searchLower(input, fromI);
    if (!(-lower.distance[j] > fromI[j])) return std::nullopt;
    std::size_t end = j;
    while (lower.previous[end] != kNoAtom) end = lower.previous[end];

    Proof proof;
    Contradiction& found = proof.contradiction;
    std::tie(found.p, found.q) = std::minmax(lower.partner[end], end);
    ShortestPathTree<double> fromP = searchUpper(input, found.p);
    for (std::size_t atom = found.q; atom != kNoAtom; atom = fromP.previous[atom])
        found.upperPath.push_back(atom);
    std::reverse(found.upperPath.begin(), found.upperPath.end());
    for (std::size_t step = 0; step + 1 < found.upperPath.size(); ++step)
        found.upperInputs.push_back(
            toAngstrom(input.upper(found.upperPath[step], found.upperPath[step + 1])));
    found.lowerInput = toAngstrom(input.lower(found.p, found.q));
    found.upperSum = fromP.distance[found.q];
    if (!(found.lowerInput > found.upperSum)) return std::nullopt;
    const double unit = toAngstrom(T(1));
    found.pair = {std::min(i, j), std::max(i, j), fromI[j] * unit, -lower.distance[j] * unit};
    proof.fromP = std::move(fromP.distance);
    proof.fromQ = searchUpper(input, found.q).distance;
    return proof;
}

template <class T>
void requirePair(const BoundMatrices<T>& input, std::size_t i, std::size_t j) {
    if (!input.hasLower())
        throw InputError("contradictions need lower bounds; the input has upper bounds only");
    if (i == j || i >= input.atoms() || j >= input.atoms())
        throw InputError(fmt::format("({}, {}) is not a pair of different atoms; expected indices below {}",
                                     i, j, input.atoms()));
}

}  // namespace

std::vector<Contradiction> explainViolations(const AnyBoundMatrices& input,
                                             std::span<const Violation> violations, Progress& progress) {
    std::vector<Contradiction> contradictions;
    progress.begin("contradictions", static_cast<double>(violations.size()));
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            for (const Violation& pair : violations) requirePair(typed, pair.i, pair.j);
            std::vector<std::uint8_t> isExplained(violations.size(), 0);
            for (std::size_t next = 0; next < violations.size(); ++next) {
                progress.advance(1);
                if (isExplained[next] != 0) continue;
                std::optional<Proof> proof = prove(typed, violations[next].i, violations[next].j);
                if (!proof) continue;
                std::size_t explained = 1;
#pragma omp parallel for schedule(static) reduction(+ : explained) if (violations.size() - next >= 4096)
                for (std::size_t later = next + 1; later < violations.size(); ++later)
                    if (isExplained[later] == 0 && proof->covers(violations[later])) {
                        isExplained[later] = 1;
                        ++explained;
                    }
                proof->contradiction.explainedPairs = explained;
                contradictions.push_back(std::move(proof->contradiction));
            }
        },
        input);
    return contradictions;
}

std::string describeContradiction(const Contradiction& contradiction, std::span<const std::string> atomNames,
                                  const BoundSource& source) {
    const auto origin = [&source](std::size_t i, std::size_t j, bool isUpper) {
        return source ? fmt::format(" ({})", source(i, j, isUpper)) : std::string();
    };
    const auto name = [&](std::size_t atom) {
        return atom < atomNames.size() ? atomNames[atom] : fmt::format("atom {}", atom + 1);
    };
    std::string text =
        fmt::format("{} and {} must be at least {:.4f} Å apart{}, but upper bounds allow at most {:.4f} Å:\n",
                    name(contradiction.p), name(contradiction.q), contradiction.lowerInput,
                    origin(contradiction.p, contradiction.q, false), contradiction.upperSum);
    for (std::size_t step = 0; step < contradiction.upperInputs.size(); ++step)
        text += fmt::format("  {} - {}  at most {:.4f} Å{}\n", name(contradiction.upperPath[step]),
                            name(contradiction.upperPath[step + 1]), contradiction.upperInputs[step],
                            origin(contradiction.upperPath[step], contradiction.upperPath[step + 1], true));
    const Violation& pair = contradiction.pair;
    // Skips pairs that only rounding makes inconsistent.
    constexpr double kLeastOfFourDigits = 0.00005;
    const double lack = contradiction.lowerInput - contradiction.upperSum;
    text += fmt::format("  short by {} Å; found from the pair {} - {}",
                        lack < kLeastOfFourDigits ? fmt::format("{:.3g}", lack) : fmt::format("{:.4f}", lack),
                        name(pair.i), name(pair.j));
    if (contradiction.explainedPairs > 1)
        text += fmt::format(", and proves {} inconsistent pairs", contradiction.explainedPairs);
    return text + "\n";
}

std::string describeGroups(std::span<const Contradiction> all, std::size_t pairs, std::size_t shown) {
    std::size_t proved = 0;
    for (const Contradiction& contradiction : all) proved += contradiction.explainedPairs;
    const bool showsSome = shown > 0 && shown < all.size();
    return fmt::format(
        "{}{} of contradicting bounds, {} {} {}{}",
        showsSome ? fmt::format("{} of ", formatCount(shown)) : "", formatCount(all.size(), "group"),
        all.size() == 1 ? "which proves" : "which together prove",
        proved == pairs ? "all" : fmt::format("{} of", formatCount(proved)),
        formatCount(pairs, "inconsistent pair"), proved < pairs ? "; in exact sums the others agree" : "");
}

}  // namespace glycine::bounds
