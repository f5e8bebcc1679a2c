#include "engine/sequences/substitution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <optional>

#include "engine/core/arguments.hpp"
#include "engine/core/embedded_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/core/text.hpp"

namespace glycine {

namespace {

constexpr std::string_view kIdentity = "IDENTITY";

/// The words of a line, separated by blanks.
std::vector<std::string_view> splitWords(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    std::vector<std::string_view> words;
    for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(kBlanks, end);
    }
    return words;
}

class MatrixParser {
  public:
    MatrixParser(std::string name, Alphabet alphabet) : name_(std::move(name)), alphabet_(alphabet) {}

    SubstitutionMatrix parse(const NextLine& nextLine) {
        for (std::string_view line = nextLine(); !line.empty(); line = nextLine()) {
            ++line_;
            const std::vector<std::string_view> words = splitWords(line);
            if (words.empty() || words.front().front() == '#') continue;
            if (columns_.empty())
                readHeader(words);
            else
                readRow(words);
        }
        if (columns_.empty()) fail("has no line of letters; expected a substitution matrix in NCBI's format");
        if (rows_ < columns_.size())
            fail(fmt::format("ends after {} of {} lines of scores", rows_, columns_.size()));
        return matrixOf(std::filesystem::path(name_).filename().string(), alphabet_, scores_, name_);
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("{}: {}", name_, what));
    }
    [[noreturn]] void failAtPosition(std::string_view what) const {
        throw InputError(fmt::format("{}: line {}: {}", name_, line_, what));
    }

    char letterOf(std::string_view word) const {
        const std::uint8_t code = word.size() == 1 ? codeOf(alphabet_, word.front()) : kNoCode;
        if (code == kNoCode || code == kGapCode)
            failAtPosition(fmt::format("'{}' was found; expected one of the letters {}", excerpt(word),
                                       lettersOf(alphabet_)));
        // One letter per code: U of nucleotides becomes T.
        return lettersOf(alphabet_)[code];
    }

    void readHeader(const std::vector<std::string_view>& words) {
        for (const std::string_view word : words) {
            const char letter = letterOf(word);
            // Tables of nucleotides have U as well as T; their scores must be equal.
            if (columns_.find(letter) != std::string::npos && !isNucleotide(alphabet_))
                failAtPosition(fmt::format("the letter '{}' is there twice", excerpt(word)));
            columns_.push_back(letter);
        }
    }

    void readRow(std::vector<std::string_view> words) {
        if (rows_ == columns_.size())
            failAtPosition(fmt::format("a further line; expected {} lines of scores", columns_.size()));
        char row = columns_[rows_];
        if (words.size() == columns_.size() + 1) {
            row = letterOf(words.front());
            words.erase(words.begin());
        }
        if (words.size() != columns_.size())
            failAtPosition(fmt::format("has {} scores; expected {}, one for each of {}", words.size(),
                                       columns_.size(), columns_));
        for (std::size_t k = 0; k < words.size(); ++k) add(row, columns_[k], words[k]);
        ++rows_;
    }

    void add(char row, char column, std::string_view word) {
        int score = 0;
        const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), score);
        if (failure != std::errc() || end != digits.data() + digits.size() || score < -kLargestScore ||
            score > kLargestScore)
            failAtPosition(fmt::format("'{}' was found; expected a whole number, {} … {}", excerpt(word),
                                       -kLargestScore, kLargestScore));
        for (const auto& key : {std::pair(row, column), std::pair(column, row)})
            if (const auto found = scores_.find(key); found != scores_.end() && found->second != score)
                failAtPosition(fmt::format("{} and {} score {}, but {} before; expected a symmetric matrix",
                                           row, column, score, found->second));
        scores_[{row, column}] = score;
    }

    std::string name_;
    Alphabet alphabet_;
    std::size_t line_ = 0;  ///< from 1
    std::string columns_;   ///< the letters of the first line
    std::size_t rows_ = 0;
    LetterScores scores_;
};

