#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/pairs/pair_run.hpp"
#include "engine/study/problem.hpp"

/// All-pairs problems of any algorithm: cuts results into tiles, keeps them between guards and compares them
/// pair by pair.
namespace glycine::study {

/// One input with the reference's results for it.
template <class T>
struct PairInput {
    /// Passes the input to the backend.
    std::function<std::unique_ptr<pairs::TileRun<T>>()> start;
    /// Instances whose pairs are compared, ascending (drawSamples).
    const std::vector<std::size_t>& checked;
    /// Results for the checked instances, in their order: one matrix per quantity, elements with column <
    /// row.
    const std::vector<Matrix<T>>& expected;
    /// Returns the difference from `expected` that rounded input in the backend explains. Empty if there is
    /// none.
    std::function<double(double expected)> explained{};
};

/// The computation to time and compare, on inputs of one size.
template <class T>
struct PairTrial {
    std::string stage;  ///< for progress: what is computed
    std::size_t instances = 0;
    std::size_t attributes = 0;
    std::size_t tile = 0;  ///< side length of the tiles that suit the backend
    /// Names of the results per pair, for messages: "differing attributes". Empty: not requested.
    std::vector<std::string> quantities{};
    double allowedDifference = 0;  ///< allowed difference, in addition to PairInput::explained
    bool isAbsolute = false;       ///< in the value's unit, not relative to the value
    std::vector<PairInput<T>> inputs{};
    /// Work of comparing one attribute, in the unit of rates.
    double workOfEach = 1;
    /// Whether kernels are stages as well, after the usual ones, if the run reports them (kernelTimes). The
    /// work is that of the last kernel.
    bool reportsKernelTimes = false;
};

/// Computes all pairs repeatedly; times are means over the inputs. CheckScope::Full requests all pairs as one
/// tile (if that suits the backend), then tiles of at most a third of the instances, on and off the diagonal.
/// CheckScope::Sampled requests the tiles that suit the backend. Each tile is compared before the next one,
/// outside the timed region. T: std::int32_t, std::uint32_t, float, double.
template <class T>
std::unique_ptr<Computation> computePairs(PairTrial<T> trial, CheckScope scope);

/// Returns the reference's results for all pairs as one tile, one matrix per quantity. Adds its run time to
/// `seconds`.
template <class T>
std::vector<Matrix<T>> runReference(pairs::TileRun<T>& reference, std::size_t instances,
                                    std::size_t attributes, std::size_t quantities, double& seconds,
                                    Progress& progress);

/// Mean times of a run over `inputs` inputs. Work is N² · M comparisons in 10⁹; all N² pairs count, although
/// each unordered pair is computed once.
Outcome pairOutcome(const pairs::PairTimes& times, double seconds, std::size_t instances,
                    std::size_t attributes, std::size_t inputs = 1);

}  // namespace glycine::study
