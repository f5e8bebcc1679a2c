#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/device_types.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"

/// Posterior probabilities of residue pairs: of each pair of sequences, how probable it is that two residues
/// stand in one column, by a hidden Markov model and by a partition function (pair_model.hpp).
namespace glycine::align {

/// Probabilities that residues of two sequences stand in one column: of each residue of the first sequence
/// (row) those that were kept, columns ascending. Who has made the view keeps what it looks at.
class PosteriorView {
  public:
    PosteriorView() = default;
    /// `begins`: rows + 1 places in `entries`.
    PosteriorView(const std::uint32_t* begins, const PosteriorEntry* entries, std::size_t rows)
        : begins_(begins), entries_(entries), rows_(rows) {}

    std::size_t rows() const { return rows_; }
    std::span<const PosteriorEntry> row(std::size_t number) const {
        return {entries_ + begins_[number], entries_ + begins_[number + 1]};
    }
    std::size_t size() const { return rows_ == 0 ? 0 : begins_[rows_] - begins_[0]; }
    std::span<const std::uint32_t> begins() const { return {begins_, rows_ == 0 ? 0 : rows_ + 1}; }
    std::span<const PosteriorEntry> entries() const { return {entries_, size()}; }

    /// Throws ImpossibleResultError unless places of rows ascend from 0 to `size`, and the columns of each
    /// row ascend and are below `columns`. `first`, `second`: numbers of the sequences, for the message.
    void require(std::size_t size, std::size_t columns, std::size_t first, std::size_t second) const;
    /// The same of the second sequence, which has `columns` residues: columns + 1 places and as many entries
    /// as these are. They are as `require` has them.
    void transposeTo(std::size_t columns, std::uint32_t* begins, PosteriorEntry* entries) const;

  private:
    const std::uint32_t* begins_ = nullptr;
    const PosteriorEntry* entries_ = nullptr;
    std::size_t rows_ = 0;
};

/// Such rows, and the memory where they lie.
class SparsePosterior {
  public:
    SparsePosterior() = default;
    /// `begins`: rows + 1 places in `entries`.
    SparsePosterior(std::vector<std::uint32_t> begins, std::vector<PosteriorEntry> entries)
        : begins_(std::move(begins)), entries_(std::move(entries)) {}
    explicit SparsePosterior(const PosteriorView& view)
        : begins_(view.begins().begin(), view.begins().end()),
          entries_(view.entries().begin(), view.entries().end()) {}

    operator PosteriorView() const { return {begins_.data(), entries_.data(), rows()}; }
    std::size_t rows() const { return begins_.empty() ? 0 : begins_.size() - 1; }
    std::span<const PosteriorEntry> row(std::size_t number) const {
        return {entries_.data() + begins_[number], entries_.data() + begins_[number + 1]};
    }
    std::span<PosteriorEntry> row(std::size_t number) {
        return {entries_.data() + begins_[number], entries_.data() + begins_[number + 1]};
    }
    std::size_t size() const { return entries_.size(); }
    /// Of all rows, one after another.
    std::span<const PosteriorEntry> entries() const { return entries_; }
    /// Where rows begin among them, and the end.
    std::span<const std::uint32_t> begins() const { return begins_; }
    /// The same of the second sequence, which has so many residues.
    SparsePosterior transposed(std::size_t columns) const;

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<PosteriorEntry> entries_;
};

/// The largest sum of probabilities that an alignment can have whose pairs are among the entries: the
/// expected number of residues that it aligns as they should be.
double expectedAccuracy(const PosteriorView& posterior, std::size_t columns);

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
