#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/pairwise/pairwise.hpp"

/// Inside the algorithm: what each backend implements of alignments by posteriors.
namespace glycine::align {

/// Which other sequences count for a pair in the consistency transformation: all, or those that are nearest
/// to both.
class ThirdSequences {
  public:
    explicit ThirdSequences(std::size_t sequences);
    /// At most so many: of each pair those whose distances to the two have the smallest sums, of equal ones
    /// the first. `distances`: below the diagonal, (1,0), (2,0), (2,1), …
    ThirdSequences(std::size_t sequences, std::span<const float> distances, std::size_t most);

    /// Those of the pair x ≠ y, ascending.
    void find(std::size_t x, std::size_t y, std::vector<std::size_t>& found) const;
    /// The sum of their weights.
    static double weightOf(std::span<const std::size_t> found, std::span<const double> weights);
    bool areAll() const { return distances_.empty(); }

  private:
    double distance(std::size_t x, std::size_t y) const;

    std::size_t sequences_;
    std::size_t most_;
    std::vector<float> distances_;  ///< empty: all count
};

/// What a round of the consistency transformation goes by.
struct ConsistencyRound {
    std::span<const double> weights;  ///< of sequences, above 0
    double selfWeight = 0;            ///< how much the pair itself counts
    const ThirdSequences& thirds;
};

/// One request, as far as it decides whether a backend can take it.
struct PosteriorRequest {
    pairwise::Variant variant = pairwise::Variant::Default;
    std::size_t sequences = 0;  ///< 0, of these two: any number
    std::size_t longest = 0;    ///< letters of the longest sequence
};

/// Posteriors of one set of sequences, and what becomes of them.
class PosteriorRun {
  public:
    virtual ~PosteriorRun() = default;
    virtual std::string_view variantName() const = 0;
    /// What the backend decided on the way; may be empty.
    virtual std::string note() const { return {}; }
    /// Sets all pairs that `posteriors` lacks, each to what it is without the others.
    virtual void complete(PosteriorSet& posteriors, Progress& progress) = 0;
    /// Of all pairs, both directions.
    PosteriorSet posteriors(Progress& progress) {
        PosteriorSet all(sequences_);
        complete(all, progress);
        return all;
    }
    /// One round of the probabilistic consistency transformation with weights: of the posteriors P_xy of each
    /// pair of sequences,
    ///
    ///     P'_xy = ( s (w_x + w_y) P_xy + Σ_z w_z P_xz P_zy ) / ( s (w_x + w_y) + Σ_z w_z )
    ///
    /// over the third sequences z of the pair, as sparse products; entries that P_xy does not have are left
    /// out. s is the round's selfWeight.
    ///
    /// Source: C. B. Do et al., "ProbCons", Genome Research 15 (2005), 330–340; weights after Y. Liu, B.
    /// Schmidt, D. L. Maskell, "MSAProbs", Bioinformatics 26 (2010), 1958–1964; s after A. Gudyś, S.
    /// Deorowicz, "QuickProbs 2", Scientific Reports 7 (2017), 41553.
    virtual PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                        Progress& progress) = 0;
    /// Of all pairs below the diagonal, the expected number of residues that their best alignment has as it
    /// should be (posteriors.hpp).
    virtual std::vector<double> expectedAccuracies(const PosteriorSet& posteriors, Progress& progress);
    /// Whether consistency, expected accuracies and sums within columns come from a device, too, and not
    /// posteriors and joins alone.
    virtual bool followsOnDevice() const { return false; }
    /// For alignments by posteriors and weights of sequences, which outlive it, as the run does.
    virtual std::unique_ptr<GroupJoins> joins(const PosteriorSet& posteriors,
                                              std::span<const double> weights);

  protected:
    explicit PosteriorRun(std::size_t sequences) : sequences_(sequences) {}

  private:
    std::size_t sequences_;
};

/// PosteriorRun::madeConsistent on the processor, in float32.
PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                            InstructionSet instructions, int threads, Progress& progress);

/// The algorithm on one backend.
class PosteriorEngine {
  public:
    virtual ~PosteriorEngine() = default;
    static constexpr std::string_view kAlgorithm = "align";
    static ImplementationList<PosteriorEngine>& implementations();
    virtual Support supports(const PosteriorRequest& request) const = 0;
    /// For a request that `supports` accepted. `sequences` outlive the run.
    virtual std::unique_ptr<PosteriorRun> start(const Sequences& sequences) = 0;
};

using PosteriorEngineEntry = Implementation<PosteriorEngine>;
/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const PosteriorRequest& request);

// One a backend; each is defined beside its implementation.
namespace reference {
PosteriorEngineEntry posteriorEngine();
}
namespace cpu {
PosteriorEngineEntry posteriorEngine();
}
namespace gl {
PosteriorEngineEntry posteriorEngine();
}
namespace cuda {
PosteriorEngineEntry posteriorEngine();
}

}  // namespace glycine::align
