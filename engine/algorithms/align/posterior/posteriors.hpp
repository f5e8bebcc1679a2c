#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "engine/algorithms/align/posterior/sparse_posterior.hpp"
#include "engine/algorithms/align/sequences.hpp"
#include "engine/core/progress.hpp"

/// Posterior probabilities of residue pairs: of each pair of sequences, how probable it is that two residues
/// stand in one column, by a hidden Markov model and by a partition function (pair_model.hpp).
namespace glycine::align {

/// Smaller probabilities are not kept (Do et al. 2005).
inline constexpr float kSmallestPosterior = 0.01F;

/// Posteriors of all pairs of N sequences, in both directions.
class PosteriorSet {
  public:
    explicit PosteriorSet(std::size_t sequences) : sequences_(sequences), pairs_(sequences * sequences) {}
    std::size_t sequences() const { return sequences_; }
    /// Rows: residues of `first`; empty for first = second.
    const SparsePosterior& pair(std::size_t first, std::size_t second) const {
        return pairs_[first * sequences_ + second];
    }
    /// Whether the pair was set. Sequences have at least one residue.
    bool has(std::size_t first, std::size_t second) const { return pair(first, second).rows() > 0; }
    /// Of both directions; `second` has so many residues. Different pairs may be set by different threads.
    void setPair(std::size_t first, std::size_t second, SparsePosterior posterior, std::size_t columns) {
        pairs_[second * sequences_ + first] = posterior.transposed(columns);
        pairs_[first * sequences_ + second] = std::move(posterior);
        if (listener_) listener_(first, second);
    }
    /// Is told of every pair that is set from now on, by the thread that has set it; empty: nobody is.
    void setListener(std::function<void(std::size_t first, std::size_t second)> listener) {
        listener_ = std::move(listener);
    }
    /// Entries of all pairs, both directions.
    std::size_t entries() const;

  private:
    std::size_t sequences_;
    std::vector<SparsePosterior> pairs_;
    std::function<void(std::size_t first, std::size_t second)> listener_;
};

/// Products of the lengths of all pairs.
double cellsOfPairs(const Sequences& sequences);
/// Of those that `posteriors` lacks.
double cellsOfPairs(const Sequences& sequences, const PosteriorSet& posteriors);

}  // namespace glycine::align
