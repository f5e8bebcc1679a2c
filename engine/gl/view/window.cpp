#include "engine/gl/view/window.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <thread>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/view/pass_picture.hpp"
#include "engine/gl/view/scene_renderer.hpp"

namespace glycine::view::gl {

using glycine::gl::Framebuffer;
using glycine::gl::GlBackend;
using glycine::gl::Program;

namespace {

/// Thrown when the user closes the window, to end the run in it.
struct Closed {};

/// A combo box for an enumeration. Returns whether the value changed.
template <class Value>
bool choose(const char* label, Value& value) {
    bool isChanged = false;
    if (!ImGui::BeginCombo(label, std::string(toString(value)).c_str())) return false;
    for (const std::string_view name : namesOfAll<Value>())
        if (ImGui::Selectable(std::string(name).c_str(), name == toString(value))) {
            value = fromString<Value>(std::string(name));
            isChanged = true;
        }
    ImGui::EndCombo();
    return isChanged;
}

/// The window of a GLFW context, with Dear ImGui's controls.
class ControlledWindow {
  public:
    ControlledWindow(const GlBackend& backend, const std::string& title, const WindowOptions& options)
        : window_(glfwGetCurrentContext()), options_(options), title_(title) {
        if (window_ == nullptr) throw UnavailableError("this OpenGL context has no window to be seen");
        glfwSetKeyCallback(window_, nullptr);
        glfwSetWindowCloseCallback(window_, nullptr);
        glfwSetWindowSize(window_, static_cast<int>(options.size.width),
                          static_cast<int>(options.size.height));
        // A key that goes down and up between two frames counts.
        glfwSetInputMode(window_, GLFW_STICKY_KEYS, GLFW_TRUE);
        showState("");
        glfwSwapInterval(0);  // frames are paced here, since passes must not wait for the screen
        IMGUI_CHECKVERSION();
        ImGui::CreateContext();
        ImGui::StyleColorsLight();
        ImGui::GetIO().IniFilename = nullptr;
        const char* const version = backend.dialect() == Dialect::Es300  ? "#version 300 es"
                                    : backend.dialect() == Dialect::Gl21 ? "#version 120"
                                                                         : "#version 330 core";
        const bool hasInput = ImGui_ImplGlfw_InitForOpenGL(window_, true);
        if (!hasInput || !ImGui_ImplOpenGL3_Init(version)) {
            if (hasInput) ImGui_ImplGlfw_Shutdown();
            ImGui::DestroyContext();
            throw UnavailableError(
                fmt::format("Dear ImGui cannot draw in dialect {} here", toString(backend.dialect())));
        }
    }
    ~ControlledWindow() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    ControlledWindow(const ControlledWindow&) = delete;
    ControlledWindow& operator=(const ControlledWindow&) = delete;

    bool isOpen() const {
        return glfwWindowShouldClose(window_) == 0 && (!options_.frames || frames_ < *options_.frames);
    }
    /// Whether a key was pressed since the previous frame.
    bool isPressed(int key) {
        const bool isDown = glfwGetKey(window_, key) == GLFW_PRESS;
        const bool wasDown = std::exchange(isDown_[key], isDown);
        return isDown && !wasDown;
    }
    glm::ivec2 size() const {
        glm::ivec2 size(0);
        glfwGetFramebufferSize(window_, &size.x, &size.y);
        return glm::max(size, glm::ivec2(1));
    }

    /// Shows the state in the window's title.
    void showState(const std::string& state) {
        const std::string whole = fmt::format("{}{} - Glycine", title_, state);
        if (whole != shownTitle_) glfwSetWindowTitle(window_, whole.c_str());
        shownTitle_ = whole;
    }

    /// Processes input and begins a frame's controls. Throws CancelledError after Ctrl-C.
    void begin() {
        options_.progress.throwIfCancelled();
        const Clock::TimePoint now = Clock::now();
        if (now < next_) std::this_thread::sleep_for(next_ - now);
        next_ = Clock::now() +
                std::chrono::duration_cast<Clock::TimePoint::duration>(std::chrono::microseconds(16667));
        glfwPollEvents();
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplGlfw_NewFrame();
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({8, 8}, ImGuiCond_FirstUseEver);
        ImGui::SetNextWindowSize({250, 0}, ImGuiCond_FirstUseEver);
        ImGui::Begin("View", nullptr, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize);
        ImGui::PushItemWidth(120);
        if (isPressed(GLFW_KEY_ESCAPE)) glfwSetWindowShouldClose(window_, GLFW_TRUE);
    }
    /// Draws the controls over the back buffer and shows it.
    void end() {
        ImGui::PopItemWidth();
        ImGui::End();
        ImGui::Render();
        const glm::ivec2 pixels = size();
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, pixels.x, pixels.y);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        glfwSwapBuffers(window_);
        ++frames_;
    }

