#include "engine/bounds/device_comparison.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"

namespace glycine::bounds {

DeviceComparison::DeviceComparison(const BackendOptions& options, InteropMode mode) {
    BackendRegistry& backends = BackendRegistry::instance();
    gl_ = backends.create("gl", options);
    holder_ = createImplementation<MatrixHolder>(*gl_);
    // CUDA uses the device that draws for the new context, if there is one.
    BackendOptions drawing = options;
    drawing.drawsCurrentContext = true;
    cuda_ = backends.create("cuda", drawing);
    user_ = createImplementation<MatrixUser>(*cuda_);
    const Support shared = user_->canShare();
    if (mode == InteropMode::Direct && !shared)
        throw UnavailableError("CUDA cannot use this OpenGL context's memory in place: " + shared.reason());
    mode_ = mode == InteropMode::Staged || !shared ? InteropMode::Staged : InteropMode::Direct;
    if (mode == InteropMode::Automatic) reason_ = shared.reason();
}

DeviceComparison::~DeviceComparison() = default;

InteropMode DeviceComparison::mode() const {
    return mode_;
}

std::string DeviceComparison::description() const {
    if (mode_ == InteropMode::Direct) return "in place";
    return reason_.empty() ? "through the host" : fmt::format("through the host ({})", reason_);
}

DeviceDifference DeviceComparison::compare(MatrixView<const float> upper, MatrixView<const float> lower,
                                           Progress& progress) {
    const double glSeconds = holder_->smooth(upper, lower, progress);
    DeviceDifference difference = user_->compare(*holder_, upper.rows(), mode_);
    difference.glSeconds = glSeconds;
    for (const HeldMatrix which : kHeldMatrices)
        difference.handoverBytes += static_cast<double>(holder_->texture(which).bytes());
    return difference;
}

ImplementationList<MatrixHolder>& MatrixHolder::implementations() {
    static ImplementationList<MatrixHolder> all;
    return all;
}

ImplementationList<MatrixUser>& MatrixUser::implementations() {
    static ImplementationList<MatrixUser> all;
    return all;
}

}  // namespace glycine::bounds
