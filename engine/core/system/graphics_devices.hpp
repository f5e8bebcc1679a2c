#pragma once

#include <string>

namespace glycine {

/// Why OpenGL would draw on the processor here, by what the system lists alone: no driver is loaded. Empty
/// where there may be a GPU.
std::string lackOfGraphicsDevices();

}  // namespace glycine
