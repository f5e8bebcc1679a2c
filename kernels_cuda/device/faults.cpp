#include "kernels_cuda/device/faults.hpp"

#include <cuda_runtime.h>
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <regex>

#include "engine/core/error.hpp"

namespace glycine::cuda {

namespace {

/// Arrays up to this size are always watched, because structures in device memory may point to them. Larger
/// ones are watched only if a parameter points into them.
constexpr std::size_t kAlwaysWatched = std::size_t{4} << 20;
/// Launches per kernel that a list examines.
constexpr int kListed = 3;

class FaultState {
  public:
    static FaultState& instance() {
        static FaultState* const state = new FaultState;  // lives until the process ends: buffers may outlive
                                                          // everything else
        return *state;
    }
    bool isActive() const { return lists_ || fault_; }
    const std::optional<Fault>& fault() const { return fault_; }
    /// Whether this launch is examined.
    bool begins(const std::string& kernel) {
        if (fault_) return fault_->kernel == kernel;
        return lists_ && ++launches_[kernel] <= kListed;
    }
    void log(const std::string& kernel, std::size_t arrays, const Alteration& alteration) {
        if (log_.empty()) return;
        std::ofstream(log_, std::ios::app)
            << kernel << '\t' << arrays << '\t' << alteration.changed << '\t' << alteration.altered << '\n';
    }

    std::recursive_mutex mutex;                    ///< serialises launches of several threads
    std::map<std::uintptr_t, std::size_t> arrays;  ///< bytes of each array in device memory

  private:
    FaultState() {
        const char* const fault = std::getenv("GLYCINE_FAULT");
        const char* const log = std::getenv("GLYCINE_FAULT_LOG");
        if (log != nullptr) log_ = log;
        if (fault == nullptr) return;
        lists_ = std::string_view(fault) == "list";
        if (lists_) return;
        fault_ = Fault::parse(fault);
        if (!fault_) throw UsageError("GLYCINE_FAULT is neither 'list' nor KERNEL:KIND:SEED");
    }

    bool lists_ = false;
    std::optional<Fault> fault_;
    std::string log_;
    std::map<std::string, int> launches_;
};

/// "naiveUpperKernel<float>" of "void glycine::cuda::(anonymous namespace)::naiveUpperKernel<float>(float*)".
std::string nameOf(const void* kernel) {
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, kernel) != cudaSuccess || mangled == nullptr) {
        cudaGetLastError();
        return "unknown";
    }
    int status = 0;
    char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string name = status == 0 ? text : mangled;
    std::free(text);
    static const std::regex spaces(
        R"(\(anonymous namespace\)::|_GLOBAL__N__\w+::|\bglycine::|\bcuda::|\bvoid |\(\w[\w ]*\)(?=\d))");
    name = std::regex_replace(name, spaces, "");
    // Cuts the parameters: the last parenthesis opened outside of template arguments.
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
        if (name[i] == '(' && depth == 0) return name.substr(0, i);
    }
    return name;
}

/// All words of the parameters; pointers are among them.
std::vector<std::uintptr_t> wordsOf(const void* kernel, void** parameters) {
    std::vector<std::uintptr_t> words;
    std::size_t offset = 0, bytes = 0;
    for (std::size_t i = 0; cudaFuncGetParamInfo(kernel, i, &offset, &bytes) == cudaSuccess; ++i)
        for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) {
            std::uintptr_t word = 0;
            std::memcpy(&word, static_cast<const std::byte*>(parameters[i]) + at, sizeof(word));
            words.push_back(word);
        }
    cudaGetLastError();  // clears the error for the parameter after the last one
    return words;
}

}  // namespace

