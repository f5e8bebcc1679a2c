#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::gl {

/// Representation of the numbers of cells.
enum class NumberForm {
    Together,  ///< score and identities in one 32-bit number, as in LaneNumbers
    Separate,  ///< 32 bits each, if one number is too small
};

/// A lookup table of a wavefront: a number of texels for each step along the rows, or the columns, of each
/// sequence.
struct WavefrontTable {
    bool isOfRows = true;
    std::size_t texelsPerStep = 1;
    glycine::gl::TextureFormat format = glycine::gl::TextureFormat::RGBA32I;
};

/// Work of a wavefront per step, and the textures that it writes.
struct WavefrontShape {
    std::size_t rows = 1;     ///< cells per step along the rows
    std::size_t columns = 1;  ///< cells per step along the columns
    std::size_t layers = 1;   ///< per state, texels of RGBA32I
    std::size_t states = 2;   ///< textures used in turn
    std::size_t pairsPerTexel = 1;
    std::vector<WavefrontTable> tables{};

    std::size_t rowSteps(std::size_t letters) const { return (letters + rows - 1) / rows; }
    std::size_t columnSteps(std::size_t letters) const { return (letters + columns - 1) / columns; }
    /// Rows of texels of a state for `letters` letters along the rows, including one for the border.
    std::size_t height(std::size_t letters) const { return rowSteps(letters) + 1; }
    /// Bytes of all states per column of `height` texels.
    std::size_t bytesPerPlace(std::size_t height) const { return 16 * layers * states * height; }
    std::size_t texels(const WavefrontTable& table, std::size_t letters) const {
        return table.texelsPerStep * (table.isOfRows ? rowSteps(letters) : columnSteps(letters));
    }
};

/// Width of a table with `texels` texels: about as wide as high.
glycine::gl::TableWidth tableWidth(const glycine::gl::GlLimits& limits, std::size_t texels);

/// Sizes of the pieces in which tiles are computed.
struct WavefrontPlan {
    std::size_t side = 0;        ///< of pieces of tiles
    std::size_t width = 0;       ///< most places of a batch: texels along x
    std::size_t stateBytes = 0;  ///< most bytes of a batch's states
};

/// Size of states: places by rows of texels.
struct StateSize {
    int places = 0, height = 0;
};
/// Size of states with at least `places` places and `rows` rows. Sizes come in steps, so that textures are
/// reused, as far as the plan has room. No height is a power of two, for which software renderers recompile
/// programs.
StateSize stateSize(const WavefrontPlan& plan, const WavefrontShape& shape,
                    const glycine::gl::GlLimits& limits, std::size_t places, std::size_t rows);

/// Plans a request, or explains why it cannot run.
class WavefrontPlanner {
  public:
    /// `shapes` has one shape for each form of the numbers that a run may use.
    WavefrontPlanner(const glycine::gl::GlCapabilities& capabilities, std::size_t freeBytes,
                     std::vector<WavefrontShape> shapes)
        : capabilities_(capabilities), freeBytes_(freeBytes), shapes_(std::move(shapes)) {}
    Support supports(const PairwiseRequest& request) const;
    /// Requires a supported request.
    WavefrontPlan plan(const PairwiseRequest& request) const;

  private:
    /// Bytes of the tables for `sequences` sequences of `letters` letters; nothing if they exceed the texture
    /// limits.
    std::optional<std::size_t> tableBytes(std::size_t sequences, std::size_t letters) const;
    std::size_t stateBytes(std::size_t letters) const;
    std::size_t bytesPerPair() const;

    const glycine::gl::GlCapabilities& capabilities_;
    std::size_t freeBytes_;
    std::vector<WavefrontShape> shapes_;
};

// ---- what is on the device

/// Letters of some sequences, one per texel.
struct LetterTable {
    std::optional<glycine::gl::TableTexture<std::int32_t>> table{};
    std::optional<glycine::gl::TableTexture<float>> floatTable{};  ///< gl21
    int rowBits = 0;
    std::vector<std::size_t> begins{};  ///< first texel of each sequence

    const glycine::gl::Texture& texture() const { return table ? table->texture() : floatTable->texture(); }
    void fill(glycine::gl::GlBackend& backend, const Sequences& sequences, std::span<const std::size_t> some);
};

/// Returns, ascending, which of `sequences` sequences the pairs name in the members `first` and `second`.
template <class Pair, class Number>
std::vector<std::size_t> sequencesIn(std::size_t sequences, std::span<const Pair> pairs, Number Pair::*first,
                                     Number Pair::*second) {
    std::vector<char> isPresent(sequences);
    for (const Pair& pair : pairs) isPresent[pair.*first] = isPresent[pair.*second] = 1;
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < sequences; ++k)
        if (isPresent[k] != 0) found.push_back(k);
    return found;
}

// ---- pairs by length

/// Two sequences by number; the one along the rows is not the longer one.
struct SidePair {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

/// Calls take(pair) for the pairs of a tile (on the diagonal: column < row). Consecutive pairs have about the
/// same length and share the sequence of their columns as far as possible.
template <class Take>
void forPairsByLength(const Sequences& sequences, const pairs::PairTile& tile, Take&& take) {
    // Form blocks of pairs whose sequences have similar lengths.
    constexpr std::size_t kSide = 64;
    const std::vector<std::size_t> rows = placesByLength(sequences, tile.rows);
    const std::vector<std::size_t> columns = placesByLength(sequences, tile.columns);
    const auto letters = [&](std::size_t sequence) { return sequences.codes[sequence].size(); };
    const auto one = [&](std::size_t row, std::size_t column) {
        if (tile.isDiagonal() && column >= row) return;
        const auto a = static_cast<std::uint32_t>(rows[row]);
        const auto b = static_cast<std::uint32_t>(columns[column]);
        take(letters(a) <= letters(b) ? SidePair{a, b} : SidePair{b, a});
    };
    for (const Range& some : splitRange(rows.size(), kSide))
        for (const Range& others : splitRange(columns.size(), kSide)) {
            if (letters(rows[some.end - 1]) >= letters(columns[others.end - 1])) {
                for (std::size_t r = some.begin; r < some.end; ++r)
                    for (std::size_t c = others.begin; c < others.end; ++c) one(r, c);
            } else {
                for (std::size_t c = others.begin; c < others.end; ++c)
                    for (std::size_t r = some.begin; r < some.end; ++r) one(r, c);
            }
        }
}

}  // namespace glycine::pairwise::gl
