#pragma once

#include <string>

namespace glycine {

/// Version of NVIDIA's kernel module, "580.159.03"; empty where it does not tell.
std::string nvidiaModuleVersion();

}  // namespace glycine
