#include "engine/pairwise/clustal_pair.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::pairwise {

ClustalCut findCut(std::span<const std::int32_t> best, std::span<const std::int32_t> gap,
                   std::span<const std::int32_t> bestBack, std::span<const std::int32_t> gapBack,
                   std::int32_t open) {
    const std::size_t columns = best.size() - 1;
    ClustalCut cut;
    std::int32_t highest = best[0] + bestBack[columns];
    for (std::size_t j = 0; j <= columns; ++j) {
        const std::size_t back = columns - j;
        const std::int32_t score = best[j] + bestBack[back];
        if (score > highest || (score == highest && best[j] != gap[j] && bestBack[back] == gapBack[back])) {
            highest = score;
            cut.column = j;
        }
    }
    for (std::size_t j = columns + 1; j-- > 0;)
        if (const std::int32_t score = gap[j] + gapBack[columns - j] + open; score > highest) {
            highest = score;
            cut = {j, true};
        }
    return cut;
}

PairResult ClustalPair::align(Codes a, Codes b, const GapPenalties& gaps, const CellProgress& advance) {
    open_ = gaps.open;
    extend_ = gaps.extend;
    const LocalEnd end = findEnd(a, b, advance);
    if (end.score == 0) return {};
    const Codes aEnd = a.first(end.place.row), bEnd = b.first(end.place.column);
    const Place begin = findBegin(aEnd, bEnd, end.score);
    return {end.score, join(aEnd.subspan(begin.row), bEnd.subspan(begin.column), gaps, 0, 0)};
}

std::int64_t ClustalPair::join(Codes a, Codes b, const GapPenalties& gaps, int openFirst, int openLast) {
    open_ = gaps.open;
    extend_ = gaps.extend;
    identities_ = 0;
    joinParts(a, b, openFirst, openLast);
    return identities_;
}

/// The last letters of the best local alignment, counted from 1.
ClustalPair::LocalEnd ClustalPair::findEnd(Codes a, Codes b, const CellProgress& advance) {
    best_.assign(b.size() + 1, 0);
    gap_.assign(b.size() + 1, -open_);
    LocalEnd end;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto& scores = matrix_.scores[a[i]];
        std::int32_t cell = 0, diagonal = 0, across = -open_;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            across = std::max(across - extend_, cell - open_ - extend_);
            gap_[j] = std::max(gap_[j] - extend_, best_[j] - open_ - extend_);
            cell = std::max({diagonal + scores[b[j - 1]], across, gap_[j], 0});
            diagonal = best_[j];
            best_[j] = cell;
            if (cell > end.score) end = {cell, {i + 1, j}};
        }
        advance(static_cast<double>(b.size()));
    }
    return end;
}

/// The numbers of letters before the alignment that ends with `a` and `b` and has this score.
ClustalPair::Place ClustalPair::findBegin(Codes a, Codes b, std::int32_t score) {
    best_.assign(b.size() + 1, -1);
    gap_.assign(b.size() + 1, -1);
    std::int32_t highest = 0;
    Place begin;
    for (std::size_t i = a.size(); i-- > 0;) {
        const auto& scores = matrix_.scores[a[i]];
        std::int32_t cell = -1, across = -1;
        std::int32_t diagonal = i + 1 == a.size() ? 0 : -1;
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

/// Computes the input of findCut: the scores of all of `a` with each prefix of b; backwards, with each
/// suffix, from the end of `a`. A gap at the corner costs `open` to open.
void ClustalPair::findBorder(Codes a, Codes b, bool isBackwards, int open, Row& best, Row& gap) const {
    if (best.size() < b.size() + 1) {
        best.resize(b.size() + 1);
        gap.resize(b.size() + 1);
    }
    const auto letter = [isBackwards](Codes codes, std::size_t index) {
        return isBackwards ? codes[codes.size() - 1 - index] : codes[index];
    };
    best[0] = 0;
    std::int32_t border = -open;
    for (std::size_t j = 1; j <= b.size(); ++j) {
        border -= extend_;
        best[j] = border;
        gap[j] = border - open_;
    }
    border = -open;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto& scores = matrix_.scores[letter(a, i)];
        std::int32_t diagonal = best[0];
        border -= extend_;
        std::int32_t cell = border, across = border - open_;
        best[0] = cell;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            across = std::max(across - extend_, cell - open_ - extend_);
            gap[j] = std::max(gap[j] - extend_, best[j] - open_ - extend_);
            cell = std::max({diagonal + scores[letter(b, j - 1)], across, gap[j]});
            diagonal = best[j];
            best[j] = cell;
        }
    }
    gap[0] = best[0];
}

