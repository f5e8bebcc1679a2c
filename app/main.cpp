#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"
#include "engine/command/command_line.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/gl/gl_backend.hpp"
#ifdef GLYCINE_HAVE_CUDA
#include "kernels_cuda/device/cuda_backend.hpp"
#endif

namespace {

void registerBackends() {
    glycine::registerHostBackends();
    glycine::gl::registerGlBackend();
#ifdef GLYCINE_HAVE_CUDA
    glycine::cuda::registerCudaBackend();
#else
    glycine::BackendRegistry::instance().add(
        {"cuda",
         "CUDA kernels on an NVIDIA GPU",
         [](const glycine::BackendOptions&) -> std::unique_ptr<glycine::Backend> {
             throw glycine::UnavailableError("built without nvcc");
         },
         {}});
#endif
}

}  // namespace

int main(int argc, char** argv) {
    glycine::installCancellationHandler();
    registerBackends();
    glycine::registerAlgorithms();
    glycine::registerCommands();
    glycine::CommandContext context(std::cout, std::cerr, isatty(STDERR_FILENO) != 0);
    return glycine::runCommandLine(std::vector<std::string>(argv + 1, argv + argc), context);
}
