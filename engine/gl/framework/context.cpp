#include "engine/gl/framework/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::gl {

namespace {

std::mutex mutex;
std::vector<std::string> messages;
constexpr std::size_t kMaxMessages = 100;

void GLAPIENTRY receive(GLenum /*source*/, GLenum type, GLuint id, GLenum severity, GLsizei length,
                        const GLchar* text, const void* /*user*/) {
    if (severity != GL_DEBUG_SEVERITY_HIGH && severity != GL_DEBUG_SEVERITY_MEDIUM) return;
    // Performance messages, such as a recompiled program or a moved buffer, indicate no mistake.
    if (type == GL_DEBUG_TYPE_PERFORMANCE) return;
    const std::lock_guard lock(mutex);
    if (messages.size() < kMaxMessages)
        messages.push_back(fmt::format("{} (id {}): {}",
                                       severity == GL_DEBUG_SEVERITY_HIGH ? "high" : "medium", id,
                                       std::string_view(text, static_cast<std::size_t>(length))));
}

}  // namespace

void DebugLog::install() {
    if (glDebugMessageCallback == nullptr) return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(receive, nullptr);
    while (glGetError() != GL_NO_ERROR) {
        // A context without KHR_debug may have the entry point and still refuse the calls.
    }
}

std::vector<std::string> DebugLog::take() {
    const std::lock_guard lock(mutex);
    return std::exchange(messages, {});
}

CurrentContext::~CurrentContext() {
    if (before_ != nullptr && before_ != Context::current()) before_->makeCurrent();
}

RequiredVersion requiredVersion(Dialect dialect) {
    switch (dialect) {
        case Dialect::Gl33:
            return {3, 3, false};
        case Dialect::Es300:
            return {3, 0, true};
        case Dialect::Gl21:
            break;
    }
    return {2, 1, false};
}

std::vector<RequiredVersion> wantedVersions(Dialect dialect) {
    if (dialect == Dialect::Gl33) return {{4, 3, false}, requiredVersion(dialect)};
    return {requiredVersion(dialect)};
}

namespace {

void checkVersion(Dialect dialect) {
    const auto* text = reinterpret_cast<const char*>(glGetString(GL_VERSION));
    const std::string_view full = text != nullptr ? text : "";
    std::string_view numbers = full;
    const bool isEs = full.starts_with("OpenGL ES ");
    if (isEs) numbers.remove_prefix(std::string_view("OpenGL ES ").size());
    int major = 0;
    int minor = 0;
    std::sscanf(std::string(numbers).c_str(), "%d.%d", &major, &minor);
    const RequiredVersion required = requiredVersion(dialect);
    if (isEs != required.isEs || major < required.major ||
        (major == required.major && minor < required.minor))
        throw UnavailableError(fmt::format("dialect {} needs OpenGL{} {}.{}; the driver gives '{}'",
                                           toString(dialect), required.isEs ? " ES" : "", required.major,
                                           required.minor, full));
}

}  // namespace

std::string lackOfMemory() {
    // Measured with Mesa's software renderer: 0.5 GiB plus some working memory, and per thread a stack and an
    // allocator arena. Of all that address space, 0.12 GiB are used.
    constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
    constexpr std::uint64_t kUsed = 192 * kMebibyte;
    constexpr std::uint64_t kMaxThreads = 32;
    const char* const given = std::getenv("LP_NUM_THREADS");
    const std::uint64_t threads = std::min<std::uint64_t>(
        given != nullptr ? std::strtoul(given, nullptr, 10) : std::thread::hardware_concurrency(),
        kMaxThreads);
    const std::uint64_t addressed = (640 + 72 * threads) * kMebibyte;
    const std::uint64_t left = freeAddressSpace();
    if (left < addressed)
        return fmt::format(
            "making an OpenGL context needs {} of address space, and the limit on it (ulimit -v) leaves {}",
            formatBytes(addressed), formatBytes(left));
    const HostMemory memory = availableHostMemory();
    if (memory.bytes < kUsed)
        return fmt::format("making an OpenGL context needs {} of memory, and {} {}", formatBytes(kUsed),
                           formatBytes(memory.bytes), memory.bound);
    return {};
}

std::unique_ptr<Context> Context::create(const ContextOptions& options) {
    if (const std::string lack = lackOfMemory(); !lack.empty()) throw MemoryError(lack);
    std::unique_ptr<Context> context;
    std::string eglReason;
    if (options.kind != ContextKind::Glfw && !options.visibleWindow) {
        try {
            context = createEglContext(options);
        } catch (const UnavailableError& error) {
            if (options.kind == ContextKind::Egl) throw;
            eglReason = error.what();
        }
    }
    if (!context) {
        if (options.kind == ContextKind::Egl) throw UsageError("a visible window needs --context glfw");
        try {
            context = createGlfwContext(options);
        } catch (const UnavailableError& error) {
            throw UnavailableError(eglReason.empty() ? error.what()
                                                     : fmt::format("{}\n{}", eglReason, error.what()));
        }
    }
    loadEntryPoints();
    while (glGetError() != GL_NO_ERROR) {
        // Discard errors left by context creation.
    }
    checkVersion(options.dialect);
    DebugLog::install();
    return context;
}

}  // namespace glycine::gl
