#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/embedded_files.hpp"

namespace glycine::gl {

/// Of shaders/: "bounds/smooth_upper_scalar.frag".
const EmbeddedFiles& embeddedShaders();

enum class ShaderStage { Vertex, Fragment };

/// Preprocessor names put between prologue and body: {"ROWS", "8"} becomes `#define ROWS 8`.
using ShaderDefines = std::vector<std::pair<std::string, std::string>>;

/// Puts a complete shader together: the dialect's prologue, the defines, the body. A body is written in the
/// common subset of GLSL 3.30 and ESSL 3.00 and has no `#version`; `#include "common/x.glsl"` is replaced by
/// that file. `overrideFolder` (may be empty) is searched before the built-in files. Throws UsageError for a
/// file that does not exist.
std::string assembleShader(Dialect dialect, ShaderStage stage, std::string_view bodyFile,
                           const ShaderDefines& defines, const std::string& overrideFolder);

/// A program of the compute stage, which is complete as it stands in its file: defines go behind its
/// `#version`.
std::string assembleComputeShader(std::string_view file, const ShaderDefines& defines,
                                  const std::string& overrideFolder);

}  // namespace glycine::gl
