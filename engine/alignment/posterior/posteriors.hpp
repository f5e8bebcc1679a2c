#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/sparse_posterior.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"

/// Posterior probabilities of residue pairs: of each pair of sequences, how probable it is that two residues
/// stand in one column, by a hidden Markov model and by a partition function (pair_model.hpp).
namespace glycine::align {

/// Smaller probabilities are not kept (Do et al. 2005).
inline constexpr float kSmallestPosterior = 0.01F;

/// What a backend keeps beside a set, so that it need not be brought to it again.
class ResidentPosteriors {
  public:
    virtual ~ResidentPosteriors() = default;
};

/// Posteriors of all pairs of N sequences, in both directions. Many pairs lie in one piece of memory.
class PosteriorSet {
  public:
    explicit PosteriorSet(std::size_t sequences);
    PosteriorSet(PosteriorSet&&) noexcept;
    PosteriorSet& operator=(PosteriorSet&&) noexcept;
    ~PosteriorSet();
    std::size_t sequences() const { return sequences_; }
    /// Rows: residues of `first`; empty for first = second.
    PosteriorView pair(std::size_t first, std::size_t second) const {
        return pairs_[first * sequences_ + second];
    }
    /// Whether the pair was set. Sequences have at least one residue.
    bool has(std::size_t first, std::size_t second) const { return pair(first, second).rows() > 0; }
    /// Both directions are copied; `second` has so many residues. Different pairs may be set by different
    /// threads. Throws ImpossibleResultError for rows that PosteriorView::require refuses.
    void setPair(std::size_t first, std::size_t second, const PosteriorView& posterior, std::size_t columns);
    /// Both directions, which lie in the set's slabs. Nobody is told: tell() does so, for many pairs in one
    /// thread, because a listener may have to let one thread after the other in.
    void placePair(std::size_t first, std::size_t second, const PosteriorView& posterior,
                   const PosteriorView& transposed) {
        pairs_[first * sequences_ + second] = posterior;
        pairs_[second * sequences_ + first] = transposed;
    }
    void tell(std::size_t first, std::size_t second) const {
        if (listener_) listener_(first, second);
    }
    /// Is told of every pair that is set from now on, by the thread that sets it; empty: nobody is.
    void setListener(std::function<void(std::size_t first, std::size_t second)> listener) {
        listener_ = std::move(listener);
    }
    /// Memory that lives as long as the set, on a boundary of 8 bytes, not initialised. May be asked for by
    /// several threads.
    std::byte* addSlab(std::size_t bytes);

    /// What a backend has kept; null for none. No pair is set once it is there.
    const std::shared_ptr<const ResidentPosteriors>& resident() const { return resident_; }
    void keepResident(std::shared_ptr<const ResidentPosteriors> resident) { resident_ = std::move(resident); }
    /// Entries of all pairs, both directions.
    std::size_t entries() const;

  private:
    class Slabs;

    std::size_t sequences_;
    std::vector<PosteriorView> pairs_;
    std::unique_ptr<Slabs> slabs_;
    std::shared_ptr<const ResidentPosteriors> resident_;
    std::function<void(std::size_t first, std::size_t second)> listener_;
};

/// Products of the lengths of all pairs.
double cellsOfPairs(const Sequences& sequences);
/// Of those that `posteriors` lacks.
double cellsOfPairs(const Sequences& sequences, const PosteriorSet& posteriors);

}  // namespace glycine::align
