#include "engine/api/backends.hpp"

#include "engine/core/backend.hpp"
#include "engine/core/system/machine.hpp"

namespace glycine {

void registerBackends() {
    static const bool once = [] {
        registerHostBackends();
        BackendRegistry::instance().addModule(
            "gl", "OpenGL fragment shaders; on Mesa's software renderer where there is no GPU",
            lackOfGraphicsDevices);
        BackendRegistry::instance().addModule("cuda", "CUDA kernels on an NVIDIA GPU");
        return true;
    }();
    static_cast<void>(once);
}

}  // namespace glycine
