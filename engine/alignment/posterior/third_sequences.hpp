#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glycine::align {

/// Which other sequences count for a pair in the consistency transformation: all, or those that are nearest
/// to both.
class ThirdSequences {
  public:
    explicit ThirdSequences(std::size_t sequences);
    /// At most so many: of each pair those whose distances to the two have the smallest sums, of equal ones
    /// the first. `distances`: below the diagonal, (1,0), (2,0), (2,1), …
    ThirdSequences(std::size_t sequences, std::span<const float> distances, std::size_t most);

    /// Those of the pair x ≠ y, ascending.
    void find(std::size_t x, std::size_t y, std::vector<std::size_t>& found) const;
    /// The sum of their weights.
    static double weightOf(std::span<const std::size_t> found, std::span<const double> weights);
    bool areAll() const { return distances_.empty(); }

  private:
    double distance(std::size_t x, std::size_t y) const;

    std::size_t sequences_;
    std::size_t most_;
    std::vector<float> distances_;  ///< empty: all count
};

/// What a round of the consistency transformation goes by.
struct ConsistencyRound {
    std::span<const double> weights;  ///< of sequences, above 0
    double selfWeight = 0;            ///< how much the pair itself counts
    const ThirdSequences& thirds;
};

}  // namespace glycine::align
