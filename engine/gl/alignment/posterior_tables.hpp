#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/gl/alignment/posterior_tiles.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/ping_pong.hpp"
#include "engine/gl/framework/table_texture.hpp"

/// What passes look up of models and sequences.
namespace glycine::align::gl {

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
