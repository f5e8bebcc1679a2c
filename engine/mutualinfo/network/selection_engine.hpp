#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "engine/pairs/pair_store.hpp"

/// The greedy selection of regulators by MRNET for each target.
namespace glycine::mutualinfo {

/// A request for selections.
///
/// For the target t, candidates are selected one at a time: first the one with the largest I_jt, then each
/// time the one with the largest D_j = Σ_s (I_jt − I_js), where s runs over the genes selected before. Ties
/// go to the first gene. The score is the relevance minus the mean redundancy, D_j / k, where k is the number
/// of genes selected before; for the first gene it is I_jt. The selection ends before a negative score. After
/// `selections` genes, all other candidates get D_j / `selections` at once.
///
/// With information in multiples of 2⁻⁴⁰, these sums are exact below 2¹³, so every backend finds the same
/// scores to the bit.
struct SelectionRequest {
    const pairs::PairStore* information = nullptr;  ///< TiedInformationSink, not negative, or NaN
    std::vector<char> candidates{};                 ///< flag per gene; empty: all genes
    double unknown = 0;  ///< redundancy of a pair without a value; a multiple of 2⁻⁴⁰
    std::size_t selections = std::numeric_limits<std::size_t>::max();

    /// Whether `gene` may be selected for `target`, given the information `value` of the two.
    bool isCandidate(std::size_t target, std::size_t gene, double value) const {
        return gene != target && !std::isnan(value) && (candidates.empty() || candidates[gene] != 0);
    }
};

/// Selections for any targets.
class SelectionRun {
  public:
    virtual ~SelectionRun() = default;
    virtual std::string_view variantName() const = 0;
    /// scores(i, j): of gene j for the target targets.begin + i. Below 0 (−∞ if j is no candidate) if the
    /// gene is neither selected nor scored above 0. Advances `progress` by 1 per target.
    virtual void score(Range targets, MatrixView<double> scores, Progress& progress) = 0;
};

/// The interface that each backend implements.
class SelectionEngine {
  public:
    virtual ~SelectionEngine() = default;
    static constexpr std::string_view kAlgorithm = "network";
    static ImplementationList<SelectionEngine>& implementations();
    virtual Support supports(const PathShape&) const { return Support::yes(); }
    /// Number of targets per call that suits this backend, at least 1.
    virtual std::size_t preferredTargets(std::size_t genes) const = 0;
    /// Throws UnavailableError if the request is not supported.
    virtual std::unique_ptr<SelectionRun> start(const SelectionRequest& request) = 0;
};

Support supportsSelection(Backend& backend, const PathShape& shape);
/// The CPU's engine.
std::unique_ptr<SelectionEngine> processorSelection();

// One per backend, each defined next to its implementation.
namespace reference {
Implementation<SelectionEngine> selectionEngine();
}
namespace cpu {
Implementation<SelectionEngine> selectionEngine();
}
namespace gl {
Implementation<SelectionEngine> selectionEngine();
}
namespace cuda {
Implementation<SelectionEngine> selectionEngine();
}

}  // namespace glycine::mutualinfo
