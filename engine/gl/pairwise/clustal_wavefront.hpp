#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"
#include "engine/pairwise/clustal_pair.hpp"

namespace glycine::pairwise::gl {

/// Some letters of two sequences; those of the rows' sequence come first in the input.
struct SweptPart {
    std::size_t a = 0, b = 0;  ///< sequences
    Range rows{}, columns{};   ///< letters of each
    int open = 0;
    /// Parts that are aligned from end to end: what gaps at the ends open for.
    int openFirst = 0, openLast = 0;
};

/// A score, and how many letters of each sequence lie between it and the corner from where it was found.
struct SweptPlace {
    std::int32_t score = 0;
    std::size_t rows = 0, columns = 0;
};

/// The passes over cells of which ClustalPair consists, for many parts at once: a tile of cells a fragment,
/// an anti-diagonal of tiles of a batch of parts a pass (shaders/align/step_clustal.frag).
class ClustalSweeps {
  public:
    /// With so many render targets, 4 or 8: what finds places, and what finds cuts.
    static std::vector<WavefrontShape> shapesFor(std::size_t targets);

    /// `sequences` outlive it.
    ClustalSweeps(glycine::gl::GlBackend& backend, const Sequences& sequences, const WavefrontPlan& plan,
                  std::size_t targets);
    /// Puts the letters of these sequences on the device.
    void load(std::span<const std::size_t> sequences);

    /// Of each part, the first cell that has the highest score of all local alignments, score 0 where none is
    /// above.
    std::vector<SweptPlace> findEnds(std::span<const SweptPart> parts, Progress& progress);
    /// Of alignments that end with the part's last letters, the first cell, backwards, in which the best
    /// begin.
    std::vector<SweptPlace> findBegins(std::span<const SweptPart> parts, Progress& progress);
    /// Where parts of at least two rows are cut behind the first half of them.
    std::vector<ClustalCut> findCuts(std::span<const SweptPart> parts, Progress& progress);

    double uploadSeconds() const { return uploadSeconds_; }
    double computeSeconds() const { return computeSeconds_; }
    double downloadSeconds() const { return downloadSeconds_; }

  private:
    enum class Kind { End, Begin, Border };
    /// A part in one direction.
    struct Sweep {
        const SweptPart* part = nullptr;
        Range rows{};
        bool isBackwards = false;
        int borderOpen = 0;
    };
    /// Some sweeps that are drawn side by side.
    struct Batch {
        std::size_t rowSteps = 0, columnSteps = 0;  ///< of the longest
    };
    const WavefrontShape& shapeOf(Kind kind) const { return shapes_[kind == Kind::Border ? 1 : 0]; }
    template <class Take>
    void forBatches(Kind kind, std::size_t together, const std::vector<Sweep>& sweeps, Progress& progress,
                    Take&& take);
    std::vector<std::int32_t> draw(Kind kind, std::span<const Sweep> sweeps, const Batch& batch,
                                   Progress& progress);
    std::vector<SweptPlace> findPlaces(Kind kind, std::span<const SweptPart> parts, Progress& progress);
    std::size_t layersFound(Kind kind) const { return kind == Kind::Border ? targets_ / 2 : 1; }

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    WavefrontPlan plan_;
    std::size_t targets_;
    std::vector<WavefrontShape> shapes_;
    int extend_;
    LetterTable letters_;
    glycine::gl::PooledTexture scores_;
    glycine::gl::PooledTexture parts_;
    glycine::gl::StageClock clock_;
    double uploadSeconds_ = 0, computeSeconds_ = 0, downloadSeconds_ = 0;
};

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
