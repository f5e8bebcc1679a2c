#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/names.hpp"

namespace glycine {

/// One fact about a device, as `glycine info` prints it.
struct Capability {
    std::string name;   ///< "largest texture", "float render targets"
    std::string value;  ///< "16384", "yes", "no"
    std::string cause;  ///< one line: how it was determined, or its reason; may be empty
};

/// Capabilities of a backend's device. Bugs are known faults of its driver that Glycine works around.
struct Capabilities {
    std::vector<Capability> limits;
    std::vector<Capability> features;
    std::vector<Capability> bugs;
};

/// "Yes", or the reason why not. Decided before any work starts.
class Support {
  public:
    static Support yes() { return {{}, {}}; }
    static Support no(std::string reason) { return {std::move(reason), {}}; }
    /// Not supported on any device: the variant or number format does not apply to such work, so naming it is
    /// a usage error.
    static Support misuse(std::string reason) {
        Support support = no(std::move(reason));
        support.isMisuse_ = true;
        return support;
    }
    /// Supported, but if the user names no backend, cpu is preferred. `reluctance` is the reason: what was
    /// measured, or that nothing has shown this backend to be faster.
    static Support slowly(std::string reluctance) { return {{}, std::move(reluctance)}; }
    explicit operator bool() const { return reason_.empty(); }
    /// Empty when supported.
    const std::string& reason() const { return reason_; }
    bool isMisuse() const { return isMisuse_; }
    /// Why cpu should run instead, if it can; usually empty.
    const std::string& reluctance() const { return reluctance_; }

  private:
    Support(std::string reason, std::string reluctance)
        : reason_(std::move(reason)), reluctance_(std::move(reluctance)) {}
    std::string reason_;
    std::string reluctance_;
    bool isMisuse_ = false;
};

/// The GLSL dialect of the shaders that the `gl` backend gives to the driver.
enum class Dialect {
    Gl33,   ///< OpenGL 3.3 core, `#version 330 core` (default)
    Es300,  ///< OpenGL ES 3.0, `#version 300 es`
    Gl21,   ///< OpenGL 2.1 with framebuffer objects and float textures, `#version 120`: the 2005 path
};
constexpr auto namesOf(Dialect) {
    return namesAre<Dialect>("dialect",
                             {{Dialect::Gl33, "gl33"}, {Dialect::Es300, "es300"}, {Dialect::Gl21, "gl21"}});
}
const std::vector<Dialect>& allDialects();

/// How the `gl` backend gets its context.
enum class ContextKind {
    Automatic,  ///< EGL without a display, or a hidden GLFW window if EGL provides none
    Egl,
    Glfw,
};
constexpr auto namesOf(ContextKind) {
    return namesAre<ContextKind>(
        "context",
        {{ContextKind::Automatic, "auto"}, {ContextKind::Egl, "egl"}, {ContextKind::Glfw, "glfw"}});
}

/// How CUDA reaches data that the `gl` backend holds.
enum class InteropMode {
    Automatic,  ///< in place if the driver supports it, else through the host
    Direct,     ///< in place; an error if that is impossible
    Staged,     ///< always copied through the host
};
constexpr auto namesOf(InteropMode) {
    return namesAre<InteropMode>(
        "interop mode",
        {{InteropMode::Automatic, "auto"}, {InteropMode::Direct, "direct"}, {InteropMode::Staged, "staged"}});
}

/// Everything that selects or restricts a device. Each backend reads the members that concern it.
struct BackendOptions {
    std::optional<int> device;  ///< index in the backend's own list (`glycine info`); best one if absent
    /// `gl`, `cuda`: devices that share the tiles of a run, instead of `device`. An empty list means all
    /// devices. Read by selectBackend (common_options.hpp).
    std::optional<std::vector<int>> devices;
    int threads = 0;                             ///< `cpu`: number of threads; 0 = one per core
    std::optional<InstructionSet> instructions;  ///< `cpu`: widest instruction set allowed; unlimited if
                                                 ///< absent
    Dialect dialect = Dialect::Gl33;             ///< `gl`
    bool allowDialectFallback =
        false;  ///< `gl`: if the driver lacks the dialect, use the next one that it supports
    ContextKind context = ContextKind::Automatic;  ///< `gl`
    bool visibleWindow = false;                    ///< `gl` through GLFW: show the window
    bool drawsCurrentContext =
        false;                       ///< `cuda`: prefer the device that draws for the current OpenGL context
    std::size_t maxTextureSize = 0;  ///< `gl`: simulates a smaller limit (texels per side); 0 = the driver's
    std::size_t maxDeviceBytes = 0;  ///< `gl`, `cuda`: simulates less memory; 0 = the device's
    double passBudgetMilliseconds = 250;  ///< `gl`: target for the longest single draw
    std::string shaderFolder;  ///< `gl`: overrides the shaders built into the program; empty = none
};

/// Throws UsageError for unknown enumerators, a negative number of threads or device index, and a longest
/// draw that is not a finite positive number.
void checkBackendOptions(const BackendOptions& options);

class Backend;

/// Devices of one backend that share a run, possibly together with the processor.
struct DeviceCrew {
    static constexpr int kHost = -1;  ///< in place of an index: `cpu`
    std::vector<int> devices;         ///< device indices; the run started on the first
    /// Creates the backend of another device. Called on the thread that uses and destroys it.
    std::function<std::unique_ptr<Backend>(int device)> make;
    std::map<std::size_t, std::string> dropped{};  ///< positions in `devices` that have left the run, and why
};

/// One way to compute: a device with its capabilities. It knows no algorithm; each algorithm provides an
/// implementation for it (see Algorithm).
class Backend {
  public:
    virtual ~Backend() = default;
    /// "reference", "cpu", "gl" or "cuda".
    virtual std::string_view name() const = 0;
    /// The device as its driver names it, for every report: "llvmpipe (LLVM 15.0.6, 256 bits)".
    virtual std::string device() const = 0;
    /// Driver or compiler, with its version.
    virtual std::string driver() const = 0;
    virtual const Capabilities& capabilities() const = 0;
    /// `gl`: the GLSL dialect in use; empty for other backends.
    virtual std::string_view dialectName() const { return {}; }
    /// A remark for the user about how this backend was chosen, such as a fallback to another dialect and its
    /// reason. Usually empty.
    virtual std::string note() const { return {}; }
    /// Whether the processor does the device's work, as Mesa's software renderers do. `cpu` is faster then,
    /// and measurements say nothing about a GPU.
    virtual bool isEmulated() const { return false; }
    /// PCI bus address of the device: "0000:3b:00.0"; empty if unknown.
    virtual std::string pciBusId() const { return {}; }
    /// Possible measurements of the device, in report order. Entries that the device lacks carry the reason.
    virtual std::vector<DeviceProbe> probes() { return {}; }
    /// Bytes of device memory that this backend uses, if it counts them.
    virtual std::size_t deviceBytesInUse() const { return 0; }
    /// Waits until the device is idle; throws DeviceError on a pending failure. Timed sections end with this
    /// call.
    virtual void finish() {}

