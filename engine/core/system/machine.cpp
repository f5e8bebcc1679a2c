#include "engine/core/system/machine.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace glycine {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            const auto colon = line.find(':');
            if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
        }
    }
    return "processor of unknown name";
}

std::set<int> ownProcessors() {
    std::set<int> numbers;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return numbers;
    for (int number = 0; number < CPU_SETSIZE; ++number)
        if (CPU_ISSET(number, &mask)) numbers.insert(number);
    return numbers;
}

std::string processorTimesText() {
    std::ifstream file("/proc/stat");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

double ticksPerSecond() {
    return static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::size_t lastCacheBytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
    return 0;
#endif
}

const char* energyCounterFolder() {
    return "/sys/class/powercap";
}

std::optional<double> loadAverage() {
    double average = 0;
    if (std::ifstream file("/proc/loadavg"); file >> average) return average;
    return {};
}

std::optional<double> secondsOfProcess(const std::string& stat, double now, double processor, double tick) {
    // The second field is the program's name in parentheses, which may contain anything. The start time
    // follows 19 fields after it.
    constexpr int kBefore = 19;
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos) return {};
    std::istringstream fields(stat.substr(name + 1));
    std::string field;
    for (int k = 0; k < kBefore; ++k) fields >> field;
    double start = 0;
    if (!(fields >> start) || start <= 0 || now < start * tick) return {};
    const double longest = now - start * tick;
    return std::clamp(processor, std::max(0.0, longest - tick), longest);
}

std::optional<double> secondsOfProcess() {
    const auto secondsOf = [](clockid_t clock) {
        timespec time{};
        ::clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    std::ifstream file("/proc/self/stat");
    std::stringstream text;
    text << file.rdbuf();
    return secondsOfProcess(text.str(), secondsOf(CLOCK_BOOTTIME), secondsOf(CLOCK_PROCESS_CPUTIME_ID),
                            1 / ticksPerSecond());
}

void restartProgram(char** arguments) {
    ::execv("/proc/self/exe", arguments);
}

std::string openFilePath(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

std::string lackOfGraphicsDevices() {
    std::error_code ignored;
    // Devices of the kernel's graphics drivers, of NVIDIA's driver, and of Windows under WSL 2.
    for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored))
        if (entry.path().filename().string().starts_with("renderD")) return {};
    for (const char* const device : {"/dev/nvidiactl", "/dev/dxg"})
        if (std::filesystem::exists(device, ignored)) return {};
    return "this machine has no GPU, and the processor would draw";
}

std::string nvidiaModuleVersion() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::smatch match;
    if (std::getline(file, line) && std::regex_search(line, match, std::regex(R"((\d+\.\d+(\.\d+)?))")))
        return match[1];
    return {};
}

}  // namespace glycine
