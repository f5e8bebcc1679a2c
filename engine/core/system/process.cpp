#include "engine/core/system/process.hpp"

#include <unistd.h>

namespace glycine {

void restartProgram(char** arguments) {
    ::execv("/proc/self/exe", arguments);
}

const char* standardInputPath() {
    return "/proc/self/fd/0";
}

}  // namespace glycine
