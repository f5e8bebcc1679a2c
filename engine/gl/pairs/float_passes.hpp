#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/gl/pairs/panels.hpp"
#include "engine/pairs/pair_run.hpp"

namespace glycine::pairs::gl {

/// Layout of variants `scalar` and `packed` in float textures: instances along y, one or four attributes per
/// texel along x.
struct FloatLayout {
    bool isScalar = false;
    std::size_t columnsPerTexel = 1;  ///< of the target
    std::size_t rowsPerTexel = 1;

    std::size_t attributesPerTexel() const { return isScalar ? 1 : 4; }
    PanelLayout panels() const;
};

/// Sums over attributes in float textures. Each pass adds a block of attributes, for all pairs of a tile, to
/// the result of the previous passes (ping-pong).
class FloatPasses {
  public:
    /// Writes the values of some instances over some attributes.
    using Fill =
        std::function<void(const Range& instances, const Range& attributes, MatrixView<float> target)>;
    /// Writes all texels of a panel on the device, and measures its own time.
    using Draw =
        std::function<void(const Range& instances, const Range& attributes, glycine::gl::Texture& target)>;

    /// `padding`: the neutral value stored after the last attribute.
    FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                std::string shader, glycine::gl::ShaderDefines defines, Fill fill, float padding);
    FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                std::string shader, glycine::gl::ShaderDefines defines, Draw draw);

    /// Sums all pairs of a tile of any size over blocks of at most `mostTerms` attributes. Calls take(piece,
    /// isFirst) for each block of each piece of the tile. The consumer that it returns receives the sums as
    /// readPairs passes them, and adds them up over the blocks. Advances `progress` by tile.pairs() ×
    /// attributes in all.
    template <class Take>
    void sumTile(const PairTile& tile, std::size_t attributes, std::size_t mostTerms, Progress& progress,
                 Take&& take) {
        begin();
        for (const PairTile& piece : cutTile(tile, plan_.side)) {
            if (piece.pairs() == 0) continue;
            addsBlocks_ = addsBlocks_ || attributes > mostTerms;
            for (const Range& block : splitRange(attributes, mostTerms)) {
                sum(piece, block, static_cast<double>(piece.pairs()) * static_cast<double>(block.size()),
                    progress);
                readPairs<float>(sums_.source(), piece, texels_, take(piece, block.begin == 0));
                clock_.finishStage(times_.download);
            }
        }
        end();
    }
    /// The same for layouts whose texel holds the sums of one row with four columns. Sums in float32 within
    /// blocks of attributes, and combines blocks by join(double, double), for which 0 is neutral.
    template <class Join>
    void sumTile(const PairTile& tile, std::size_t attributes, MatrixView<double> sums, Progress& progress,
                 const Join& join) {
        constexpr std::size_t kTermsInFloat = std::size_t{1} << 16;
        sumTile(tile, attributes, kTermsInFloat, progress, [&](const PairTile& piece, bool isFirst) {
            return [&join, part = partOf(sums, tile, piece), isFirst](std::size_t row, std::size_t columns,
                                                                      const float* texels) {
                double* const numbers = part.row(row);
                for (std::size_t c = 0; c < columns; ++c)
                    numbers[c] = join(isFirst ? 0.0 : numbers[c], static_cast<double>(texels[c]));
            };
        });
    }
    const PairTimes& times() const { return times_; }
    /// The host's share of sumTile.
    std::vector<HostStage> hostStages() const {
        return addsBlocks_ ? std::vector{kSumsOverBlocks} : std::vector<HostStage>{};
    }

    /// Callers of sum() call these before and after a tile.
    void begin();
    void end();
    /// Sums `attributes` over all pairs of `piece`, a tile of at most the plan's size. The sums stay on the
    /// device, in the layout texels(), until the next call. Advances `progress` by `work` in all.
    const glycine::gl::Texture& sum(const PairTile& piece, const Range& attributes, double work,
                                    Progress& progress);
    const PairTexels& texels() const { return texels_; }

  private:
    const glycine::gl::Texture& panel(const Range& instances, const Range& attributes);

    glycine::gl::GlBackend& backend_;
    FloatLayout layout_;
    PanelPlan plan_;
    std::string shader_;
    glycine::gl::ShaderDefines defines_;
    Draw draw_;
    bool normalised_;
    PairTexels texels_;
    bool addsBlocks_ = false;
    glycine::gl::PingPong sums_;
    PanelCache panels_;
    PairTimes times_;
    glycine::gl::StageClock clock_;
};

/// Four attributes per texel, and four columns per texel of the target. Fragments compute several rows if the
/// dialect has multiple render targets.
FloatLayout packedLayout(const glycine::gl::GlCapabilities& capabilities);

/// Fills panels with the rows of `numbers` (instances × attributes), which must outlive the result.
FloatPasses::Fill rowsOf(MatrixView<const float> numbers);

}  // namespace glycine::pairs::gl
