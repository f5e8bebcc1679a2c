#include "engine/sequences/files/substitution_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine {

namespace {

/// Words between blanks.
std::vector<std::string_view> wordsOf(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    std::vector<std::string_view> words;
    for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(kBlanks, end);
    }
    return words;
}

class MatrixReader {
  public:
    MatrixReader(io::TextStream& stream, Alphabet alphabet)
        : name_(stream.name()), lines_(stream), alphabet_(alphabet) {}

    SubstitutionMatrix read() {
        for (std::string_view line = lines_.next(); !line.empty(); line = lines_.next()) {
            const std::vector<std::string_view> words = wordsOf(line);
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
    [[noreturn]] void failHere(std::string_view what) const {
        throw InputError(fmt::format("{}: line {}: {}", name_, lines_.number(), what));
    }

    char letterOf(std::string_view word) const {
        const std::uint8_t code = word.size() == 1 ? codeOf(alphabet_, word.front()) : kNoCode;
        if (code == kNoCode || code == kGapCode)
            failHere(fmt::format("'{}' was found; expected one of the letters {}", excerpt(word),
                                 lettersOf(alphabet_)));
        // One letter a code: U of nucleotides is T.
        return lettersOf(alphabet_)[code];
    }

    void readHeader(const std::vector<std::string_view>& words) {
        for (const std::string_view word : words) {
            const char letter = letterOf(word);
            // Tables of nucleotides have U beside T; the scores must be equal.
            if (columns_.find(letter) != std::string::npos && !isNucleotide(alphabet_))
                failHere(fmt::format("the letter '{}' is there twice", excerpt(word)));
            columns_.push_back(letter);
        }
    }

    void readRow(std::vector<std::string_view> words) {
        if (rows_ == columns_.size())
            failHere(fmt::format("a further line; expected {} lines of scores", columns_.size()));
        char row = columns_[rows_];
        if (words.size() == columns_.size() + 1) {
            row = letterOf(words.front());
            words.erase(words.begin());
        }
        if (words.size() != columns_.size())
            failHere(fmt::format("has {} scores; expected {}, one for each of {}", words.size(),
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
            failHere(fmt::format("'{}' was found; expected a whole number, {} … {}", excerpt(word),
                                 -kLargestScore, kLargestScore));
        for (const auto& key : {std::pair(row, column), std::pair(column, row)})
            if (const auto found = scores_.find(key); found != scores_.end() && found->second != score)
                failHere(fmt::format("{} and {} score {}, but {} before; expected a symmetric matrix", row,
                                     column, score, found->second));
        scores_[{row, column}] = score;
    }

    std::string name_;
    io::LineReader lines_;
    Alphabet alphabet_;
    std::string columns_;  ///< the letters of the first line
    std::size_t rows_ = 0;
    LetterScores scores_;
};

}  // namespace

SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet) {
    return MatrixReader(stream, alphabet).read();
}

SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet) {
    if (isMatrixName(nameOrFile) || !std::filesystem::exists(nameOrFile))
        return namedMatrix(nameOrFile, alphabet);
    return readMatrix(std::filesystem::path(nameOrFile), alphabet);
}

}  // namespace glycine
