#include "engine/gl/framework/canary.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/core/error.hpp"
#include "engine/gl/framework/readback.hpp"

namespace glycine::gl {

Canary::Canary(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs)
    : texel_(pool, {TextureFormat::RGBA32F, {1, 1}}),
      geometry_(geometry),
      program_(programs.get("common/rectangle.vert", "common/canary.frag")) {}

void Canary::check(std::string_view doing) {
    number_ += 1;
    FragmentPass(geometry_, program_).output(texel_.framebuffer()).uniform("passNumber", number_).draw();
    std::array<float, 4> texel{};
    readPixels(texel_.framebuffer(), 0, TextureFormat::RGBA32F, texel_.texture().extent(), texel.data());
    if (texel[0] != number_)
        throw DeviceError(
            fmt::format("the graphics device stopped drawing while {} (its watchdog may have ended a long "
                        "draw: try a smaller "
                        "--pass-budget)",
                        doing));
}

}  // namespace glycine::gl
