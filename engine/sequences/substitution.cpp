#include "engine/sequences/substitution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/sequences/gap_penalties.hpp"
#include "engine/sequences/substitution_tables.hpp"

namespace glycine {

namespace {

constexpr std::string_view kIdentity = "IDENTITY";
/// Letters of proteins that published matrices have.
constexpr std::size_t kTableLetters = 24;

SubstitutionMatrix matrixOf(const SubstitutionTable& table, Alphabet alphabet) {
    std::string_view letters = lettersOf(alphabet);
    if (!isNucleotide(alphabet)) letters = letters.substr(0, kTableLetters);
    LetterScores scores;
    const char* next = table.scores.data();
    const char* const end = next + table.scores.size();
    for (std::size_t i = 0; i < letters.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            while (next < end && (*next == ' ' || *next == '\n')) ++next;
            const auto [behind, failure] = std::from_chars(next, end, scores[{letters[i], letters[j]}]);
            if (failure != std::errc()) throw std::logic_error(fmt::format("{} is short", table.name));
            next = behind;
        }
    return matrixOf(std::string(table.name), alphabet, scores, table.name);
}

/// All of an alphabet, made once.
const std::vector<SubstitutionMatrix>& knownMatrices(Alphabet alphabet) {
    static const std::vector<SubstitutionMatrix> proteins = [] {
        std::vector<SubstitutionMatrix> all;
        for (const auto& tables : {blosumTables(), pamTables(), gonnetTables()})
            for (const SubstitutionTable& table : tables) all.push_back(matrixOf(table, Alphabet::Protein));
        all.push_back(matchMatrix(Alphabet::Protein, 10, 0));
        all.back().name = kIdentity;
        return all;
    }();
    static const std::vector<SubstitutionMatrix> nucleotides = [] {
        std::vector<SubstitutionMatrix> all;
        for (const SubstitutionTable& table : nucleotideTables())
            all.push_back(matrixOf(table, Alphabet::Dna));
        all.push_back(matchMatrix(Alphabet::Dna, 10, 0));
        all.back().name = kIdentity;
        return all;
    }();
    return isNucleotide(alphabet) ? nucleotides : proteins;
}

const SubstitutionMatrix* findMatrix(std::string_view name, Alphabet alphabet) {
    const std::vector<SubstitutionMatrix>& all = knownMatrices(alphabet);
    const auto found = std::find_if(all.begin(), all.end(), [&](const SubstitutionMatrix& matrix) {
        return lowerCase(matrix.name) == lowerCase(name);
    });
    return found == all.end() ? nullptr : &*found;
}

/// Smallest and largest of the scores between codes.
std::pair<int, int> rangeOf(const SubstitutionMatrix& matrix) {
    int lowest = matrix.scores[0][0], highest = lowest;
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b) {
            lowest = std::min(lowest, matrix.scores[a][b]);
            highest = std::max(highest, matrix.scores[a][b]);
        }
    return {lowest, highest};
}

}  // namespace

int SubstitutionMatrix::highest() const {
    return rangeOf(*this).second;
}

int SubstitutionMatrix::lowest() const {
    return rangeOf(*this).first;
}

std::vector<std::string> matrixNames(Alphabet alphabet) {
    checkKnown(alphabet);
    std::vector<std::string> names;
    for (const SubstitutionMatrix& matrix : knownMatrices(alphabet)) names.push_back(matrix.name);
    return names;
}

const SubstitutionMatrix& namedMatrix(std::string_view name, Alphabet alphabet) {
    checkKnown(alphabet);
    if (const SubstitutionMatrix* found = findMatrix(name, alphabet)) return *found;
    const Alphabet other = isNucleotide(alphabet) ? Alphabet::Protein : Alphabet::Dna;
    if (findMatrix(name, other) != nullptr)
        throw UsageError(fmt::format("the substitution matrix {} is for {}, but the sequences are {}", name,
                                     isNucleotide(other) ? "nucleotides" : "proteins",
                                     isNucleotide(alphabet) ? "nucleotides" : "proteins"));
    throw UsageError(fmt::format("unknown substitution matrix '{}'; known: {}", excerpt(name),
                                 fmt::join(matrixNames(alphabet), ", ")));
}

