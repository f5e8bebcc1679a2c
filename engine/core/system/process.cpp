#include "engine/core/system/process.hpp"

#include <unistd.h>

namespace glycine {

void restartProgram(char** arguments) {
    ::execv("/proc/self/exe", arguments);
}

std::string openFilePath(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace glycine
