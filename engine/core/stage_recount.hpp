#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"

/// Results of `gl` and `cuda` are not trusted: drivers and devices that nobody tested make mistakes of their
/// own. Before a stage's results are used, some of them are counted again on the host by other code, and a
/// difference that rounding does not explain ends the run.
namespace glycine {

/// A result of a device is wrong. Nothing may be written, nor kept for a later run.
class WrongResultError : public DeviceError {
  public:
    using DeviceError::DeviceError;
};

/// The same of the value of a pair, column before row.
class WrongPairError : public WrongResultError {
  public:
    WrongPairError(const WrongResultError& error, std::size_t ofRow, std::size_t ofColumn)
        : WrongResultError(error), row(ofRow), column(ofColumn) {}
    std::size_t row;
    std::size_t column;
};

/// A result of a device that no input can have: an index beyond its range, a step that does not exist. Thrown
/// where it would be used, without the device's name, which namingDevice adds.
class ImpossibleResultError : public WrongResultError {
  public:
    using WrongResultError::WrongResultError;
};

/// Returns `found`, an index from a device, if it is below `end`; else throws ImpossibleResultError.
/// `name()`: "step of the join of ...".
template <class Name>
std::size_t requireBelow(std::size_t found, std::size_t end, Name&& name);

/// What was counted again of one stage of a run.
struct RecountedStage {
    std::string name;  ///< "posteriors"
    std::string kind;  ///< of the elements: "pair"
    std::size_t elements = 0;
    double largestDifference = 0;  ///< in the unit of the result
    double seconds = 0;
};

/// What was counted again, for reports.
struct RecountReport {
    std::string kind;    ///< of the elements: "pair", "row"
    std::string method;  ///< "with reference"
    std::size_t elements = 0;
    double largestDifference = 0;  ///< in the unit of the result
    double seconds = 0;
    std::string skipped;                   ///< why there were none; empty where there were some
    std::vector<RecountedStage> stages{};  ///< of runs of several stages; else empty
};

/// The count of one run, whose stages call it while they go on. Of its members requireWithin alone may be
/// called by several threads, and compare where nothing is allowed.
class StageRecount {
  public:
    /// What counting a stage again may take: so many seconds, or that share of the stage; a single element
    /// more.
    static constexpr double kStageSeconds = 0.25;
    static constexpr double kStageShare = 0.05;
    static constexpr double kSecondsOfOne = 1;
    static constexpr double kShareOfOne = 0.1;

    /// `isUnchecked`: the user wants no count. `kind` of the elements, and `method` by which they are counted
    /// again, as in RecountReport.
    StageRecount(const Backend& backend, bool isUnchecked, std::string kind,
                 std::string method = "on the host");

    /// Whether the backend computes on a device of its own.
    bool hasDevice() const { return hasDevice_; }
    /// Whether anything is to be counted: false on backends of the host.
    bool isWanted() const { return isWanted_; }
    /// Counts on backends of the host, too: where a network brought what they computed, say.
    void wantOnHost() {
        hasDevice_ = true;
        isWanted_ = report_.skipped.empty();
    }

    /// What follows is of this stage, found by `variant`; of one that was begun before, more of it.
    void enter(const std::string& stage, const std::string& kind, std::string variant);
    /// How many of `most` elements more of the stage (of the run, where none was entered), which has taken
    /// `seconds`, are to be counted; 0: not a single one. `each`: seconds that one is expected to take. It is
    /// these that are added up, so that a slow machine counts what a fast one does.
    std::size_t affordable(std::size_t most, double each, double seconds);
    /// So many elements more of the stage agree.
    void add(std::size_t elements, double seconds);

    /// Throws WrongResultError when `found` is neither `expected` nor nearer to it than `allowed`; NaN agrees
    /// with NaN. `place()` names the element: "distance of a and b". `variant`: the one that found it.
    template <class Place>
    void compare(const std::string& variant, double found, double expected, double allowed, Place&& place) {
        if (found == expected || (std::isnan(found) && std::isnan(expected))) return;
        const double difference = std::abs(found - expected);
        if (!(difference <= allowed)) refuse(variant, found, expected, allowed, place());
        if (std::isfinite(difference)) noteDifference(difference);
    }
    /// The same of an element of the stage.
    template <class Place>
    void compare(double found, double expected, double allowed, Place&& place) {
        compare(variant_, found, expected, allowed, std::forward<Place>(place));
    }
    /// Throws WrongResultError unless `found` is within what every right result is.
    template <class Place>
    void requireWithin(const std::string& variant, double found, double least, double most, Place&& place) {
        if (!(found >= least && found <= most)) refuseBeyond(variant, found, least, most, place());
    }
    template <class Place>
    void requireWithin(double found, double least, double most, Place&& place) {
        requireWithin(variant_, found, least, most, std::forward<Place>(place));
    }

    const RecountReport& counted() const { return report_; }

  protected:
    std::string backend_;
    bool hasDevice_;  ///< or wantOnHost(): no test of the house has seen what computed
    bool isWanted_;
    RecountReport report_;

  private:
    void noteDifference(double difference);
    [[noreturn]] void refuse(const std::string& variant, double found, double expected, double allowed,
                             const std::string& place) const;
    [[noreturn]] void refuseBeyond(const std::string& variant, double found, double least, double most,
                                   const std::string& place) const;

    std::string device_;
    std::string variant_;
    /// What was granted.
    struct Granted {
        double seconds = 0;
        std::size_t elements = 0;
    };
    std::size_t stage_ = 0;                ///< behind the last one: none was entered
    std::vector<Granted> granted_ = {{}};  ///< of each stage, and behind them of none
};

/// Throws WrongResultError for `error`, with the backend that found it.
[[noreturn]] void refuseImpossible(const ImpossibleResultError& error, const Backend& backend);

/// Returns compute(), and names the device in what it throws of impossible results.
template <class Compute>
decltype(auto) namingDevice(const Backend& backend, Compute&& compute) {
    try {
        return compute();
    } catch (const ImpossibleResultError& error) {
        refuseImpossible(error, backend);
    }
}

[[noreturn]] void throwBeyond(const std::string& name, std::size_t found, std::size_t end);
template <class Name>
std::size_t requireBelow(std::size_t found, std::size_t end, Name&& name) {
    if (found >= end) throwBeyond(name(), found, end);
    return found;
}

}  // namespace glycine
