#pragma once

// The one place that names OpenGL's entry points. Nothing links OpenGL: each of them is a pointer that
// loadEntryPoints fills when a context has been made, so that a machine without OpenGL runs everything else.
// They lie in the namespace of the project, where they hide the functions that the header declares and cannot
// be mistaken for them by a program that links OpenGL itself.

#include <GL/gl.h>
#include <GL/glext.h>

#include <string_view>

/// Every function that the engine calls, with its type. The header names no types for those of OpenGL 1.1.
#define GLYCINE_GL_FUNCTIONS(X)                                      \
    X(glActiveTexture, PFNGLACTIVETEXTUREPROC)                       \
    X(glAttachShader, PFNGLATTACHSHADERPROC)                         \
    X(glBindAttribLocation, PFNGLBINDATTRIBLOCATIONPROC)             \
    X(glBindBuffer, PFNGLBINDBUFFERPROC)                             \
    X(glBindBufferBase, PFNGLBINDBUFFERBASEPROC)                     \
    X(glBindBufferRange, PFNGLBINDBUFFERRANGEPROC)                   \
    X(glBindFramebuffer, PFNGLBINDFRAMEBUFFERPROC)                   \
    X(glBindTexture, decltype(&::glBindTexture))                     \
    X(glBindVertexArray, PFNGLBINDVERTEXARRAYPROC)                   \
    X(glBufferData, PFNGLBUFFERDATAPROC)                             \
    X(glBufferSubData, PFNGLBUFFERSUBDATAPROC)                       \
    X(glCheckFramebufferStatus, PFNGLCHECKFRAMEBUFFERSTATUSPROC)     \
    X(glClear, decltype(&::glClear))                                 \
    X(glClearColor, decltype(&::glClearColor))                       \
    X(glCompileShader, PFNGLCOMPILESHADERPROC)                       \
    X(glCopyTexSubImage2D, decltype(&::glCopyTexSubImage2D))         \
    X(glCreateProgram, PFNGLCREATEPROGRAMPROC)                       \
    X(glCreateShader, PFNGLCREATESHADERPROC)                         \
    X(glDebugMessageCallback, PFNGLDEBUGMESSAGECALLBACKPROC)         \
    X(glDeleteBuffers, PFNGLDELETEBUFFERSPROC)                       \
    X(glDeleteFramebuffers, PFNGLDELETEFRAMEBUFFERSPROC)             \
    X(glDeleteProgram, PFNGLDELETEPROGRAMPROC)                       \
    X(glDeleteShader, PFNGLDELETESHADERPROC)                         \
    X(glDeleteTextures, decltype(&::glDeleteTextures))               \
    X(glDeleteVertexArrays, PFNGLDELETEVERTEXARRAYSPROC)             \
    X(glDisable, decltype(&::glDisable))                             \
    X(glDisableVertexAttribArray, PFNGLDISABLEVERTEXATTRIBARRAYPROC) \
    X(glDispatchCompute, PFNGLDISPATCHCOMPUTEPROC)                   \
    X(glDrawArrays, decltype(&::glDrawArrays))                       \
    X(glDrawBuffers, PFNGLDRAWBUFFERSPROC)                           \
    X(glEnable, decltype(&::glEnable))                               \
    X(glEnableVertexAttribArray, PFNGLENABLEVERTEXATTRIBARRAYPROC)   \
    X(glFinish, decltype(&::glFinish))                               \
    X(glFramebufferTexture2D, PFNGLFRAMEBUFFERTEXTURE2DPROC)         \
    X(glFramebufferTextureLayer, PFNGLFRAMEBUFFERTEXTURELAYERPROC)   \
    X(glGenBuffers, PFNGLGENBUFFERSPROC)                             \
    X(glGenFramebuffers, PFNGLGENFRAMEBUFFERSPROC)                   \
    X(glGenFramebuffersEXT, PFNGLGENFRAMEBUFFERSEXTPROC)             \
    X(glGenTextures, decltype(&::glGenTextures))                     \
    X(glGenVertexArrays, PFNGLGENVERTEXARRAYSPROC)                   \
    X(glGetActiveUniform, PFNGLGETACTIVEUNIFORMPROC)                 \
    X(glGetBufferSubData, PFNGLGETBUFFERSUBDATAPROC)                 \
    X(glGetError, decltype(&::glGetError))                           \
    X(glGetIntegerv, decltype(&::glGetIntegerv))                     \
    X(glGetProgramInfoLog, PFNGLGETPROGRAMINFOLOGPROC)               \
    X(glGetProgramiv, PFNGLGETPROGRAMIVPROC)                         \
    X(glGetShaderInfoLog, PFNGLGETSHADERINFOLOGPROC)                 \
    X(glGetShaderiv, PFNGLGETSHADERIVPROC)                           \
    X(glGetString, decltype(&::glGetString))                         \
    X(glGetStringi, PFNGLGETSTRINGIPROC)                             \
    X(glGetTexImage, decltype(&::glGetTexImage))                     \
    X(glGetUniformBlockIndex, PFNGLGETUNIFORMBLOCKINDEXPROC)         \
    X(glGetUniformLocation, PFNGLGETUNIFORMLOCATIONPROC)             \
    X(glLinkProgram, PFNGLLINKPROGRAMPROC)                           \
    X(glMapBuffer, PFNGLMAPBUFFERPROC)                               \
    X(glMapBufferRange, PFNGLMAPBUFFERRANGEPROC)                     \
    X(glMemoryBarrier, PFNGLMEMORYBARRIERPROC)                       \
    X(glPixelStorei, decltype(&::glPixelStorei))                     \
    X(glReadBuffer, decltype(&::glReadBuffer))                       \
    X(glReadPixels, decltype(&::glReadPixels))                       \
    X(glScissor, decltype(&::glScissor))                             \
    X(glShaderSource, PFNGLSHADERSOURCEPROC)                         \
    X(glTexImage2D, decltype(&::glTexImage2D))                       \
    X(glTexImage3D, decltype(&::glTexImage3D))                       \
    X(glTexParameteri, decltype(&::glTexParameteri))                 \
    X(glTexSubImage2D, decltype(&::glTexSubImage2D))                 \
    X(glTexSubImage3D, decltype(&::glTexSubImage3D))                 \
    X(glUniform1f, PFNGLUNIFORM1FPROC)                               \
    X(glUniform1i, PFNGLUNIFORM1IPROC)                               \
    X(glUniform2f, PFNGLUNIFORM2FPROC)                               \
    X(glUniform2i, PFNGLUNIFORM2IPROC)                               \
    X(glUniform4f, PFNGLUNIFORM4FPROC)                               \
    X(glUniformBlockBinding, PFNGLUNIFORMBLOCKBINDINGPROC)           \
    X(glUnmapBuffer, PFNGLUNMAPBUFFERPROC)                           \
    X(glUseProgram, PFNGLUSEPROGRAMPROC)                             \
    X(glVertexAttribPointer, PFNGLVERTEXATTRIBPOINTERPROC)           \
    X(glViewport, decltype(&::glViewport))

namespace glycine {

#define GLYCINE_DECLARE(name, Type) extern Type name;
GLYCINE_GL_FUNCTIONS(GLYCINE_DECLARE)
#undef GLYCINE_DECLARE

namespace gl {

/// Gives the address of an entry point of the current context, or null.
using AddressOf = void (*(*)(const char* name))();

/// Fills the pointers above for the current context. Throws UnavailableError where the driver lacks one that
/// the engine cannot do without. Most drivers have an address for functions that their context refuses, too:
/// what a context can do is asked by version and extension.
void loadEntryPoints(AddressOf addressOf);

/// Whether the current context lists an extension of OpenGL or OpenGL ES: "GL_ARB_gpu_shader5".
bool hasExtension(std::string_view name);

/// Whether `word` stands in a list of words between blanks; a null list has none.
bool hasWord(const char* list, std::string_view word);

}  // namespace gl

}  // namespace glycine
