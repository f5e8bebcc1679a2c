#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "engine/pairs/pair_store.hpp"

/// The greedy selection of regulators that MRNET makes for each target.
namespace glycine::mutualinfo {

/// One request.
///
/// For the target t, candidates are selected one after the other: first the one with the largest I_jt, then
/// each time the one with the largest D_j = Σ_s (I_jt − I_js), s over those selected before, of equal ones
/// the first gene. D_j / k, with the number k of those selected before (of the first: I_jt), is its
/// relevance less its mean redundancy, and its score. The selection ends before a negative one. After
/// `selections` of them all other candidates have D_j / `selections` as theirs, at once.
///
/// Information in multiples of 2⁻⁴⁰ makes these sums exact below 2¹³, so that every backend finds the same
/// scores to the bit.
struct SelectionRequest {
    const pairs::PairStore* information = nullptr;  ///< TiedInformation, not negative, or NaN
    std::vector<char> candidates{};                 ///< a flag a gene; empty: all
    double unknown = 0;  ///< what a pair without a value counts as redundancy; a multiple of 2⁻⁴⁰
    std::size_t selections = std::numeric_limits<std::size_t>::max();

    /// Whether `gene` may be selected for `target`, of which it has this information.
    bool isCandidate(std::size_t target, std::size_t gene, double value) const {
        return gene != target && !std::isnan(value) && (candidates.empty() || candidates[gene] != 0);
    }
};

/// One selection, for the targets that are asked for.
class SelectionRun {
  public:
    virtual ~SelectionRun() = default;
    virtual std::string_view variantName() const = 0;
    /// scores(i, j): of gene j for the target targets.begin + i; below 0 (−∞ where j is no candidate) for
    /// what is neither selected nor above 0. Advances `progress` by 1 a target.
    virtual void score(Range targets, MatrixView<double> scores, Progress& progress) = 0;
};

/// What a backend implements.
class SelectionEngine {
  public:
    virtual ~SelectionEngine() = default;
    static constexpr std::string_view kAlgorithm = "network";
    static ImplementationList<SelectionEngine>& implementations();
    virtual Support supports(const PathShape&) const { return Support::yes(); }
    /// Targets at once that suit this backend, at least 1.
    virtual std::size_t preferredTargets(std::size_t genes) const = 0;
    /// Throws UnavailableError for what is not supported.
    virtual std::unique_ptr<SelectionRun> start(const SelectionRequest& request) = 0;
};

using SelectionEngineEntry = Implementation<SelectionEngine>;
Support supportsSelection(Backend& backend, const PathShape& shape);
/// The engine of the processor.
std::unique_ptr<SelectionEngine> processorSelection();

// One a backend; each is defined beside its implementation.
namespace reference {
SelectionEngineEntry selectionEngine();
}
namespace cpu {
SelectionEngineEntry selectionEngine();
}
namespace gl {
SelectionEngineEntry selectionEngine();
}
namespace cuda {
SelectionEngineEntry selectionEngine();
}

}  // namespace glycine::mutualinfo
