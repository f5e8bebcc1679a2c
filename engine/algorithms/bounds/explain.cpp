#include "engine/algorithms/bounds/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/algorithms/bounds/dense_dijkstra.hpp"
#include "engine/algorithms/bounds/number_format.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

/// The bounds of the input in Å. Sums over int32 bounds are exact in units of the format, and so in Å.
template <class T>
class Explainer {
  public:
    explicit Explainer(const BoundMatrices<T>& input) : upper_(input.upper), lower_(input.lower) {}

    std::optional<Contradiction> explain(std::size_t i, std::size_t j) const {
        const std::size_t n = upper_.rows();
        const ShortestPathTree<double> fromI = denseDijkstra<double>(upper_, i);

        // start_q = −T_iq = min over p of U_ip − l_pq; `first` remembers the p.
        std::vector<double> start(n, std::numeric_limits<double>::max() / 2);
        std::vector<std::size_t> first(n, kNoAtom);
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q) {
                const double candidate = fromI.distance[p] - static_cast<double>(lower_(p, q));
                if (p != q && candidate < start[q]) {
                    start[q] = candidate;
                    first[q] = p;
                }
            }
        const ShortestPathTree<double> search = denseDijkstra<double>(upper_, std::move(start));
        if (!(-search.distance[j] > fromI.distance[j])) return std::nullopt;
        std::size_t q = j;
        while (search.previous[q] != kNoAtom) q = search.previous[q];

        Contradiction found = describeBound(std::min(first[q], q), std::max(first[q], q));
        found.pair = {std::min(i, j), std::max(i, j), angstrom(fromI.distance[j]),
                      angstrom(-search.distance[j])};
        if (!(found.lowerInput > found.upperSum)) return std::nullopt;
        return found;
    }

    /// U_i· of the smoothed bounds, in Å.
    std::vector<double> upperFrom(std::size_t i) const {
        std::vector<double> distances = denseDijkstra<double>(upper_, i).distance;
        for (double& distance : distances) distance = angstrom(distance);
        return distances;
    }

  private:
    static double angstrom(double inUnitsOfFormat) { return inUnitsOfFormat * toAngstrom(T(1)); }

    /// The input lower bound of (p, q) and the shortest path that competes with it.
    Contradiction describeBound(std::size_t p, std::size_t q) const {
        const ShortestPathTree<double> fromP = denseDijkstra<double>(upper_, p);
        Contradiction found;
        found.p = p;
        found.q = q;
        for (std::size_t atom = q; atom != kNoAtom; atom = fromP.previous[atom])
            found.upperPath.push_back(atom);
        std::reverse(found.upperPath.begin(), found.upperPath.end());
        for (std::size_t step = 0; step + 1 < found.upperPath.size(); ++step)
            found.upperInputs.push_back(toAngstrom(upper_(found.upperPath[step], found.upperPath[step + 1])));
        found.lowerInput = toAngstrom(lower_(p, q));
        found.upperSum = angstrom(fromP.distance[q]);
        return found;
    }

    MatrixView<const T> upper_;
    MatrixView<const T> lower_;
};

/// A contradiction with what shows which other pairs it proves inconsistent.
struct Proof {
    Contradiction contradiction;
    std::vector<double> fromP;
    std::vector<double> fromQ;

    /// Whether l_pq − U_ip − U_qj > U_ij, either way round.
    bool covers(const Violation& pair) const {
        const double way = fromP[pair.i] + fromQ[pair.j];
        const double otherWay = fromP[pair.j] + fromQ[pair.i];
        return contradiction.lowerInput - std::min(way, otherWay) > pair.upper;
    }
};

template <class T>
void requirePair(const BoundMatrices<T>& input, std::size_t i, std::size_t j) {
    if (!input.hasLower())
        throw InputError("contradictions need lower bounds; the input has upper bounds only");
    if (i == j || i >= input.atoms() || j >= input.atoms())
        throw InputError(fmt::format("({}, {}) is not a pair of different atoms; expected indices below {}",
                                     i, j, input.atoms()));
}

}  // namespace

std::optional<Contradiction> explainPair(const AnyBoundMatrices& input, std::size_t i, std::size_t j) {
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            requirePair(typed, i, j);
            return Explainer<T>(typed).explain(i, j);
        },
        input);
}

std::vector<Contradiction> explainViolations(const AnyBoundMatrices& input,
                                             std::span<const Violation> violations, std::size_t limit) {
    std::vector<Proof> proofs;
    std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const Explainer<T> explainer(typed);
            std::size_t searches = 0;
            for (const Violation& pair : violations) {
                requirePair(typed, pair.i, pair.j);
                const auto known = std::find_if(proofs.begin(), proofs.end(),
                                                [&](const Proof& proof) { return proof.covers(pair); });
                if (known != proofs.end()) {
                    ++known->contradiction.explainedPairs;
                } else if (searches < limit) {
                    ++searches;
                    if (std::optional<Contradiction> found = explainer.explain(pair.i, pair.j)) {
                        std::vector<double> fromP = explainer.upperFrom(found->p);
                        std::vector<double> fromQ = explainer.upperFrom(found->q);
                        proofs.push_back({std::move(*found), std::move(fromP), std::move(fromQ)});
                    }
                }
            }
        },
        input);
    std::vector<Contradiction> contradictions;
    for (Proof& proof : proofs) contradictions.push_back(std::move(proof.contradiction));
    return contradictions;
}

std::string describeContradiction(const Contradiction& contradiction,
                                  std::span<const std::string> atomNames) {
    const auto name = [&](std::size_t atom) {
        return atom < atomNames.size() ? atomNames[atom] : fmt::format("atom {}", atom + 1);
    };
    std::string text = fmt::format(
        "{} and {} must be at least {:.4f} Å apart, but upper bounds allow at most {:.4f} Å:\n",
        name(contradiction.p), name(contradiction.q), contradiction.lowerInput, contradiction.upperSum);
    for (std::size_t step = 0; step < contradiction.upperInputs.size(); ++step)
        text += fmt::format("  {} - {}  at most {:.4f} Å\n", name(contradiction.upperPath[step]),
                            name(contradiction.upperPath[step + 1]), contradiction.upperInputs[step]);
    const Violation& pair = contradiction.pair;
    text += fmt::format("  short by {:.4f} Å; found from the pair {} - {}",
                        contradiction.lowerInput - contradiction.upperSum, name(pair.i), name(pair.j));
    if (contradiction.explainedPairs > 1)
        text += fmt::format(", and proves {} inconsistent pairs", contradiction.explainedPairs);
    return text + "\n";
}

}  // namespace glycine::bounds
