#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::crossapen::gl {

/// Logarithms are added in two parts: this many lower bits, and the remaining bits, 44 at most.
inline constexpr unsigned kLowerLogarithmBits = 22;

/// The partial sums of a tile of pairs, one row per pair. The matching pass writes them, and passes add them
/// up until one texel covers 512 templates, the most that 32 bits hold
/// (shaders/crossapen/template_sums.glsl).
///
/// gl21 has no integers for these sums. Its passes store the matches of each template as floats: twice the
/// short matches, plus 1 if the last partner template is among them, and the long matches. If a fragment
/// takes four templates, each kind has a texture of its own. Epochs are short enough for floats to hold the
/// counts exactly.
class PairSums {
  public:
    /// For tiles of up to `rows` pairs of `columns` fragments of `templatesPerFragment` templates.
    PairSums(glycine::gl::GlBackend& backend, std::size_t rows, std::size_t columns,
             std::size_t templatesPerFragment);

    /// Bytes taken from the texture pool.
    static std::size_t bytes(std::size_t rows, std::size_t columns, std::size_t templatesPerFragment);

    const glycine::gl::Framebuffer& target() const {
        return counted_ ? *counted_ : levels_.front().texture.framebuffer();
    }
    /// Call before the first pass on gl21. `lastTemplate`: number of the last short template.
    void addOnHost(const LogTable& logarithms, std::size_t lastTemplate);
    /// Adds up the texels of the first `rows` rows, over the fragments `columns` of each pair.
    void reduce(std::size_t rows, const Range& columns);
    /// Waits for the result of the last `reduce`. Calls add(row, sums) once or more for every row; all calls
    /// for a row come from one thread.
    template <class Add>
    void read(int threads, Add&& add) {
        readTexels();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::size_t row = 0; row < rows_; ++row)
            for (std::size_t x = 0; x < width_; ++x)
                add(row, counted_ ? countsAt(row, x) : sumsAt(row * width_ + x));
    }

  private:
    struct Level {
        glycine::gl::RenderTexture texture;
        std::size_t factor;  ///< texels of the previous level that one texel adds
    };

    /// Shape of one level of the sums of `rows` pairs.
    struct LevelShape {
        glycine::gl::TextureShape texture;
        std::size_t factor;
    };
    static std::vector<LevelShape> shapes(std::size_t rows, std::size_t columns,
                                          std::size_t templatesPerFragment);
    void readTexels();
    MatchStatistics sumsAt(std::size_t texel) const;
    MatchStatistics countsAt(std::size_t row, std::size_t x) const;

    glycine::gl::GlBackend& backend_;
    std::vector<Level> levels_;
    std::size_t rows_ = 0;
    std::size_t width_ = 0;
    std::vector<std::uint32_t> logarithms_;
    std::vector<std::uint32_t> counts_;
    // For gl21 only.
    std::size_t templatesPerFragment_;
    std::vector<glycine::gl::PooledTexture> countTextures_;
    std::optional<glycine::gl::Framebuffer> counted_;
    std::optional<LogTable> logTable_;
    std::size_t lastTemplate_ = 0;
    std::size_t firstColumn_ = 0;
    std::vector<float> matches_[2];
};

}  // namespace glycine::crossapen::gl
