#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/algorithms/bounds/input/bound_files.hpp"
#include "engine/study/problem.hpp"

namespace glycine::bounds {

/// Where the bounds of a problem come from.
struct InputSource {
    std::string name;
    std::size_t atoms = 0;  ///< 0: not known before the file is read
    /// Called once for each number format that is asked for.
    std::function<std::shared_ptr<AnyOwnedBounds>(NumberFormat)> make;
    std::uint64_t seed = 1;  ///< of the rows that a sampled check looks at
    /// Compared whole, the matrices lie inside guards, which makes their rows strided.
    bool isGuarded = false;
};

/// Smoothing of one set of bounds, in any number format.
class BoundsProblem final : public study::Problem {
  public:
    /// What the reference makes of the input in one number format.
    struct Expectation {
        AnyOwnedBounds smoothed;
        bool isConsistent = true;
        double largest = 0;  ///< Å, of input and result
    };

    explicit BoundsProblem(InputSource source) : source_(std::move(source)) {}

    std::string name() const override { return source_.name; }
    Dimensions dimensions() const override { return {{"atoms", source_.atoms}}; }
    bool concerns(const Configuration&) const override { return true; }
    Support supports(Backend& backend, const Configuration& configuration) override;
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration& configuration,
                                              study::Depth depth, Progress& progress) override;
    double referenceSeconds() const override { return referenceSeconds_; }

    AnyBoundMatrices input(NumberFormat format);
    Expectation& expectation(NumberFormat format, Progress& progress);

  private:
    InputSource source_;
    std::map<NumberFormat, std::shared_ptr<AnyOwnedBounds>> inputs_;
    std::map<NumberFormat, Expectation> expectations_;
    double referenceSeconds_ = 0;
};

}  // namespace glycine::bounds
