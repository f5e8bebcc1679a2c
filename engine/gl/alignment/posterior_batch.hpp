#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/gl/alignment/posterior_tiles.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

/// Both models' sums of a batch of pairs, and their posteriors.
class PosteriorBatch {
  public:
    /// Told now and then how large a share of the batch was done since; may throw.
    using Done = std::function<void(double share)>;

    /// `layout` has a place for each of the pairs. All that is referred to outlives it.
    PosteriorBatch(glycine::gl::GlBackend& backend, const Sequences& sequences,
                   const std::array<ModelTables, kModels>& models, const LetterTables& letters,
                   const PosteriorTileShape& shape, const PosteriorLayout& layout,
                   std::span<const pairwise::gl::SidePair> pairs, std::size_t mostListed);

    void compute(const Done& done);
    /// Whether both directions of both models found the same sum over all alignments of a pair.
    bool isSound(std::size_t pair) const;
    /// Posteriors of a pair: rows are those of its shorter sequence.
    SparsePosterior posterior(std::size_t pair) const;

  private:
    struct Ring {
        EdgeRing shape;
        std::array<std::array<std::optional<glycine::gl::RenderTexture>, 2>, kModels> textures;
    };
    /// A tile in which posteriors are kept.
    struct FoundTile {
        std::uint32_t place, row, column;
    };
    using Totals = std::array<std::vector<ScaledNumber>, kModels>;

    Ring makeRing(const EdgeRing& shape, bool isBackward);
    /// What `region` gets lies `shift` texels farther in the source.
    void copyEdges(const glycine::gl::Texture& source, const glycine::gl::RenderTexture& target,
                   const glycine::gl::Rectangle& region, glm::ivec2 shift);
    void describePairs();
    void weighPairs();
    glm::ivec2 originOf(const EdgeRing& ring, std::size_t slot) const;
    /// Of the anti-diagonal that edges come from.
    glm::ivec2 originBefore(const Ring& ring, std::size_t diagonal, bool isBackward) const;
    glycine::gl::Rectangle regionOf(const EdgeRing& ring, std::size_t slot, std::size_t diagonal) const;
    void sum(Ring& ring, std::size_t model, std::size_t diagonal, bool isBackward);
    void sumForwards(Range diagonals, const Done& done);
    void copy(Ring& ring, std::size_t diagonal, std::size_t place, bool isBack);
    void drawEnds(Ring& ring, Range diagonals, bool isBackward);
    Totals readEnds(bool isBackward) const;
    void mark(std::size_t diagonal, std::size_t slot);
    void listTiles(Range diagonals, std::array<std::vector<FoundTile>, 2>& tiles) const;
    void readTiles(const std::vector<FoundTile>& tiles, std::size_t parity);
    /// Inputs and uniforms of all passes that look at tiles.
    void describe(glycine::gl::FragmentPass& pass) const;
    void describeBoth(glycine::gl::FragmentPass& pass, std::size_t parity) const;
    glycine::gl::ShaderDefines definesWith(glycine::gl::ShaderDefines others) const;
    /// In tiles of one row cells follow from edges alone.
    bool readsGapsOfCells() const { return shape_.rows > 1; }
    double cellsPerRow() const;
    void draw(glycine::gl::FragmentPass& pass, const glycine::gl::Rectangle& region, double cellsPerRow);
    std::size_t rowsOf(std::size_t pair) const { return sequences_.codes[pairs_[pair].rows].size(); }
    std::size_t columnsOf(std::size_t pair) const { return sequences_.codes[pairs_[pair].columns].size(); }

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    const std::array<ModelTables, kModels>& models_;
    const LetterTables& letters_;
    PosteriorTileShape shape_;
    PosteriorLayout layout_;
    std::span<const pairwise::gl::SidePair> pairs_;
    std::size_t mostListed_;
    glycine::gl::PooledTexture described_;
    Ring forward_, backward_;
    std::array<std::optional<glycine::gl::RenderTexture>, kModels> kept_;
    glycine::gl::RenderTexture marks_, ends_;
    Totals totals_, backwardTotals_;
    std::vector<FoundTile> tiles_;
    std::vector<float> squares_;  ///< of their cells, both models' sum
    std::vector<std::vector<std::uint32_t>> tilesOfPairs_;
};

}  // namespace glycine::align::gl
