#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "engine/core/error.hpp"
#include "engine/gl/view/pass_picture.hpp"
#include "engine/gl/view/scene_renderer.hpp"
#include "engine/gl/view/window.hpp"

namespace glycine::view::gl {

using glycine::gl::Framebuffer;
using glycine::gl::GlBackend;
using glycine::gl::RenderTexture;
using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;

namespace {

/// Ends a run at the requested pass.
struct PassReached {};

glm::ivec2 pixelsOf(ImageSize size) {
    return {static_cast<int>(size.width), static_cast<int>(size.height)};
}

class GlViewer final : public Viewer {
  public:
    explicit GlViewer(GlBackend& backend) : backend_(backend) {}

    Image draw(const Scene& scene, const Camera& camera, ImageSize size) override {
        backend_.makeCurrent();
        const glm::ivec2 pixels = pixelsOf(size);
        SceneRenderer renderer(backend_);
        renderer.load(scene);
        Placing placing = renderer.fit(rotationOf(camera), pixels);
        placing.pixelAngstrom /= static_cast<float>(camera.zoom);
        renderer.draw(placing, pixels);
        const RenderTexture picture(backend_.textures(), {TextureFormat::RGBA32F, pixels});
        picture.framebuffer().bind();
        renderer.finish();
        Image image = readImage(picture);
        image.pixelsPerAngstrom = 1 / static_cast<double>(placing.pixelAngstrom);
        return image;
    }

    ShownPass drawPass(const PassShow& show, std::optional<std::size_t> pass, ImageSize size) override {
        backend_.makeCurrent();
        PassPicture picture(backend_, pixelsOf(size));
        ShownPass shown;
        const auto watch = [&](const glycine::gl::Program& program, const Framebuffer& target) {
            if (++shown.pass != pass) return;
            picture.paint(target, show.white);
            shown.program = program.name();
            shown.target = describeTarget(target);
            throw PassReached();
        };
        try {
            const WatchedPasses watched(backend_, watch);
            const Matrix<float> result = show.run(show.variants.at(show.variant));
            if (pass) throw UsageError(fmt::format("--pass {}: the run has {} passes", *pass, shown.pass));
            picture.paint(result, show.white);
            shown.target = fmt::format("{} x {}", result.columns(), result.rows());
        } catch (const PassReached&) {
            backend_.finish();
        }
        shown.image = readImage(picture.texture());
        return shown;
    }

    void show(const MoleculeShow& show, const WindowOptions& options) override {
        backend_.makeCurrent();
        showMolecule(backend_, show, options);
    }
    void show(const PassShow& show, const WindowOptions& options) override {
        backend_.makeCurrent();
        showPasses(backend_, show, options);
    }

  private:
    GlBackend& backend_;
};

}  // namespace

WatchedPasses::WatchedPasses(GlBackend& backend, Watcher watcher)
    : backend_(backend), before_(backend.geometry().watcher()) {
    backend_.geometry().watch(
        [watcher = std::move(watcher)](const glycine::gl::Program& program, const Framebuffer& target) {
            if (target.shape().size != glm::ivec2(1)) watcher(program, target);
        });
}

WatchedPasses::~WatchedPasses() {
    backend_.geometry().watch(std::move(before_));
}

PassPicture::PassPicture(GlBackend& backend, glm::ivec2 size)
    : backend_(backend),
      painter_(backend.textures(), backend.geometry(), backend.programs()),
      picture_(backend.textures(), {TextureFormat::RGBA32F, size}) {}

void PassPicture::paint(const Framebuffer& target, double white) {
    const glycine::gl::SavedGlState kept;
    const glm::ivec2 pixels = size();
    picture_.framebuffer().bind();
    glViewport(0, 0, pixels.x, pixels.y);
    glScissor(0, 0, pixels.x, pixels.y);
    glClearColor(0.2F, 0.2F, 0.2F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const glm::mat4 topDown = glm::scale(glm::mat4(1), glm::vec3(1, -1, 1));
    painter_.paint(target, {0, 1 / static_cast<float>(white)},
                   topDown * glycine::gl::placingOf(glycine::gl::numbersOf(target), pixels));
    glycine::gl::checkErrors("drawing a pass");
}

void PassPicture::paint(const Matrix<float>& matrix, double white) {
    RenderTexture texture(backend_.textures(), {TextureFormat::R32F, {matrix.columns(), matrix.rows()}});
    texture.texture().upload(matrix.data());
    paint(texture.framebuffer(), white);
}

std::string describeTarget(const Framebuffer& target) {
    const TextureShape& shape = target.shape();
    const std::string layers = shape.layers > 0 ? fmt::format(" x {}", shape.layers) : "";
    return fmt::format("{} x {}{} {}", shape.size.x, shape.size.y, layers, info(shape.format).name);
}

Image readImage(const RenderTexture& texture) {
    const glm::ivec2 size = texture.shape().size;
    const auto width = static_cast<std::size_t>(size.x);
    const auto height = static_cast<std::size_t>(size.y);
    std::vector<float> texels(4 * width * height);
    readPixels(texture.framebuffer(), 0, TextureFormat::RGBA32F, texture.texture().extent(), texels.data());
    Image image{{width, height}, std::vector<Rgb>(width * height)};
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t c = 0; c < 3; ++c)
                image.pixels[(height - 1 - y) * width + x][c] = static_cast<std::uint8_t>(
                    std::lround(255 * std::clamp(texels[4 * (y * width + x) + c], 0.0F, 1.0F)));
    return image;
}

Implementation<Viewer> viewer() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<Viewer> {
                return std::make_unique<GlViewer>(dynamic_cast<GlBackend&>(backend));
            }};
}

}  // namespace glycine::view::gl
