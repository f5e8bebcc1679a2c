#pragma once

#include <cstddef>
#include <cstdint>
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
    /// Of both directions; `second` has so many residues. Different pairs may be set by different threads.
    void setPair(std::size_t first, std::size_t second, SparsePosterior posterior, std::size_t columns) {
        pairs_[second * sequences_ + first] = posterior.transposed(columns);
        pairs_[first * sequences_ + second] = std::move(posterior);
    }
    /// Entries of all pairs, both directions.
    std::size_t entries() const;

  private:
    std::size_t sequences_;
    std::vector<SparsePosterior> pairs_;
};

/// Products of the lengths of all pairs.
double cellsOfPairs(const Sequences& sequences);

}  // namespace glycine::align
