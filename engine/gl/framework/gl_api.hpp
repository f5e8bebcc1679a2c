#pragma once

// The one place that names the loader: GLEW declares every entry point of OpenGL.
#include <GL/glew.h>

#include <string_view>

namespace glycine::gl {

/// Loads the entry points for the current context. Throws UnavailableError where GLEW cannot, or where there
/// are no framebuffer objects. Most drivers have an address for functions that their context refuses, too:
/// what a context can do is asked by version and extension.
void loadEntryPoints();

/// Whether the current context lists an extension of OpenGL or OpenGL ES: "GL_ARB_gpu_shader5".
bool hasExtension(std::string_view name);

/// Whether `word` stands in a list of words between blanks; a null list has none.
bool hasWord(const char* list, std::string_view word);

}  // namespace glycine::gl
