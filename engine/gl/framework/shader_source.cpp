#include "engine/gl/framework/shader_source.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "engine/core/error.hpp"

namespace glycine::gl {

namespace {

std::string loadFile(std::string_view name, const std::string& overrideFolder) {
    if (!overrideFolder.empty()) {
        std::ifstream file(fmt::format("{}/{}", overrideFolder, name));
        if (file) {
            std::ostringstream text;
            text << file.rdbuf();
            return text.str();
        }
    }
    const EmbeddedFiles& shaders = embeddedShaders();
    const auto found = shaders.find(name);
    if (found == shaders.end()) throw UsageError(fmt::format("no shader '{}' is built in", name));
    return std::string(found->second);
}

std::string resolveIncludes(const std::string& text, const std::string& overrideFolder) {
    std::istringstream lines(text);
    std::string result;
    constexpr std::string_view kDirective = "#include \"";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kDirective)) {
            const auto name = line.substr(kDirective.size(), line.rfind('"') - kDirective.size());
            result += resolveIncludes(loadFile(name, overrideFolder), overrideFolder);
        } else if (line.ends_with('\\')) {
            result += line.substr(0, line.size() - 1);  // GLSL 3.30 does not know continued lines
        } else {
            result += line + '\n';
        }
    }
    return result;
}

}  // namespace

std::string assembleShader(Dialect dialect, ShaderStage stage, std::string_view bodyFile,
                           const ShaderDefines& defines, const std::string& overrideFolder) {
    // #version must come first, the defines before the parts of the prologue that depend on them.
    const std::string prologue =
        loadFile(fmt::format("prologues/{}.glsl", toString(dialect)), overrideFolder);
    const auto versionEnd = prologue.find('\n') + 1;
    std::string source = prologue.substr(0, versionEnd);
    source += stage == ShaderStage::Vertex ? "#define VERTEX_STAGE\n" : "#define FRAGMENT_STAGE\n";
    for (const auto& [name, value] : defines) source += fmt::format("#define {} {}\n", name, value);
    source += resolveIncludes(prologue.substr(versionEnd), overrideFolder);
    source += "#line 1\n";
    source += resolveIncludes(loadFile(bodyFile, overrideFolder), overrideFolder);
    return source;
}

std::string assembleComputeShader(std::string_view file, const ShaderDefines& defines,
                                  const std::string& overrideFolder) {
    const std::string text = loadFile(file, overrideFolder);
    const auto versionEnd = text.find('\n') + 1;
    std::string source = text.substr(0, versionEnd);
    for (const auto& [name, value] : defines) source += fmt::format("#define {} {}\n", name, value);
    return source + "#line 2\n" + resolveIncludes(text.substr(versionEnd), overrideFolder);
}

}  // namespace glycine::gl
