#include "engine/core/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/backend_module.hpp"
#include "engine/core/error.hpp"

namespace glycine {

namespace {

/// Debian and Ubuntu packages of the libraries that modules link.
constexpr struct {
    std::string_view library, package;
} kPackages[] = {
    {"libGLEW.so", "libglew2.2"}, {"libglfw.so", "libglfw3"},     {"libEGL.so", "libegl1 libgl1-mesa-dri"},
    {"libGL.so", "libgl1"},       {"libOpenGL.so", "libopengl0"}, {"libX11.so", "libx11-6"},
    {"libcairo.so", "libcairo2"}, {"libgvc.so", "libgvc6"},       {"libhdf5_serial.so", "libhdf5-103-1"},
    {"libzip.so", "libzip4"},     {"libhts.so", "libhts3"},
};

/// The folder of the library or program that contains this file.
std::filesystem::path ownFolder() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&loadModule), &info) == 0) return {};
    std::error_code ignored;
    return std::filesystem::absolute(info.dli_fname, ignored).parent_path();
}

std::vector<std::filesystem::path> ownFolders() {
    const std::filesystem::path own = ownFolder();
    return {own, own / "glycine"};
}

/// The message of the system's loader, "libGLEW.so.2.2: cannot open shared object file: …", reworded for a
/// user. `owner`: the package of the module, which brings all libraries that it needs.
std::string reasonOf(std::string_view said, std::string_view owner) {
    const std::size_t end = said.find(": ");
    if (end == std::string_view::npos) return std::string(said);
    const std::string library = std::filesystem::path(said.substr(0, end)).filename().string();
    const std::string_view why = said.substr(end + 2);
    const bool isMissing = why.starts_with("cannot open shared object file: No such file");
    const std::string reason = isMissing ? fmt::format("{} is missing", library)
                                         : fmt::format("{} cannot be loaded: {}", said.substr(0, end), why);
    if (library.starts_with("libglycine")) return reason;
    for (const auto& [name, package] : kPackages)
        if (library.starts_with(name))
            return fmt::format("{} (Debian and Ubuntu: apt install {})", reason, package);
    return fmt::format("{}; the package {} brings it", reason, owner);
}

/// The table of libglycine-<name>.so in the first folder that has it. `owner`: the package that has it;
/// `where` and `others`: more words about the folders, and about other ways to get it.
const void* tableOf(std::string_view name, const std::vector<std::filesystem::path>& folders,
                    const std::string& owner, std::string_view where = {}, std::string_view others = {}) {
    const std::string file = fmt::format("libglycine-{}.so", name);
    for (const std::filesystem::path& folder : folders) {
        std::error_code ignored;
        if (!std::filesystem::exists(folder / file, ignored)) continue;
        // Never unloaded: drivers do not survive it.
        void* const library = ::dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw UnavailableError(reasonOf(::dlerror(), owner));
        const void* const table = ::dlsym(library, fmt::format("glycine_{}_module", name).c_str());
        if (table == nullptr)
            throw UnavailableError(fmt::format("{} is no module of Glycine", (folder / file).string()));
        const char* const build = *static_cast<const char* const*>(table);
        if (std::strcmp(build, GLYCINE_BUILD) != 0)
            throw UnavailableError(
                fmt::format("its module is of another build: {}; this is {}", build, GLYCINE_BUILD));
        return table;
    }
    std::vector<std::string> looked;
    for (const std::filesystem::path& folder : folders) looked.push_back(folder.string());
    throw UnavailableError(fmt::format("{} is not in {}{}; the package {} has it{}", file,
                                       fmt::join(looked, " or "), where, owner, others));
}

}  // namespace

const void* loadModule(std::string_view name) {
    try {
        return tableOf(name, ownFolders(), "glycine");
    } catch (const UnavailableError& error) {
        throw UnavailableError(fmt::format("the module {}: {}", name, error.what()));
    }
}

std::string loadBackendModule(std::string_view backend) {
    if (const BackendModule* const builtin = builtinModule(backend)) {
        builtin->registerAll();
        return {};
    }
    const char* const given = std::getenv("GLYCINE_MODULES");
    const bool isGiven = given != nullptr && *given != '\0';
    try {
        const void* const table =
            tableOf(backend, isGiven ? std::vector<std::filesystem::path>{given} : ownFolders(),
                    fmt::format("glycine-{}", backend), isGiven ? ", which GLYCINE_MODULES names" : "",
                    backend == "cuda" ? ", as does a build that finds nvcc" : "");
        static_cast<const BackendModule*>(table)->registerAll();
        return {};
    } catch (const UnavailableError& error) {
        return error.what();
    }
}

}  // namespace glycine
