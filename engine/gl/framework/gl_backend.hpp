#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/core/backend.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/program.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/gl/framework/visible_window.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "engine/storage/user_cache.hpp"

namespace glycine::gl {

/// The `gl` backend: one context with everything that passes need. Use it on the thread that created it.
class GlBackend final : public Backend {
  public:
    /// Throws UnavailableError if no context can be created or float render targets are missing. `bugs`
    /// replaces the bugs detected in the driver, so that tests cover both paths on one machine.
    explicit GlBackend(const BackendOptions& options, const std::optional<GlBugs>& bugs = {});
    ~GlBackend() override;

    std::string_view name() const override { return "gl"; }
    std::string device() const override { return gl_.renderer; }
    std::string driver() const override { return gl_.version; }
    bool isEmulated() const override { return gl_.isSoftware; }
    std::string_view dialectName() const override { return toString(options_.dialect); }
    std::string note() const override { return note_; }
    /// The first call also measures the loop limit.
    const Capabilities& capabilities() const override;
    std::vector<DeviceProbe> probes() override;
    void finish() override;
    /// Needed before use when several contexts live on one thread.
    void makeCurrent() { context_->makeCurrent(); }

    Dialect dialect() const { return options_.dialect; }
    const BackendOptions& options() const { return options_; }
    const GlCapabilities& gl() const { return gl_; }
    /// Whether shaders round float32 sums correctly, as IEEE 754 requires. Measured.
    bool addsExactly() const { return addsExactly_; }
    /// Measured at the first call, in this backend's context; the current context stays current. No limit in
    /// dialect gl21, which has no shaders with long loops.
    const LoopLimit& loopLimit() const;
    const Context& context() const { return *context_; }
    const storage::UserCache& cache() const { return cache_; }
    ProgramCache& programs() { return *programs_; }
    TexturePool& textures() { return *textures_; }
    PassGeometry& geometry() { return *geometry_; }
    PassBudget& budget() { return budget_; }
    Canary& canary() { return *canary_; }
    /// The window that shows passes (--visible), or nullptr.
    VisibleWindow* window() { return window_.get(); }

    /// Creates the backend in options.dialect. With options.allowDialectFallback, falls back to the next
    /// dialect in which the driver meets the backend's needs, and `note` says why. Throws UnavailableError
    /// with the reason for each dialect tried.
    static std::unique_ptr<GlBackend> make(const BackendOptions& options);

    /// Starts the declaration of a pass with the common vertex stage.
    FragmentPass pass(std::string_view fragmentFile, const ShaderDefines& defines = {});
    /// Lets the driver start compiling the program of a later pass.
    void beginCompiling(std::string_view fragmentFile, const ShaderDefines& defines = {}) {
        programs_->begin("common/rectangle.vert", fragmentFile, defines);
    }

  private:
    BackendOptions options_;
    std::string note_;
    storage::UserCache cache_;
    std::unique_ptr<Context> context_;  // everything below is destroyed before it
    GlCapabilities gl_;
    mutable Capabilities capabilities_;  ///< complete once loopLimit_ is known
    mutable std::optional<LoopLimit> loopLimit_;
    bool addsExactly_ = false;
    std::unique_ptr<ProgramCache> programs_;
    std::unique_ptr<TexturePool> textures_;
    std::unique_ptr<PassGeometry> geometry_;
    std::unique_ptr<Canary> canary_;
    std::unique_ptr<VisibleWindow> window_;
    std::string ratesKey_;  ///< key of the rates in the cache
    PassBudget budget_;
};

/// Measures how long the stages of a run take, each until the device is idle.
class StageClock {
  public:
    /// Starts the first stage.
    explicit StageClock(GlBackend& backend) : backend_(backend) {}
    /// Waits for the device, adds the duration of the current stage to `seconds`, and starts the next stage.
    void finishStage(double& seconds) {
        backend_.finish();
        seconds += watch_.restart();
    }
    /// The same for a stage of host work only: does not wait for the device.
    void finishHostStage(double& seconds) { seconds += watch_.restart(); }
    /// Restarts the current stage: the time since the last one ended counts for no stage.
    void restart() { watch_.restart(); }

  private:
    GlBackend& backend_;
    Stopwatch watch_;
};

}  // namespace glycine::gl
