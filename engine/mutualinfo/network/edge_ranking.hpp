#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

/// The edges of a gene network in the order of their scores.
namespace glycine::mutualinfo {

/// A pair of genes, counted from 0, that a method has linked.
struct Edge {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< below `row`
    double score = 0;          ///< the larger, the likelier; each method has a scale of its own
    double information = 0;    ///< mutual information of the pair, in the unit of its matrix
    bool operator==(const Edge&) const = default;
};

/// The genes that may regulate others: pairs of two others are no edges.
struct Regulators {
    std::vector<char> flags{};  ///< one a gene; empty: all may

    bool includes(std::size_t gene) const { return flags.empty() || flags[gene] != 0; }
    bool mayLink(std::size_t a, std::size_t b) const { return includes(a) || includes(b); }
    /// Of `genes` genes, how many may, and how many pairs may be linked.
    std::size_t count(std::size_t genes) const;
    std::size_t pairs(std::size_t genes) const;
};

/// Collects edges and keeps the best. Of equal scores the larger information comes first, then the pair with
/// the smaller numbers, so that the order does not depend on threads.
class EdgeRanking {
  public:
    /// `most`: edges that are kept; 0: all.
    explicit EdgeRanking(std::size_t most) : most_(most) {}
    /// May be called from several threads. Throws MemoryError when there is not enough memory for all.
    void add(const std::vector<Edge>& edges);
    /// The best first. Nothing is left here.
    std::vector<Edge> take();

  private:
    std::mutex mutex_;
    std::size_t most_;
    std::vector<Edge> edges_;
};

}  // namespace glycine::mutualinfo
