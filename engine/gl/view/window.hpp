#pragma once

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/view/viewer.hpp"

/// The viewer's windows, with controls by Dear ImGui. A build without that library uses no_window.cpp instead
/// of window.cpp.
namespace glycine::view::gl {

void showMolecule(glycine::gl::GlBackend& backend, const MoleculeShow& show, const WindowOptions& options);
void showPasses(glycine::gl::GlBackend& backend, const PassShow& show, const WindowOptions& options);

}  // namespace glycine::view::gl
