#pragma once

#include <optional>

#include "engine/gl/pairwise/wavefront_run.hpp"

namespace glycine::pairwise::gl {

/// `blocked`: a tile of cells a fragment, which leaves its last row and its last column in all components of
/// several render targets (shaders/align/step_tiles.frag).
///
/// Sequences are filled up at their beginning, so that a pair's last cell is the last one of its last tile.
/// What fills them up adds nothing, and so goes on with the border, from the corner (cells in which both are
/// filled up) as well as along the first row and column. Where letters are only compared, what fills them
/// up adds as much as unequal letters; there it begins lower by that much for each cell further out, so that
/// the border is reached at the first letters.
class TileWavefront final : public WavefrontRun {
  public:
    /// How fragments work, for one scheme of scores and form of the numbers.
    struct Style {
        std::size_t targets = 8;
        bool normalised = false;
        bool isMatch = false;   ///< letters are compared; no profile
        bool isLinear = false;  ///< gaps without an opening
    };
    static Style bestStyle(const glycine::gl::GlCapabilities& capabilities, const PairScoring& scoring);
    static WavefrontShape shapeOf(const Style& style, const PairScoring& scoring, NumberForm form);
    /// What its programs are made with.
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
    /// Letters of the tiles of all sequences, four in a component.
    struct LetterTiles {
        std::optional<glycine::gl::TableTexture<std::int32_t>> table{};
        int rowBits = 0;
        std::vector<std::int32_t> begins{};  ///< of each sequence
    };
    void fill(LetterTiles& tiles, std::span<const std::size_t> sequences, std::size_t side,
              std::uint8_t filling);
    void drawProfile(std::size_t tiles, NumberForm form);
    void begin(const glycine::gl::RenderTexture& state, bool isFirstColumn,
               const glycine::gl::Rectangle& region, const LaneNumbers& numbers, NumberForm form);
    glycine::gl::ShaderDefines defines(NumberForm form) const { return definesOf(style_, scoring_, form); }
    Style styleFor(NumberForm form) const;

    Style style_;
    WavefrontShape units_{};  ///< of what is loaded
    LetterTiles rows_, columns_;
    std::optional<glycine::gl::RenderTexture> profile_;
    int profileBits_ = 0;
    int match_ = 0, mismatch_ = 0;  ///< numbers that equal and other letters add
};

}  // namespace glycine::pairwise::gl
