#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

/// What the driver complained about through KHR_debug, on any context of this process. Only messages of high
/// or medium severity are kept, at most a hundred; tests assert that there are none.
class DebugLog {
  public:
    /// Starts listening on the current context, where it has KHR_debug.
    static void install();
    /// Returns the messages so far and forgets them.
    static std::vector<std::string> take();
};

/// Which context to make.
struct ContextOptions {
    ContextKind kind = ContextKind::Automatic;
    Dialect dialect = Dialect::Gl33;
    std::optional<int> device;   ///< index in listDevices(); absent: the best one
    bool visibleWindow = false;  ///< through GLFW only
};

/// A current OpenGL or OpenGL ES context with its entry points loaded. Everything in engine/gl works on the
/// context that is current on the calling thread; objects must die before their context.
class Context {
  public:
    virtual ~Context() {
        if (current_ == this) current_ = nullptr;
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// Makes a context current, loads the entry points, checks the version that `dialect` needs and switches
    /// debug messages on. Throws UnavailableError that lists what was tried.
    static std::unique_ptr<Context> create(const ContextOptions& options);

    void makeCurrent() {
        makeItCurrent();
        current_ = this;
    }
    /// The one that was made current last on the calling thread, if it still is there.
    static Context* current() { return current_; }
    /// How it was made: "EGL surfaceless", "EGL device 0", "EGL default display", "GLFW hidden window".
    const std::string& origin() const { return origin_; }

  protected:
    explicit Context(std::string origin) : origin_(std::move(origin)) {}
    virtual void makeItCurrent() = 0;

  private:
    static inline thread_local Context* current_ = nullptr;
    std::string origin_;
};

/// Makes a context current while it lives; then the one again that was so before.
class CurrentContext {
  public:
    explicit CurrentContext(Context& context) : before_(Context::current()) { context.makeCurrent(); }
    ~CurrentContext();
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

  private:
    Context* before_;
};

/// One line a device that EGL can enumerate, in the order of ContextOptions::device: hardware first.
/// Empty where EGL cannot enumerate.
std::vector<std::string> listDevices();

/// Why drivers must not be touched for want of memory; empty where there is enough. Some end the program when
/// an allocation fails while a context is made, so this is looked at before a library is loaded.
std::string lackOfMemory();

/// Makers behind Context::create; each returns a current context or throws UnavailableError.
std::unique_ptr<Context> createEglContext(const ContextOptions& options);
std::unique_ptr<Context> createGlfwContext(const ContextOptions& options);

/// The GL version that a dialect needs, as {major, minor, isEs}.
struct RequiredVersion {
    int major;
    int minor;
    bool isEs;
};
RequiredVersion requiredVersion(Dialect dialect);
/// The versions to ask a driver for, one after the other until it gives a context. Some give exactly what
/// they are asked for: the first has the compute stage, whose speed `bench device` measures.
std::vector<RequiredVersion> wantedVersions(Dialect dialect);

}  // namespace glycine::gl