WatchedLaunch::WatchedLaunch(std::string kernel, const std::vector<std::uintptr_t>& addresses)
    : kernel_(std::move(kernel)) {
    FaultState& state = FaultState::instance();
    if (!state.isActive()) return;
    state.mutex.lock();
    isWatched_ = state.begins(kernel_);
    if (!isWatched_) {
        state.mutex.unlock();
        return;
    }
    cudaDeviceSynchronize();
    for (const auto& [address, bytes] : state.arrays) {
        const bool isNamed = std::any_of(addresses.begin(), addresses.end(),
                                         [&, begin = address, size = bytes](std::uintptr_t word) {
                                             return word >= begin && word < begin + size;
                                         });
        if (bytes > kAlwaysWatched && !isNamed) continue;
        std::vector<std::byte>& content = before_[address];
        content.resize(bytes);
        cudaMemcpy(content.data(), reinterpret_cast<const void*>(address), bytes, cudaMemcpyDeviceToHost);
    }
}

WatchedLaunch::~WatchedLaunch() {
    if (!isWatched_) return;
    FaultState& state = FaultState::instance();
    // Later calls report a failed launch.
    if (cudaPeekAtLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess) {
        std::size_t arrays = 0;
        Alteration all;
        for (const auto& [address, before] : before_) {
            std::vector<std::byte> after(before.size());
            void* const place = reinterpret_cast<void*>(address);
            cudaMemcpy(after.data(), place, after.size(), cudaMemcpyDeviceToHost);
            if (after == before) continue;
            arrays += 1;
            const std::optional<std::size_t> target =
                state.fault() ? state.fault()->target() : std::optional<std::size_t>();
            if (!state.fault() || (target && *target != arrays - 1)) {
                all.changed += faults::changedElements<std::uint32_t>(before, after).size();
                continue;
            }
            const Alteration one = alterChanged(*state.fault(), before, after);
            all.changed += one.changed;
            all.altered += one.altered;
            if (one.altered > 0) cudaMemcpy(place, after.data(), after.size(), cudaMemcpyHostToDevice);
        }
        cudaDeviceSynchronize();
        state.log(kernel_, arrays, all);
    }
    state.mutex.unlock();
}

namespace {

template <class Launch>
cudaError_t watched(const void* kernel, void** parameters, const Launch& launch) {
    if (!FaultState::instance().isActive()) return launch();
    const std::lock_guard lock(FaultState::instance().mutex);
    const WatchedLaunch watch(nameOf(kernel), wordsOf(kernel, parameters));
    return launch();
}

}  // namespace

}  // namespace glycine::cuda

// The linker calls these instead of CUDA's own functions (--wrap). Up to version 12, nvcc launches by
// cudaLaunchKernel, later versions by __cudaLaunchKernel.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
cudaError_t __real_cudaMalloc(void** data, std::size_t bytes);
cudaError_t __real_cudaFree(void* data);
cudaError_t __real_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** parameters,
                                    std::size_t sharedBytes, cudaStream_t stream);

cudaError_t __wrap_cudaMalloc(void** data, std::size_t bytes) {
    glycine::cuda::FaultState& state = glycine::cuda::FaultState::instance();
    const std::lock_guard lock(state.mutex);
    const cudaError_t status = __real_cudaMalloc(data, bytes);
    if (status == cudaSuccess) state.arrays[reinterpret_cast<std::uintptr_t>(*data)] = bytes;
    return status;
}

cudaError_t __wrap_cudaFree(void* data) {
    glycine::cuda::FaultState& state = glycine::cuda::FaultState::instance();
    const std::lock_guard lock(state.mutex);
    state.arrays.erase(reinterpret_cast<std::uintptr_t>(data));
    return __real_cudaFree(data);
}

cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** parameters,
                                    std::size_t sharedBytes, cudaStream_t stream) {
    return glycine::cuda::watched(kernel, parameters, [&] {
        return __real_cudaLaunchKernel(kernel, grid, block, parameters, sharedBytes, stream);
    });
}

#if CUDART_VERSION >= 13000
cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** parameters,
                                      std::size_t sharedBytes, cudaStream_t stream);

cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** parameters,
                                      std::size_t sharedBytes, cudaStream_t stream) {
    return glycine::cuda::watched(kernel, parameters, [&] {
        return __real___cudaLaunchKernel(kernel, grid, block, parameters, sharedBytes, stream);
    });
}
#endif
}
// NOLINTEND(bugprone-reserved-identifier)
