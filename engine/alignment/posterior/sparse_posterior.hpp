#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/device_types.hpp"

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

}  // namespace glycine::align
