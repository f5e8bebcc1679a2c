#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/pairs/close_pairs.hpp"

namespace glycine::pairs {

/// Which neighbours of each instance are kept.
struct NearestRequest {
    std::size_t count = 1;      ///< per instance
    bool isSimilarity = false;  ///< large values mean near instances
};

/// Another instance, and the value of the pair.
struct Neighbour {
    double value = 0;
    std::uint32_t other = 0;
};

/// Keeps the nearest others of each instance, as nearestOthers selects them: memory for these neighbours and
/// one tile, not for N². Nothing survives a stop.
class NearestPairs final : public PairSelection {
  public:
    /// `references`: if above 0, the others are the instances before this index, and only the instances from
    /// it on have neighbours (StoreLayout::Rectangle). Other arguments as for ClosePairs.
    NearestPairs(std::size_t instances, ValueType type, NearestRequest wanted, double diagonalValue,
                 std::size_t references = 0, SampledValues samples = {});
    /// Throws as storedValue does for the first value that the type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;

    std::size_t instances() const { return sizes_.size(); }
    std::size_t references() const { return references_; }
    ValueType valueType() const { return type_; }
    ValueSummary summary() const override { return summary_.summary(); }
    void moveToLead(ProcessTeam& team) override;
    /// The neighbours of an instance, nearest first; ties by the smaller number.
    std::vector<Neighbour> neighboursOf(std::size_t instance) const;

    /// Bytes that the neighbours of `instances` instances take.
    static double bytes(std::size_t instances, std::size_t count) {
        return static_cast<double>(instances) * static_cast<double>(count) * sizeof(Neighbour);
    }

  private:
    bool isNearer(const Neighbour& a, const Neighbour& b) const;
    void add(std::size_t instance, std::size_t other, double value);
    void addColumns(const PairTile& tile, MatrixView<const double> values);

    ValueType type_;
    NearestRequest wanted_;
    std::size_t references_;
    SampledValues samples_;
    ValueSummarizer summary_;
    std::vector<Neighbour> nearest_;  ///< `wanted_.count` places for each instance: heaps, the farthest first
    std::vector<std::uint32_t> sizes_;  ///< of the heaps
};

}  // namespace glycine::pairs
