#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gl/crossapen/match_tables.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/program.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::crossapen::gl {

/// The tables of partners that `bitset` and `dominance` look up. The host sorts a channel and uploads its
/// samples and ranks. Passes expand these to tables fifty times as large.
class PartnerTables {
  public:
    /// Makes room for up to plan.partners channels. `variant`: Bitset or Dominance.
    PartnerTables(glycine::gl::GlBackend& backend, Variant variant, std::size_t samples, unsigned m,
                  const MatchPlan& plan, const MatchingStyle& style);

    /// Sorts the channel of a slot. Thread-safe for different slots. `largestTolerance`: the largest |r| that
    /// will be looked up.
    void sort(std::size_t slot, std::span<const float> signal, float largestTolerance);
    /// Copies the sorted data of the first `slots` slots to the device.
    void upload(std::size_t slots);
    /// Draws the tables of the first `slots` slots.
    void draw(std::size_t slots);

    const glycine::gl::Texture& bins() const { return bins_.texture(); }
    const glycine::gl::Texture& sortedSamples() const { return sorted_.texture(); }
    const glycine::gl::Texture& prefixes() const { return prefixes_.texture(); }

  private:
    glycine::gl::RenderTexture make(PartnerTable table) const;
    /// Draws `texels` texels of a table; each takes `lookups` lookups.
    template <class Describe>
    void fill(const char* shader, glycine::gl::ShaderDefines defines,
              const glycine::gl::RenderTexture& target, std::size_t texels, double lookups,
              Describe&& describe);
    void input(glycine::gl::FragmentPass& pass, const std::string& name,
               const glycine::gl::Texture& texture) const;
    void drawSets(const glycine::gl::RenderTexture& target, std::size_t thresholds, std::size_t rankStep,
                  std::size_t slots);

    glycine::gl::GlBackend& backend_;
    Variant variant_;
    std::size_t samples_;
    unsigned m_;
    RankLists lists_;
    std::vector<TableShape> shapes_;
    MatchPlan plan_;
    MatchingStyle style_;
    glycine::gl::TableTexture<float> sorted_;
    glycine::gl::TableTexture<float> described_;
    glycine::gl::TableTexture<std::uint32_t> ranks_;
    glycine::gl::RenderTexture bins_;
    glycine::gl::RenderTexture prefixes_;
    std::optional<glycine::gl::RenderTexture> rankSets_;   // dominance
    std::optional<glycine::gl::RenderTexture> setCounts_;  // dominance
};

}  // namespace glycine::crossapen::gl
