#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo::gl {

namespace {

using glycine::gl::GlBackend;
using glycine::gl::PingPong;
using glycine::gl::PooledTexture;
using glycine::gl::Rectangle;
using glycine::gl::RenderTexture;
using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

// Constants that the shaders share (shaders/mutualinfo/add_redundancy.frag, choose_candidate.frag).
constexpr int kLowBits = 26;
constexpr std::int32_t kNever = -(1 << 30);
constexpr std::size_t kCandidatesPerFragment = 64;

constexpr std::size_t kTexelBytes = 16;
constexpr double kUnits = 0x1p40;  ///< per 1.0
/// Limit on values times genes, below which no sum reaches kNever.
constexpr double kLargestSum = 0x1p15;
/// Sums per draw, two per texel: a software renderer takes a tenth of a second.
constexpr std::size_t kTexelsAtOnce = std::size_t{1} << 20;
/// Selections read back together.
constexpr std::size_t kColumns = 64;

std::size_t texelsOf(std::size_t genes) {
    return (genes + 1) / 2;
}
std::size_t partsOf(std::size_t texels) {
    return (texels + kCandidatesPerFragment - 1) / kCandidatesPerFragment;
}

std::size_t bytesFor(std::size_t genes, std::size_t targets) {
    const std::size_t texels = texelsOf(genes);
    std::size_t ofTarget = 2 * texels + kColumns;
    for (std::size_t parts = partsOf(texels);; parts = partsOf(parts)) {
        ofTarget += parts;
        if (parts <= 1) break;
    }
    return kTexelBytes * (texels * genes + ofTarget * targets);
}

std::size_t targetsFor(GlBackend& backend, std::size_t genes) {
    const std::size_t most = std::clamp<std::size_t>(
        kTexelsAtOnce / std::max<std::size_t>(texelsOf(genes), 1), 1, std::max<std::size_t>(genes, 1));
    const std::size_t free = backend.textures().bytesFree();
    return std::max<std::size_t>(
        1, largestFitting(most, [&](std::size_t targets) { return bytesFor(genes, targets) <= free; }));
}

/// Splits into two limbs, in multiples of 2⁻⁴⁰.
void putLimbs(double value, std::int32_t* limbs) {
    const auto units = static_cast<std::int64_t>(value * kUnits);
    limbs[0] = static_cast<std::int32_t>(units >> kLowBits);
    limbs[1] = static_cast<std::int32_t>(units & ((std::int64_t{1} << kLowBits) - 1));
}
double sumOf(const std::int32_t* limbs) {
    return static_cast<double>(std::int64_t{limbs[0]} * (std::int64_t{1} << kLowBits) + limbs[1]) / kUnits;
}

/// All information in one texture, and one row of fragments per target. Integers make the sums exact, as in
/// float64.
class FragmentSelection final : public SelectionRun {
  public:
    FragmentSelection(GlBackend& backend, const SelectionRequest& request, std::size_t targets)
        : backend_(backend),
          request_(request),
          genes_(request.information->instances()),
          texels_(texelsOf(genes_)),
          targets_(targets),
          information_(backend.textures(), {TextureFormat::RGBA32I, {texels_, genes_}}),
          sums_(backend.textures(), {TextureFormat::RGBA32I, {texels_, targets}}),
          selected_(backend.textures(), {TextureFormat::RGBA32I, {kColumns, targets}}),
          values_(targets, genes_),
          limbs_(targets, 4 * texels_) {
        for (std::size_t parts = partsOf(texels_); parts > 1; parts = partsOf(parts))
            parts_.push_back(std::make_unique<RenderTexture>(
                backend.textures(), TextureShape{TextureFormat::RGBA32I, {parts, targets}}));
        for (const Range& rows : splitRange(genes_, targets)) {
            upload(rows, *information_, toInt(rows.begin),
                   [](std::size_t, std::size_t, double value) { return !std::isnan(value); });
        }
    }
    std::string_view variantName() const override { return "limbs"; }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        backend_.makeCurrent();
        for (const Range& part : splitRange(targets.size(), targets_))
            scoreAtOnce({targets.begin + part.begin, targets.begin + part.end},
                        scores.block(part.begin, 0, part.size(), genes_), progress);
        backend_.canary().check("selecting regulators");
    }

