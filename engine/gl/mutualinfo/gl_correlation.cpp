#include <algorithm>
#include <optional>

#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/pairs/float_passes.hpp"
#include "engine/mutualinfo/device_correlation.hpp"

namespace glycine::mutualinfo::gl {

namespace {

constexpr std::size_t kMaxTileSide = 1024;

std::optional<pairs::gl::PanelPlan> planOf(glycine::gl::GlBackend& backend, std::size_t genes,
                                           std::size_t samples) {
    return pairs::gl::planPanels(pairs::gl::packedLayout(backend.gl()).panels(), backend.gl().limits,
                                 backend.textures().bytesFree(), kMaxTileSide, genes, samples);
}

/// Genes as rows and columns of panels, four samples per texel (shaders/mutualinfo/add_products.frag).
class FragmentCorrelation final : public DeviceCorrelation {
  public:
    FragmentCorrelation(glycine::gl::GlBackend& backend, ExpressionView expression, Transform transform,
                        const pairs::gl::PanelPlan& plan)
        : DeviceCorrelation(expression, transform),
          passes_(
              backend, pairs::gl::packedLayout(backend.gl()), plan, "mutualinfo/add_products.frag", {},
              [this](const Range& rows, const Range& samples, MatrixView<float> target) {
                  for (std::size_t g = 0; g < rows.size(); ++g)
                      std::transform(genes().row(rows.begin + g) + samples.begin,
                                     genes().row(rows.begin + g) + samples.end, target.row(g),
                                     [](double value) { return static_cast<float>(value); });
              },
              0.0F) {}

    std::vector<pairs::HostStage> hostStages() const override {
        std::vector<pairs::HostStage> stages = DeviceCorrelation::hostStages();
        for (const pairs::HostStage& stage : passes_.hostStages()) stages.push_back(stage);
        return stages;
    }

  private:
    void multiply(const pairs::PairTile& tile, MatrixView<double> products, Progress& progress) override {
        passes_.sumTile(tile, genes().columns(), kMaxFloat32Products, progress,
                        [&](const pairs::PairTile& piece, bool isFirst) {
                            return [part = pairs::partOf(products, tile, piece), isFirst](
                                       std::size_t row, std::size_t columns, const float* sums) {
                                for (std::size_t c = 0; c < columns; ++c)
                                    part(row, c) =
                                        (isFirst ? 0 : part(row, c)) + static_cast<double>(sums[c]);
                            };
                        });
        times_ = passes_.times();
    }

    pairs::gl::FloatPasses passes_;
};

const VariantTable<Variant>& correlationVariants() {
    static const VariantTable<Variant> table(
        "gl", {"float32"},
        {{Variant::Products, "Pearson's and Spearman's r: products of standardised genes", "",
          allDialects()}});
    return table;
}

class GlCorrelation final : public InformationEngine {
  public:
    explicit GlCorrelation(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = correlationVariants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float32)
            return Support::no("the backend 'gl' computes correlations only in float32");
        if (planOf(backend_, request.genes, request.samples)) return Support::yes();
        const std::size_t least =
            pairs::gl::bytesForSmallestPieces(pairs::gl::packedLayout(backend_.gl()).panels());
        return Support::no(lackOfDeviceMemory("8 genes at a time", static_cast<double>(least),
                                              backend_.textures().bytesFree()));
    }
    std::size_t preferredTile(const InformationRequest&) const override { return kMaxTileSide; }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        backend_.makeCurrent();
        return std::make_unique<FragmentCorrelation>(
            backend_, expression, request.splines.transform,
            planOf(backend_, expression.rows(), expression.columns()).value());
    }

  private:
    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<InformationEngine> correlationEngine() {
    return implementWith<InformationEngine, GlCorrelation, glycine::gl::GlBackend>(correlationVariants());
}

}  // namespace glycine::mutualinfo::gl
