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

/// Internal to the algorithm: the interface that each backend implements for alignments by posteriors.
namespace glycine::align {

/// Selects the third sequences of a pair in the consistency transformation: all others, or those nearest to
/// both.
class ThirdSequences {
  public:
    explicit ThirdSequences(std::size_t sequences);
    /// At most `most` per pair: those with the smallest sums of distances to both sequences; among equal
    /// sums, the first ones. `distances`: below the diagonal, (1,0), (2,0), (2,1), …
    ThirdSequences(std::size_t sequences, std::span<const float> distances, std::size_t most);

    /// The third sequences of the pair x ≠ y, ascending.
    void find(std::size_t x, std::size_t y, std::vector<std::size_t>& found) const;
    /// The sum of the weights of the sequences found.
    static double weightOf(std::span<const std::size_t> found, std::span<const double> weights);
    bool areAll() const { return distances_.empty(); }

  private:
    double distance(std::size_t x, std::size_t y) const;

    std::size_t sequences_;
    std::size_t most_;
    std::vector<float> distances_;  ///< empty: all sequences are used
};

/// The parameters of a round of the consistency transformation.
struct ConsistencyRound {
    std::span<const double> weights;  ///< one per sequence, above 0
    double selfWeight = 0;            ///< the weight of the pair itself
    const ThirdSequences& thirds;
};

/// The part of a request that determines whether a backend supports it.
struct PosteriorRequest {
    pairwise::Variant variant = pairwise::Variant::Default;
    std::size_t sequences = 0;  ///< 0: any number
    std::size_t longest = 0;    ///< letters of the longest sequence
};

inline constexpr std::string_view kHostsConsistency = "posteriors do not stay on the device";

/// Computes posteriors of one set of sequences and what follows from them.
class PosteriorRun {
  public:
    virtual ~PosteriorRun() = default;
    virtual std::string_view variantName() const = 0;
    /// Decisions that the backend made during the run; may be empty.
    virtual std::string note() const { return {}; }
    /// Sets all pairs that `posteriors` lacks. Each pair's result does not depend on which others are
    /// computed.
    virtual void complete(PosteriorSet& posteriors, Progress& progress) = 0;
    /// The posteriors of all pairs, in both directions.
    PosteriorSet posteriors(Progress& progress) {
        PosteriorSet all(sequences_);
        complete(all, progress);
        return all;
    }
    /// One round of the weighted probabilistic consistency transformation. From the posteriors P_xy of each
    /// pair of sequences it computes
    ///
    ///     P'_xy = ( s (w_x + w_y) P_xy + Σ_z w_z P_xz P_zy ) / ( s (w_x + w_y) + Σ_z w_z )
    ///
    /// over the third sequences z of the pair, as sparse products. Only entries that P_xy has are computed. s
    /// is the round's selfWeight.
    ///
    /// Source: C. B. Do et al., "ProbCons", Genome Research 15 (2005), 330–340; weights after Y. Liu, B.
    /// Schmidt, D. L. Maskell, "MSAProbs", Bioinformatics 26 (2010), 1958–1964; s after A. Gudyś, S.
    /// Deorowicz, "QuickProbs 2", Scientific Reports 7 (2017), 41553.
    virtual PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                          Progress& progress) = 0;
    /// For all pairs below the diagonal: the expected number of correctly aligned residues of their best
    /// alignment (posteriors.hpp).
    virtual std::vector<double> expectedAccuracies(const PosteriorSet& posteriors, Progress& progress);
    /// Whether the device also computes consistency, expected accuracies and sums within columns, and not
    /// only posteriors and joins.
    virtual bool followsOnDevice() const { return false; }
    /// Why the host computed the last round of consistency; empty: the device did.
    virtual std::string_view consistencyOnHost() const {
        return followsOnDevice() ? std::string_view() : kHostsConsistency;
    }
    /// Creates the joins of an alignment. The posteriors, the weights and this run must outlive them.
    virtual std::unique_ptr<GroupJoins> joins(const PosteriorSet& posteriors,
                                              std::span<const double> weights);

  protected:
    explicit PosteriorRun(std::size_t sequences) : sequences_(sequences) {}

  private:
    std::size_t sequences_;
};

/// PosteriorRun::applyConsistency on the processor, in float32.
PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                              InstructionSet instructions, int threads, Progress& progress);

/// The algorithm on one backend.
class PosteriorEngine {
  public:
    virtual ~PosteriorEngine() = default;
    static constexpr std::string_view kAlgorithm = "align";
    static ImplementationList<PosteriorEngine>& implementations();
    virtual Support supports(const PosteriorRequest& request) const = 0;
    /// Starts a run for a request that `supports` accepted. `sequences` must outlive the run.
    virtual std::unique_ptr<PosteriorRun> start(const Sequences& sequences) = 0;
};

/// Whether `backend` can take the request; also "no" if it has no implementation at all.
Support supportsRequest(Backend& backend, const PosteriorRequest& request);

// One per backend; each is defined next to its implementation.
namespace reference {
Implementation<PosteriorEngine> posteriorEngine();
}
namespace cpu {
Implementation<PosteriorEngine> posteriorEngine();
}
namespace gl {
Implementation<PosteriorEngine> posteriorEngine();
}
namespace cuda {
Implementation<PosteriorEngine> posteriorEngine();
}

}  // namespace glycine::align
