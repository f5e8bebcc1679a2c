#pragma once

#include "engine/gl/pairwise/clustal_sweeps.hpp"

namespace glycine::pairwise::gl {

/// `gl blocked` for pairs as ClustalW 2.1 aligns them: all cells by ClustalSweeps, parts of all pairs side by
/// side; where they are cut, and what is left of few cells, on the host.
class ClustalWavefront final : public PairwiseRun {
  public:
    /// `sequences` outlive the run.
    ClustalWavefront(glycine::gl::GlBackend& backend, const Sequences& sequences, const WavefrontPlan& plan,
                     std::size_t targets)
        : backend_(backend), sequences_(sequences), plan_(plan), sweeps_(backend, sequences, plan, targets) {}
    std::string_view variantName() const override { return toString(Variant::Blocked); }
    pairs::PairTimes times() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    /// A pair, and what is left of it to be divided.
    struct OpenPart {
        std::size_t pair = 0;
        SweptPart part{};
    };
    void alignPairs(std::span<const SweptPart> pairs, std::span<PairResult> found, bool hasIdentities,
                    Progress& progress, TileProgress& told);
    double cells(std::span<const SweptPart> parts) const;
    /// From end to end, by the processor.
    void joinOnHost(std::span<const OpenPart> parts, std::span<PairResult> found) const;

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    WavefrontPlan plan_;
    ClustalSweeps sweeps_;
    pairs::PairTimes times_;
};

}  // namespace glycine::pairwise::gl
