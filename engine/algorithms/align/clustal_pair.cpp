#include "engine/algorithms/align/clustal_pair.hpp"

#include <algorithm>
#include <vector>

namespace glycine::align {

namespace {

using Codes = std::span<const std::uint8_t>;

/// A cell: so many letters of each sequence are behind it.
struct Place {
    std::size_t row = 0;
    std::size_t column = 0;
};
struct LocalEnd {
    int score = 0;
    Place place;
};

class ClustalPair {
  public:
    ClustalPair(const SubstitutionMatrix& matrix, const GapPenalties& gaps, const CellProgress& advance)
        : matrix_(matrix), open_(gaps.open), extend_(gaps.extend), advance_(advance) {}

    PairResult align(Codes a, Codes b) {
        const LocalEnd end = findEnd(a, b);
        if (end.score == 0) return {};
        const Codes aEnd = a.first(end.place.row), bEnd = b.first(end.place.column);
        const Place begin = findBegin(aEnd, bEnd, end.score);
        prepare(bEnd.size() - begin.column);
        identities_ = 0;
        join(aEnd.subspan(begin.row), bEnd.subspan(begin.column), 0, 0);
        return {end.score, identities_};
    }

  private:
    /// The last letters of the best local alignment, counted from 1.
    LocalEnd findEnd(Codes a, Codes b) {
        prepare(b.size());
        std::fill_n(best_.begin(), b.size() + 1, 0);
        std::fill_n(gap_.begin(), b.size() + 1, -open_);
        LocalEnd end;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto& scores = matrix_.scores[a[i]];
            int cell = 0, diagonal = 0, across = -open_;
            for (std::size_t j = 0; j < b.size(); ++j) {
                across = std::max(across - extend_, cell - open_ - extend_);
                gap_[j + 1] = std::max(gap_[j + 1] - extend_, best_[j + 1] - open_ - extend_);
                cell = std::max({diagonal + scores[b[j]], across, gap_[j + 1], 0});
                diagonal = best_[j + 1];
                best_[j + 1] = cell;
                if (cell > end.score) end = {cell, {i + 1, j + 1}};
            }
            advance_(static_cast<double>(b.size()));
        }
        return end;
    }

    /// Letters in front of the alignment that ends with `a` and `b` and has this score.
    Place findBegin(Codes a, Codes b, int score) {
        std::fill_n(best_.begin(), b.size() + 1, -1);
        std::fill_n(gap_.begin(), b.size() + 1, -1);
        int highest = 0;
        Place begin;
        for (std::size_t i = a.size(); i-- > 0;) {
            const auto& scores = matrix_.scores[a[i]];
            int cell = -1, across = -1;
            int diagonal = i + 1 == a.size() ? 0 : -1;
            for (std::size_t j = b.size(); j-- > 0;) {
                across = std::max(across - extend_, cell - open_ - extend_);
                gap_[j] = std::max(gap_[j] - extend_, best_[j] - open_ - extend_);
                cell = std::max({diagonal + scores[b[j]], across, gap_[j]});
                diagonal = best_[j];
                best_[j] = cell;
                if (cell > highest) {
                    highest = cell;
                    begin = {i, j};
                    if (highest >= score) return begin;
                }
            }
        }
        return begin;
    }

    void prepare(std::size_t columns) {
        for (std::vector<int>* row : {&best_, &gap_, &bestBack_, &gapBack_})
            if (row->size() < columns + 1) row->resize(columns + 1);
    }

    /// A gap of so many letters that opens for `open`.
    int gapCost(std::size_t letters, int open) const {
        return letters == 0 ? 0 : open + extend_ * static_cast<int>(letters);
    }

    void count(std::uint8_t a, std::uint8_t b) { identities_ += a == b ? 1 : 0; }

    /// One letter beside `b`, or within a gap beside it.
    void joinOne(std::uint8_t a, Codes b, int openFirst, int openLast) {
        const auto& scores = matrix_.scores[a];
        int highest = std::max(-(openFirst + extend_) - gapCost(b.size(), openLast),
                               -(openLast + extend_) - gapCost(b.size(), openFirst));
        std::size_t place = b.size();  // none
        for (std::size_t j = 0; j < b.size(); ++j) {
            const int score = scores[b[j]] - gapCost(b.size() - j - 1, openLast) - gapCost(j, openFirst);
            if (score > highest) {
                highest = score;
                place = j;
            }
        }
        if (place < b.size()) count(a, b[place]);
    }

