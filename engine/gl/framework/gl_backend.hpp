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

/// The `gl` backend: one context with everything that passes need. Use it on the thread that made it.
class GlBackend final : public Backend {
  public:
    /// Throws UnavailableError when there is no context, or no float render targets.
    /// `bugs`: those to work around in place of the driver's own, so that tests reach both ways on one
    /// machine.
    explicit GlBackend(const BackendOptions& options, const std::optional<GlBugs>& bugs = {});
    ~GlBackend() override;

    std::string_view name() const override { return "gl"; }
    std::string device() const override { return gl_.renderer; }
    std::string driver() const override { return gl_.version; }
    bool isEmulated() const override { return gl_.isSoftware; }
    std::string_view dialectName() const override { return toString(options_.dialect); }
    std::string note() const override { return note_; }
    /// Also counts the rounds of loops, where nobody has asked before.
    const Capabilities& capabilities() const override;
    std::vector<DeviceProbe> probes() override;
    void finish() override;
    /// Needed before use when several contexts live on one thread.
    void makeCurrent() { context_->makeCurrent(); }

    Dialect dialect() const { return options_.dialect; }
    const BackendOptions& options() const { return options_; }
    const GlCapabilities& gl() const { return gl_; }
    /// Whether shaders round sums of float32 numbers correctly, as IEEE 754 asks. Measured.
    bool addsExactly() const { return addsExactly_; }
    /// Measured when it is first asked, in this backend's context; the one that is current stays so. None in
    /// dialect gl21, nothing of which has long loops.
    const LoopLimit& loopLimit() const;
    const Context& context() const { return *context_; }
    const storage::UserCache& cache() const { return cache_; }
    ProgramCache& programs() { return *programs_; }
    TexturePool& textures() { return *textures_; }
    PassGeometry& geometry() { return *geometry_; }
    PassBudget& budget() { return budget_; }
    Canary& canary() { return *canary_; }
    /// Where passes are seen (--visible), else nullptr.
    VisibleWindow* window() { return window_.get(); }

    /// The backend in options.dialect or, with options.orNextDialect, in the next dialect in which the driver
    /// can do what the backend needs; `note` then says why. Throws UnavailableError with the reason of each.
    static std::unique_ptr<GlBackend> make(const BackendOptions& options);

    /// Starts the declaration of a pass with the common vertex stage.
    FragmentPass pass(std::string_view fragmentFile, const ShaderDefines& defines = {});
    /// Has the driver begin to compile what a pass will need.
    void beginCompiling(std::string_view fragmentFile, const ShaderDefines& defines = {}) {
        programs_->begin("common/rectangle.vert", fragmentFile, defines);
    }

  private:
    BackendOptions options_;
    std::string note_;
    storage::UserCache cache_;
    std::unique_ptr<Context> context_;  // everything below dies before it
    GlCapabilities gl_;
    mutable Capabilities capabilities_;  ///< complete once loopLimit_ is known
    mutable std::optional<LoopLimit> loopLimit_;
    bool addsExactly_ = false;
    std::unique_ptr<ProgramCache> programs_;
    std::unique_ptr<TexturePool> textures_;
    std::unique_ptr<PassGeometry> geometry_;
    std::unique_ptr<Canary> canary_;
    std::unique_ptr<VisibleWindow> window_;
    std::string ratesKey_;  ///< of the cache
    PassBudget budget_;
};

/// Tells how long the stages of a run take, each until the device is idle.
class StageClock {
  public:
    /// The first stage begins.
    explicit StageClock(GlBackend& backend) : backend_(backend) {}
    /// Waits for the device, adds the time of the stage that ends to `seconds`, and begins the next one.
    void finishStage(double& seconds) {
        backend_.finish();
        seconds += watch_.restart();
    }
    /// The same for a stage in which the host alone worked: nothing is waited for.
    void finishHostStage(double& seconds) { seconds += watch_.restart(); }
    /// Begins the stage anew: what has passed since the last one ended belongs to none.
    void restart() { watch_.restart(); }

  private:
    GlBackend& backend_;
    Stopwatch watch_;
};

}  // namespace glycine::gl
