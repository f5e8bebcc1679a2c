#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/gl/pairs/panels.hpp"
#include "engine/pairs/pair_run.hpp"

namespace glycine::pairs::gl {

/// How variants `scalar` and `packed` lie in float textures: instances along y, one or four attributes a
/// texel along x.
struct FloatLayout {
    bool isScalar = false;
    std::size_t columnsPerTexel = 1;  ///< of the target
    std::size_t rowsPerTexel = 1;

    std::size_t attributesPerTexel() const { return isScalar ? 1 : 4; }
    PanelLayout panels() const;
};

/// Sums over attributes in float textures: each pass adds a block of attributes of all pairs of a tile to
/// what the passes before it have left (ping-pong).
class FloatPasses {
  public:
    /// Writes the values of some instances over some attributes.
    using Fill =
        std::function<void(const Range& instances, const Range& attributes, MatrixView<float> target)>;
    /// Writes a panel on the device, all texels of it, and counts its own time.
    using Draw =
        std::function<void(const Range& instances, const Range& attributes, glycine::gl::Texture& target)>;

    /// `padding`: the value that stands after the last attribute and adds nothing.
    FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                std::string shader, glycine::gl::ShaderDefines defines, Fill fill, float padding);
    FloatPasses(glycine::gl::GlBackend& backend, const FloatLayout& layout, const PanelPlan& plan,
                std::string shader, glycine::gl::ShaderDefines defines, Draw draw);

    /// Sums all pairs of a tile of any size over blocks of at most `mostTerms` attributes. Calls
    /// take(piece, isFirst) for each block of each piece of the tile; what that returns gets the sums as
    /// readPairs hands them over, and adds them up from block to block. Advances `progress` by
    /// tile.pairs() × attributes in all.
    template <class Take>
    void sumTile(const PairTile& tile, std::size_t attributes, std::size_t mostTerms, Progress& progress,
                 Take&& take) {
        begin();
        for (const PairTile& piece : cutTile(tile, plan_.side)) {
            if (piece.pairs() == 0) continue;
            for (const Range& block : splitRange(attributes, mostTerms)) {
                sum(piece, block, static_cast<double>(piece.pairs()) * static_cast<double>(block.size()),
                    progress);
                readPairs<float>(sums_.source(), piece, texels_, take(piece, block.begin == 0));
                clock_.finishStage(times_.download);
            }
        }
        end();
    }
    /// The same where a texel is the sums of a row with four columns: in float32 over blocks of attributes,
    /// those of blocks by join(double, double), for which 0 is neutral.
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

    /// Before a tile, and after it, for callers of sum().
    void begin();
    void end();
    /// Sums `attributes` of all pairs of `piece`, a tile of at most the plan's size; the sums stay on the
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
    glycine::gl::PingPong sums_;
    PanelCache panels_;
    PairTimes times_;
    glycine::gl::StageClock clock_;
};

/// Four attributes a texel and four columns a texel of the target; several rows a fragment where the dialect
/// has multiple render targets.
FloatLayout packedLayout(const glycine::gl::GlCapabilities& capabilities);

/// Fills panels with the rows of `numbers`, instances × attributes, which outlives it.
FloatPasses::Fill rowsOf(MatrixView<const float> numbers);

}  // namespace glycine::pairs::gl