/// The lines of a text, which must outlive the returned function.
NextLine linesOf(std::string_view text) {
    return [text]() mutable {
        const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        text.remove_prefix(line.size());
        return line;
    };
}

/// A matrix of resources/matrices/names.txt.
struct KnownMatrix {
    std::string name;
    Alphabet alphabet = Alphabet::Protein;
    std::optional<GapPenalties> usual{};
};

/// Matrices for proteins and for nucleotides; IDENTITY comes last.
const std::vector<KnownMatrix>& knownMatrices() {
    static const std::vector<KnownMatrix> all = [] {
        std::vector<KnownMatrix> matrices;
        const NextLine nextLine = linesOf(embeddedResources().at("matrices/names.txt"));
        for (std::string_view line = nextLine(); !line.empty(); line = nextLine()) {
            const std::vector<std::string_view> words = splitWords(line);
            if (line.front() == '#') continue;
            const auto numberOf = [&](std::size_t word) {
                int number = 0;
                std::from_chars(words[word].data(), words[word].data() + words[word].size(), number);
                return number;
            };
            KnownMatrix& matrix = matrices.emplace_back();
            matrix.name = words[0];
            if (words[1] == "nucleotides") matrix.alphabet = Alphabet::Dna;
            if (words.size() > 2) matrix.usual = {numberOf(2), numberOf(3)};
        }
        for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
            matrices.push_back({std::string(kIdentity), alphabet});
        return matrices;
    }();
    return all;
}

const KnownMatrix* findMatrix(std::string_view name, Alphabet alphabet) {
    const auto found = std::ranges::find_if(knownMatrices(), [&](const KnownMatrix& matrix) {
        return isNucleotide(matrix.alphabet) == isNucleotide(alphabet) &&
               lowerCase(matrix.name) == lowerCase(name);
    });
    return found == knownMatrices().end() ? nullptr : &*found;
}

/// Parsed on first use.
const SubstitutionMatrix& scoresOf(const KnownMatrix& known) {
    static std::mutex mutex;
    static std::map<const KnownMatrix*, SubstitutionMatrix> made;
    const std::lock_guard lock(mutex);
    const auto [place, isNew] = made.try_emplace(&known);
    if (isNew) {
        const std::string file = fmt::format("matrices/{}.txt", known.name);
        place->second = known.name == kIdentity
                            ? matchMatrix(known.alphabet, 10, 0)
                            : parseMatrix(file, known.alphabet, linesOf(embeddedResources().at(file)));
        place->second.name = known.name;
    }
    return place->second;
}

/// The lowest and the highest score.
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
    for (const KnownMatrix& matrix : knownMatrices())
        if (isNucleotide(matrix.alphabet) == isNucleotide(alphabet)) names.push_back(matrix.name);
    return names;
}

const SubstitutionMatrix& namedMatrix(std::string_view name, Alphabet alphabet) {
    checkKnown(alphabet);
    if (const KnownMatrix* found = findMatrix(name, alphabet)) return scoresOf(*found);
    const Alphabet other = isNucleotide(alphabet) ? Alphabet::Protein : Alphabet::Dna;
    if (findMatrix(name, other) != nullptr)
        throw UsageError(fmt::format("the substitution matrix {} is for {}, but the sequences are {}", name,
                                     isNucleotide(other) ? "nucleotides" : "proteins",
                                     isNucleotide(alphabet) ? "nucleotides" : "proteins"));
    const std::vector<std::string> known = matrixNames(alphabet);
    throwUnknownName("substitution matrix", name, {known.begin(), known.end()});
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
    std::array<std::array<bool, kMaxCodes>, kMaxCodes> isGiven{};
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

SubstitutionMatrix parseMatrix(const std::string& name, Alphabet alphabet, const NextLine& nextLine) {
    return MatrixParser(name, alphabet).parse(nextLine);
}

std::optional<GapPenalties> defaultPenalties(std::string_view matrix) {
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        if (const KnownMatrix* found = findMatrix(matrix, alphabet); found != nullptr && found->usual)
            return found->usual;
    return std::nullopt;
}

}  // namespace glycine
