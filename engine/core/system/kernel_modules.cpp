#include "engine/core/system/kernel_modules.hpp"

#include <fstream>
#include <regex>

namespace glycine {

std::string nvidiaModuleVersion() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::smatch match;
    if (std::getline(file, line) && std::regex_search(line, match, std::regex(R"((\d+\.\d+(\.\d+)?))")))
        return match[1];
    return {};
}

}  // namespace glycine
