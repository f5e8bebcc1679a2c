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

/// Posterior probabilities of residue pairs: for each pair of sequences, the probability that two residues
/// are in one column. They come from a hidden Markov model and a partition function (pair_model.hpp).
namespace glycine::align {

/// Probabilities that residues of two sequences are in one column: for each residue of the first sequence
/// (row) the entries that were kept, columns ascending. Non-owning view; the creator must keep the data
/// alive.
class PosteriorView {
  public:
    PosteriorView() = default;
    /// `begins`: rows + 1 offsets into `entries`.
    PosteriorView(const std::uint32_t* begins, const PosteriorEntry* entries, std::size_t rows)
        : begins_(begins), entries_(entries), rows_(rows) {}

    std::size_t rows() const { return rows_; }
    std::span<const PosteriorEntry> row(std::size_t number) const {
        return {entries_ + begins_[number], entries_ + begins_[number + 1]};
    }
    std::size_t size() const { return rows_ == 0 ? 0 : begins_[rows_] - begins_[0]; }
    std::span<const std::uint32_t> begins() const { return {begins_, rows_ == 0 ? 0 : rows_ + 1}; }
    std::span<const PosteriorEntry> entries() const { return {entries_, size()}; }

    /// Throws ImpossibleResultError unless the rows' offsets ascend from 0 to `size` and the columns of each
    /// row ascend and are below `columns`. `first`, `second`: numbers of the sequences, for the message.
    void require(std::size_t size, std::size_t columns, std::size_t first, std::size_t second) const;
    /// Writes the transpose, whose rows are the `columns` residues of the second sequence: columns + 1
    /// offsets and as many entries as this view has. The view must satisfy `require`.
    void transposeTo(std::size_t columns, std::uint32_t* begins, PosteriorEntry* entries) const;

  private:
    const std::uint32_t* begins_ = nullptr;
    const PosteriorEntry* entries_ = nullptr;
    std::size_t rows_ = 0;
};

/// Such rows, with their own memory.
class SparsePosterior {
  public:
    SparsePosterior() = default;
    /// `begins`: rows + 1 offsets into `entries`.
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
    /// The entries of all rows, one row after another.
    std::span<const PosteriorEntry> entries() const { return entries_; }
    /// The offsets of the rows among the entries, and the end.
    std::span<const std::uint32_t> begins() const { return begins_; }
    /// The same with rows for the second sequence, which has `columns` residues.
    SparsePosterior transposed(std::size_t columns) const;

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<PosteriorEntry> entries_;
};

/// The largest sum of probabilities of an alignment whose pairs are among the entries: the expected number of
/// residues that it aligns correctly.
double expectedAccuracy(const PosteriorView& posterior, std::size_t columns);

/// Smaller probabilities are dropped (Do et al. 2005).
inline constexpr float kSmallestPosterior = 0.01F;

/// A backend's own copy of a set, so that the set need not be transferred again.
class ResidentPosteriors {
  public:
    virtual ~ResidentPosteriors() = default;
};

/// Posteriors of all pairs of N sequences, in both directions. Many pairs share a slab of memory.
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
    /// Copies both directions; `second` has `columns` residues. Different threads may set different pairs.
    /// Throws ImpossibleResultError for rows that PosteriorView::require refuses.
    void setPair(std::size_t first, std::size_t second, const PosteriorView& posterior, std::size_t columns);
    /// Sets both directions to views of the set's own slabs. The listener is not called: tell() does that for
    /// many pairs in one thread, because a listener may serialise threads.
    void placePair(std::size_t first, std::size_t second, const PosteriorView& posterior,
                   const PosteriorView& transposed) {
        pairs_[first * sequences_ + second] = posterior;
        pairs_[second * sequences_ + first] = transposed;
    }
    void notifyListener(std::size_t first, std::size_t second) const {
        if (listener_) listener_(first, second);
    }
    /// Sets a function that is called for every pair set from now on, by the thread that sets it; empty:
    /// none.
    void setListener(std::function<void(std::size_t first, std::size_t second)> listener) {
        listener_ = std::move(listener);
    }
    /// Uninitialised memory, aligned to 8 bytes, that lives as long as the set. Several threads may call
    /// this.
    std::byte* addSlab(std::size_t bytes);

    /// The backend's copy; null if there is none. No pair may be set once it exists.
    const std::shared_ptr<const ResidentPosteriors>& resident() const { return resident_; }
    void keepResident(std::shared_ptr<const ResidentPosteriors> resident) { resident_ = std::move(resident); }
    /// The number of entries of all pairs, in both directions.
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
/// The same for the pairs that `posteriors` lacks.
double cellsOfPairs(const Sequences& sequences, const PosteriorSet& posteriors);

}  // namespace glycine::align
