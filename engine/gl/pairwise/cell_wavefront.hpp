#pragma once

#include <optional>

#include "engine/gl/pairwise/wavefront_run.hpp"

namespace glycine::pairwise::gl {

/// `antidiagonal` and `packed`: a cell of a pair, or of four, a fragment (shaders/align/step_diagonal.frag).
class CellWavefront final : public WavefrontRun {
  public:
    static WavefrontShape shapeOf(const PairScoring& scoring, Variant variant, NumberForm form);

    CellWavefront(glycine::gl::GlBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                  Variant variant, const WavefrontPlan& plan)
        : WavefrontRun(backend, sequences, scoring, variant, plan), isPacked_(variant == Variant::Packed) {}

  protected:
    WavefrontShape shape(NumberForm form) const override;
    void load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
              const LaneNumbers& numbers, NumberForm form) override;
    void describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const override;
    void align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
               TileProgress& progress) override;
    std::pair<Slot, Slot> slotsOfResult(NumberForm form) const override;

  private:
    bool isPacked_;
    std::optional<glycine::gl::TableTexture<std::int32_t>> letters_;
    int rowBits_ = 0;
    std::vector<std::int32_t> begins_;  ///< of the letters of each sequence
};

}  // namespace glycine::pairwise::gl
