#include <algorithm>
#include <vector>

#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo::reference {

namespace {

/// Target by target, candidate by candidate.
class SerialSelection final : public SelectionRun {
  public:
    explicit SerialSelection(const SelectionRequest& request) : request_(request) {}
    std::string_view variantName() const override { return "serial"; }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        for (std::size_t target = targets.begin; target < targets.end; ++target) {
            scoreTarget(target, scores.row(target - targets.begin));
            progress.advance(1);
        }
    }

  private:
    struct Candidate {
        std::size_t gene;
        double relevance;
        double sum = 0;  ///< D_j of SelectionRequest
    };

    void scoreTarget(std::size_t target, double* scores) const {
        const pairs::PairStore& information = *request_.information;
        const std::size_t n = information.instances();
        std::fill_n(scores, n, -std::numeric_limits<double>::infinity());
        std::vector<Candidate> candidates;
        for (std::size_t j = 0; j < n; ++j) {
            if (j == target) continue;
            const double relevance = information.value(target, j);
            if (request_.isCandidate(target, j, relevance)) candidates.push_back({j, relevance});
        }
        std::size_t selected = 0;
        const auto scoreOf = [&](const Candidate& one) {
            return selected == 0 ? one.relevance : one.sum / static_cast<double>(selected);
        };
        while (!candidates.empty() && selected < request_.selections) {
            const auto best = std::ranges::max_element(candidates, {}, scoreOf);
            if (scoreOf(*best) < 0) return;
            const std::size_t gene = best->gene;
            scores[gene] = scoreOf(*best);
            candidates.erase(best);
            ++selected;
            for (Candidate& one : candidates) {
                const double redundancy = information.value(one.gene, gene);
                one.sum += one.relevance - (std::isnan(redundancy) ? request_.unknown : redundancy);
            }
        }
        for (const Candidate& one : candidates) scores[one.gene] = scoreOf(one);
    }

    SelectionRequest request_;
};

class ReferenceSelection final : public SelectionEngine {
  public:
    std::size_t preferredTargets(std::size_t) const override { return 1; }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        return std::make_unique<SerialSelection>(request);
    }
};

}  // namespace

Implementation<SelectionEngine> selectionEngine() {
    return {"reference", {}, [](Backend&) -> std::unique_ptr<SelectionEngine> {
                return std::make_unique<ReferenceSelection>();
            }};
}

}  // namespace glycine::mutualinfo::reference
