#include "engine/core/system/graphics_devices.hpp"

#include <filesystem>

namespace glycine {

std::string lackOfGraphicsDevices() {
    std::error_code ignored;
    // Of the kernel's graphics drivers, NVIDIA's own, and of Windows below WSL 2.
    for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored))
        if (entry.path().filename().string().starts_with("renderD")) return {};
    for (const char* const device : {"/dev/nvidiactl", "/dev/dxg"})
        if (std::filesystem::exists(device, ignored)) return {};
    return "this machine has no GPU, and the processor would draw";
}

}  // namespace glycine
