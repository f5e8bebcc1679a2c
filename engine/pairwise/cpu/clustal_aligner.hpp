#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/cpu/clustal_kernel.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::pairwise::cpu {

/// A part of a pair to be aligned from end to end by Myers and Miller's method (ClustalPair::join).
struct ClustalPart {
    std::size_t firstRow = 0, rows = 0;        ///< letters of a
    std::size_t firstColumn = 0, columns = 0;  ///< letters of b
    std::int32_t openFirst = 0;                ///< opening penalty of gaps at the ends
    std::int32_t openLast = 0;
};

/// Derives identities from the marks of cells (ClustalMark). ClustalPair searches for the beginning and
/// divides the part between; this class reads both off the best local alignments, as far as they decide it.
///
/// All best paths are traced back from the end. The first cell, row by row backwards, in which one of them
/// begins is the beginning that ClustalPair finds. Between beginning and end, no path that leaves out letters
/// at an end is better: the rest would be a local alignment and would have to make up for the saving. So the
/// division finds one of the best paths, with one exception. If it cuts a gap of at least two letters of a,
/// each half can put a gap over letters of b next to the cut without an opening penalty. Therefore only these
/// are undecided:
///
/// - gaps of two or more letters of a,
/// - stretches with several paths, if these differ in identities or one of them has such a gap.
///
/// Everywhere else, the paths give the identities. Undecided stretches are narrowed down by cuts whose
/// position is known because all paths go through that cell or gap. The remaining parts are left to be
/// divided.
class ClustalPaths {
  public:
    using Codes = std::span<const std::uint8_t>;

    /// `kernel` and `matrix` must outlive this object.
    ClustalPaths(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
        : kernel_(kernel), matrix_(matrix) {}
    /// Follows the best paths of the pair in `lane` of a computed block, whose score must be above 0. Returns
    /// the identities that are decided; those of `parts()` must be added.
    std::int64_t follow(const ClustalLanes& block, std::size_t lane, Codes a, Codes b,
                        const GapPenalties& gaps);
    std::span<const ClustalPart> parts() const { return parts_; }
    /// Discards the parts of the last pair.
    void clear() { parts_.clear(); }

  private:
    /// A cell, given as the numbers of letters of each sequence before it.
    struct Place {
        std::size_t row = 0, column = 0;
    };
    static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
    /// Letters of a from `row`: in a gap at this column, or, for kUnknown, on several paths.
    struct Undecided {
        std::size_t row = 0, letters = 0, column = 0;
    };
    enum class Step { Pair, Gap };
    /// The paths from a cell to the end.
    struct Node {
        bool isPresent = false;
        std::size_t column = 0;
        std::int32_t score = 0;             ///< of the best alignments that end here
        std::int64_t fewest = 0, most = 0;  ///< identities after this cell

        void join(const Node& other);
    };
    using Nodes = std::vector<Node>;

    /// The marks of the cell after these numbers of letters.
    class Cell;
    Cell cell(Place place) const;
    /// Follows the path as long as it is single; returns whether it has reached the beginning. `place_` and
    /// the members below it hold the current position.
    bool followOne();
    /// Follows several paths until they meet; returns whether they have reached the beginning.
    bool followAll();
    static void put(Nodes& nodes, const Node& node);
    std::int64_t divide(Place first, Place last, std::int32_t openFirst, std::int32_t openLast);
    void addPart(Place first, Place last, std::int32_t openFirst, std::int32_t openLast);

    const ClustalKernel& kernel_;
    const SubstitutionMatrix& matrix_;
    const std::uint8_t* marks_ = nullptr;
    std::size_t rows_ = 0;
    unsigned bit_ = 0;
    Codes a_, b_;
    GapPenalties gaps_{};
    Place place_;
    std::int32_t score_ = 0;
    std::int64_t identities_ = 0;
    Step last_ = Step::Pair;
    /// For each number of letters of a before a cell of the path: the column left of gaps over b there
    /// (kUnknown if there are several paths), and the identities after it.
    std::vector<std::size_t> columns_;
    std::vector<std::int64_t> behind_;
    std::vector<Undecided> undecided_;  ///< from last to first
    /// Whether gaps in both sequences may be adjacent, so that a cut between them is ambiguous.
    bool hasNeighbours_ = false;
    Nodes cells_, cellsAbove_, downs_, downsAbove_;
    std::vector<ClustalPart> parts_;
};

// ---- many pairs, one in each lane

/// Aligns one sequence with as many others as a register has lanes, as ClustalPair does; for one thread.
class ClustalBatch {
  public:
    using Codes = ClustalPaths::Codes;

    /// `kernel` and `matrix` must outlive this object.
    ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix);
    /// Bytes for the marks of a batch's cells; the memory is reused.
    static std::size_t bytesOf(const ClustalKernel& kernel, std::size_t rows, std::size_t columns);

    /// Finds the best local alignments of `a` with each of `others`, at most `lanes`. All sequences must
    /// outlive the following calls.
    void align(Codes a, std::span<const Codes> others, Alphabet alphabet);
    std::int64_t score(std::size_t lane) const { return block_.score[lane]; }
    /// The decided identities of that lane's pair; those of parts() must be added (ClustalPaths).
    std::int64_t identities(std::size_t lane);
    std::span<const ClustalPart> parts() const { return paths_.parts(); }

  private:
    const ClustalKernel& kernel_;
    std::size_t letters_;
    ClustalPaths paths_;
    ClustalLanes block_;
    Codes a_;
    std::span<const Codes> others_;
    Alphabet alphabet_{};
    Matrix<std::int32_t> table_, perLane_, state_, profile_;
    Matrix<std::uint8_t> columns_, marks_;
};

// ---- one pair, by registers of columns

/// Aligns single pairs as ClustalPair does, by registers of columns; for one thread.
class ClustalAligner {
  public:
    using Codes = ClustalPair::Codes;

    /// `matrix` must outlive this object.
    ClustalAligner(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
        : kernel_(kernel), matrix_(matrix), scalar_(matrix) {}
    /// Sets the second sequence of the following pairs, which must outlive them.
    void prepare(Codes b);
    /// Aligns `a` with it. `pause` is called from time to time and may throw.
    PairResult align(Codes a, const GapPenalties& gaps, const std::function<void()>& pause);
    /// The identities of one part of that pair.
    std::int64_t alignPart(Codes a, const ClustalPart& part, const GapPenalties& gaps,
                           const std::function<void()>& pause);

  private:
    /// A range of letters of b.
    struct Columns {
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t end() const { return first + count; }
    };
    enum class Direction { Forwards, Backwards };
    /// The kernel's input for these rows and columns in one direction.
    ClustalBlock blockOf(Codes a, Columns columns, Direction direction);
    std::int64_t join(Codes a, Columns columns, std::int32_t openFirst, std::int32_t openLast);

    ClustalKernel kernel_;
    const SubstitutionMatrix& matrix_;
    ClustalPair scalar_;
    Codes b_;
    std::size_t stride_ = 0;
    /// Scores of b's letters, forwards and backwards, one row per letter of the alphabet.
    Matrix<std::int32_t> forwards_, backwards_;
    Matrix<std::int32_t> borders_;
    GapPenalties gaps_{};
    const std::function<void()>* pause_ = nullptr;
};

}  // namespace glycine::pairwise::cpu
