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
    std::string cause;  ///< one line: how it was found out, or why it is so; may be empty
};

/// What a backend's device can do. Bugs are known faults of its driver that Glycine works around.
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
    /// No, on any device: the variant or number format is not for such work. Who named it used it wrongly.
    static Support misuse(std::string reason) {
        Support support = no(std::move(reason));
        support.isMisuse_ = true;
        return support;
    }
    /// Yes, but cpu was measured to be faster: where the user names no backend, cpu comes first.
    static Support slowly(std::string reluctance) { return {{}, std::move(reluctance)}; }
    explicit operator bool() const { return reason_.empty(); }
    /// Empty when supported.
    const std::string& reason() const { return reason_; }
    bool isMisuse() const { return isMisuse_; }
    /// Why it should be cpu, if cpu can; mostly empty.
    const std::string& reluctance() const { return reluctance_; }

  private:
    Support(std::string reason, std::string reluctance)
        : reason_(std::move(reason)), reluctance_(std::move(reluctance)) {}
    std::string reason_;
    std::string reluctance_;
    bool isMisuse_ = false;
};

/// The GLSL in which the `gl` backend talks to the driver.
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
    Automatic,  ///< EGL without a display; a hidden GLFW window where EGL gives none
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
    Automatic,  ///< in place where the driver can, else through the host
    Direct,     ///< in place, or an error
    Staged,     ///< always copied through the host
};
constexpr auto namesOf(InteropMode) {
    return namesAre<InteropMode>(
        "interop mode",
        {{InteropMode::Automatic, "auto"}, {InteropMode::Direct, "direct"}, {InteropMode::Staged, "staged"}});
}

/// Everything that chooses or restricts a device. Each backend reads what concerns it.
struct BackendOptions {
    std::optional<int> device;  ///< index in the backend's own list (`glycine info`); best one if absent
    /// `gl`, `cuda`: devices that share work which is divided in tiles, in place of `device`; empty: all of
    /// them. Read by selectBackend (common_options.hpp).
    std::optional<std::vector<int>> devices;
    int threads = 0;                             ///< `cpu`: number of threads; 0 = one a core
    std::optional<InstructionSet> instructions;  ///< `cpu`: at most these; the widest if absent
    Dialect dialect = Dialect::Gl33;             ///< `gl`
    bool orNextDialect = false;  ///< `gl`: where the driver lacks the dialect, take the next one that it has
    ContextKind context = ContextKind::Automatic;  ///< `gl`
    bool visibleWindow = false;                    ///< `gl` through GLFW: show the window
    bool drawsCurrentContext =
        false;                       ///< `cuda`: prefer the device that draws for the current OpenGL context
    std::size_t maxTextureSize = 0;  ///< `gl`: pretend a smaller limit (texels a side); 0 = the driver's
    std::size_t maxDeviceBytes = 0;  ///< `gl`, `cuda`: pretend less memory; 0 = what the device has
    double passBudgetMilliseconds = 250;  ///< `gl`: longest single draw
    std::string shaderFolder;  ///< `gl`: overrides the shaders built into the program; empty = none
};

/// Throws UsageError for unknown enumerators, a number of threads or a device below 0, and a longest draw
/// that is no finite number above 0.
void checkBackendOptions(const BackendOptions& options);

class Backend;

/// Devices of one backend that share a run, and possibly the processor.
struct DeviceCrew {
    static constexpr int kHost = -1;  ///< in place of an index: `cpu`
    std::vector<int> devices;         ///< indices; the first is the one on which the run was begun
    /// Makes the backend of another one. Called on the thread that uses and destroys it.
    std::function<std::unique_ptr<Backend>(int device)> make;
    std::map<std::size_t, std::string> dropped{};  ///< places in `devices` that take no more part, and why
};

