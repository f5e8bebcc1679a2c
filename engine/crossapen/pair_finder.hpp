#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "engine/crossapen/membership_engine.hpp"

/// Matchers and summers of memberships, seen alike: both find out something about every ordered pair of
/// channels of every epoch.
namespace glycine::crossapen {

/// A pair of channels of an item, which is an epoch or a single channel of one.
struct PairPlace {
    std::size_t item = 0;
    std::size_t a = 0;
    std::size_t b = 0;
};

/// All that was found out about a pair, for comparisons: the eight numbers of MatchStatistics in the order of
/// kMatchNames, or the bits of the two MembershipSums.
using PairNumbers = std::array<std::uint64_t, 8>;
inline constexpr std::array kMatchNames{"short matches",
                                        "short matches but those of the last templates",
                                        "long matches",
                                        "templates without a short match",
                                        "templates without a long match",
                                        "templates with short matches alone",
                                        "logarithms of short matches",
                                        "logarithms of long matches"};
inline constexpr std::array kMembershipNames{"short memberships", "long memberships"};

using AnyEngine = std::variant<std::unique_ptr<Matcher>, std::unique_ptr<MembershipSummer>>;
/// What the backend has for this measure. Throws UnavailableError when it has nothing.
AnyEngine makeEngine(Backend& backend, Measure measure);

/// An engine with the memory of its results, which is kept from call to call.
class PairFinder {
  public:
    virtual ~PairFinder() = default;
    /// `items`: epochs, or single channels of epochs.
    virtual MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                              Progress& progress) = 0;
    /// The value that follows. `samples`: of an item.
    virtual double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                         const EntropyOptions& options) const = 0;
    virtual PairNumbers numbers(const PairPlace& place) const = 0;
    /// Whether nothing was written beside the results of an item, as far as there are guards.
    virtual bool isIntact(std::size_t item) const = 0;
    /// Writes what no engine leaves over all results.
    virtual void clear() = 0;
};
/// `isGuarded`: results lie between guards, and are not contiguous.
std::unique_ptr<PairFinder> makeFinder(AnyEngine engine, bool isGuarded = false);

}  // namespace glycine::crossapen
