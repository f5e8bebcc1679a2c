// Avoids the types of window systems, which no context here uses.
#define EGL_NO_PLATFORM_SPECIFIC_TYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>

#include <utility>

#include "engine/core/error.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"

namespace glycine::gl {

namespace {

template <class Function>
Function entryPoint(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

struct EnumeratedDevice {
    EGLDeviceEXT handle;
    bool isSoftware;
    std::string description;
};

/// All EGL devices, hardware before software, as `--device` numbers them.
std::vector<EnumeratedDevice> enumerateDevices() {
    const char* clientExtensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!hasWord(clientExtensions, "EGL_EXT_device_enumeration") &&
        !hasWord(clientExtensions, "EGL_EXT_device_base"))
        return {};
    const auto queryDevices = entryPoint<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    const auto queryString = entryPoint<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    if (queryDevices == nullptr || queryString == nullptr) return {};
    EGLint count = 0;
    if (!queryDevices(0, nullptr, &count) || count == 0) return {};
    std::vector<EGLDeviceEXT> handles(static_cast<std::size_t>(count));
    if (!queryDevices(count, handles.data(), &count)) return {};

    std::vector<EnumeratedDevice> hardware;
    std::vector<EnumeratedDevice> software;
    for (const EGLDeviceEXT handle : handles) {
        const char* extensions = queryString(handle, EGL_EXTENSIONS);
        const bool isSoftware = hasWord(extensions, "EGL_MESA_device_software");
        std::string description = isSoftware ? "software renderer" : "graphics processor";
        // Querying a device string is an error unless the device lists the extension.
        if (hasWord(extensions, "EGL_EXT_device_drm")) {
            if (const char* file = queryString(handle, EGL_DRM_DEVICE_FILE_EXT))
                description += fmt::format(" ({})", file);
        } else if (hasWord(extensions, "EGL_NV_device_cuda")) {
            description += " (NVIDIA)";
        }
        (isSoftware ? software : hardware).push_back({handle, isSoftware, description});
    }
    hardware.insert(hardware.end(), software.begin(), software.end());
    return hardware;
}

class EglContext final : public Context {
  public:
    EglContext(std::string origin, EGLDisplay display, EGLContext context, EGLSurface surface)
        : Context(std::move(origin)), display_(display), context_(context), surface_(surface) {}
    ~EglContext() override {
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        if (surface_ != EGL_NO_SURFACE) eglDestroySurface(display_, surface_);
        // All contexts of the process on a device share its display, so it stays initialised.
    }
    void makeItCurrent() override {
        if (!eglMakeCurrent(display_, surface_, surface_, context_))
            throw DeviceError(fmt::format("eglMakeCurrent failed (EGL error 0x{:04x})", eglGetError()));
    }

  private:
    EGLDisplay display_;
    EGLContext context_;
    EGLSurface surface_;
};

std::unique_ptr<Context> makeContext(EGLDisplay display, const std::string& origin, Dialect dialect) {
    const auto fail = [&](const std::string& what) {
        throw UnavailableError(fmt::format("{}: {} (EGL error 0x{:04x})", origin, what, eglGetError()));
    };
    if (display == EGL_NO_DISPLAY) fail("no display");
    EGLint major = 0;
    EGLint minor = 0;
    if (!eglInitialize(display, &major, &minor)) fail("cannot be initialised");
    const RequiredVersion version = requiredVersion(dialect);
    if (!eglBindAPI(version.isEs ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        fail(version.isEs ? "has no OpenGL ES" : "has no OpenGL");

    const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
    EGLConfig config = nullptr;  // EGL_NO_CONFIG_KHR
    EGLSurface surface = EGL_NO_SURFACE;
    const bool surfaceless = hasWord(extensions, "EGL_KHR_surfaceless_context");
    if (!hasWord(extensions, "EGL_KHR_no_config_context") || !surfaceless) {
        const EGLint wanted[] = {EGL_SURFACE_TYPE, surfaceless ? EGL_DONT_CARE : EGL_PBUFFER_BIT,
                                 EGL_RENDERABLE_TYPE, version.isEs ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
                                 EGL_NONE};
        EGLint count = 0;
        if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0)
            fail("has no usable configuration");
        if (!surfaceless) {
            const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
            surface = eglCreatePbufferSurface(display, config, size);
            if (surface == EGL_NO_SURFACE) fail("gives no pbuffer");
        }
    }

    EGLContext context = EGL_NO_CONTEXT;
    for (const RequiredVersion& wanted : wantedVersions(dialect)) {
        std::vector<EGLint> attributes{EGL_CONTEXT_MAJOR_VERSION, wanted.major, EGL_CONTEXT_MINOR_VERSION,
                                       wanted.minor};
        if (dialect == Dialect::Gl33)
            attributes.insert(attributes.end(),
                              {EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT});
        attributes.insert(attributes.end(), {EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE, EGL_NONE});
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
        if (context != EGL_NO_CONTEXT) break;
    }
    if (context == EGL_NO_CONTEXT) {
        if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
        fail(fmt::format("gives no OpenGL{} {}.{} context", version.isEs ? " ES" : "", version.major,
                         version.minor));
    }
    auto result = std::make_unique<EglContext>(origin, display, context, surface);
    result->makeCurrent();
    return result;
}

EGLDisplay platformDisplay(EGLenum platform, void* native) {
    const auto getDisplay = entryPoint<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    return getDisplay == nullptr ? EGL_NO_DISPLAY : getDisplay(platform, native, nullptr);
}

bool isDrawnByProcessor() {
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return renderer != nullptr && isSoftwareRenderer(renderer);
}

}  // namespace

std::vector<std::string> listDevices() {
    std::vector<std::string> lines;
    if (!lackOfMemory().empty()) return lines;
    for (const EnumeratedDevice& device : enumerateDevices()) lines.push_back(device.description);
    return lines;
}

std::unique_ptr<Context> createEglContext(const ContextOptions& options) {
    const std::vector<EnumeratedDevice> devices = enumerateDevices();
    const auto onDevice = [&](std::size_t index) {
        return makeContext(platformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[index].handle),
                           fmt::format("EGL device {}", index), options.dialect);
    };
    if (options.device) {
        const int index = *options.device;
        if (index < 0 || static_cast<std::size_t>(index) >= devices.size())
            throw UsageError(
                fmt::format("there is no gl device {}; EGL lists {} (see 'glycine info')", index,
                            devices.empty() ? "none" : fmt::format("0 to {}", devices.size() - 1)));
        return onDevice(static_cast<std::size_t>(index));
    }

    std::string tried;
    const auto note = [&](const Error& error) { tried += fmt::format("\n  {}", error.what()); };
    const bool hasHardware = !devices.empty() && !devices.front().isSoftware;
    try {
        auto context = makeContext(platformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY),
                                   "EGL surfaceless", options.dialect);
        // The surfaceless platform is Mesa's: next to another vendor's GPU it would select software
        // rendering.
        if (!hasHardware || !isDrawnByProcessor()) return context;
    } catch (const UnavailableError& error) {
        note(error);
    }
    for (std::size_t index = 0; index < devices.size(); ++index) {
        try {
            return onDevice(index);
        } catch (const UnavailableError& error) {
            note(error);
        }
    }
    try {
        return makeContext(eglGetDisplay(EGL_DEFAULT_DISPLAY), "EGL default display", options.dialect);
    } catch (const UnavailableError& error) {
        note(error);
    }
    throw UnavailableError("EGL gives no context; tried:" + tried);
}

}  // namespace glycine::gl
