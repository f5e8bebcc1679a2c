#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/pairs/pair_run.hpp"
#include "engine/study/problem.hpp"

/// All-pairs problems: whatever is computed, tiles are cut, kept between guards, and compared pair by pair
/// here.
namespace glycine::study {

/// One input with the reference's results about it.
template <class T>
struct PairInput {
    /// Hands the input to the backend.
    std::function<std::unique_ptr<pairs::TileRun<T>>()> start;
    /// Instances all pairs of which are compared, ascending (drawSamples).
    const std::vector<std::size_t>& checked;
    /// About these instances, in their order: a matrix a quantity, elements with column < row.
    const std::vector<Matrix<T>>& expected;
    /// Beside a result: by how much it may differ since the backend computes with rounded input. Absent: not
    /// at all.
    std::function<double(double expected)> explained{};
};

/// What a backend is asked about inputs of one size.
template <class T>
struct PairTrial {
    std::string stage;  ///< for progress: what is computed
    std::size_t instances = 0;
    std::size_t attributes = 0;
    std::size_t tile = 0;  ///< side of the tiles that suit the backend
    /// What is found for each pair, for messages: "differing attributes". Empty: not asked for.
    std::vector<std::string> quantities{};
    double allowedDifference = 0;  ///< of the value, beyond PairInput::explained
    bool isAbsolute = false;       ///< in its unit, not relative to the value
    std::vector<PairInput<T>> inputs{};
    /// Work that a comparison of one attribute is, in the unit of rates.
    double workOfEach = 1;
    /// Whether kernels are stages, too, behind the usual ones, where the run tells them (kernelTimes). The
    /// work is that of the last one.
    bool tellsKernels = false;
};

/// Computes all pairs, again and again; times are means over the inputs. Depth::Whole asks for all pairs as
/// one tile (where that suits the backend), then for tiles of at most a third of the instances, on and off
/// the diagonal; Depth::Sampled for the tiles that suit the backend. Each tile is compared before the next
/// one, outside the times. T: std::int32_t, std::uint32_t, float, double.
template <class T>
std::unique_ptr<Computation> computePairs(PairTrial<T> trial, Depth depth);

/// The reference's results for all pairs as one tile, a matrix for each of so many quantities. Adds its
/// seconds to `seconds`.
template <class T>
std::vector<Matrix<T>> askReference(pairs::TileRun<T>& reference, std::size_t instances,
                                    std::size_t attributes, std::size_t quantities, double& seconds,
                                    Progress& progress);

/// Times of a run over `inputs` inputs, as their mean. Work is N² · M comparisons in 10⁹, counted in full
/// although each pair is computed once.
Outcome pairOutcome(const pairs::PairTimes& times, double seconds, std::size_t instances,
                    std::size_t attributes, std::size_t inputs = 1);

}  // namespace glycine::study
