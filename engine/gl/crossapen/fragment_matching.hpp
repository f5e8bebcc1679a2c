#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/crossapen/match_tables.hpp"
#include "engine/gl/crossapen/pair_sums.hpp"
#include "engine/gl/crossapen/partner_tables.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/program.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::crossapen::gl {

MatchingStyle bestStyle(const glycine::gl::GlCapabilities& capabilities);

/// The fragment shader of a variant, and the defines it is compiled with. `variant` must not be Default.
const char* matchingShader(Variant variant);
glycine::gl::ShaderDefines matchingDefines(Variant variant, unsigned m, int rowBits,
                                           const MatchingStyle& style, bool isLegacy = false);

/// One run of one variant over epochs of one shape. Loads tables of as many partners, and samples of as many
/// channels, as fit, then computes tiles of their pairs. A matching pass, whose fragments each take some
/// templates of a pair, precedes passes that add up the matches, and a readback of the sums.
class FragmentMatching {
  public:
    struct Task {
        std::span<const Epoch<float>> epochs;  ///< at least one, with at least one channel
        MatchRule rule;
        std::span<const MatrixView<MatchStatistics>> statistics;  ///< one matrix per epoch
    };
    /// `variant` must not be Default. `plan` must be made for the layout of this variant.
    FragmentMatching(glycine::gl::GlBackend& backend, const Task& task, Variant variant,
                     const MatchPlan& plan, const MatchingStyle& style, Progress& progress);
    /// Sets all statistics and returns the times of the stages.
    MatchTimes run();

  private:
    /// Some channels of some epochs. Each has a slot in the tables, epoch by epoch.
    struct Group {
        Range epochs;
        Range channels;
        std::size_t size() const { return epochs.size() * channels.size(); }
    };
    /// Templates of channel a compared with partners of channel b.
    struct EpochPair {
        std::size_t epoch;
        std::size_t a;
        std::size_t b;
    };
    using FloatTable = glycine::gl::TableTexture<float>;

    void uploadLogarithms();
    void preparePartners(const Group& group);
    void prepareTemplates(const Group& group);
    void matchGroups(const Group& templates, const Group& partners);
    void matchRows(std::span<const EpochPair> places, const Group& templates, const Group& partners);
    glycine::gl::ShaderDefines defines() const;
    glycine::gl::FragmentPass matchingPass();
    void storeSamples(FloatTable& table, const TableShape& shape, std::size_t slot, std::size_t lead,
                      const Epoch<float>& epoch, std::size_t channel) const;
    float toleranceOf(const Epoch<float>& epoch, std::size_t a, std::size_t b) const;

    glycine::gl::StageClock clock_;  // first: creating the tables counts as preparation
    MatchTimes times_;
    glycine::gl::GlBackend& backend_;
    /// Threads of the host. A software renderer needs the cores right after the host's work, when OpenMP's
    /// threads would still spin.
    int threads_;
    std::span<const Epoch<float>> epochs_;
    MatchRule rule_;
    Variant variant_;
    MatchingStyle style_;
    std::span<const MatrixView<MatchStatistics>> statistics_;
    Progress& progress_;
    std::size_t channels_;
    std::size_t samples_;
    MatchLayout layout_;
    MatchPlan plan_;
    PairSums sums_;
    std::optional<glycine::gl::TableTexture<std::uint32_t>>
        logarithms_;  // absent in gl21, where the host adds up
    FloatTable pairs_;
    FloatTable signals_;
    std::optional<FloatTable> partnerSignals_;  // scalar, packed
    std::optional<PartnerTables> tables_;       // bitset, dominance
};

}  // namespace glycine::crossapen::gl
