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

/// A part of a pair that is aligned from end to end by Myers and Miller's method (ClustalPair::join).
struct ClustalPart {
    std::size_t firstRow = 0, rows = 0;        ///< letters of a
    std::size_t firstColumn = 0, columns = 0;  ///< letters of b
    std::int32_t openFirst = 0;                ///< what gaps at the ends open for
    std::int32_t openLast = 0;
};

/// From marks of the cells (ClustalMark) to identities: what ClustalPair finds by searching the beginning and
/// dividing the part between is read off the best local alignments themselves, as far as these decide it.
///
/// All best paths are followed back from the end. The first cell, row by row backwards, in which one of them
/// begins, is the beginning that ClustalPair finds. Between both no path is better that leaves out letters at
/// an end: what it saved there, the rest, a local alignment, would have to make up for. So the division finds
/// one of these paths, unless it cuts a gap of at least two letters of a: then both halves are free to put a
/// gap over letters of b beside it without charging it an opening. Undecided are hence
///
/// - gaps of two letters of a or more,
/// - and stretches in which there are several paths, if these differ in identities or one has such a gap.
///
/// Everything else has as many identities as the paths. What is undecided is narrowed down by cuts of which
/// it is known where they go, as all paths go through that cell or gap, and the part around it is left to be
/// divided.
class ClustalPaths {
  public:
    using Codes = std::span<const std::uint8_t>;

    /// `kernel` and `matrix` outlive it.
    ClustalPaths(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
        : kernel_(kernel), matrix_(matrix) {}
    /// The marks of `lane` of a block of so many rows, and where the best alignments of the pair end with
    /// this score, above 0. Returns identities that are known; to them come those of `parts()`.
    std::int64_t follow(const ClustalLanes& block, std::size_t lane, Codes a, Codes b,
                        const GapPenalties& gaps);
    std::span<const ClustalPart> parts() const { return parts_; }
    /// Forgets the parts of the last pair.
    void clear() { parts_.clear(); }

  private:
    /// So many letters of each sequence lie in front.
    struct Place {
        std::size_t row = 0, column = 0;
    };
    static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
    /// Letters of a, from `row` on: of a gap in front of this column, or, kUnknown, beside several paths.
    struct Undecided {
        std::size_t row = 0, letters = 0, column = 0;
    };
    enum class Step { Pair, Gap };
    /// Paths that go through a cell, from there to the end.
    struct Node {
        bool isThere = false;
        std::size_t column = 0;
        std::int32_t score = 0;             ///< of the best alignments that end here
        std::int64_t fewest = 0, most = 0;  ///< identities behind

        void join(const Node& other);
    };
    using Nodes = std::vector<Node>;

    /// Marks of the cell of the last letters of so many.
    class Cell;
    Cell cell(Place place) const;
    /// Follows a single path as far as it is one; whether it has come to the beginning. `place_` and what
    /// stands below it: where it has come to.
    bool followOne();
    /// Follows several until they meet.
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
    /// Of the path, after so many letters of a: columns on the left of gaps over b there (kUnknown where
    /// there are several paths), and identities behind.
    std::vector<std::size_t> columns_;
    std::vector<std::int64_t> behind_;
    std::vector<Undecided> undecided_;  ///< the last one first
    /// Gaps in both sequences may be side by side, so that a cut between them has a choice.
    bool hasNeighbours_ = false;
    Nodes cells_, cellsAbove_, downs_, downsAbove_;
    std::vector<ClustalPart> parts_;
};

// ---- many pairs, one in each lane

/// One sequence beside as many others as registers have lanes, as ClustalPair aligns them; one thread.
class ClustalBatch {
  public:
    using Codes = ClustalPaths::Codes;

    /// `kernel` and `matrix` outlive it.
    ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix);
    /// What the cells of a batch take of memory that is kept.
    static std::size_t bytesOf(const ClustalKernel& kernel, std::size_t rows, std::size_t columns);

    /// The best local alignments of `a` with each of `others`, at most `lanes`, which outlive the next calls.
    void align(Codes a, std::span<const Codes> others, Alphabet alphabet);
    std::int64_t score(std::size_t lane) const { return block_.score[lane]; }
    /// Of that lane's pair, and what is to be added to them (ClustalPaths).
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

/// Pairs as ClustalPair aligns them, by registers of columns; one thread.
class ClustalAligner {
  public:
    using Codes = ClustalPair::Codes;

    /// `matrix` outlives it.
    ClustalAligner(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
        : kernel_(kernel), matrix_(matrix), scalar_(matrix) {}
    /// The second sequence of the pairs to come, which outlives them.
    void prepare(Codes b);
    /// The pair of `a` with it. `pause`: called now and then; may throw.
    PairResult align(Codes a, const GapPenalties& gaps, const std::function<void()>& pause);
    /// Identities of a part of that pair alone.
    std::int64_t alignPart(Codes a, const ClustalPart& part, const GapPenalties& gaps,
                           const std::function<void()>& pause);

  private:
    /// Some letters of b.
    struct Columns {
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t end() const { return first + count; }
    };
    enum class Direction { Forwards, Backwards };
    /// What a kernel takes: rows and columns in this direction.
    ClustalBlock blockOf(Codes a, Columns columns, Direction direction);
    std::int64_t join(Codes a, Columns columns, std::int32_t openFirst, std::int32_t openLast);

    ClustalKernel kernel_;
    const SubstitutionMatrix& matrix_;
    ClustalPair scalar_;
    Codes b_;
    std::size_t stride_ = 0;
    /// Scores of b's letters, forwards and backwards, a row for each letter.
    Matrix<std::int32_t> forwards_, backwards_;
    Matrix<std::int32_t> borders_;
    GapPenalties gaps_{};
    const std::function<void()>* pause_ = nullptr;
};

}  // namespace glycine::pairwise::cpu
