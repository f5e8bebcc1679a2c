#pragma once

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/view/viewer.hpp"

/// The windows of the viewer, with controls by Dear ImGui; a build without that library has no_window.cpp in
/// place of window.cpp.
namespace glycine::view::gl {

void showMolecule(glycine::gl::GlBackend& backend, const MoleculeShow& show, const WindowOptions& options);
void showPasses(glycine::gl::GlBackend& backend, const PassShow& show, const WindowOptions& options);

}  // namespace glycine::view::gl
