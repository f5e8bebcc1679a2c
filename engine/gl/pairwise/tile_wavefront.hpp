#pragma once

#include <optional>

#include "engine/gl/pairwise/wavefront_run.hpp"

namespace glycine::pairwise::gl {

/// `blocked`: a fragment computes a tile of cells and stores its last row and last column in all components
/// of several render targets (shaders/align/step_tiles.frag).
///
/// Sequences are padded at their beginning, so that a pair's last cell is the last cell of its last tile. The
/// padding adds nothing to scores, and so continues the border, from the corner (cells in which both
/// sequences are padding) and along the first row and column. Where letters are only compared, padding adds
/// as much as unequal letters. The border then starts lower by that amount per cell further out, so that it
/// has its value at the first letters.
class TileWavefront final : public WavefrontRun {
  public:
    /// Style of fragments, for one scoring scheme and form of the numbers.
    struct Style {
        std::size_t targets = 8;
        bool normalised = false;
        bool isMatch = false;   ///< compares letters; no profile
        bool isLinear = false;  ///< gaps have no opening
    };
    static Style bestStyle(const glycine::gl::GlCapabilities& capabilities, const PairScoring& scoring);
    static WavefrontShape shapeOf(const Style& style, const PairScoring& scoring, NumberForm form);
    /// Defines of the programs.
    static glycine::gl::ShaderDefines definesOf(const Style& style, const PairScoring& scoring,
                                                NumberForm form);

    TileWavefront(glycine::gl::GlBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                  const WavefrontPlan& plan, const Style& style)
        : WavefrontRun(backend, sequences, scoring, Variant::Blocked, plan), style_(style) {}

  protected:
    WavefrontShape shape(NumberForm form) const override { return shapeOf(styleFor(form), scoring_, form); }
    void load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
              const LaneNumbers& numbers, NumberForm form) override;
    void describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const override;
    void align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
               TileProgress& progress) override;
    std::pair<Slot, Slot> slotsOfResult(NumberForm form) const override;

  private:
    /// Letters of the tiles of all sequences, four per component.
    struct LetterTiles {
        std::optional<glycine::gl::TableTexture<std::int32_t>> table{};
        int rowBits = 0;
        std::vector<std::int32_t> begins{};  ///< first tile of each sequence
    };
    void fill(LetterTiles& tiles, std::span<const std::size_t> sequences, std::size_t side,
              std::uint8_t filling);
    void drawProfile(std::size_t tiles, NumberForm form);
    void begin(const glycine::gl::RenderTexture& state, bool isFirstColumn,
               const glycine::gl::Rectangle& region, const LaneNumbers& numbers, NumberForm form);
    glycine::gl::ShaderDefines defines(NumberForm form) const { return definesOf(style_, scoring_, form); }
    Style styleFor(NumberForm form) const;

    Style style_;
    WavefrontShape units_{};  ///< shape of the loaded tables
    LetterTiles rows_, columns_;
    std::optional<glycine::gl::RenderTexture> profile_;
    int profileBits_ = 0;
    int match_ = 0, mismatch_ = 0;  ///< scores of equal and of unequal letters
};

}  // namespace glycine::pairwise::gl