  private:
    GLFWwindow* window_;
    const WindowOptions& options_;
    std::string title_;
    std::string shownTitle_;  ///< with the state
    std::size_t frames_ = 0;
    std::map<int, bool> isDown_;
    Clock::TimePoint next_ = Clock::now();
};

/// Moves a scene by the mouse.
void moveScene(Placing& placing) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantCaptureMouse) return;
    const glm::vec2 moved(io.MouseDelta.x, -io.MouseDelta.y);
    if (io.MouseDown[0] && !io.KeyShift) {
        constexpr float kRadiansAPixel = 0.008F;
        const glm::vec3 axis(-moved.y, moved.x, 0);
        if (glm::length(axis) > 0)
            placing.rotation =
                glm::rotate(glm::mat4(1), kRadiansAPixel * glm::length(axis), glm::normalize(axis)) *
                placing.rotation;
    } else if (io.MouseDown[0] || io.MouseDown[1] || io.MouseDown[2]) {
        placing.pan += placing.pixelAngstrom * moved;
    }
    if (io.MouseWheel != 0) placing.pixelAngstrom *= std::pow(0.9F, io.MouseWheel);
}

/// Shows passes in a window as they run.
class PassWindow {
  public:
    PassWindow(GlBackend& backend, const PassShow& show, const WindowOptions& options)
        : backend_(backend), show_(show), window_(backend, show.title, options), variant_(show.variant) {}

    void run() {
        try {
            while (window_.isOpen()) {
                passes_ = 0;
                hasEnded_ = wantsRestart_ = false;
                next_ = Clock::now();
                runOnce();
                while (window_.isOpen() && !wantsRestart_) frame();
            }
        } catch (const Closed&) {
            backend_.finish();
        }
    }

  private:
    struct Restarted {};

    void runOnce() {
        try {
            const WatchedPasses watched(backend_, [this](const Program& program, const Framebuffer& target) {
                see(program, target);
            });
            const Matrix<float> result = show_.run(show_.variants[variant_]);
            hasEnded_ = true;
            shown_ = "the result: upper bounds above\nthe diagonal, lower ones below";
            picture().paint(result, show_.white);
        } catch (const Restarted&) {
            backend_.finish();
        }
    }

    /// Called after each pass: shows it when due, and waits while the run is stopped.
    void see(const Program& program, const Framebuffer& target) {
        ++passes_;
        const bool isStep = steps_ > 0;
        if (isStep) --steps_;
        if (!isStopped_ && !isStep) {
            // Show every pass up to 60 passes a second; at higher rates, every stride-th pass.
            const auto stride = static_cast<std::size_t>(std::max(1.0F, std::round(passesPerSecond_ / 60)));
            const bool isFastest = passesPerSecond_ >= kFastest;
            if (isFastest ? Clock::now() < next_ : passes_ % stride != 0) return;
        }
        const glycine::gl::SavedGlState kept;
        shown_ = fmt::format("pass {}: {}\ninto {}", passes_, program.name(), describeTarget(target));
        picture().paint(target, show_.white);
        const Clock::TimePoint due = std::max(next_, Clock::now());
        do {
            frame();
            if (!window_.isOpen()) throw Closed();
            if (wantsRestart_) throw Restarted();
        } while ((isStopped_ && steps_ == 0) || (!isStopped_ && Clock::now() < due));
        const float seconds = passesPerSecond_ < 60 ? 1 / passesPerSecond_ : 1 / 60.0F;
        next_ = Clock::now() +
                std::chrono::duration_cast<Clock::TimePoint::duration>(std::chrono::duration<float>(seconds));
    }

    PassPicture& picture() {
        const glm::ivec2 size = window_.size();
        if (!picture_ || picture_->size() != size) {
            // Creating a texture binds it. Use a unit that no pass uses, since the draws of a pass share
            // their inputs.
            glActiveTexture(GL_TEXTURE15);
            picture_.emplace(backend_, size);
        }
        return *picture_;
    }

