#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/input/random_bounds.hpp"
#include "engine/study/subject.hpp"

namespace glycine::bounds {

/// Rows that a sampled check computes again in float64; each takes O(n²).
inline constexpr std::size_t kVerifiedRows = 16;

/// Smoothing of one set of bounds, in any number format.
class BoundsProblem final : public study::Problem {
  public:
    /// The reference's results for the input in one number format.
    struct Expectation {
        AnyOwnedBounds smoothed;
        bool isConsistent = true;
        std::optional<double> rounding;  ///< Å, roundingOfAllRows(), once it was computed: it takes O(n³)
    };

    /// `atoms` = 0: not known before the input is made. `makeInput` is called once for each number format
    /// that is requested. `seed`: of the rows that a sampled check looks at.
    BoundsProblem(std::string name, std::size_t atoms, std::function<AnyOwnedBounds(NumberFormat)> makeInput,
                  std::uint64_t seed = 1)
        : name_(std::move(name)), atoms_(atoms), makeInput_(std::move(makeInput)), seed_(seed) {}

    std::string name() const override { return name_; }
    Dimensions dimensions() const override { return {{"atoms", atoms_}}; }
    bool concerns(const Configuration&) const override { return true; }
    Support supports(Backend& backend, const Configuration& configuration) override;
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration& configuration,
                                              study::CheckScope scope, Progress& progress) override;
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override;
    double referenceSeconds() const override { return referenceSeconds_; }

    AnyBoundMatrices input(NumberFormat format);
    Expectation& expectation(NumberFormat format, Progress& progress);
    /// Largest difference in Å that may lie between a variant's result and the reference's; 0: equal bits.
    double allowedDifference(NumberFormat format, Variant variant, Progress& progress);

  private:
    std::string name_;
    std::size_t atoms_;
    std::function<AnyOwnedBounds(NumberFormat)> makeInput_;
    std::uint64_t seed_;
    std::map<NumberFormat, AnyOwnedBounds> inputs_;
    std::map<NumberFormat, Expectation> expectations_;
    double referenceSeconds_ = 0;
};

/// One of random bounds.
std::unique_ptr<study::Problem> randomProblem(const RandomBoundsOptions& options);

/// Limits by tetrangles of consistent bounds, which the reference has smoothed (tetrangle.hpp).
std::unique_ptr<study::Problem> tetrangleProblem(std::string name, std::size_t atoms,
                                                 std::function<AnyOwnedBounds(NumberFormat)> makeInput);

/// Table 43-1 of GPU Gems 2, and what its chapter says of the ways to compute it.
study::PublishedFigure gems2Table();
/// Its Figure 43-1, with the bounds of that structure.
study::DrawnFigure gems2Structure();

/// `bounds` for `validate`, `bench` and `reproduce`.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::bounds