/// The cost of a gap of this many letters whose opening costs `open`.
int ClustalPair::gapCost(std::size_t letters, int open) const {
    return letters == 0 ? 0 : open + extend_ * static_cast<int>(letters);
}

/// Aligns one letter with `b`: paired with one of its letters, or in a gap.
void ClustalPair::joinOne(std::uint8_t a, Codes b, int openFirst, int openLast) {
    const auto& scores = matrix_.scores[a];
    std::int32_t highest = std::max(-(openFirst + extend_) - gapCost(b.size(), openLast),
                                    -(openLast + extend_) - gapCost(b.size(), openFirst));
    std::size_t place = b.size();  // none
    for (std::size_t j = 0; j < b.size(); ++j) {
        const std::int32_t score = scores[b[j]] - gapCost(b.size() - j - 1, openLast) - gapCost(j, openFirst);
        if (score > highest) {
            highest = score;
            place = j;
        }
    }
    if (place < b.size() && a == b[place]) ++identities_;
}

/// Aligns `a` and `b` from end to end.
void ClustalPair::joinParts(Codes a, Codes b, int openFirst, int openLast) {
    if (a.empty() || b.empty()) return;
    if (a.size() == 1) return joinOne(a.front(), b, openFirst, openLast);
    const std::size_t half = a.size() / 2;
    findBorder(a.first(half), b, false, openFirst, best_, gap_);
    findBorder(a.subspan(half), b, true, openLast, bestBack_, gapBack_);
    const auto border = [&](const Row& row) { return std::span(row).first(b.size() + 1); };
    const ClustalCut cut = findCut(border(best_), border(gap_), border(bestBack_), border(gapBack_), open_);
    const std::size_t inGap = cut.isWithinGap ? 1 : 0;
    const int openAtCut = cut.isWithinGap ? 0 : open_;
    joinParts(a.first(half - inGap), b.first(cut.column), openFirst, openAtCut);
    joinParts(a.subspan(half + inGap), b.subspan(cut.column), openAtCut, openLast);
}

// ---- scores

namespace {

SubstitutionMatrix scaled(const SubstitutionMatrix& matrix, int factor) {
    SubstitutionMatrix result = matrix;
    for (auto& row : result.scores)
        for (int& score : row) score *= factor;
    return result;
}

}  // namespace

const SubstitutionMatrix& clustalMatrix(Alphabet alphabet) {
    static const SubstitutionMatrix proteins = scaled(namedMatrix("GONNET250", Alphabet::Protein), 10);
    static const SubstitutionMatrix nucleotides = [] {
        SubstitutionMatrix matrix = scaled(namedMatrix("IUB", Alphabet::Dna), 100);
        const std::uint8_t c = codeOf(Alphabet::Dna, 'C');
        for (const char letter : {'M', 'N'}) {
            const std::uint8_t code = codeOf(Alphabet::Dna, letter);
            matrix.scores[c][code] = matrix.scores[code][c] = 500;
        }
        return matrix;
    }();
    return isNucleotide(alphabet) ? nucleotides : proteins;
}

void fillClustalTable(const SubstitutionMatrix& matrix, std::int32_t* table) {
    for (std::size_t a = 0; a < kMaxCodes; ++a)
        for (std::size_t b = 0; b < kMaxCodes; ++b)
            *table++ = a < matrix.size && b < matrix.size ? matrix.scores[a][b] : kClustalNever;
}

GapPenalties clustalPenalties(Alphabet alphabet, std::size_t letters, std::size_t others) {
    if (isNucleotide(alphabet)) return {.open = 3000, .extend = 666};
    constexpr double kMean = 82;
    const double shorter = std::log(static_cast<double>(std::min(letters, others)));
    return {.open = static_cast<int>(2 * kMean * (10 + shorter)), .extend = 1};
}

}  // namespace glycine::pairwise