    void frame() {
        window_.begin();
        window_.showState(fmt::format(": pass {}{}", passes_,
                                      hasEnded_    ? ", the result"
                                      : isStopped_ ? ", stopped"
                                                   : ""));
        if (ImGui::BeginCombo("variant", show_.variants[variant_].c_str())) {
            for (std::size_t k = 0; k < show_.variants.size(); ++k)
                if (ImGui::Selectable(show_.variants[k].c_str(), k == variant_)) {
                    variant_ = k;
                    wantsRestart_ = true;
                }
            ImGui::EndCombo();
        }
        if (ImGui::Button(isStopped_ ? "go on" : "stop") || window_.isPressed(GLFW_KEY_SPACE))
            isStopped_ = !isStopped_;
        ImGui::SameLine();
        if (ImGui::Button("one pass") || window_.isPressed(GLFW_KEY_RIGHT)) {
            isStopped_ = true;
            ++steps_;
        }
        ImGui::SameLine();
        if (ImGui::Button("again")) wantsRestart_ = true;
        ImGui::SliderFloat("passes/s", &passesPerSecond_, 1, kFastest,
                           passesPerSecond_ < kFastest ? "%.0f" : "all", ImGuiSliderFlags_Logarithmic);
        ImGui::TextUnformatted(shown_.c_str());
        ImGui::TextUnformatted(fmt::format("black 0, red, yellow, white {:.4g} A", show_.white).c_str());
        if (picture_) {
            const glm::ivec2 from = picture_->size();
            const glm::ivec2 to = window_.size();
            glBindFramebuffer(GL_READ_FRAMEBUFFER, picture_->texture().framebuffer().name());
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
            glScissor(0, 0, to.x, to.y);
            glBlitFramebuffer(0, 0, from.x, from.y, 0, 0, to.x, to.y, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        }
        window_.end();
    }

    static constexpr float kFastest = 20000;

    GlBackend& backend_;
    const PassShow& show_;
    ControlledWindow window_;
    std::optional<PassPicture> picture_;
    std::size_t variant_;
    std::size_t passes_ = 0;
    std::size_t steps_ = 0;  ///< requested steps
    float passesPerSecond_ = 60;
    bool isStopped_ = false;
    bool hasEnded_ = false;
    bool wantsRestart_ = false;
    std::string shown_;
    Clock::TimePoint next_ = Clock::now();
};

}  // namespace
void showMolecule(GlBackend& backend, const MoleculeShow& show, const WindowOptions& options) {
    ControlledWindow window(backend, show.title, options);
    SceneRenderer renderer(backend);
    Look look = show.look;
    renderer.load(show.scene(look));
    const auto fitted = [&] {
        Placing placing = renderer.fit(rotationOf(show.camera), window.size());
        placing.pixelAngstrom /= static_cast<float>(show.camera.zoom);
        return placing;
    };
    Placing placing = fitted();
    bool isSpinning = false;
    while (window.isOpen()) {
        window.begin();
        bool isChanged = choose("style", look.style);
        isChanged |= choose("colour", look.color);
        if (show.hasHydrogens) isChanged |= ImGui::Checkbox("hydrogens", &look.hydrogens);
        if (show.models > 1) {
            int model = static_cast<int>(look.model);
            isChanged |= ImGui::SliderInt("model", &model, 0, static_cast<int>(show.models),
                                          model == 0 ? "all" : "%d");
            look.model = static_cast<std::size_t>(model);
        }
        if (show.bounds > 0) {
            int lines = static_cast<int>(std::min(look.bounds, show.bounds));
            isChanged |= ImGui::SliderInt("bounds", &lines, 0, static_cast<int>(show.bounds));
            look.bounds = static_cast<std::size_t>(lines);
        }
        if (ImGui::Button("whole")) placing = fitted();
        ImGui::SameLine();
        ImGui::Checkbox("turn", &isSpinning);
        if (isChanged) {
            renderer.load(show.scene(look));
            placing.depth = renderer.fit(placing.rotation, window.size()).depth;
        }
        if (isSpinning)
            placing.rotation = glm::rotate(glm::mat4(1), 0.01F, glm::vec3(0, 1, 0)) * placing.rotation;
        moveScene(placing);
        renderer.draw(placing, window.size());
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        renderer.finish();
        window.end();
    }
}

void showPasses(GlBackend& backend, const PassShow& show, const WindowOptions& options) {
    PassWindow(backend, show, options).run();
}

}  // namespace glycine::view::gl
