#include "engine/core/host_backends.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "engine/core/build_info.hpp"
#include "engine/core/cpu/host_probes.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/system/machine.hpp"

namespace glycine {

HostBackend::HostBackend(std::string name, int threads, std::optional<InstructionSet> instructions)
    : name_(std::move(name)),
      threads_(availableThreads(
          threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))),
      instructions_(instructions.value_or(detectInstructionSet())) {
    if (instructions_ > detectInstructionSet())
        throw UnavailableError(fmt::format("this processor has no {} instructions", toString(instructions_)));
    device_ = fmt::format("{}, {} {}", processorName(), threads_, threads_ == 1 ? "thread" : "threads");
    if (name_ == "cpu") {
        device_ += fmt::format(", {}", toString(instructions_));
        capabilities_.features.push_back({"vector instructions", std::string(toString(instructions_)),
                                          "the widest of this processor, or --simd"});
    }
    capabilities_.limits.push_back({"threads", std::to_string(threads_), "--threads"});
}

std::string HostBackend::driver() const {
    return buildInfo().compiler;
}

std::vector<DeviceProbe> HostBackend::probes() {
    return name_ == "cpu" ? cpu::hostProbes(*this) : std::vector<DeviceProbe>();
}

namespace {
void requireOnlyDevice(const BackendOptions& options) {
    if (options.device && *options.device != 0)
        throw UsageError(fmt::format("there is no device {}; the processor is device 0", *options.device));
}
}  // namespace

void registerHostBackends() {
    BackendRegistry::instance().add(
        {"reference",
         "serial and plain: the specification that everything else is tested against",
         [](const BackendOptions& options) {
             requireOnlyDevice(options);
             return std::make_unique<HostBackend>("reference", 1);
         },
         {}});
    BackendRegistry::instance().add({"cpu",
                                     "OpenMP threads and vector instructions",
                                     [](const BackendOptions& options) {
                                         requireOnlyDevice(options);
                                         return std::make_unique<HostBackend>("cpu", options.threads,
                                                                              options.instructions);
                                     },
                                     {}});
}

ThreadsOf::ThreadsOf(const Backend& backend) {
    if (const auto* host = dynamic_cast<const HostBackend*>(&backend)) threads_.emplace(host->threads());
}

}  // namespace glycine
