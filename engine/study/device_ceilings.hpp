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
/// all of them, and `bench` holds results against those that bound them (docs/ceilings.md).

namespace glycine::study {

// A result above a ceiling shows that the device can do more than the probe found. Its own rate is the
// ceiling then, for all results of the same report, and marked as such: no share is above 100 %.

/// Whose ceiling it is.
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
        double rate = 0;    ///< of the result
        double probed = 0;  ///< of the probe
        std::string by;     ///< which result
        /// "raised from 10 to 80 G/s by cpu/quick float32 on bounds, sparse, 17 atoms".
        std::string text() const;
    };
    /// Takes notice of a result that takes `seconds` for what the use is about, and of one that raised the
    /// use before.
    void note(const CeilingKey& key, const CeilingUse& use, double seconds, const std::string& result);
    /// Raises a use to the best result that was noted.
    void apply(const CeilingKey& key, CeilingUse& use) const;
    /// Null where no result is above the ceiling.
    const Raise* find(const CeilingKey& key) const;
    const std::map<CeilingKey, Raise>& all() const { return raises_; }

  private:
    std::map<CeilingKey, Raise> raises_;
};

/// Raises the ceilings of the rows of one report by each other's results; what bounds a row may be another
/// ceiling then, and comes first again. `where`: the algorithm or figure, for naming a result.
RaisedCeilings raiseCeilings(const std::vector<MeasuredRow*>& rows, std::string_view where);

/// {"name", "unit", "rate", "what", "work", "leastSeconds"} with "stage", "threads", and of a raised one
/// "raisedBy" and "probed".
Json ceilingUseToJson(const CeilingUse& use);
/// Throws what the JSON library throws.
CeilingUse ceilingUseFrom(const Json& json);

class ConditionsMeter;

struct DeviceCeiling {
    std::string name;  ///< as DeviceProbe::name
    std::string unit;  ///< as DeviceProbe::unit
    /// Rates, or µs for each: of runs of some milliseconds, each of which was verified.
    Statistics value{};
    std::string how{};     ///< what was measured
    std::string absent{};  ///< why it was not measured; empty: it was
    std::string wrong{};   ///< what was computed wrongly: it has no value then

    bool hasValue() const { return value.count > 0; }
    bool isTime() const { return unit == "µs"; }
    /// How it was measured, or why not, in a line.
    std::string note() const;
    /// The largest rate; the least time.
    double best() const { return isTime() ? value.minimum : value.maximum; }
};

struct CeilingRules {
    /// Runs at least (above 0), after those that found the length and warmed the device up. They go on while
    /// one of the last three was the best by more than a hundredth, five times as many at most; a single one
    /// stays alone.
    std::size_t repeats = 7;
    double leastSeconds = 0.005;  ///< of a run, as far as lengthening it helps
};
/// Fewer runs of the same length, for small machines: what --quick takes.
CeilingRules quickCeilings();

/// Lengthens runs until they take the time that the rules ask for, then repeats them until nothing better
/// comes. Where a run is shorter after all, because something held up the one that found the length, runs are
/// lengthened and counted anew. Every run is verified. `meter`: asked between runs; may be null. Throws
/// CancelledError.
DeviceCeiling measureCeiling(const DeviceProbe& probe, const CeilingRules& rules, Progress& progress,
                             ConditionsMeter* meter = nullptr);

/// How many threads the processor's ceilings are about; 0: the backend is none of the processor.
int threadsOf(const Backend& backend);

/// Those that somebody asked for, measured once for a backend, dialect and number of threads.
class CeilingsInUse {
  public:
    explicit CeilingsInUse(CeilingRules rules = {}) : rules_(rules) {}
    /// Takes one that was measured before, of a backend with so many threads.
    void keep(const std::string& backend, const std::string& dialect, int threads, DeviceCeiling ceiling);
    /// One without a value, and the reason, where the backend has none of this name.
    const DeviceCeiling& find(Backend& backend, const std::string& name, Progress& progress);
    /// "cpu: add+min float32 39.6 G/s, an addition and …", a line for each that was asked for since
    /// `beginReport`, with what raised it in that report; empty without any.
    std::string text(const RaisedCeilings& raised = {}) const;
    void beginReport() { asked_.clear(); }

  private:
    using Key = std::tuple<std::string, std::string, int, std::string>;
    CeilingRules rules_;
    std::map<Key, DeviceCeiling> known_;
    std::set<Key> asked_;
};

/// What a result takes of those ceilings that could be measured on the backend, measured now where nobody has
/// asked yet; the one that bounds the result, which takes longest, comes first.
std::vector<CeilingUse> usesOf(const std::vector<Need>& needs, Backend& backend, CeilingsInUse& ceilings,
                               Progress& progress);

}  // namespace glycine::study
