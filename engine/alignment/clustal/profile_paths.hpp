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

/// Two profiles to be aligned.
struct ProfilePair {
    const Profile* first = nullptr;
    const Profile* second = nullptr;

    double cells() const { return static_cast<double>(first->size) * static_cast<double>(second->size); }
};

/// A part of one pair's matrix.
struct ProfilePart {
    std::size_t pair = 0;
    MatrixPart part;
};

/// The middle rows of several parts.
class MiddleRows {
  public:
    explicit MiddleRows(std::span<const ProfilePart> parts);
    MiddleRow of(std::size_t part) const;
    /// The rows of a part, in the order of MiddleRow's members; each is one wider than the part.
    enum Kind { Best, InRowGap, ReverseBest, ReverseInRowGap, Kinds };
    std::size_t placeOf(std::size_t part, Kind kind) const { return begins_[part] + kind * widths_[part]; }
    std::vector<int>& numbers() { return numbers_; }

  private:
    std::vector<std::size_t> begins_, widths_;
    std::vector<int> numbers_;
};

/// How a path is scored.
enum class PathScheme {
    ClustalW,  ///< as alignProfiles does
    /// Two columns score the sum of products of their values; a column in a gap costs its extension, at the
    /// ends too. Among equally good steps, from the end backwards: both columns first, then the first
    /// profile's.
    Linear,
};

/// Follows moves, two bits each and numbered as Step, back to the start. move(i, j) is the move at the cell
/// after i and j columns of the profiles, counted from 1. Throws ImpossibleResultError for a number that is
/// not a Step.
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

/// The device's share of profile alignment: passes over the cells of parts.
class ProfilePasses {
  public:
    virtual ~ProfilePasses() = default;
    /// Loads as many pairs, starting with the first, as the device can take at once, and returns their
    /// number; 0 if even the first pair does not fit. The pairs must outlive the passes over their parts.
    virtual std::size_t load(std::span<const ProfilePair> pairs, PathScheme scheme) = 0;
    /// For ClustalW's scheme: finds the middle rows of divided parts of the loaded pairs.
    virtual void findMiddleRows(std::span<const ProfilePart> parts, MiddleRows& rows, Progress& progress) = 0;
    /// For the linear scheme: returns the steps of each loaded pair.
    virtual std::vector<std::vector<Step>> findSteps(Progress& progress) = 0;
};

/// Best paths of several profile pairs at once, step for step those of alignProfiles. A device computes the
/// cells of all divisions, level by level; the processor makes the cuts and finishes the small parts.
class ProfilePaths {
  public:
    static constexpr std::string_view kAlgorithm = "align";
    static ImplementationList<ProfilePaths>& implementations();

    /// `leastCells`: a level with fewer cells in all its parts is left to the processor, which finishes
    /// before the device could start.
    ProfilePaths(std::unique_ptr<ProfilePasses> passes, double leastCells)
        : passes_(std::move(passes)), leastCells_(leastCells) {}
    /// From now on, checks the device's paths on the host. A path whose steps do not add up to its score,
    /// within its gap openings, is found again by alignProfiles, and so are as many others as there is time
    /// for. Scores and steps must then be equal. `recount` must outlive this object; null ends the checks. A
    /// difference throws WrongResultError, which ends the alignment.
    void recountWith(StageRecount* recount);
    /// The current recount, or null: for callers that check the paths of pairs themselves.
    StageRecount* recount() const { return recount_; }
    /// Seconds that the device spent on work that is recounted.
    double secondsOnDevice() const { return secondsOnDevice_; }
    std::vector<ProfileAlignment> align(std::span<const ProfilePair> pairs, Progress& progress);
    /// Uses the linear scheme, which needs only the values and extensions of profiles. Scores of paths must
    /// be less than 2³⁰. Pairs that the device cannot take have no value.
    std::vector<std::optional<std::vector<Step>>> alignLinearly(std::span<const ProfilePair> pairs,
                                                                Progress& progress);
    /// Counts pairs that the caller leaves to the processor, for note().
    void decline(std::size_t pairs) { declined_ += pairs; }
    /// How many alignments ran on the host; may be empty.
    std::string note() const;

  private:
    /// Calls `align(first, count)` for each batch of pairs that the device takes; returns the indices of the
    /// others.
    template <class Align>
    std::vector<std::size_t> inPortions(std::span<const ProfilePair> pairs, PathScheme scheme,
                                        Progress& progress, const Align& align);
    void alignLoaded(std::span<const ProfilePair> pairs, std::span<ProfileAlignment> found,
                     Progress& progress);
    void recountPaths(std::span<const ProfilePair> pairs, std::span<const ProfileAlignment> found);

    std::unique_ptr<ProfilePasses> passes_;
    double leastCells_;
    std::size_t declined_ = 0;
    StageRecount* recount_ = nullptr;
    double secondsOnDevice_ = 0;
};

/// For recounts of paths: the stage, the variant, and a cautious estimate of the host's seconds per cell.
inline constexpr const char* kProgressiveStage = "progressive alignment";
inline constexpr const char* kProfileVariant = "profile passes";
inline constexpr double kSecondsPerCell = 6e-9;
/// Throws WrongResultError if the steps found on a device differ from the `expected` ones.
void compareSteps(StageRecount& recount, const ProfilePair& pair, std::span<const Step> found,
                  std::span<const Step> expected);

/// Creates the backend's profile aligner. Null: profiles are aligned on the processor.
std::unique_ptr<ProfilePaths> createProfilePaths(Backend& backend);

}  // namespace glycine::align::clustalw

namespace glycine::align {

// One per device; each is defined next to its implementation.
namespace gl {
Implementation<clustalw::ProfilePaths> profilePaths();
}
namespace cuda {
Implementation<clustalw::ProfilePaths> profilePaths();
}

}  // namespace glycine::align
