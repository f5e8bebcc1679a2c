#pragma once

#include <string_view>

#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/ping_pong.hpp"

namespace glycine::gl {

/// Proves that the device still draws. A driver's watchdog that kills a long draw resets the device; later
/// draws are then dropped and their targets read as zeros, without an error. The canary is a texel that each
/// check draws anew with another number and reads back: it holds that number only if the device executed the
/// draw, and with it, in order, everything that was submitted before.
class Canary {
  public:
    Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);
    /// Waits for the device; throws DeviceError naming `doing` when the texel does not hold the new number,
    /// or when the context reports a reset.
    void check(std::string_view doing);

  private:
    RenderTexture texel_;
    PassGeometry& geometry_;
    Program& program_;
    float number_ = 0;
};

}  // namespace glycine::gl
