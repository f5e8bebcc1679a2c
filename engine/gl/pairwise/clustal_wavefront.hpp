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

/// Ranges of letters of two sequences. The rows' sequence precedes the other one in the input.
struct SweptPart {
    std::size_t a = 0, b = 0;  ///< indices of the sequences
    Range rows{}, columns{};   ///< letters of each
    int open = 0;
    /// Opening costs of gaps at the ends, for parts aligned from end to end.
    int openFirst = 0, openLast = 0;
};

/// A score, and the number of letters of each sequence between its cell and the corner where the search
/// started.
struct SweptPlace {
    std::int32_t score = 0;
    std::size_t rows = 0, columns = 0;
};

/// The sweeps over cells that make up ClustalPair, for many parts at once. A fragment processes a tile of
/// cells, and a pass an anti-diagonal of tiles, for all parts of a batch (shaders/align/step_clustal.frag).
class ClustalSweeps {
  public:
    /// Shapes for 4 or 8 render targets: first for finding places, second for finding cuts.
    static std::vector<WavefrontShape> shapesFor(std::size_t targets);

    /// `sequences` must outlive it.
    ClustalSweeps(glycine::gl::GlBackend& backend, const Sequences& sequences, const WavefrontPlan& plan,
                  std::size_t targets);
    /// Uploads the letters of these sequences.
    void load(std::span<const std::size_t> sequences);

    /// For each part, finds the first cell with the highest score of all local alignments. The score is 0 if
    /// none is positive.
    std::vector<SweptPlace> findEnds(std::span<const SweptPart> parts, Progress& progress);
    /// Among alignments that end with the part's last letters, finds the first cell, backwards, at which the
    /// best ones begin.
    std::vector<SweptPlace> findBegins(std::span<const SweptPart> parts, Progress& progress);
    /// Finds where parts of at least two rows are cut, after the first half of their rows.
    std::vector<ClustalCut> findCuts(std::span<const SweptPart> parts, Progress& progress);

    double uploadSeconds() const { return uploadSeconds_; }
    double computeSeconds() const { return computeSeconds_; }
    double downloadSeconds() const { return downloadSeconds_; }

  private:
    enum class Kind { End, Begin, Border };
    /// One direction of a part.
    struct Sweep {
        const SweptPart* part = nullptr;
        Range rows{};
        bool isBackwards = false;
        int borderOpen = 0;
    };
    /// Sweeps that are drawn side by side.
    struct Batch {
        std::size_t rowSteps = 0, columnSteps = 0;  ///< of the longest sweep
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

/// `gl blocked` for pairs as ClustalW 2.1 aligns them. ClustalSweeps computes the cells of the parts of all
/// pairs side by side. The host finds the cuts and aligns parts of few cells.
class ClustalWavefront final : public PairwiseRun {
  public:
    /// `sequences` must outlive the run.
    ClustalWavefront(glycine::gl::GlBackend& backend, const Sequences& sequences, const WavefrontPlan& plan,
                     std::size_t targets)
        : backend_(backend), sequences_(sequences), plan_(plan), sweeps_(backend, sequences, plan, targets) {}
    std::string_view variantName() const override { return toString(Variant::Blocked); }
    pairs::PairTimes times() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    /// A part of a pair that is still to be divided.
    struct OpenPart {
        std::size_t pair = 0;
        SweptPart part{};
    };
    void alignPairs(std::span<const SweptPart> pairs, std::span<PairResult> found, bool hasIdentities,
                    Progress& progress, TileProgress& reported);
    double cells(std::span<const SweptPart> parts) const;
    /// Aligns the parts from end to end on the processor.
    void joinOnHost(std::span<const OpenPart> parts, std::span<PairResult> found) const;

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    WavefrontPlan plan_;
    ClustalSweeps sweeps_;
    pairs::PairTimes times_;
};

}  // namespace glycine::pairwise::gl
