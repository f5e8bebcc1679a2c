#include "engine/gl/framework/debug_log.hpp"

#include <fmt/format.h>

#include <mutex>
#include <string_view>
#include <utility>

#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

namespace {

std::mutex mutex;
std::vector<std::string> messages;
constexpr std::size_t kMostMessages = 100;

void GLAPIENTRY receive(GLenum /*source*/, GLenum type, GLuint id, GLenum severity, GLsizei length,
                        const GLchar* text, const void* /*user*/) {
    if (severity != GL_DEBUG_SEVERITY_HIGH && severity != GL_DEBUG_SEVERITY_MEDIUM) return;
    // A driver that recompiles a program or moves a buffer tells of speed, not of a mistake.
    if (type == GL_DEBUG_TYPE_PERFORMANCE) return;
    const std::lock_guard lock(mutex);
    if (messages.size() < kMostMessages)
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
        // A context without KHR_debug has the entry point all the same and refuses the calls.
    }
}

std::vector<std::string> DebugLog::take() {
    const std::lock_guard lock(mutex);
    return std::exchange(messages, {});
}

}  // namespace glycine::gl