bool isMatrixName(std::string_view name) {
    return findMatrix(name, Alphabet::Protein) != nullptr || findMatrix(name, Alphabet::Dna) != nullptr;
}

SubstitutionMatrix matchMatrix(Alphabet alphabet, int match, int mismatch) {
    checkKnown(alphabet);
    SubstitutionMatrix matrix;
    matrix.name = fmt::format("{:+}/{:+}", match, mismatch);
    matrix.alphabet = isNucleotide(alphabet) ? Alphabet::Dna : Alphabet::Protein;
    matrix.size = lettersOf(alphabet).size();
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b) matrix.scores[a][b] = a == b ? match : mismatch;
    return matrix;
}

SubstitutionMatrix matrixOf(std::string name, Alphabet alphabet, const LetterScores& scores,
                            std::string_view place) {
    checkKnown(alphabet);
    SubstitutionMatrix matrix;
    matrix.name = std::move(name);
    matrix.alphabet = isNucleotide(alphabet) ? Alphabet::Dna : Alphabet::Protein;
    const std::string_view letters = lettersOf(matrix.alphabet);
    matrix.size = letters.size();
    const std::size_t unknown = codeOf(alphabet, '?');
    std::array<std::array<bool, kMostCodes>, kMostCodes> isGiven{};
    int lowest = 0;
    for (const auto& [pair, score] : scores) {
        if (score < -kLargestScore || score > kLargestScore)
            throw InputError(fmt::format("{}: {} and {} score {}; expected {} … {}", place, pair.first,
                                         pair.second, score, -kLargestScore, kLargestScore));
        const std::uint8_t a = codeOf(alphabet, pair.first), b = codeOf(alphabet, pair.second);
        matrix.scores[a][b] = matrix.scores[b][a] = score;
        isGiven[a][b] = isGiven[b][a] = true;
        lowest = std::min(lowest, score);
    }
    for (std::size_t a = 0; a < definiteCodes(alphabet); ++a)
        for (std::size_t b = 0; b <= a; ++b)
            if (!isGiven[a][b])
                throw InputError(fmt::format("{}: has no score of {} and {}; expected one of all pairs of {}",
                                             place, letters[a], letters[b],
                                             letters.substr(0, definiteCodes(alphabet))));
    for (std::size_t b = 0; b < matrix.size; ++b) {
        if (isGiven[unknown][b]) continue;
        matrix.scores[unknown][b] = matrix.scores[b][unknown] = lowest;
        isGiven[unknown][b] = isGiven[b][unknown] = true;
    }
    const auto standIn = [&](std::size_t code) { return isGiven[code][code] ? code : unknown; };
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b) {
            if (isGiven[a][b]) continue;
            const std::size_t x = standIn(a), y = standIn(b);
            matrix.scores[a][b] = isGiven[x][y] ? matrix.scores[x][y] : lowest;
        }
    return matrix;
}

std::optional<GapPenalties> usualPenalties(std::string_view matrix) {
    static const std::map<std::string, GapPenalties, std::less<>> penalties{
        {"blosum45", {15, 2}}, {"blosum50", {13, 2}}, {"blosum62", {11, 1}}, {"blosum80", {10, 1}},
        {"blosum90", {10, 1}}, {"pam30", {9, 1}},     {"pam70", {10, 1}},    {"pam250", {14, 2}},
        {"ednafull", {12, 4}}, {"iub", {30, 7}},
    };
    const std::string name = lowerCase(matrix);
    if (name.starts_with("gonnet") && isMatrixName(name)) return GapPenalties{189, 17};
    const auto found = penalties.find(name);
    return found == penalties.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace glycine
