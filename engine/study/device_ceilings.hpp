#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/statistics.hpp"

/// Ceilings: the most that a device can do of one kind of work, measured on it. `glycine bench device` shows
/// all of them, and `bench` compares results with the ceilings that bound them (docs/ceilings.md).

namespace glycine::study {

// A result above a ceiling proves that the device can do more than the probe found. Its rate then becomes the
// ceiling for all results of the same report and is marked as such, so that no share exceeds 100 %.

/// Identifies a ceiling: the device and the kind of work.
struct CeilingKey {
    std::string backend;
    std::string dialect;  ///< may be empty
    int threads = 0;      ///< CeilingUse::threads
    std::string name;
    auto operator<=>(const CeilingKey&) const = default;
};

class RaisedCeilings {
  public:
    struct Raise {
        std::string unit;
        double rate = 0;    ///< the result's rate
        double probed = 0;  ///< the probe's rate
        std::string by;     ///< name of the result
        /// "raised from 10 to 80 G/s by cpu/quick float32 on bounds, sparse, 17 atoms".
        std::string text() const;
    };
    /// Records a result that takes `seconds` for the work of the use. Also records an earlier result that
    /// already raised the use.
    void note(const CeilingKey& key, const CeilingUse& use, double seconds, const std::string& result);
    /// Raises a use to the best recorded result.
    void apply(const CeilingKey& key, CeilingUse& use) const;
    /// Null if no result exceeds the ceiling.
    const Raise* find(const CeilingKey& key) const;
    const std::map<CeilingKey, Raise>& all() const { return raises_; }

  private:
    std::map<CeilingKey, Raise> raises_;
};

/// Raises the ceilings of one report's rows by each other's results. Afterwards another ceiling may bound a
/// row; it is moved to the front. `where`: the algorithm or figure, for the names of results.
RaisedCeilings raiseCeilings(const std::vector<MeasuredRow*>& rows, std::string_view where);

/// {"name", "unit", "rate", "what", "work", "leastSeconds"}, "stage" and "threads"; for a raised ceiling also
/// "raisedBy" and "probed".
Json ceilingUseToJson(const CeilingUse& use);
/// Throws the JSON library's exceptions.
CeilingUse ceilingUseFrom(const Json& json);

class ConditionsMeter;

struct DeviceCeiling {
    std::string name;  ///< as DeviceProbe::name
    std::string unit;  ///< as DeviceProbe::unit
    /// Rates, or µs per operation, of runs of some milliseconds; each run was verified.
    Statistics value{};
    std::string how{};     ///< what was measured
    std::string absent{};  ///< why it was not measured; empty: it was
    std::string wrong{};   ///< what was computed wrongly; the ceiling then has no value

    bool hasValue() const { return value.count > 0; }
    bool isTime() const { return unit == "µs"; }
    /// How it was measured, or why it was not; one line.
    std::string note() const;
    /// The largest rate or the shortest time.
    double best() const { return isTime() ? value.minimum : value.maximum; }
};

struct CeilingRules {
    /// Minimum number of runs (above 0), not counting those that find the length and warm the device up. Runs
    /// continue while one of the last three improved the best by more than 1 %, up to five times as many.
    /// With 1, there is exactly one run.
    std::size_t repeats = 7;
    double leastSeconds = 0.005;  ///< minimum length of a run, as far as more work lengthens it
};
/// Fewer runs of the same length, for small machines: --quick.
CeilingRules quickCeilings();

/// Lengthens runs until they take the required time, then repeats them until they no longer improve. If a
/// later run is too short, because something slowed down the run that found the length, runs are lengthened
/// again and the count restarts. Every run is verified. `meter` is probed between runs; may be null. Throws
/// CancelledError.
DeviceCeiling measureCeiling(const DeviceProbe& probe, const CeilingRules& rules, Progress& progress,
                             ConditionsMeter* meter = nullptr);

/// Number of processor threads that the backend's ceilings are for; 0 if it does not run on the processor.
int threadsOf(const Backend& backend);

/// The ceilings requested so far, each measured once per backend, dialect and number of threads.
class CeilingsInUse {
  public:
    explicit CeilingsInUse(CeilingRules rules = {}) : rules_(rules) {}
    /// Stores a ceiling that was measured before, on a backend with `threads` threads.
    void keep(const std::string& backend, const std::string& dialect, int threads, DeviceCeiling ceiling);
    /// If the backend has no ceiling of this name, the result has no value but the reason.
    const DeviceCeiling& find(Backend& backend, const std::string& name, Progress& progress);
    /// "cpu: add+min float32 39.6 G/s, an addition and …": one line for each ceiling requested since
    /// `beginReport`, and the result that raised it in that report. Empty if none was requested.
    std::string text(const RaisedCeilings& raised = {}) const;
    void beginReport() { asked_.clear(); }

  private:
    using Key = std::tuple<std::string, std::string, int, std::string>;
    CeilingRules rules_;
    std::map<Key, DeviceCeiling> known_;
    std::set<Key> asked_;
};

/// Converts needs to uses of the backend's ceilings, as far as these can be measured; measures those not
/// requested before. The use that takes longest bounds the result and comes first.
std::vector<CeilingUse> usesOf(const std::vector<RequiredWork>& needs, Backend& backend,
                               CeilingsInUse& ceilings, Progress& progress);

}  // namespace glycine::study
