#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"

/// Results of `gl` and `cuda` are not trusted: untested drivers and devices make errors of their own. Before
/// a stage's results are used, the host counts some of them again with other code. A difference that rounding
/// does not explain ends the run.
namespace glycine {

/// A device returned a wrong result. It must not be written, nor kept for a later run.
class WrongResultError : public DeviceError {
  public:
    explicit WrongResultError(const std::string& finding) : DeviceError(finding), finding_(finding) {}
    /// `advice` completes the message for runs that end with it.
    WrongResultError(const std::string& finding, std::string_view advice)
        : DeviceError(finding + std::string(advice)), finding_(finding) {}
    /// What was wrong, without advice.
    const std::string& finding() const { return finding_; }

  private:
    std::string finding_;
};

/// A wrong value of a pair, column before row; of entropies, of an epoch (column) of a file (row).
class WrongPairError : public WrongResultError {
  public:
    WrongPairError(const WrongResultError& error, std::size_t ofRow, std::size_t ofColumn)
        : WrongResultError(error), row(ofRow), column(ofColumn) {}
    std::size_t row;
    std::size_t column;
};

/// A device returned a value that is impossible for any input: an index out of range, or a step that does not
/// exist. Thrown where it would be used, without the device's name, which namingDevice adds.
class ImpossibleResultError : public WrongResultError {
  public:
    using WrongResultError::WrongResultError;
};

/// Returns `found`, an index from a device, if it is below `end`; else throws ImpossibleResultError.
/// `name()`: "step of the join of ...".
template <class Name>
std::size_t requireBelow(std::size_t found, std::size_t end, Name&& name);

/// Elements that were counted again in one stage of a run.
struct RecountedStage {
    std::string name;  ///< "posteriors"
    std::string kind;  ///< kind of element: "pair"
    std::size_t elements = 0;
    double largestDifference = 0;  ///< in the unit of the result
    double seconds = 0;
};

/// Elements that were counted again, for reports.
struct RecountReport {
    std::string kind;    ///< kind of element: "pair", "row"
    std::string method;  ///< "with reference"
    std::size_t elements = 0;
    double largestDifference = 0;  ///< in the unit of the result
    double seconds = 0;
    std::string skipped;                   ///< why no element was counted again; empty if some were
    std::vector<RecountedStage> stages{};  ///< for runs of several stages; else empty
};

/// The recount of one run, called by its stages as they proceed. Several threads may call requireWithin and
/// compare. All other members require a single thread.
class StageRecount {
  public:
    /// Time limit for the recount of a stage: the larger of these seconds and this share of the stage. A
    /// single element may take longer.
    static constexpr double kStageSeconds = 0.25;
    static constexpr double kStageShare = 0.05;
    static constexpr double kSecondsOfOne = 1;
    static constexpr double kShareOfOne = 0.1;

    /// `isUnchecked`: the user has switched the recount off. `kind` and `method` are as in RecountReport.
    StageRecount(const Backend& backend, bool isUnchecked, std::string kind,
                 std::string method = "on the host");

    /// Whether the backend computes on a device other than the host.
    bool hasDevice() const { return hasDevice_; }
    /// Whether anything is to be counted again; false on host backends.
    bool isWanted() const { return isWanted_; }
    /// Also counts again on host backends, for example if their results arrived over a network.
    void wantOnHost() {
        hasDevice_ = true;
        isWanted_ = report_.skipped.empty();
    }

    /// Begins this stage, computed by `variant`, or continues it if it was begun before.
    void enter(const std::string& stage, const std::string& kind, std::string variant);
    /// How many of `most` further elements of the stage are to be counted; 0 if none. Without a stage, the
    /// whole run counts. The stage has taken `seconds` so far, and one element is expected to take `each`
    /// seconds. The expected times are added up, so that a slow machine counts as many elements as a fast
    /// one.
    std::size_t affordable(std::size_t most, double each, double seconds);
    /// Records that so many further elements of the stage agree.
    void add(std::size_t elements, double seconds);

    /// Throws WrongResultError unless `found` equals `expected` or differs by at most `allowed`; NaN agrees
    /// with NaN. `place()` names the element: "distance of a and b". `variant` is the variant that computed
    /// it.
    template <class Place>
    void compare(const std::string& variant, double found, double expected, double allowed, Place&& place) {
        if (found == expected || (std::isnan(found) && std::isnan(expected))) return;
        const double difference = std::abs(found - expected);
        if (!(difference <= allowed)) refuse(variant, found, expected, allowed, place());
        if (std::isfinite(difference)) noteDifference(difference);
    }
    /// The same for an element of the current stage.
    template <class Place>
    void compare(double found, double expected, double allowed, Place&& place) {
        compare(variant_, found, expected, allowed, std::forward<Place>(place));
    }
    /// Throws WrongResultError unless `found` is in the range of all correct results.
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
    bool hasDevice_;  ///< or set by wantOnHost()
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
    /// Time and elements granted so far.
    struct Granted {
        double seconds = 0;
        std::size_t elements = 0;
    };
    std::size_t stage_ = 0;                ///< equal to the number of stages: none was entered
    std::vector<Granted> granted_ = {{}};  ///< one entry per stage, and a last one for work outside stages
};

/// Rethrows `error` as WrongResultError with the name of the backend.
[[noreturn]] void refuseImpossible(const ImpossibleResultError& error, const Backend& backend);

/// Returns compute(); adds the device's name to any ImpossibleResultError.
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