/// One way to compute: a device with its capabilities. It knows no algorithm; algorithms bring an
/// implementation for it (see Algorithm).
class Backend {
  public:
    virtual ~Backend() = default;
    /// "reference", "cpu", "gl" or "cuda".
    virtual std::string_view name() const = 0;
    /// The device as its driver names it, for every report: "llvmpipe (LLVM 15.0.6, 256 bits)".
    virtual std::string device() const = 0;
    /// Driver or compiler with its version.
    virtual std::string driver() const = 0;
    virtual const Capabilities& capabilities() const = 0;
    /// `gl`: the GLSL that is spoken to the driver; empty for others.
    virtual std::string_view dialectName() const { return {}; }
    /// What a user should know about how it came about: that it is another dialect than the usual one, and
    /// why. Mostly empty.
    virtual std::string note() const { return {}; }
    /// Whether the processor does the device's work, as Mesa's software renderers do: `cpu` is the faster way
    /// then, and nothing that is measured says anything about a GPU.
    virtual bool isEmulated() const { return false; }
    /// Where its device is plugged in: "0000:3b:00.0"; empty where that is not known.
    virtual std::string pciBusId() const { return {}; }
    /// What can be measured on its device, in the order in which reports show it; what it lacks with the
    /// reason.
    virtual std::vector<DeviceProbe> probes() { return {}; }
    /// Bytes of its device that are in use by it, where it counts them.
    virtual std::size_t deviceBytesInUse() const { return 0; }
    /// Waits until the device is idle; throws DeviceError on a pending failure. Timings end with it.
    virtual void finish() {}

    /// Null unless several devices share the work. Only what is divided in tiles is shared
    /// (pairs::computeTiles).
    const DeviceCrew* crew() const { return crew_.get(); }
    void setCrew(DeviceCrew crew) { crew_ = std::make_unique<DeviceCrew>(std::move(crew)); }
    /// Of a crew: the device at this place takes no more part.
    void dropFromCrew(std::size_t place, std::string reason) {
        crew_->dropped.emplace(place, std::move(reason));
    }
    std::size_t devicesAtWork() const { return crew_ ? crew_->devices.size() : 1; }

  private:
    std::unique_ptr<DeviceCrew> crew_;
};

/// The backends, by name, in the order in which lists show them. One that cannot run here stays listed with
/// its reason. Those of modules (backend_module.hpp) are loaded when they are first needed.
class BackendRegistry {
  public:
    using Factory = std::function<std::unique_ptr<Backend>(const BackendOptions&)>;
    using DeviceLister = std::function<std::vector<std::string>()>;
    struct Entry {
        std::string name;
        std::string summary;
        Factory create;              ///< throws UnavailableError with the reason
        DeviceLister listDevices{};  ///< one line a device, in the order of `BackendOptions::device`
        /// What can be said against it as a default before it is made; empty, as the result: nothing.
        std::function<std::string()> reluctance{};
        /// Wakes the device that `create` will take, so that it is quick afterwards. Any thread may call it;
        /// failures are for `create` to tell.
        std::function<void(const BackendOptions&)> wake{};
    };

    static BackendRegistry& instance();
    /// Adds a backend, or what the module of one that waits for it brings: then only the name and
    /// the functions but `reluctance` are read.
    void add(Entry entry);
    /// Adds a backend whose factory comes with a module.
    void addModule(std::string name, std::string summary, std::function<std::string()> reluctance = {});
    const std::vector<Entry>& entries() const { return entries_; }
    /// Throws UsageError for an unknown name.
    const Entry& find(std::string_view name) const;
    /// The place in `entries`; their number for one that is not there.
    std::size_t rank(std::string_view name) const;
    /// Loads the module that a backend waits for; tries once. Throws UnavailableError with the reason.
    void load(std::string_view name);
    /// Loads those modules that can be.
    void loadAll();
    /// Throws UsageError as find and checkBackendOptions, UnavailableError with the reason when this machine
    /// cannot run it.
    std::unique_ptr<Backend> create(std::string_view name, const BackendOptions& options);
    /// Throws UsageError as find; UnavailableError where its module cannot be loaded.
    std::vector<std::string> listDevices(std::string_view name);

  private:
    std::vector<Entry> entries_;
    std::map<std::string, std::string, std::less<>> lacks_;  ///< why modules cannot be loaded
};

/// Whether a renderer's name (GL_RENDERER) is one that draws on the processor: Mesa's llvmpipe (also below
/// zink and virgl), softpipe, swrast and SWR, SwiftShader, Microsoft's WARP, Apple's and GDI's; in any case
/// of letters. The one place that knows: everything else asks Backend::isEmulated, or
/// DeviceDescription::isSoftware of a report.
bool isSoftwareRenderer(std::string_view renderer);

/// Registers "reference" and "cpu", which every machine has.
void registerHostBackends();

}  // namespace glycine