    /// Scores of the alignments of all of `a` with the first letters of `b` (forwards), and those of them
    /// that end with a gap in b; the gap in front of a opens for `open`.
    void goForwards(Codes a, Codes b, int open) {
        best_[0] = 0;
        int border = -open;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            border -= extend_;
            best_[j] = border;
            gap_[j] = border - open_;
        }
        border = -open;
        for (const std::uint8_t letter : a) {
            const auto& scores = matrix_.scores[letter];
            int diagonal = best_[0];
            border -= extend_;
            int cell = border, across = border - open_;
            best_[0] = cell;
            for (std::size_t j = 1; j <= b.size(); ++j) {
                across = std::max(across - extend_, cell - open_ - extend_);
                gap_[j] = std::max(gap_[j] - extend_, best_[j] - open_ - extend_);
                cell = std::max({diagonal + scores[b[j - 1]], across, gap_[j]});
                diagonal = best_[j];
                best_[j] = cell;
            }
        }
        gap_[0] = best_[0];
    }

    /// The same from the other end: element j is of the letters of b from j on.
    void goBackwards(Codes a, Codes b, int open) {
        const std::size_t n = b.size();
        bestBack_[n] = 0;
        int border = -open;
        for (std::size_t j = n; j-- > 0;) {
            border -= extend_;
            bestBack_[j] = border;
            gapBack_[j] = border - open_;
        }
        border = -open;
        for (std::size_t i = a.size(); i-- > 0;) {
            const auto& scores = matrix_.scores[a[i]];
            int diagonal = bestBack_[n];
            border -= extend_;
            int cell = border, across = border - open_;
            bestBack_[n] = cell;
            for (std::size_t j = n; j-- > 0;) {
                across = std::max(across - extend_, cell - open_ - extend_);
                gapBack_[j] = std::max(gapBack_[j] - extend_, bestBack_[j] - open_ - extend_);
                cell = std::max({diagonal + scores[b[j]], across, gapBack_[j]});
                diagonal = bestBack_[j];
                bestBack_[j] = cell;
            }
        }
        gapBack_[n] = bestBack_[n];
    }

    /// Aligns both from end to end; gaps in b at the ends open for the two penalties.
    void join(Codes a, Codes b, int openFirst, int openLast) {
        if (a.empty() || b.empty()) return;
        if (a.size() == 1) return joinOne(a.front(), b, openFirst, openLast);
        const std::size_t half = a.size() / 2;
        goForwards(a.first(half), b, openFirst);
        goBackwards(a.subspan(half), b, openLast);
        std::size_t cut = 0;
        int highest = best_[0] + bestBack_[0];
        bool isWithinGap = false;
        for (std::size_t j = 0; j <= b.size(); ++j) {
            const int score = best_[j] + bestBack_[j];
            if (score > highest || (score == highest && best_[j] != gap_[j] && bestBack_[j] == gapBack_[j])) {
                highest = score;
                cut = j;
            }
        }
        for (std::size_t j = b.size() + 1; j-- > 0;)
            if (const int score = gap_[j] + gapBack_[j] + open_; score > highest) {
                highest = score;
                cut = j;
                isWithinGap = true;
            }
        if (isWithinGap) {
            join(a.first(half - 1), b.first(cut), openFirst, 0);
            join(a.subspan(half + 1), b.subspan(cut), 0, openLast);
        } else {
            join(a.first(half), b.first(cut), openFirst, open_);
            join(a.subspan(half), b.subspan(cut), open_, openLast);
        }
    }

    const SubstitutionMatrix& matrix_;
    int open_, extend_;
    const CellProgress& advance_;
    std::vector<int> best_, gap_, bestBack_, gapBack_;
    std::int64_t identities_ = 0;
};

}  // namespace

PairResult alignAsClustalW(Codes a, Codes b, const SubstitutionMatrix& matrix, const GapPenalties& gaps,
                           const CellProgress& advance) {
    return ClustalPair(matrix, gaps, advance).align(a, b);
}

}  // namespace glycine::align
