#pragma once

#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::gl {

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
