#include "engine/core/error.hpp"
#include "engine/gl/view/window.hpp"

namespace glycine::view::gl {

namespace {

[[noreturn]] void refuse() {
    throw UnavailableError(
        "this build of Glycine has no windows: it was made without Dear ImGui (Debian: apt install "
        "libimgui-dev, "
        "then build again); -o FILE.png draws without one");
}

}  // namespace

void showMolecule(glycine::gl::GlBackend& /*backend*/, const MoleculeShow& /*show*/,
                  const WindowOptions& /*options*/) {
    refuse();
}

void showPasses(glycine::gl::GlBackend& /*backend*/, const PassShow& /*show*/,
                const WindowOptions& /*options*/) {
    refuse();
}

}  // namespace glycine::view::gl
