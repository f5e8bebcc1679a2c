#pragma once

// The only header that includes the loader: GLEW declares every entry point of OpenGL.
#include <GL/glew.h>

#include <string_view>

namespace glycine::gl {

/// Loads the entry points for the current context. Throws UnavailableError if GLEW fails or framebuffer
/// objects are missing. Most drivers also return addresses of functions that the context refuses, so check a
/// context's abilities by version and extension.
void loadEntryPoints();

/// Whether the current context lists an extension of OpenGL or OpenGL ES: "GL_ARB_gpu_shader5".
bool hasExtension(std::string_view name);

/// Whether the blank-separated list `list` contains `word`; a null list is empty.
bool hasWord(const char* list, std::string_view word);

}  // namespace glycine::gl
