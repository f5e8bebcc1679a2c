#include "engine/alignment/results/residue_colors.hpp"

#include <array>

namespace glycine::align {

namespace {

/// True if at least `percent` % of the rows have one of these letters. A letter as a sign means that it is
/// conserved: at least 85 % of the rows have it.
struct Condition {
    char sign;
    std::size_t percent;
    std::string_view letters;
};
constexpr std::size_t kConserved = 85;
constexpr std::array<Condition, 9> kConditions{{{'%', 60, "WLVIMAFCYHP"},
                                                {'#', 80, "WLVIMAFCYHP"},
                                                {'-', 50, "ED"},
                                                {'+', 60, "KR"},
                                                {'g', 50, "G"},
                                                {'n', 50, "N"},
                                                {'q', 50, "QE"},
                                                {'p', 50, "P"},
                                                {'t', 50, "TS"}}};

/// Letters get the colour if one of the signs holds; without signs, always. The first matching rule of a
/// letter wins.
struct Rule {
    std::string_view letters;
    Paint paint;
    std::string_view signs;
};
constexpr std::array<Rule, 14> kProteinRules{{{"G", Paint::Orange, ""},
                                              {"P", Paint::Yellow, ""},
                                              {"T", Paint::Green, "tST%#"},
                                              {"S", Paint::Green, "tST#"},
                                              {"N", Paint::Green, "nND"},
                                              {"Q", Paint::Green, "qQE+KR"},
                                              {"WLVIMF", Paint::Blue, "%#ACFHILMVWYPp"},
                                              {"A", Paint::Blue, "%#ACFHILMVWYPpTSG"},
                                              {"C", Paint::Pink, "C"},
                                              {"C", Paint::Blue, "%#AFHILMVWYSPp"},
                                              {"HY", Paint::Cyan, "%#ACFHILMVWYPp"},
                                              {"KR", Paint::Red, "+KRQ"},
                                              {"E", Paint::Magenta, "-DEqQ"},
                                              {"D", Paint::Magenta, "-DEnN"}}};

constexpr std::array<PaintMeaning, 8> kProteinMeanings{{{Paint::Blue, "hydrophobic"},
                                                        {Paint::Red, "positive"},
                                                        {Paint::Magenta, "negative"},
                                                        {Paint::Green, "polar"},
                                                        {Paint::Pink, "conserved C"},
                                                        {Paint::Orange, "G"},
                                                        {Paint::Yellow, "P"},
                                                        {Paint::Cyan, "H, Y"}}};
constexpr std::array<PaintMeaning, 4> kNucleotideMeanings{
    {{Paint::Orange, "A"}, {Paint::Red, "C"}, {Paint::Green, "G"}, {Paint::Blue, "T, U"}}};

/// The number of times that each letter occurs in a column.
using LetterCounts = std::array<std::size_t, 256>;

bool holds(const LetterCounts& counts, std::size_t rows, std::string_view letters, std::size_t percent) {
    std::size_t sum = 0;
    for (const char letter : letters) sum += counts[static_cast<unsigned char>(letter)];
    return 100 * sum >= percent * rows;
}

bool holds(const LetterCounts& counts, std::size_t rows, char sign) {
    for (const Condition& condition : kConditions)
        if (condition.sign == sign) return holds(counts, rows, condition.letters, condition.percent);
    return holds(counts, rows, {&sign, 1}, kConserved);
}

bool applies(const Rule& rule, const LetterCounts& counts, std::size_t rows) {
    if (rule.signs.empty()) return true;
    for (const char sign : rule.signs)
        if (holds(counts, rows, sign)) return true;
    return false;
}

Paint nucleotidePaint(char letter) {
    switch (letter) {
        case 'A':
            return Paint::Orange;
        case 'C':
            return Paint::Red;
        case 'G':
            return Paint::Green;
        case 'T':
        case 'U':
            return Paint::Blue;
        default:
            return Paint::None;
    }
}

}  // namespace

std::vector<Paint> columnPaints(const MultipleAlignment& alignment, std::size_t column) {
    std::array<Paint, 256> paints{};
    if (isNucleotide(alignment.alphabet)) {
        for (const char letter : std::string_view("ACGTU"))
            paints[static_cast<unsigned char>(letter)] = nucleotidePaint(letter);
    } else {
        LetterCounts counts{};
        for (const std::string& row : alignment.rows) ++counts[static_cast<unsigned char>(row[column])];
        for (const Rule& rule : kProteinRules) {
            if (!applies(rule, counts, alignment.size())) continue;
            for (const char letter : rule.letters) {
                Paint& paint = paints[static_cast<unsigned char>(letter)];
                if (paint == Paint::None) paint = rule.paint;
            }
        }
    }
    std::vector<Paint> result;
    result.reserve(alignment.size());
    for (const std::string& row : alignment.rows)
        result.push_back(paints[static_cast<unsigned char>(row[column])]);
    return result;
}

picture::Color colorOf(Paint paint) {
    switch (paint) {
        case Paint::Blue:
            return {140, 180, 242};
        case Paint::Red:
            return {240, 120, 110};
        case Paint::Magenta:
            return {210, 140, 218};
        case Paint::Green:
            return {112, 205, 112};
        case Paint::Pink:
            return {244, 165, 185};
        case Paint::Orange:
            return {242, 178, 112};
        case Paint::Yellow:
            return {222, 222, 84};
        case Paint::Cyan:
            return {98, 200, 200};
        case Paint::None:
            break;
    }
    return {255, 255, 255};
}

std::span<const PaintMeaning> paintMeanings(Alphabet alphabet) {
    if (isNucleotide(alphabet)) return kNucleotideMeanings;
    return kProteinMeanings;
}

}  // namespace glycine::align