  private:
    template <class IsKnown>
    void upload(Range rows, glycine::gl::Texture& texture, int firstRow, const IsKnown& isKnown) {
        const MatrixView<double> values(values_.data(), rows.size(), genes_);
        request_.information->readBlock(rows, {0, genes_}, values);
        parallelFor(omp_get_max_threads(), rows.size(), [&](std::size_t r, std::size_t) {
            std::int32_t* const limbs = limbs_.row(r);
            for (std::size_t j = 0; j < 2 * texels_; ++j) {
                const std::size_t gene = rows.begin + r;
                const double value = j < genes_ && j != gene ? values(r, j) : 0;
                if (j < genes_ && isKnown(gene, j, value) &&
                    value * static_cast<double>(genes_) < kLargestSum)
                    putLimbs(value, limbs + 2 * j);
                else if (j < genes_ && isKnown(gene, j, value))
                    throw UnavailableError(
                        fmt::format("the backend 'gl' selects regulators where information is below {}; "
                                    "genes {} and {} have {}; use cpu or cuda",
                                    kLargestSum / static_cast<double>(genes_), j + 1, gene + 1, value));
                else
                    limbs[2 * j] = kNever, limbs[2 * j + 1] = 0;
            }
        });
        texture.upload(limbs_.data(), {{0, firstRow}, {toInt(texels_), toInt(rows.size())}}, toInt(texels_));
    }

    /// Finds the best candidate of each of the first `targets` targets.
    void choose(int targets, int column) {
        const glycine::gl::Texture* candidates = &sums_.source().texture();
        std::size_t texels = texels_;
        const auto draw = [&](const RenderTexture& target, int first, int width) {
            const bool isOfParts = candidates != &sums_.source().texture();
            backend_
                .pass("mutualinfo/choose_candidate.frag",
                      isOfParts ? glycine::gl::ShaderDefines{{"FIXED_POINT", ""}, {"BEST", ""}}
                                : glycine::gl::ShaderDefines{{"FIXED_POINT", ""}})
                .input("candidates", *candidates)
                .output(target.framebuffer())
                .uniform("texels", toInt(texels))
                .uniform("column", first)
                .draw({{first, 0}, {width, targets}});
            candidates = &target.texture();
            texels = static_cast<std::size_t>(width);
        };
        for (const auto& parts : parts_) draw(*parts, 0, parts->shape().size.x);
        draw(selected_, column, 1);
    }

    void addRedundancy(Range targets, int column, bool isFirst) {
        std::int32_t unknown[2];
        putLimbs(request_.unknown, unknown);
        backend_.pass("mutualinfo/add_redundancy.frag", {{"FIXED_POINT", ""}})
            .input("information", *information_)
            .input("sums", sums_.source().texture())
            .input("selected", selected_.texture())
            .output(sums_.target().framebuffer())
            .uniform("selection", column)
            .uniform("firstTarget", toInt(targets.begin))
            .uniform("isFirst", isFirst ? 1 : 0)
            .uniform("unknown", glm::ivec2(unknown[0], unknown[1]))
            .draw({{0, 0}, {toInt(texels_), toInt(targets.size())}});
        sums_.swap();
    }

    void scoreAtOnce(Range targets, MatrixView<double> scores, Progress& progress) {
        const auto count = targets.size();
        upload(targets, sums_.source().texture(), 0, [&](std::size_t target, std::size_t j, double value) {
            return request_.isCandidate(target, j, value);
        });
        for (std::size_t t = 0; t < count; ++t)
            std::fill_n(scores.row(t), genes_, -std::numeric_limits<double>::infinity());
        std::vector<char> isFinished(count);
        const std::size_t most = std::min(request_.selections, genes_);
        std::size_t done = 0;
        while (done < most && !std::ranges::all_of(isFinished, [](char over) { return over != 0; })) {
            progress.throwIfCancelled();
            const std::size_t columns = std::min(kColumns, most - done);
            for (std::size_t column = 0; column < columns; ++column) {
                choose(toInt(count), toInt(column));
                addRedundancy(targets, toInt(column), done + column == 0);
            }
            takeSelected(columns, done, isFinished, scores);
            done += columns;
        }
        if (done == most) takeOthers(most, isFinished, scores);
        progress.advance(static_cast<double>(count));
    }

