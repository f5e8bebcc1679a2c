#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/texture.hpp"

/// How sums over alignments lie in textures, and what fits.
///
/// A fragment has a tile of cells of one pair. It finds both directions' sums from the edges of the tiles
/// beside it, and leaves the edges of its own: of the last row what the pairs below may follow and each kind
/// of gap, of the last column the same, and the power of two by which all of them are to be multiplied. So
/// every tile has a scale of its own, and float32 holds what no row does. A pass works on an anti-diagonal of
/// tiles of all pairs of a batch. Cells themselves are never kept: where posteriors are asked for, a fragment
/// computes both directions of its tile once more. Backward sums lie in the same tiles as forward ones, from
/// the end.
namespace glycine::align::gl {

/// Columns of a tile: one texel has what a letter is worth beside them.
inline constexpr std::size_t kTileColumns = 4;
/// Gaps of the hidden Markov model and of the partition function.
inline constexpr std::size_t kModelKinds[] = {2, 1};
inline constexpr std::size_t kModels = 2;

struct PosteriorTileShape {
    std::size_t rows = 6;     ///< or 1
    bool normalised = false;  ///< lookups by normalised coordinates (GlBugs::slowTexelFetch)

    /// The tallest tile whose edges fit the render targets.
    static PosteriorTileShape bestFor(const glycine::gl::GlCapabilities& capabilities) {
        return {capabilities.limits.targetsAtOnce() >= 8 ? std::size_t{6} : std::size_t{1},
                capabilities.bugs.slowTexelFetch};
    }
    /// Texels of the edges of the column, and of all: shaders/align/posterior_edges.glsl.
    std::size_t columnTexels(std::size_t kinds) const { return ((kinds + 1) * rows + 4) / 4; }
    std::size_t layers(std::size_t kinds) const { return kinds + 1 + columnTexels(kinds); }
    std::size_t rowTiles(std::size_t letters) const { return (letters + rows - 1) / rows; }
    static std::size_t columnTiles(std::size_t letters) {
        return (letters + kTileColumns - 1) / kTileColumns;
    }
};

/// Anti-diagonals of edges in two textures that take turns, as no pass may read what it writes: each has
/// `slots` slots of every second one, used again when there are no more, and below them texels that stand for
/// the edges before the first tiles.
struct EdgeRing {
    std::size_t slots = 0;
    std::size_t slotsInColumn = 0;
    std::size_t width = 0, height = 0;  ///< of a texture
    std::size_t border = 0;             ///< the row of texels where the edges before the first tiles begin
    /// So many of which, a power of two, lie in a row.
    std::size_t borderBits() const { return static_cast<std::size_t>(std::bit_width(width)) - 1; }
};

/// How a batch of pairs lies in textures.
struct PosteriorLayout {
    std::size_t rows = 0, columns = 0;  ///< of tiles, the most of all pairs
    std::size_t places = 0;             ///< pairs
    /// Anti-diagonals whose backward sums are kept at once, with their posteriors.
    std::size_t stretch = 0;
    /// Of forward sums all anti-diagonals are kept; else those of a stretch, and one before each stretch,
    /// from which it is computed once more.
    bool keepsForward = true;
    EdgeRing forward, backward, kept;
    EdgeRing marks;         ///< which posteriors are kept, of the tiles of a stretch
    std::size_t bytes = 0;  ///< of all textures

    std::size_t diagonals() const { return rows + columns - 1; }
    std::size_t stretches() const { return (diagonals() + stretch - 1) / stretch; }
    /// Of the texture of what pairs come to at the ends: both models, every second anti-diagonal, row and
    /// column, side by side.
    std::size_t endsWidth() const;
    std::size_t endsHeight() const;
};

/// Texels of an EdgeRing that stand for edges before the first tiles: one for each letter at which a tile may
/// begin.
std::size_t borderTexels(std::size_t longest);

/// Finds layouts.
class PosteriorPlanner {
  public:
    PosteriorPlanner(const glycine::gl::GlCapabilities& capabilities, std::size_t freeBytes,
                     PosteriorTileShape shape);

    Support supports(const PosteriorRequest& request) const;

    /// Sides of pieces of all pairs, whose tables fit.
    std::size_t side(std::size_t longest) const;
    /// The best for such a batch within what is free beside the tables; nothing where there is none.
    /// `longest`: letters of all sequences.
    std::optional<PosteriorLayout> layout(std::size_t rows, std::size_t columns, std::size_t places,
                                          std::size_t longest) const;
    /// Beyond so many pairs in a batch, or so many bytes, nothing is gained; up to so many pairs it pays to
    /// compute stretches again.
    std::size_t mostPlaces() const;
    std::size_t mostBytes() const;
    std::size_t fewPlaces() const;
    /// Tiles that are listed at once.
    std::size_t mostListed() const;
    PosteriorTileShape shape() const { return shape_; }

  private:
    std::optional<std::size_t> tableBytes(std::size_t sequences, std::size_t letters) const;
    std::optional<EdgeRing> ringOf(std::size_t slots, const PosteriorLayout& layout,
                                   std::size_t border) const;
    std::optional<PosteriorLayout> layoutWith(PosteriorLayout layout, std::size_t longest) const;
    std::size_t bytesForBatches() const;

    const glycine::gl::GlCapabilities& capabilities_;
    std::size_t freeBytes_;
    PosteriorTileShape shape_;
};

// ---- tables

// What passes look up of models and sequences.

/// A model as passes read it: sums of what pairs may follow are divided by the weight of the step from pair
/// to pair, and odds multiplied by it, so that the step costs nothing.
class ModelTables {
  public:
    /// For sequences of up to so many letters.
    ModelTables(const PairModel& model, std::size_t longest);
    /// Of the two kinds of gaps what a letter more multiplies, and what a gap as a whole.
    glm::vec4 gaps() const { return gaps_; }
    float odds(std::size_t a, std::size_t b) const { return static_cast<float>(model_.odds[a][b] * match_); }
    double match() const { return match_; }
    /// What letters before the first pair weigh or, of the backward direction, behind the last one.
    const std::vector<ScaledNumber>& begins(bool isBackward) const { return isBackward ? trails_ : leads_; }
    const std::vector<ScaledNumber>& ends(bool isBackward) const { return begins(!isBackward); }

  private:
    const PairModel& model_;
    double match_;
    glm::vec4 gaps_{0};
    std::vector<ScaledNumber> leads_, trails_;
};

/// Letters and odds of some sequences on the device.
class LetterTables {
  public:
    LetterTables(glycine::gl::GlBackend& backend, const Sequences& sequences,
                 std::span<const std::size_t> some, const PosteriorTileShape& shape,
                 const std::array<ModelTables, kModels>& models);
    /// Where the tiles of a sequence begin.
    std::int32_t rowBegin(std::size_t sequence) const { return rowBegins_[sequence]; }
    std::int32_t columnBegin(std::size_t sequence) const { return columnBegins_[sequence]; }
    const glycine::gl::Texture& rowLetters() const { return rowLetters_->texture(); }
    const glycine::gl::Texture& odds() const { return odds_->texture(); }
    int rowBits() const { return rowBits_; }
    int oddsBits() const { return oddsBits_; }

  private:
    std::vector<std::int32_t> rowBegins_, columnBegins_;
    std::optional<glycine::gl::TableTexture<std::int32_t>> rowLetters_;
    std::optional<glycine::gl::RenderTexture> odds_;
    int rowBits_ = 0, oddsBits_ = 0;
};

}  // namespace glycine::align::gl
