#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/distance/distance_engine.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/gl/pairs/panels.hpp"

namespace glycine::distance::gl {

/// Variant `bits`: shaders/distance/count_bits.frag on panels in layout `Bits128`. A pass takes a whole panel
/// of attributes, fewer than 65536, so that 16-bit counts cannot overflow. The host adds up the passes.
class BitCounting final : public CountingRun {
  public:
    /// Compile-time settings of the shader; all styles give the same counts.
    struct Style {
        std::size_t rowsPerTexel = 8;  ///< render targets: 8 or 4
        bool bitCount = false;         ///< use the instruction instead of parallel sums
        bool carrySave = false;        ///< GlBugs::slowBitCount
        bool normalised = false;       ///< GlBugs::slowTexelFetch
    };
    static Style bestStyle(const glycine::gl::GlCapabilities& capabilities);
    static pairs::gl::PanelLayout layout(const Style& style, const DiscreteShape& shape);

    BitCounting(glycine::gl::GlBackend& backend, const DiscreteSource& source, CountNeeds needs,
                const pairs::gl::PanelPlan& plan, const Style& style);

    Variant variant() const override { return Variant::Bits; }
    PairTimes times() const override { return times_; }
    std::vector<pairs::HostStage> hostStages() const override {
        if (shape_.attributes <= plan_.attributes) return {};
        return {pairs::gl::kSumsOverBlocks};
    }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;

  private:
    enum class Counted { Differing, Opposite, Valid };

    const glycine::gl::Texture& panel(const Range& instances, const Range& attributes);
    glycine::gl::ShaderDefines defines(Counted counted) const;
    void draw(const PairTile& piece, const Range& attributes, Counted counted, double work,
              Progress& progress);
    void read(const PairTile& piece, bool isFirst, MatrixView<std::uint32_t> target);

    glycine::gl::GlBackend& backend_;
    const DiscreteSource& source_;
    DiscreteShape shape_;
    CountNeeds needs_;
    pairs::gl::PanelPlan plan_;
    Style style_;
    pairs::gl::PairTexels texels_;
    glycine::gl::RenderTexture target_;
    pairs::gl::PanelCache panels_;
    std::vector<std::uint32_t> staging_;
    PairTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::distance::gl
