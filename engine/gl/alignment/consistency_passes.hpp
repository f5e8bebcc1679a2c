#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// The consistency transformation as passes (shaders/align/apply_consistency.frag): a fragment computes an
/// entry of a pair, and gathers its sum from the rows of both residues towards each third sequence. Rows of
/// all sequences are on the device, or those of two groups of sequences at a time.
namespace glycine::align::gl {

/// When passes compute consistency; bench/gl_consistency_bench.cpp times passes and host. On an H100 they
/// take as long as eight to twenty threads of its host, from 50 to 400 sequences. Tests override them.
struct ConsistencySettings {
    std::size_t leastSequences = 50;
    int mostHostThreads = 8;
    bool takesEmulated = false;  ///< passes of a renderer that runs on the processor
};

inline constexpr std::string_view kEmulatedConsistency = "passes would run on the processor, too";
inline constexpr std::string_view kFastConsistency = "sooner done by as many threads";
inline constexpr std::string_view kSmallConsistency = "sooner done than sent";
inline constexpr std::string_view kNoRoomForConsistency = "textures have no room for a sequence's rows";
inline constexpr std::string_view kManySteps = "a fragment may not take so many steps";

class ConsistencyPasses {
  public:
    /// The backend must outlive the passes.
    explicit ConsistencyPasses(glycine::gl::GlBackend& backend, const ConsistencySettings& settings = {})
        : backend_(backend), settings_(settings) {}

    /// One round, in float32 (PosteriorRun::applyConsistency). Nothing: the host is to compute it, which
    /// reason() explains. Throws CancelledError and DeviceError.
    std::optional<PosteriorSet> apply(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                      Progress& progress);
    /// Why the host computes the last round; empty: passes did.
    std::string_view reason() const { return reason_; }
    /// Pairs of groups of sequences that the last round was computed in.
    std::size_t tiles() const { return tiles_; }

  private:
    glycine::gl::GlBackend& backend_;
    ConsistencySettings settings_;
    std::string_view reason_ = kSmallConsistency;
    std::size_t tiles_ = 0;
};

}  // namespace glycine::align::gl