    /// Null unless several devices share the work. Only work that is divided into tiles is shared
    /// (pairs::computeTiles).
    const DeviceCrew* crew() const { return crew_.get(); }
    void setCrew(DeviceCrew crew) { crew_ = std::make_unique<DeviceCrew>(std::move(crew)); }
    /// The backend's device works alone.
    void leaveCrew() { crew_.reset(); }
    /// Removes the device at this position in the crew from the run.
    void dropFromCrew(std::size_t place, std::string reason) {
        crew_->dropped.emplace(place, std::move(reason));
    }
    std::size_t devicesAtWork() const { return crew_ ? crew_->devices.size() : 1; }

  private:
    std::unique_ptr<DeviceCrew> crew_;
};

/// The backends by name, in list order. A backend that cannot run here stays listed with its reason. Backends
/// in modules (backend_module.hpp) are loaded on first use.
class BackendRegistry {
  public:
    using Factory = std::function<std::unique_ptr<Backend>(const BackendOptions&)>;
    using DeviceLister = std::function<std::vector<std::string>()>;
    struct Entry {
        std::string name;
        std::string summary;
        Factory create;              ///< throws UnavailableError with the reason
        DeviceLister listDevices{};  ///< one line per device, in the order of `BackendOptions::device`
        /// The reason against using this backend as the default, known before it is created. Unset, or an
        /// empty result: none.
        std::function<std::string()> reluctance{};
        /// Wakes the device that `create` will use, so that creating it is quick. Any thread may call it;
        /// `create` reports failures.
        std::function<void(const BackendOptions&)> wake{};
    };

    static BackendRegistry& instance();
    /// Adds a backend, or completes one that waits for its module. In the second case only the name and the
    /// functions other than `reluctance` are read.
    void add(Entry entry);
    /// Adds a backend whose factory is in a module.
    void addModule(std::string name, std::string summary, std::function<std::string()> reluctance = {});
    const std::vector<Entry>& entries() const { return entries_; }
    /// Throws UsageError for an unknown name.
    const Entry& find(std::string_view name) const;
    /// The position in `entries`, or their number if the name is not listed.
    std::size_t rank(std::string_view name) const;
    /// Loads the module of a backend; tries only once. Throws UnavailableError with the reason.
    void load(std::string_view name);
    /// Loads all modules that can be loaded.
    void loadAll();
    /// Throws UsageError as find and checkBackendOptions do, and UnavailableError with the reason if this
    /// machine cannot run the backend.
    std::unique_ptr<Backend> create(std::string_view name, const BackendOptions& options);
    /// Throws UsageError as find does, and UnavailableError if the module cannot be loaded.
    std::vector<std::string> listDevices(std::string_view name);

  private:
    std::vector<Entry> entries_;
    std::map<std::string, std::string, std::less<>> lacks_;  ///< why a module cannot be loaded, by backend
};

/// Whether a renderer name (GL_RENDERER) denotes a software renderer: Mesa's llvmpipe (also below zink and
/// virgl), softpipe, swrast and SWR, SwiftShader, Microsoft's WARP, Apple's and GDI's. Case is ignored. All
/// other code uses Backend::isEmulated, or DeviceDescription::isSoftware of a report.
bool isSoftwareRenderer(std::string_view renderer);

/// Registers "reference" and "cpu", which every machine has.
void registerHostBackends();

}  // namespace glycine
