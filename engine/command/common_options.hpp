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
#include "engine/core/parallel.hpp"

/// Options that several commands share, with the same meaning everywhere.

namespace glycine {

/// Declares --json.
void addJsonOption(Options& options, bool& json,
                   const std::string& help = "Print the report as one JSON object");

/// Declares --restart for resumable runs, under the heading "Computation".
void addRestartOption(Options& options, bool& restart);

/// How to read a table of numbers.
struct TableReading {
    std::optional<bool>& header;  ///< whether there is a header line; absent: detected
    bool& transpose;
};
/// Declares --header (auto, yes, no) and --transpose with the given help texts. The facet "input" reads both
/// for "table", and --transpose also for "array" (Options::requireReaders).
void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose);

// Options for devices and backends that many commands share, and the rule that chooses a backend if the user
// names none.

/// Declares the options that choose and restrict devices (--device, --threads, --simd, --dialect, --context,
/// --visible, --max-texture, --max-memory, --pass-budget, --shaders).
void addBackendOptions(Options& options, BackendOptions& target);

/// The requested backend.
struct BackendRequest {
    std::string backend;              ///< empty: chosen by the rule
    std::string variant = "default";  ///< a name, or "default": the backend's own choice
    BackendOptions device;
    bool isUnchecked = false;  ///< results are not recounted (recount.hpp)
    bool withHost = false;     ///< cpu computes some of the tiles: "cuda+cpu"
    bool isShareable = false;  ///< the command can share its work between a device and cpu
};

/// Declares --devices for commands that can share work among devices.
void addDevicesOption(Options& options, BackendRequest& target);

/// Declares --backend, --variant (of one of the algorithms) and --no-check under the heading "Computation".
/// Options of devices are declared separately, at their own place in the help. `isShareable`: --backend also
/// takes cuda+cpu and gl+cpu.
void addBackendChoice(Options& options, BackendRequest& target,
                      std::initializer_list<std::reference_wrapper<const Algorithm>> algorithms,
                      bool isShareable = false);

/// Order in which the default rule tries backends, usually the fastest first; reference comes last.
inline constexpr std::string_view kDefaultOrder[] = {"cuda", "gl", "cpu"};
/// Registered backends, in their order.
std::vector<std::string> backendNames();
/// The algorithm's variants, each name once.
std::vector<std::string> variantNames(const Algorithm& algorithm);

/// Throws UsageError if the user gave an option of addBackendOptions that none of `backends` uses, or
/// --device without exactly one backend (an index is relative to a backend). `withHost`: the last of two
/// backends computes tiles for the first.
void checkBackendOptions(const Options& options, const std::vector<std::string>& backends,
                         bool withHost = false);

/// Declares --seed; `what`: the generated object, "bounds".
Option& addSeedOption(Options& options, std::uint64_t& seed, std::string_view what);

/// One-sentence description of the rule for `glycine info`.
std::string_view defaultBackendRule();

/// The error for a named backend that is unavailable.
UnavailableError unavailable(std::string_view name, const UnavailableError& reason);

/// Throws UsageError if such a backend never supports the work, UnavailableError if this one does not.
void requireSupport(const Support& support);

/// Creates the backend that the user named. Throws UsageError for an unknown name, UnavailableError with name
/// and reason.
std::unique_ptr<Backend> createNamedBackend(const std::string& name, const BackendOptions& options);

struct BackendChoice {
    std::unique_ptr<Backend> backend;
    std::string
        reason;  ///< why it was chosen: "no cuda: built without nvcc; gl runs on the processor (llvmpipe …)"
};

/// Result of testing a backend for the rule.
struct Candidate {
    std::string refusal;     ///< why it is missing or unsuitable; empty: it can do the work
    std::string reluctance;  ///< why cpu is preferable if it can do the work; empty: it is not
};
struct RuleChoice {
    std::string name;    ///< empty: no backend can do the work
    std::string reason;  ///< why the earlier ones were not chosen
};
/// The rule itself. Calls `ask` in its order for registered backends, until one is chosen.
RuleChoice applyDefaultRule(const std::function<Candidate(std::string_view name)>& ask);

/// Why cpu is preferable to a backend that is emulated on the processor; empty for others.
std::string reluctanceOfEmulated(bool isEmulated, std::string_view device);

/// Approximate start-up time of a device, in seconds: if `cpu` finishes sooner, no device is started.
inline constexpr double kDeviceStartSeconds = 0.3;
/// Expected time of `cpu` in seconds, if the command can estimate it; otherwise infinite.
inline constexpr double kUnknownHostSeconds = std::numeric_limits<double>::infinity();
/// Expected seconds for `operations` at `rate` operations per second and thread, with the threads that the
/// user allows.
double hostSecondsFor(double operations, double rate, const BackendOptions& options);

/// Applies the rule to backends from `make`, which the caller owns: chooses the first that exists on this
/// machine and for which `canRun` says yes. `make` may throw as BackendRegistry::create does. Throws as
/// chooseBackend does.
struct BorrowedBackendChoice {
    Backend& backend;
    std::string reason;
};
BorrowedBackendChoice chooseBorrowedBackend(const std::function<Backend&(const std::string& name)>& make,
                                            const std::function<Support(Backend&)>& canRun,
                                            double hostSeconds = kUnknownHostSeconds);

/// Applies the rule: chooses the first candidate that exists on this machine and for which `canRun` says yes.
/// Throws UnavailableError with the reasons of all candidates if there is none.
BackendChoice chooseBackend(const BackendOptions& options, const std::function<Support(Backend&)>& canRun,
                            double hostSeconds = kUnknownHostSeconds);

/// Rejects wrong use of --backend, --variant and the backend options before any file is read or device
/// started. Throws UsageError for an unregistered backend, a variant that it does not have, or options that
/// it does not use.
void checkBackendUse(const Options& options, const Algorithm& algorithm, const BackendRequest& request);

/// Starts the devices that will most likely do the work, side by side, while the caller reads the input. They
/// are those of the named backend. If none is named, they are those of the first backend in the rule, or none
/// if `input` is below 8 MiB, for which cpu suffices. Failures are ignored, because nothing depends on it.
/// The destructor waits.
class DeviceAhead {
  public:
    explicit DeviceAhead(const BackendRequest& request, const std::filesystem::path& input = {});

  private:
    std::future<void> waking_;
};

/// After processes have shared work, the others are idle: gives rank 0, which does the rest, the threads of
/// all processes of its host, unless --threads limits them.
void useThreadsOfIdleProcesses(const BackendRequest& request, std::optional<DefaultThreads>& threads);

/// The named backend, or the one chosen by the rule with its reason. Throws UnavailableError if it cannot do
/// the work. Throws UsageError if the named one never supports such a variant or number format
/// (Support::misuse), or if the chosen one does not use a given backend option.
BackendChoice selectBackend(const Options& options, const BackendRequest& request,
                            const std::function<Support(Backend&)>& canRun,
                            double hostSeconds = kUnknownHostSeconds);

}  // namespace glycine
