// The visible window of a run.
#include <chrono>
#include <thread>

#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::gl {
namespace {

/// A backend with a visible window; skips without a display.
class GlWindow : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        BackendOptions options;
        options.context = ContextKind::Glfw;
        options.dialect = GetParam();
        options.visibleWindow = true;
        std::string reason;
        // Xvfb restarts when its last client leaves, and refuses others meanwhile.
        for (int attempt = 0; attempt < 20 && !backend_; ++attempt) try {
                backend_ = std::make_unique<GlBackend>(options);
            } catch (const UnavailableError& error) {
                reason = error.what();
                if (std::getenv("DISPLAY") == nullptr) break;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        if (!backend_) GTEST_SKIP() << reason;
        DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(DebugLog::take(), IsEmpty()); }

    /// Colours at the middles of the window's columns, from the back buffer of a window of 640 × 480.
    std::vector<std::array<int, 3>> coloursShown(const Framebuffer& target, int columns) {
        backend_->window()->draw(target);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        std::vector<std::array<int, 3>> colours;
        for (int column = 0; column < columns; ++column) {
            std::array<std::uint8_t, 4> pixel{};
            glReadPixels((2 * column + 1) * 640 / columns / 2, 240, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                         pixel.data());
            colours.push_back({pixel[0], pixel[1], pixel[2]});
        }
        checkErrors("reading the window back");
        return colours;
    }

    std::unique_ptr<GlBackend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Dialects, GlWindow, testing::ValuesIn(allDialects()),
                         [](const auto& dialect) { return std::string(toString(dialect.param)); });

using Colours = std::vector<std::array<int, 3>>;
const Colours kFromBlackToWhite{{0, 0, 0}, {255, 0, 0}, {255, 255, 0}, {255, 255, 255}};

TEST_P(GlWindow, ShowsTheNumbersOfAPass) {
    RenderTexture source(backend_->textures(), {TextureFormat::RGBA32F, {1, 3}});
    RenderTexture target(backend_->textures(), {TextureFormat::RGBA32F, {1, 3}});
    std::vector<float> numbers;
    for (int row = 0; row < 3; ++row) numbers.insert(numbers.end(), {-3, -2, -1, 0});
    source.texture().upload(numbers.data());
    FragmentPass pass = backend_->pass("common/copy_texel.frag");
    pass.input("source", source.texture()).output(target.framebuffer());
    const std::size_t passes = backend_->window()->passes();
    const std::size_t frames = backend_->window()->frames();
    for (int draws = 0; draws < 1000 && backend_->window()->frames() == frames; ++draws) pass.draw();
    EXPECT_GT(backend_->window()->passes(), passes);
    EXPECT_EQ(backend_->window()->frames(), frames + 1);
    EXPECT_EQ(coloursShown(target.framebuffer(), 4), kFromBlackToWhite);

    // The state of the pass is restored: another draw goes to its target.
    target.framebuffer().clear();
    pass.output(target.framebuffer()).draw();
    std::vector<float> back(numbers.size());
    readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), back.data());
    EXPECT_EQ(back, numbers);
}

TEST_P(GlWindow, ShowsLayersAndWholeNumbers) {
    if (GetParam() == Dialect::Gl21) GTEST_SKIP() << "float rectangles alone";
    RenderTexture whole(backend_->textures(), {TextureFormat::RGBA32I, {1, 3}});
    const std::vector<std::int32_t> numbers{-1, 5, 11, 17, -1, 5, 11, 17, -1, 5, 11, 17};
    whole.texture().upload(numbers.data());
    EXPECT_EQ(coloursShown(whole.framebuffer(), 4), kFromBlackToWhite);

    RenderTexture layers(backend_->textures(), {TextureFormat::RGBA32UI, {1, 3}, 4});
    const std::vector<std::uint32_t> words{0, 0x55555555U, 0xaaaaaaaaU, 0xffffffffU,
                                           0, 0x55555555U, 0xaaaaaaaaU, 0xffffffffU,
                                           0, 0x55555555U, 0xaaaaaaaaU, 0xffffffffU};
    layers.texture().upload(words.data(), 0);
    EXPECT_EQ(coloursShown(layers.framebuffer(), 4), kFromBlackToWhite);
}

TEST_P(GlWindow, IsHiddenOrEndsTheRun) {
    RenderTexture target(backend_->textures(), {TextureFormat::RGBA32F, {2, 2}});
    FragmentPass pass = backend_->pass("common/canary.frag");
    pass.output(target.framebuffer()).uniform("passNumber", 1.0F);
    VisibleWindow& window = *backend_->window();
    window.cancel();
    EXPECT_THROW(for (int draws = 0; draws < 100000; ++draws) pass.draw(), CancelledError);
    window.hide();
    const std::size_t frames = window.frames();
    for (int draws = 0; draws < 100; ++draws) pass.draw();
    EXPECT_EQ(window.frames(), frames);
    EXPECT_FALSE(window.isOpen());
}

TEST(GlWindowPlace, KeepsTheAspectRatioInTheMiddle) {
    const auto cornersOf = [](glm::ivec2 image, glm::ivec2 window) {
        const glm::mat4 placing = placingOf(image, window);
        const glm::vec4 lower = placing * glm::vec4(0, 0, 0, 1), upper = placing * glm::vec4(1, 1, 0, 1);
        return std::array<float, 4>{lower.x, lower.y, upper.x, upper.y};
    };
    EXPECT_THAT(cornersOf({10, 10}, {200, 100}), ElementsAre(-0.5F, -1, 0.5F, 1));
    EXPECT_THAT(cornersOf({20, 5}, {100, 100}), ElementsAre(-1, -0.25F, 1, 0.25F));
    EXPECT_THAT(cornersOf({1000, 1}, {100, 100}), ElementsAre(-1, -0.0625F, 1, 0.0625F));
}

}  // namespace
}  // namespace glycine::gl
