#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"

/// Options that several commands take, meaning the same everywhere.

namespace glycine {

/// Declares --json.
void addJsonOption(Options& options, bool& json,
                   const std::string& help = "Print the report as one JSON object");

/// Declares --restart of runs that can be stopped, under the heading "Computation".
void addRestartOption(Options& options, bool& restart);

/// How a table of numbers is read.
struct TableReading {
    std::optional<bool>& header;  ///< whether there is a header line; found out if absent
    bool& transpose;
};
/// Declares --header (auto, yes, no) and --transpose, explained by the two texts. Read by the facet "input"
/// with the values "table" and, --transpose, "array" (Options::requireReaders).
void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose);

// Options about devices and backends that many commands take, and which backend runs when the user names
// none.

/// Declares the options that choose and restrict devices (--device, --threads, --simd, --dialect, --context,
/// --visible, --max-texture, --max-memory, --pass-budget, --shaders).
void addBackendOptions(Options& options, BackendOptions& target);

/// The backend that a command shall run on.
struct BackendRequest {
    std::string backend;              ///< empty: the rule chooses
    std::string variant = "default";  ///< a name, or "default": the backend's own choice
    BackendOptions device;
    bool isUnchecked = false;  ///< nothing is counted again (recount.hpp)
    bool withHost = false;     ///< cpu takes some of the tiles: "cuda+cpu"
    bool hasTiles = false;     ///< the command divides its work in tiles
};

/// Declares --devices, of commands whose work several devices can share. Where these are of both `gl` and
/// `cuda`, the work is divided in tiles, which any device can take, the processor included.
void addDevicesOption(Options& options, BackendRequest& target,
                      const std::vector<std::string>& backends = {"gl", "cuda"});

/// Declares --backend, --variant (of one of the algorithms) and --no-check under the heading "Computation".
/// The options of its devices are declared apart, where the help shall list them.
void addBackendChoice(Options& options, BackendRequest& target,
                      std::initializer_list<std::reference_wrapper<const Algorithm>> algorithms);

/// The backends that were registered, in their order.
std::vector<std::string> backendNames();
/// The algorithm's variants, each name once.
std::vector<std::string> variantNames(const Algorithm& algorithm);

/// Throws UsageError when the user gave an option of addBackendOptions that none of `backends` reads, or
/// --device without naming exactly one backend (an index counts the devices of one backend).
/// `withHost`: the last of two takes tiles of the first.
void checkBackendOptions(const Options& options, const std::vector<std::string>& backends,
                         bool withHost = false);

/// Declares --seed; `what` is generated: "bounds".
Option& addSeedOption(Options& options, std::uint64_t& seed, std::string_view what);

/// The rule in one sentence, for `glycine info`.
std::string_view defaultBackendRule();

/// What is told of a named backend that cannot be had.
UnavailableError unavailable(std::string_view name, const UnavailableError& reason);

/// Throws UsageError where the work is not for such a backend, UnavailableError where this one cannot do it.
void requireSupport(const Support& support);

/// The backend that the user named. Throws UsageError for an unknown name, UnavailableError with name and
/// reason.
std::unique_ptr<Backend> createNamedBackend(const std::string& name, const BackendOptions& options);

struct BackendChoice {
    std::unique_ptr<Backend> backend;
    std::string
        reason;  ///< why this one: "no cuda: built without nvcc; gl runs on the processor (llvmpipe …)"
};

/// What the rule asks of a backend.
struct Candidate {
    std::string refusal;     ///< why it is not there or cannot do the work; empty: it can
    std::string reluctance;  ///< why cpu should do it if it can; empty: it need not
};
struct RuleChoice {
    std::string name;    ///< empty: none of them can do the work
    std::string reason;  ///< why none of those before it
};
/// The rule itself. `ask` is called in its order, for backends that are registered, until one is chosen.
RuleChoice applyDefaultRule(const std::function<Candidate(std::string_view name)>& ask);

/// Why the processor itself should rather do the work of a backend that runs on it; empty for others.
std::string reluctanceOfEmulated(bool isEmulated, std::string_view device);

/// What a device takes to start, about: work that `cpu` ends sooner is not worth waking one.
inline constexpr double kDeviceStartSeconds = 0.3;
/// The seconds that `cpu` is expected to take, where a command can say so; infinite elsewhere.
inline constexpr double kUnknownHostSeconds = std::numeric_limits<double>::infinity();
/// Of work of so many operations at `rate` operations a second on each thread; of the threads that the user
/// allows.
double hostSecondsFor(double operations, double rate, const BackendOptions& options);

/// Applies the rule to backends that `make` gives, which stay the caller's: the first that exists on this
/// machine and for which `canRun` says yes. `make` throws as BackendRegistry::create. Throws as below.
struct MadeChoice {
    Backend& backend;
    std::string reason;
};
MadeChoice chooseMadeBackend(const std::function<Backend&(const std::string& name)>& make,
                             const std::function<Support(Backend&)>& canRun,
                             double hostSeconds = kUnknownHostSeconds);

/// Applies the rule: the first candidate that exists on this machine and for which `canRun` says yes.
/// Throws UnavailableError with everybody's reason when there is none.
BackendChoice chooseBackend(const BackendOptions& options, const std::function<Support(Backend&)>& canRun,
                            double hostSeconds = kUnknownHostSeconds);

/// Refuses wrong use of --backend, --variant and the backend options before a file is read or a device woken:
/// throws UsageError for a backend that is not registered, a variant that it does not have, or options that
/// it does not read.
void checkBackendUse(const Options& options, const Algorithm& algorithm, const BackendRequest& request);

/// Wakes the device on which the work will most likely be done, while the caller reads the input: that of the
/// named backend, or of the first of the rule, unless `input` is so small that cpu will do. Nothing depends
/// on it, failures included. Destroyed, it waits.
class DeviceAhead {
  public:
    explicit DeviceAhead(const BackendRequest& request, const std::filesystem::path& input = {});

  private:
    std::future<void> waking_;
};

/// The backend that the user named, or the one that the rule chooses (with its reason). Throws
/// UnavailableError when it cannot do the work, UsageError when the named one never does with such a variant
/// or number format (Support::misuse), and when the chosen one does not read a backend option that was given.
BackendChoice selectBackend(const Options& options, const BackendRequest& request,
                            const std::function<Support(Backend&)>& canRun,
                            double hostSeconds = kUnknownHostSeconds);

}  // namespace glycine