    void takeSelected(std::size_t columns, std::size_t before, std::vector<char>& isFinished,
                      MatrixView<double> scores) const {
        std::vector<std::int32_t> pixels(4 * columns * isFinished.size());
        glycine::gl::readPixels(selected_.framebuffer(), 0, TextureFormat::RGBA32I,
                                {{0, 0}, {toInt(columns), toInt(isFinished.size())}}, pixels.data());
        for (std::size_t t = 0; t < isFinished.size(); ++t)
            for (std::size_t column = 0; column < columns && isFinished[t] == 0; ++column) {
                const std::int32_t* const one = pixels.data() + 4 * (t * columns + column);
                isFinished[t] = one[0] < 0 ? 1 : 0;
                if (isFinished[t] != 0) break;
                const auto gene = static_cast<std::size_t>(one[2]);
                if (gene >= genes_)
                    throw DeviceError(fmt::format("a pass selected gene {} of {}", gene + 1, genes_));
                scores(t, gene) = sumOf(one) / static_cast<double>(std::max<std::size_t>(before + column, 1));
            }
    }

    void takeOthers(std::size_t selections, const std::vector<char>& isFinished, MatrixView<double> scores) {
        glycine::gl::readPixels(sums_.source().framebuffer(), 0, TextureFormat::RGBA32I,
                                {{0, 0}, {toInt(texels_), toInt(isFinished.size())}}, limbs_.data());
        for (std::size_t t = 0; t < isFinished.size(); ++t)
            for (std::size_t j = 0; j < genes_ && isFinished[t] == 0; ++j)
                if (const std::int32_t* const sum = limbs_.row(t) + 2 * j; sum[0] != kNever)
                    scores(t, j) = sumOf(sum) / static_cast<double>(selections);
    }

    GlBackend& backend_;
    SelectionRequest request_;
    std::size_t genes_, texels_, targets_;
    PooledTexture information_;
    PingPong sums_;
    RenderTexture selected_;
    std::vector<std::unique_ptr<RenderTexture>> parts_;
    Matrix<double> values_;
    Matrix<std::int32_t> limbs_;
};

class GlSelection final : public SelectionEngine {
  public:
    explicit GlSelection(GlBackend& backend) : backend_(backend) {}

    Support supports(const PathShape& shape) const override {
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("the selection of regulators needs whole numbers, which OpenGL 2.1 lacks");
        const auto side = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
        if (shape.genes > side)
            return Support::no(fmt::format("textures of at most {} rows hold no information of {} genes",
                                           side, shape.genes));
        const std::size_t needed = bytesFor(shape.genes, 1);
        if (needed <= backend_.textures().bytesFree()) return Support::yes();
        return Support::no(lackOfDeviceMemory("information of all genes", static_cast<double>(needed),
                                              backend_.textures().bytesFree()));
    }
    std::size_t preferredTargets(std::size_t genes) const override { return targetsFor(backend_, genes); }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        backend_.makeCurrent();
        const std::size_t genes = request.information->instances();
        if (const Support support = supports({genes}); !support) throw UnavailableError(support.reason());
        return std::make_unique<FragmentSelection>(backend_, request, targetsFor(backend_, genes));
    }

  private:
    GlBackend& backend_;
};

}  // namespace

Implementation<SelectionEngine> selectionEngine() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<SelectionEngine> {
                return std::make_unique<GlSelection>(backendAs<GlBackend>(backend));
            }};
}

}  // namespace glycine::mutualinfo::gl
