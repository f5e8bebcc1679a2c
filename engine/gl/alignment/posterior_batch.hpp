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

/// Computes both models' sums for a batch of pairs, and their posteriors.
class PosteriorBatch {
  public:
    /// Reports the share of the batch done since the last call; may throw.
    using Done = std::function<void(double share)>;

    /// `layout` has a place for each pair. All references must outlive the batch.
    PosteriorBatch(glycine::gl::GlBackend& backend, const Sequences& sequences,
                   const std::array<ModelTables, kModels>& models, const LetterTables& letters,
                   const PosteriorTileShape& shape, const PosteriorLayout& layout,
                   std::span<const pairwise::gl::SidePair> pairs, std::size_t mostListed);

    void compute(const Done& done);
    /// Whether both directions of both models found the same total over all alignments of a pair.
    bool isSound(std::size_t pair) const;
    /// Posteriors of a pair; the shorter sequence is along the rows.
    SparsePosterior posterior(std::size_t pair) const;

  private:
    struct Ring {
        EdgeRing shape;
        std::array<std::array<std::optional<glycine::gl::RenderTexture>, 2>, kModels> textures;
    };
    /// A tile whose posteriors are kept.
    struct FoundTile {
        std::uint32_t place, row, column;
    };
    using Totals = std::array<std::vector<ScaledNumber>, kModels>;

    Ring makeRing(const EdgeRing& shape, bool isBackward);
    /// Copies to `region` the source texels at an offset of `shift`.
    void copyEdges(const glycine::gl::Texture& source, const glycine::gl::RenderTexture& target,
                   const glycine::gl::Rectangle& region, glm::ivec2 shift);
    void describePairs();
    void weighPairs();
    glm::ivec2 originOf(const EdgeRing& ring, std::size_t slot) const;
    /// Origin of the previous anti-diagonal, which supplies the edges.
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
    /// Sets the inputs and uniforms shared by all passes over tiles.
    void describe(glycine::gl::FragmentPass& pass) const;
    void describeBoth(glycine::gl::FragmentPass& pass, std::size_t parity) const;
    glycine::gl::ShaderDefines definesWith(glycine::gl::ShaderDefines others) const;
    /// In tiles of one row, the cells follow from the edges alone.
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
    std::vector<float> squares_;  ///< both models' sums for the cells of tiles_
    std::vector<std::vector<std::uint32_t>> tilesOfPairs_;
};

}  // namespace glycine::align::gl
