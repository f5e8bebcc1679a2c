#include "engine/core/backend_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace glycine {

namespace {

/// Where Debian and Ubuntu have what modules link.
constexpr struct {
    std::string_view library, package;
} kPackages[] = {
    {"libGLEW.so", "libglew2.2"}, {"libglfw.so", "libglfw3"},     {"libEGL.so", "libegl1 libgl1-mesa-dri"},
    {"libGL.so", "libgl1"},       {"libOpenGL.so", "libopengl0"}, {"libX11.so", "libx11-6"},
};

/// The folder of the library that this file is in, or of the program.
std::filesystem::path ownFolder() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&loadBackendModule), &info) == 0) return {};
    std::error_code ignored;
    return std::filesystem::absolute(info.dli_fname, ignored).parent_path();
}

std::vector<std::filesystem::path> moduleFolders() {
    if (const char* const given = std::getenv("GLYCINE_MODULES"); given != nullptr && *given != '\0')
        return {given};
    const std::filesystem::path own = ownFolder();
    return {own, own / "glycine"};
}

/// What the system's loader said, "libGLEW.so.2.2: cannot open shared object file: …", told to a user.
std::string reasonOf(std::string_view said) {
    const std::size_t end = said.find(": ");
    if (end == std::string_view::npos) return std::string(said);
    const std::string library = std::filesystem::path(said.substr(0, end)).filename().string();
    const std::string_view why = said.substr(end + 2);
    std::string reason = why.starts_with("cannot open shared object file: No such file")
                             ? fmt::format("{} is missing", library)
                             : fmt::format("{} cannot be loaded: {}", library, why);
    for (const auto& [name, package] : kPackages)
        if (library.starts_with(name)) reason += fmt::format(" (Debian and Ubuntu: apt install {})", package);
    return reason;
}

std::string registerModule(const BackendModule& module) {
    if (std::strcmp(module.build, GLYCINE_BUILD) != 0)
        return fmt::format("its module is of another build: {}; this is {}", module.build, GLYCINE_BUILD);
    module.registerAll();
    return {};
}

}  // namespace

std::string loadBackendModule(std::string_view backend) {
    if (const BackendModule* const builtin = builtinModule(backend)) return registerModule(*builtin);
    const std::string file = fmt::format("libglycine-{}.so", backend);
    std::vector<std::string> looked;
    for (const std::filesystem::path& folder : moduleFolders()) {
        std::error_code ignored;
        if (!std::filesystem::exists(folder / file, ignored)) {
            looked.push_back(folder.string());
            continue;
        }
        // Never unloaded: drivers do not survive that.
        void* const library = ::dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return reasonOf(::dlerror());
        const auto* const module = static_cast<const BackendModule*>(
            ::dlsym(library, fmt::format("glycine_{}_module", backend).c_str()));
        if (module == nullptr) return fmt::format("{} is no module of Glycine", (folder / file).string());
        return registerModule(*module);
    }
    return fmt::format("{} is not in {}{}; the package glycine-{} has it{}", file, fmt::join(looked, " or "),
                       std::getenv("GLYCINE_MODULES") != nullptr ? ", which GLYCINE_MODULES names" : "",
                       backend, backend == "cuda" ? ", as does a build that finds nvcc" : "");
}

}  // namespace glycine
