#include "engine/core/host_backends.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>
#include <utility>

#include "engine/core/build_info.hpp"

namespace glycine {

namespace {
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
}  // namespace

InstructionSet detectInstructionSet() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return InstructionSet::Avx512;
    if (__builtin_cpu_supports("avx2")) return InstructionSet::Avx2;
#endif
    return InstructionSet::Generic;
}

std::string_view toString(InstructionSet set) {
    switch (set) {
        case InstructionSet::Avx512:
            return "AVX-512";
        case InstructionSet::Avx2:
            return "AVX2";
        case InstructionSet::Generic:
            break;
    }
    return "generic vectors";
}

HostBackend::HostBackend(std::string name, int threads)
    : name_(std::move(name)),
      threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
    device_ = fmt::format("{}, {} {}", processorName(), threads_, threads_ == 1 ? "thread" : "threads");
    capabilities_.limits.push_back({"threads", std::to_string(threads_), "--threads"});
    capabilities_.features.push_back(
        {"vector instructions", std::string(toString(detectInstructionSet())), ""});
}

std::string HostBackend::driver() const {
    return buildInfo().compiler;
}

void registerHostBackends() {
    BackendRegistry::instance().add(
        {"reference",
         "serial and plain: the specification that everything else is tested against",
         [](const BackendOptions&) { return std::make_unique<HostBackend>("reference", 1); },
         {}});
    BackendRegistry::instance().add(
        {"cpu",
         "OpenMP threads and vector instructions",
         [](const BackendOptions& options) { return std::make_unique<HostBackend>("cpu", options.threads); },
         {}});
}

}  // namespace glycine
