#include "engine/api/backends.hpp"

#include <memory>

#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#ifdef GLYCINE_HAVE_CUDA
#include "kernels_cuda/device/cuda_backend.hpp"
#endif

namespace glycine {

namespace {

void registerBackendsNow() {
    registerHostBackends();
    gl::registerGlBackend();
#ifdef GLYCINE_HAVE_CUDA
    cuda::registerCudaBackend();
#else
    BackendRegistry::instance().add({"cuda",
                                     "CUDA kernels on an NVIDIA GPU",
                                     [](const BackendOptions&) -> std::unique_ptr<Backend> {
                                         throw UnavailableError("built without nvcc");
                                     },
                                     {}});
#endif
}

}  // namespace

void registerBackends() {
    static const bool done = (registerBackendsNow(), true);
    (void)done;
}

}  // namespace glycine
