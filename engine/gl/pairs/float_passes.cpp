#include "engine/gl/pairs/float_passes.hpp"

#include <algorithm>

namespace glycine::pairs::gl {

namespace {
/// Texels of each of the two operands that a pass reads: the limit of loops on GPUs of 2005.
constexpr int kTexelsPerPass = 255;
/// Fragments read whole groups of instances.
constexpr std::size_t kInstanceGroup = 8;
}  // namespace

PanelLayout FloatLayout::panels() const {
    PanelLayout result;
    result.attributesPerUnit = attributesPerTexel();
    result.bytesPerTexel = isScalar ? 4 : 16;
    result.rowsPerTexel = rowsPerTexel;
    result.columnsPerTexel = columnsPerTexel;
    result.targets = 2;
    return result;
}

FloatPasses::FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                         std::string shader, glycine::gl::ShaderDefines defines, Fill fill, float padding)
    : FloatPasses(backend, layout, plan, std::move(shader), std::move(defines),
                  [this, fill = std::move(fill), padding](const Range& instances, const Range& attributes,
                                                          glycine::gl::Texture& target) {
                      const auto height = static_cast<std::size_t>(target.shape().size.y);
                      const std::size_t width =
                          static_cast<std::size_t>(target.shape().size.x) * layout_.attributesPerTexel();
                      clock_.restart();
                      Matrix<float> values(height, width, padding);
                      fill(instances, attributes,
                           values.view().block(0, 0, instances.size(), attributes.size()));
                      clock_.finishStage(times_.pack);
                      target.upload(values.data());
                      clock_.finishStage(times_.upload);
                  }) {}

FloatPasses::FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                         std::string shader, glycine::gl::ShaderDefines defines, Draw draw)
    : backend_(backend),
      layout_(layout),
      plan_(plan),
      shader_(std::move(shader)),
      defines_(std::move(defines)),
      draw_(std::move(draw)),
      normalised_(backend.dialect() != Dialect::Gl21 && backend.gl().bugs.slowTexelFetch),
      texels_{layout.rowsPerTexel, layout.columnsPerTexel},
      sums_(backend.textures(), texels_.shape(glycine::gl::TextureFormat::RGBA32F, plan.side)),
      panels_(backend.textures()),
      clock_(backend) {
    defines_.push_back({"OUTPUTS", std::to_string(texels_.rowsPerTexel)});
    if (layout_.isScalar) defines_.push_back({"SCALAR", ""});
    if (normalised_) defines_.push_back({"NORMALISED", ""});
}

void FloatPasses::begin() {
    backend_.makeCurrent();
    backend_.budget().restart(glycine::gl::nameOf(shader_, defines_));
    clock_.restart();
}

void FloatPasses::end() {
    backend_.canary().check("comparing instances");
}

const glycine::gl::Texture& FloatPasses::panel(const Range& instances, const Range& attributes) {
    const std::size_t perTexel = layout_.attributesPerTexel();
    const std::size_t width = roundUp(attributes.size(), perTexel);
    const std::size_t height = roundUp(instances.size(), kInstanceGroup);
    const glycine::gl::TextureShape shape{
        layout_.isScalar ? glycine::gl::TextureFormat::R32F : glycine::gl::TextureFormat::RGBA32F,
        {width / perTexel, height}};
    return panels_.get(instances, attributes, shape, [&](glycine::gl::Texture& texture) {
        draw_(instances, attributes, texture);
        clock_.restart();
    });
}

const glycine::gl::Texture& FloatPasses::sum(const PairTile& piece, const Range& attributes, double work,
                                             Progress& progress) {
    clock_.restart();
    sums_.source().framebuffer().clear();
    for (const Range& offset : splitRange(attributes.size(), plan_.attributes)) {
        const Range block{attributes.begin + offset.begin, attributes.begin + offset.end};
        const glycine::gl::Texture& rows = panel(piece.rows, block);
        const glycine::gl::Texture& columns = panel(piece.columns, block);
        const int width = rows.shape().size.x;
        for (int first = 0; first < width; first += kTexelsPerPass) {
            const int texels = std::min(kTexelsPerPass, width - first);
            glycine::gl::FragmentPass pass = backend_.pass(shader_, defines_);
            pass.input("rowPanel", rows)
                .input("columnPanel", columns)
                .input("sums", sums_.source().texture())
                .output(sums_.target().framebuffer())
                .uniform("firstTexel", static_cast<float>(first))
                .uniform("texels", texels);
            if (normalised_)
                pass.uniform("rowTexel", glycine::gl::texelSize(rows))
                    .uniform("columnTexel", glycine::gl::texelSize(columns));
            const double share =
                static_cast<double>(block.size()) * texels / width / static_cast<double>(attributes.size());
            drawPairs(backend_.budget(), piece, texels_, texels, work * share, progress,
                      [&](const glycine::gl::Rectangle& rect) { pass.draw(rect); });
            sums_.swap();
        }
        clock_.finishStage(times_.compute);
    }
    return sums_.source().texture();
}

FloatLayout packedLayout(const glycine::gl::GlCapabilities& capabilities) {
    const bool hasTargets = capabilities.features.multipleTargets;
    return {false, 4, hasTargets ? static_cast<std::size_t>(capabilities.limits.targetsAtOnce()) : 1};
}

}  // namespace glycine::pairs::gl
