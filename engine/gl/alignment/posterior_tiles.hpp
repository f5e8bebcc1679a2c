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

/// Layout of sums over alignments in textures, and what fits.
///
/// A fragment processes a tile of cells of one pair. It computes a direction's sums from the edges of the
/// neighbouring tiles, and writes the edges of its own tile. An edge of the last row holds the sums that
/// pairs below may follow, and each kind of gap; an edge of the last column holds the same. A power of two
/// scales the whole tile, so that float32 suffices where one scale per row would not. A pass processes an
/// anti-diagonal of tiles, for all pairs of a batch. Cells are never stored: to get posteriors, a fragment
/// recomputes both directions of its tile. Backward sums lie in the same tiles as forward ones, from the end.
namespace glycine::align::gl {

/// Columns of a tile: one texel holds the odds of a letter with four columns.
inline constexpr std::size_t kTileColumns = 4;
/// Kinds of gaps of the hidden Markov model and of the partition function.
inline constexpr std::size_t kModelKinds[] = {2, 1};
inline constexpr std::size_t kModels = 2;

struct PosteriorTileShape {
    std::size_t rows = 6;     ///< 6 or 1
    bool normalised = false;  ///< lookups by normalised coordinates (GlBugs::slowTexelFetch)

    /// The tallest tile whose edges fit the render targets.
    static PosteriorTileShape bestFor(const glycine::gl::GlCapabilities& capabilities) {
        return {capabilities.limits.targetsAtOnce() >= 8 ? std::size_t{6} : std::size_t{1},
                capabilities.bugs.slowTexelFetch};
    }
    /// Texels of the column's edge, and of all edges: shaders/align/posterior_edges.glsl.
    std::size_t columnTexels(std::size_t kinds) const { return ((kinds + 1) * rows + 4) / 4; }
    std::size_t layers(std::size_t kinds) const { return kinds + 1 + columnTexels(kinds); }
    std::size_t rowTiles(std::size_t letters) const { return (letters + rows - 1) / rows; }
    static std::size_t columnTiles(std::size_t letters) {
        return (letters + kTileColumns - 1) / kTileColumns;
    }
};

/// Anti-diagonals of edges in two alternating textures, since no pass may read what it writes. Each has
/// `slots` slots for every second anti-diagonal, reused cyclically. Texels below the slots represent the
/// edges before the first tiles.
struct EdgeRing {
    std::size_t slots = 0;
    std::size_t slotsInColumn = 0;
    std::size_t width = 0, height = 0;  ///< of each texture
    std::size_t border = 0;             ///< first row of texels for the edges before the first tiles
    /// Logarithm to base 2 of the number of border edges per row of texels.
    std::size_t borderBits() const { return static_cast<std::size_t>(std::bit_width(width)) - 1; }
};

/// Layout of a batch of pairs in textures.
struct PosteriorLayout {
    std::size_t rows = 0, columns = 0;  ///< of tiles: maximum over all pairs
    std::size_t places = 0;             ///< pairs
    /// Number of anti-diagonals whose backward sums and posteriors are held at once.
    std::size_t stretch = 0;
    /// Whether the forward sums of all anti-diagonals are kept. If not, only those of a stretch are, plus one
    /// anti-diagonal before each stretch, from which it is recomputed.
    bool keepsForward = true;
    EdgeRing forward, backward, kept;
    EdgeRing marks;         ///< marks of kept posteriors, for the tiles of a stretch
    std::size_t bytes = 0;  ///< of all textures

    std::size_t diagonals() const { return rows + columns - 1; }
    std::size_t stretches() const { return (diagonals() + stretch - 1) / stretch; }
    /// Size of the texture of totals at the ends: both models, every second anti-diagonal, row and column
    /// side by side.
    std::size_t endsWidth() const;
    std::size_t endsHeight() const;
};

/// Texels of an EdgeRing for the edges before the first tiles: one per letter at which a tile may begin.
std::size_t borderTexels(std::size_t longest);

/// Plans layouts.
class PosteriorPlanner {
  public:
    PosteriorPlanner(const glycine::gl::GlCapabilities& capabilities, std::size_t freeBytes,
                     PosteriorTileShape shape);

    Support supports(const PosteriorRequest& request) const;

    /// Side of the pieces of all pairs whose tables fit.
    std::size_t side(std::size_t longest) const;
    /// Returns the best layout for such a batch in the memory left by the tables, or nothing if none fits.
    /// `longest`: letters of the longest of all sequences.
    std::optional<PosteriorLayout> layout(std::size_t rows, std::size_t columns, std::size_t places,
                                          std::size_t longest) const;
    /// mostPlaces and mostBytes: pairs and bytes of a batch beyond which nothing is gained. fewPlaces: pairs
    /// up to which recomputing stretches pays off.
    std::size_t mostPlaces() const;
    std::size_t mostBytes() const;
    std::size_t fewPlaces() const;
    /// Number of tiles listed at once.
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

// Tables of models and sequences that passes look up.

/// A model in the form passes read. Sums of predecessors are divided by the weight of the step from pair to
/// pair, and odds are multiplied by it, so that the step costs nothing.
class ModelTables {
  public:
    /// For sequences of up to `longest` letters.
    ModelTables(const PairModel& model, std::size_t longest);
    /// For both kinds of gaps: the factor of each further letter, and the factor of a whole gap.
    glm::vec4 gaps() const { return gaps_; }
    float odds(std::size_t a, std::size_t b) const { return static_cast<float>(model_.odds[a][b] * match_); }
    double match() const { return match_; }
    /// Weights of the letters before the first pair or, in the backward direction, after the last pair.
    const std::vector<ScaledNumber>& begins(bool isBackward) const { return isBackward ? trails_ : leads_; }
    const std::vector<ScaledNumber>& ends(bool isBackward) const { return begins(!isBackward); }

  private:
    const PairModel& model_;
    double match_;
    glm::vec4 gaps_{0};
    std::vector<ScaledNumber> leads_, trails_;
};

/// Letters and odds of some sequences in device memory.
class LetterTables {
  public:
    LetterTables(glycine::gl::GlBackend& backend, const Sequences& sequences,
                 std::span<const std::size_t> some, const PosteriorTileShape& shape,
                 const std::array<ModelTables, kModels>& models);
    /// Number of a sequence's first tile.
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
