#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/clustal/profile_alignment.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align::clustalw {

/// Two profiles that a path is looked for.
struct ProfilePair {
    const Profile* first = nullptr;
    const Profile* second = nullptr;

    double cells() const { return static_cast<double>(first->size) * static_cast<double>(second->size); }
};

/// A part of one of some pairs.
struct PairPart {
    std::size_t pair = 0;
    Part part;
};

/// Middle rows of some parts.
class MiddleRows {
  public:
    explicit MiddleRows(std::span<const PairPart> parts);
    MiddleRow of(std::size_t part) const;
    /// Of a part so many columns wide each, in the order of MiddleRow's.
    enum Kind { Best, InRowGap, ReverseBest, ReverseInRowGap, Kinds };
    std::size_t placeOf(std::size_t part, Kind kind) const { return begins_[part] + kind * widths_[part]; }
    std::vector<int>& numbers() { return numbers_; }

  private:
    std::vector<std::size_t> begins_, widths_;
    std::vector<int> numbers_;
};

/// By what a path is the best.
enum class PathScheme {
    ClustalW,  ///< as alignProfiles has it
    /// Two columns score the sum of products, a column beside a gap less its extension, at the ends as
    /// elsewhere. Of equally good steps, from the end back, both columns, then the first profile's.
    Linear,
};

/// Steps of moves that are two bits each, a Step's number: move(i, j) of the cell behind so many columns of
/// both profiles, from 1 on. Throws ImpossibleResultError for a number that no step has.
template <class Move>
std::vector<Step> stepsBack(std::size_t first, std::size_t second, const Move& move) {
    std::vector<Step> steps;
    steps.reserve(first + second);
    for (std::size_t i = first, j = second; i > 0 || j > 0;) {
        const Step step =
            i == 0   ? Step::Second
            : j == 0 ? Step::First
                     : static_cast<Step>(requireBelow(static_cast<std::size_t>(move(i, j)), kSteps, [&] {
                           return fmt::format("step of a path at columns {} and {}", i, j);
                       }));
        steps.push_back(step);
        if (step != Step::Second) --i;
        if (step != Step::First) --j;
    }
    return {steps.rbegin(), steps.rend()};
}

/// What a device does of profile alignments: the passes over the parts' cells.
class ProfilePasses {
  public:
    virtual ~ProfilePasses() = default;
    /// Makes ready for as many of the pairs, from the first on, as the device takes at once, and returns
    /// their number; 0: it does not take even the first one. They outlive the passes over their parts.
    virtual std::size_t load(std::span<const ProfilePair> pairs, PathScheme scheme) = 0;
    /// By ClustalW's scheme: finds the middle rows of parts, which are divided, of the pairs that were
    /// loaded.
    virtual void findMiddleRows(std::span<const PairPart> parts, MiddleRows& rows, Progress& progress) = 0;
    /// By the linear scheme: the steps of each pair that was loaded.
    virtual std::vector<std::vector<Step>> findSteps(Progress& progress) = 0;
};

/// Best paths of several pairs of profiles at once, to the step those of alignProfiles: a device goes over
/// the cells, level by level of all divisions, and the processor cuts, and finishes what is small.
class ProfilePaths {
  public:
    static constexpr std::string_view kAlgorithm = "align";
    static ImplementationList<ProfilePaths>& implementations();

    /// `leastCells`: of all parts of a level, of fewer the processor is done before the device has begun.
    ProfilePaths(std::unique_ptr<ProfilePasses> passes, double leastCells)
        : passes_(std::move(passes)), leastCells_(leastCells) {}
    /// From now on paths that the device found are held against the host's: every path's score is what its
    /// steps come to, or else what alignProfiles finds; and of as many as there is time for, the steps are
    /// those of alignProfiles. `recount` outlives it; null: no more. WrongResultError ends an alignment.
    void recountWith(StageRecount* recount);
    /// The count, while there is one: for paths whose pairs the caller knows better.
    StageRecount* recount() const { return recount_; }
    /// Seconds that the device has taken for what is counted again.
    double secondsOnDevice() const { return secondsOnDevice_; }
    std::vector<ProfileAlignment> align(std::span<const ProfilePair> pairs, Progress& progress);
    /// By the linear scheme, of which profiles have values and extensions; scores of paths are less than 2³⁰.
    /// Nothing of a pair that the device does not take.
    std::vector<std::optional<std::vector<Step>>> alignLinearly(std::span<const ProfilePair> pairs,
                                                                Progress& progress);
    /// Counts pairs that the caller leaves to the processor.
    void decline(std::size_t pairs) { declined_ += pairs; }
    /// What was decided on the way; may be empty.
    std::string note() const;

  private:
    /// Calls `align(first, count)` for the pairs that the device takes, some at once; returns the others.
    template <class Align>
    std::vector<std::size_t> inPortions(std::span<const ProfilePair> pairs, PathScheme scheme,
                                        Progress& progress, const Align& align);
    void alignLoaded(std::span<const ProfilePair> pairs, std::span<ProfileAlignment> found,
                     Progress& progress);
    void countAgain(std::span<const ProfilePair> pairs, std::span<const ProfileAlignment> found);

    std::unique_ptr<ProfilePasses> passes_;
    double leastCells_;
    std::size_t declined_ = 0;
    StageRecount* recount_ = nullptr;
    double secondsOnDevice_ = 0;
};

/// Of counts of paths: the stage, the way in which they are found, and seconds that the host takes a cell,
/// rather more than less.
inline constexpr const char* kProgressiveStage = "progressive alignment";
inline constexpr const char* kProfileVariant = "profile passes";
inline constexpr double kSecondsPerCell = 6e-9;
/// Throws WrongResultError where steps that a device found differ from those that are `expected`.
void compareSteps(StageRecount& recount, const ProfilePair& pair, std::span<const Step> found,
                  std::span<const Step> expected);

/// What aligns profiles on the backend's device. Null: profiles are aligned on the processor.
std::unique_ptr<ProfilePaths> createProfilePaths(Backend& backend);

}  // namespace glycine::align::clustalw

namespace glycine::align {

// One a device; each is defined beside its implementation.
using ProfilePathsEntry = Implementation<clustalw::ProfilePaths>;
namespace gl {
ProfilePathsEntry profilePaths();
}
namespace cuda {
ProfilePathsEntry profilePaths();
}

}  // namespace glycine::align
