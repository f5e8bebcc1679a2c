#include "engine/study/ceiling.hpp"

#include <fmt/format.h>

#include "engine/core/multiply_add_rate.hpp"
#include "engine/core/quantity.hpp"
#ifdef GLYCINE_HAVE_CUDA
#include "kernels_cuda/device/matrix_rate.hpp"
#endif

namespace glycine::study {

namespace {

std::optional<Ceiling> ofProcessor(const HostBackend& backend, std::string_view format) {
    if (format != "float64" && format != "float32") return {};
    const auto numbers = format == "float64" ? MultiplyAddNumbers::Float64 : MultiplyAddNumbers::Float32;
    return Ceiling{multiplyAddRate(backend, numbers),
                   fmt::format("multiply-adds of {} registers, {}", toString(backend.instructions()),
                               formatCount(static_cast<std::size_t>(backend.threads()), "thread"))};
}

#ifdef GLYCINE_HAVE_CUDA
std::optional<Ceiling> ofDevice(const cuda::CudaBackend& backend, std::string_view format) {
    using enum cuda::MatrixNumbers;
    if (format == "float64") return Ceiling{cuda::matrixRate(backend, Float64), "tensor cores, float64"};
    if (format == "float32")
        return Ceiling{cuda::matrixRate(backend, Tf32) / 3,
                       "tensor cores, three products of tf32 for each of float32"};
    if (format == "tf32") return Ceiling{cuda::matrixRate(backend, Tf32), "tensor cores, tf32"};
    if (format == "fp16")
        return Ceiling{cuda::matrixRate(backend, Float16), "tensor cores, fp16 with sums in float32"};
    return {};
}
#endif

}  // namespace

std::optional<Ceiling> matrixCeiling(Backend& backend, std::string_view numberFormat) {
    std::optional<Ceiling> ceiling;
    if (const auto* host = dynamic_cast<const HostBackend*>(&backend); host && host->name() == "cpu")
        ceiling = ofProcessor(*host, numberFormat);
#ifdef GLYCINE_HAVE_CUDA
    if (const auto* device = dynamic_cast<const cuda::CudaBackend*>(&backend))
        ceiling = ofDevice(*device, numberFormat);
#endif
    if (ceiling && !(ceiling->rate > 0)) ceiling.reset();
    return ceiling;
}

}  // namespace glycine::study
