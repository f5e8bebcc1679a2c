#include <algorithm>
#include <limits>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/pairs/float_passes.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo::gl {

namespace {

/// Side of pieces and tiles beyond which nothing is gained.
constexpr std::size_t kMaxSide = 1024;

std::optional<pairs::gl::PanelPlan> planPaths(glycine::gl::GlBackend& backend, std::size_t genes) {
    return pairs::gl::planPanels(pairs::gl::packedLayout(backend.gl()).panels(), backend.gl().limits,
                                 backend.textures().bytesFree(), kMaxSide, genes, genes);
}

/// Genes as rows and columns of panels, mediators as attributes, four per texel. A fragment computes up to
/// eight rows by four columns, and continues from the previous passes (shaders/mutualinfo/raise_paths.frag).
class FragmentPaths final : public PathRun {
  public:
    FragmentPaths(glycine::gl::GlBackend& backend, const PathRequest& request,
                  const pairs::gl::PanelPlan& plan)
        : request_(request),
          passes_(
              backend, pairs::gl::packedLayout(backend.gl()), plan, "mutualinfo/raise_paths.frag", {},
              [this](const Range& genes, const Range& mediators, MatrixView<float> target) {
                  fill(genes, mediators, target);
              },
              0.0F) {}
    std::string_view variantName() const override { return "packed"; }
    pairs::PairTimes times() const override { return passes_.times(); }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        constexpr std::size_t allAtOnce = std::numeric_limits<std::size_t>::max() / 2;
        passes_.sumTile(tile, request_.information->instances(), allAtOnce, progress,
                        [&](const pairs::PairTile& piece, bool) {
                            return [part = pairs::partOf(results.front(), tile, piece)](
                                       std::size_t row, std::size_t columns, const float* strongest) {
                                std::copy_n(strongest, columns, part.row(row));
                            };
                        });
    }

  private:
    void fill(const Range& genes, const Range& mediators, MatrixView<float> target) {
        if (values_.size() < genes.size() * mediators.size())
            values_ = Matrix<double>(genes.size(), mediators.size());
        const MatrixView<double> values(values_.data(), genes.size(), mediators.size());
        request_.information->readBlock(genes, mediators, values);
        for (std::size_t g = 0; g < genes.size(); ++g)
            for (std::size_t m = 0; m < mediators.size(); ++m)
                target(g, m) = static_cast<float>(
                    request_.pathWeight(genes.begin + g, mediators.begin + m, values(g, m)));
    }

    PathRequest request_;
    Matrix<double> values_;
    pairs::gl::FloatPasses passes_;
};

class GlPaths final : public PathEngine {
  public:
    explicit GlPaths(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PathShape& shape) const override {
        if (shape.type != pairs::ValueType::Float32)
            return Support::no(
                "the backend 'gl' looks for paths in information of float32, which is what "
                "textures hold; this is float64");
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("paths need the bits of numbers as integers, which OpenGL 2.1 lacks");
        if (planPaths(backend_, shape.genes)) return Support::yes();
        const std::size_t least =
            pairs::gl::bytesForSmallestPieces(pairs::gl::packedLayout(backend_.gl()).panels());
        return Support::no(lackOfDeviceMemory("information of 8 genes at a time", static_cast<double>(least),
                                              backend_.textures().bytesFree()));
    }
    std::size_t preferredTile(std::size_t) const override { return kMaxSide; }
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        backend_.makeCurrent();
        const PathShape shape{request.information->instances(), request.information->valueType()};
        if (const Support support = supports(shape); !support) throw UnavailableError(support.reason());
        return std::make_unique<FragmentPaths>(backend_, request, *planPaths(backend_, shape.genes));
    }

  private:
    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<PathEngine> pathEngine() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<PathEngine> {
                return std::make_unique<GlPaths>(backendAs<glycine::gl::GlBackend>(backend));
            }};
}

}  // namespace glycine::mutualinfo::gl
