#include "engine/alignment/alignment_summary.hpp"

#include <array>
#include <cmath>

#include "engine/sequences/check_sequences.hpp"

namespace glycine::align {

namespace {

/// How often each code stands in each column, gaps included.
class LettersOfColumn {
  public:
    explicit LettersOfColumn(const MultipleAlignment& alignment) : counts_(alignment.columns()) {
        for (const std::string& row : alignment.rows)
            for (std::size_t column = 0; column < row.size(); ++column)
                ++counts_[column][codeOf(alignment.alphabet, row[column])];
    }
    const std::array<std::size_t, kMostCodes>& of(std::size_t column) const { return counts_[column]; }

  private:
    std::vector<std::array<std::size_t, kMostCodes>> counts_;
};

}  // namespace

AlignmentSummary summarize(const MultipleAlignment& alignment) {
    checkRows(alignment);
    AlignmentSummary summary{.rows = alignment.size(), .columns = alignment.columns()};
    const LettersOfColumn counts(alignment);
    const auto pairsOfMany = [](std::size_t count) {
        return static_cast<double>(count) * (static_cast<double>(count) - 1) / 2;
    };
    for (std::size_t column = 0; column < summary.columns; ++column) {
        const std::array<std::size_t, kMostCodes>& here = counts.of(column);
        summary.gaps += here[kGapCode];
        summary.pairs += pairsOfMany(summary.rows - here[kGapCode]);
        for (std::size_t code = 0; code < kGapCode; ++code) {
            if (here[code] == 0) continue;
            summary.identical += pairsOfMany(here[code]);
            summary.conserved += here[code] == summary.rows ? 1U : 0U;
        }
    }
    return summary;
}

std::vector<double> conservation(const MultipleAlignment& alignment) {
    checkRows(alignment);
    const LettersOfColumn counts(alignment);
    const std::size_t definite = definiteCodes(alignment.alphabet);
    std::vector<double> conserved(alignment.columns(), 0);
    for (std::size_t column = 0; column < conserved.size(); ++column) {
        const std::array<std::size_t, kMostCodes>& here = counts.of(column);
        double letters = 0;
        for (std::size_t code = 0; code < definite; ++code) letters += static_cast<double>(here[code]);
        if (letters == 0) continue;
        double entropy = 0;
        for (std::size_t code = 0; code < definite; ++code)
            if (const double share = static_cast<double>(here[code]) / letters; share > 0)
                entropy -= share * std::log2(share);
        const double occupied = letters / static_cast<double>(alignment.size());
        conserved[column] = (1 - entropy / std::log2(static_cast<double>(definite))) * occupied;
    }
    return conserved;
}

}  // namespace glycine::align
