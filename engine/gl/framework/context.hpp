#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

/// Collects what drivers report through KHR_debug, on any context of this process. Keeps messages of high or
/// medium severity only, at most a hundred. Tests assert that there are none.
class DebugLog {
  public:
    /// Starts listening on the current context, if it has KHR_debug.
    static void install();
    /// Returns the messages so far and forgets them.
    static std::vector<std::string> take();
};

/// How to create a context.
struct ContextOptions {
    ContextKind kind = ContextKind::Automatic;
    Dialect dialect = Dialect::Gl33;
    std::optional<int> device;   ///< index in listDevices(); absent: the best one
    bool visibleWindow = false;  ///< through GLFW only
};

/// A current OpenGL or OpenGL ES context with its entry points loaded. Everything in engine/gl works on the
/// context that is current on the calling thread. GL objects must be destroyed before their context.
class Context {
  public:
    virtual ~Context() {
        if (current_ == this) current_ = nullptr;
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// Creates a context and makes it current, loads the entry points, checks the version that `dialect`
    /// requires, and enables debug messages. Throws UnavailableError, which lists every attempt.
    static std::unique_ptr<Context> create(const ContextOptions& options);

    void makeCurrent() {
        makeItCurrent();
        current_ = this;
    }
    /// The context that the calling thread made current last; null if it was destroyed since.
    static Context* current() { return current_; }
    /// How the context was created: "EGL surfaceless", "EGL device 0", "EGL default display", "GLFW hidden
    /// window".
    const std::string& origin() const { return origin_; }

  protected:
    explicit Context(std::string origin) : origin_(std::move(origin)) {}
    virtual void makeItCurrent() = 0;

  private:
    static inline thread_local Context* current_ = nullptr;
    std::string origin_;
};

/// Makes a context current during its lifetime, then restores the previous one.
class CurrentContext {
  public:
    explicit CurrentContext(Context& context) : before_(Context::current()) { context.makeCurrent(); }
    ~CurrentContext();
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

  private:
    Context* before_;
};

/// One line per device that EGL enumerates, in the order of ContextOptions::device: hardware first. Empty
/// where EGL cannot enumerate devices.
std::vector<std::string> listDevices();

/// Why there is too little memory to load a driver; empty if there is enough. Some drivers end the process
/// when an allocation fails during context creation, so call this before loading any library.
std::string lackOfMemory();

/// Implement Context::create. Each returns a current context or throws UnavailableError.
std::unique_ptr<Context> createEglContext(const ContextOptions& options);
std::unique_ptr<Context> createGlfwContext(const ContextOptions& options);

/// The GL version that a dialect needs, as {major, minor, isEs}.
struct RequiredVersion {
    int major;
    int minor;
    bool isEs;
};
RequiredVersion requiredVersion(Dialect dialect);
/// The versions to request from a driver, in this order, until it creates a context. Some drivers return
/// exactly the version requested. The first one has the compute stage, whose speed `bench device` measures.
std::vector<RequiredVersion> wantedVersions(Dialect dialect);

}  // namespace glycine::gl
