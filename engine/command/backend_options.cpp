#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

constexpr const char* kGroup = "Device";

/// Which backends read an option.
struct OptionScope {
    std::string_view option;
    std::vector<std::string_view> backends;
};
const std::vector<OptionScope>& optionScopes() {
    static const std::vector<OptionScope> scopes{
        {"--threads", {"cpu"}},
        {"--simd", {"cpu"}},
        {"--dialect", {"gl"}},
        {"--context", {"gl"}},
        {"--visible", {"gl"}},
        {"--max-texture", {"gl"}},
        {"--max-memory", {"gl", "cuda"}},
        {"--pass-budget", {"gl"}},
        {"--shaders", {"gl"}},
    };
    return scopes;
}

bool isGiven(const CLI::App& command, const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
}

}  // namespace

void addBackendChoice(CLI::App& command, std::string& backend, std::string& variant) {
    command
        .add_option("--backend", backend,
                    "reference, cpu, gl or cuda (default: the best one; see `glycine info`)")
        ->type_name("B")
        ->group("Computation");
    command.add_option("--variant", variant, "How the backend runs it; `glycine list` shows the choice")
        ->type_name("V")
        ->group("Computation");
}

void addBackendOptions(CLI::App& command, BackendOptions& options) {
    command
        .add_option("--device", options.device,
                    "Index among the backend's devices; `glycine info` lists them")
        ->type_name("N")
        ->check(isNotNegative())
        ->group(kGroup);
    command.add_option("--threads", options.threads, "cpu: number of threads (default: one a core)")
        ->type_name("N")
        ->check(isPositive())
        ->group(kGroup);
    command
        .add_option_function<std::string>(
            "--simd",
            [&options](const std::string& name) { options.instructions = parseInstructionSet(name); },
            "cpu: generic, avx2 or avx512 (default: the widest that the processor has)")
        ->type_name("SET")
        ->group(kGroup);
    command
        .add_option_function<std::string>(
            "--dialect", [&options](const std::string& name) { options.dialect = parseDialect(name); },
            "gl: gl33 (default), es300 or gl21, the language of the shaders")
        ->type_name("D")
        ->group(kGroup);
    command
        .add_option_function<std::string>(
            "--context", [&options](const std::string& name) { options.context = parseContextKind(name); },
            "gl: auto (default), egl (no display needed) or glfw (a hidden window)")
        ->type_name("KIND")
        ->group(kGroup);
    command.add_flag("--visible", options.visibleWindow, "gl: show the window of --context glfw")
        ->group(kGroup);
    command
        .add_option(
            "--max-texture", options.maxTextureSize,
            "gl: use textures of at most this many texels a side; larger matrices are worked in tiles")
        ->type_name("N")
        ->check(isPositive())
        ->group(kGroup);
    command
        .add_option_function<std::string>(
            "--max-memory",
            [&options](const std::string& text) { options.maxDeviceBytes = parseByteSize(text); },
            "gl, cuda: use at most this much device memory, for example 512M or 4G")
        ->type_name("SIZE")
        ->group(kGroup);
    command
        .add_option("--pass-budget", options.passBudgetMilliseconds,
                    "gl: longest single draw in milliseconds (default: 250)")
        ->type_name("MS")
        ->check(isPositive())
        ->group(kGroup);
    command
        .add_option("--shaders", options.shaderFolder,
                    "gl: take shaders from this folder before the built-in ones")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory)
        ->group(kGroup);
}

void checkBackendOptions(const CLI::App& command, const std::vector<std::string>& backends) {
    if (isGiven(command, "--device") && backends.size() != 1)
        throw UsageError("--device counts the devices of one backend; name it with --backend");
    for (const OptionScope& scope : optionScopes()) {
        if (!isGiven(command, std::string(scope.option))) continue;
        const bool isRead =
            std::any_of(backends.begin(), backends.end(), [&scope](const std::string& backend) {
                return std::find(scope.backends.begin(), scope.backends.end(), backend) !=
                       scope.backends.end();
            });
        if (!isRead)
            throw UsageError(fmt::format("{} concerns {}, but this would run on {}; add --backend {}",
                                         scope.option, fmt::join(scope.backends, " and "),
                                         fmt::join(backends, ", "), scope.backends.front()));
    }
}

}  // namespace glycine
