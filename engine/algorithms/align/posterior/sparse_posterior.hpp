#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glycine::align {

/// A residue of one sequence beside one of the other, in a share of all alignments.
struct PosteriorEntry {
    std::uint32_t column = 0;  ///< of the second sequence, from 0
    float value = 0;           ///< 0 … 1
    bool operator==(const PosteriorEntry&) const = default;
};

/// Probabilities that residues of two sequences stand in one column: of each residue of the first sequence
/// (row) those that were kept, columns ascending.
class SparsePosterior {
  public:
    SparsePosterior() = default;
    /// `begins`: rows + 1 places in `entries`.
    SparsePosterior(std::vector<std::uint32_t> begins, std::vector<PosteriorEntry> entries)
        : begins_(std::move(begins)), entries_(std::move(entries)) {}

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
double expectedAccuracy(const SparsePosterior& posterior, std::size_t columns);

}  // namespace glycine::align
