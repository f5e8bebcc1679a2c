#include "engine/gl/gl_backend.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/gl/self_test.hpp"

namespace glycine::gl {

GlBackend::GlBackend(const BackendOptions& options, const std::optional<GlBugs>& bugs)
    : options_(options), budget_(options.passBudgetMilliseconds) {
    context_ = Context::create({options.context, options.dialect, options.device, options.visibleWindow});
    gl_ = queryCapabilities(options);
    if (bugs) gl_.bugs = *bugs;
    programs_ = std::make_unique<ProgramCache>(options.dialect, options.shaderFolder);
    textures_ = std::make_unique<TexturePool>(gl_.limits.deviceBytes, options.dialect == Dialect::Gl21);
    geometry_ = std::make_unique<PassGeometry>();
    proveRenderTargets(gl_, *textures_, *geometry_, *programs_);
    if (!gl_.features.floatTargets)
        throw UnavailableError(fmt::format("{} ({}) cannot render to float textures in dialect {}: {}",
                                           gl_.renderer, gl_.version, toString(options.dialect),
                                           gl_.features.floatTargetsCause));
    canary_ = std::make_unique<Canary>(*textures_, *geometry_, *programs_);

    capabilities_ = describe(gl_);
    capabilities_.features.insert(
        capabilities_.features.begin(),
        {"context", context_->origin(), fmt::format("dialect {}", toString(options.dialect))});
    for (const PrecisionResult& result : measurePrecision(*textures_, *geometry_, *programs_))
        capabilities_.features.push_back(
            {fmt::format("precision of {}", result.operation),
             result.isExact ? "correctly rounded" : fmt::format("{:.1f} x 2^-24", result.largestError),
             "self-test: largest error on 256 inputs, relative (log: to at least 1)"});
    textures_->trim();
}

GlBackend::~GlBackend() {
    context_->makeCurrent();
}

void GlBackend::finish() {
    glFinish();
    checkErrors("waiting for the device");
}

FragmentPass GlBackend::pass(std::string_view fragmentFile, const ShaderDefines& defines) {
    return FragmentPass(*geometry_, programs_->get("common/rectangle.vert", fragmentFile, defines));
}

void registerGlBackend() {
    BackendRegistry::instance().add(
        {"gl", "OpenGL fragment shaders; on Mesa's software renderer where there is no GPU",
         [](const BackendOptions& options) { return std::make_unique<GlBackend>(options); }, listDevices});
}

}  // namespace glycine::gl
