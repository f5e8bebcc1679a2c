#include "engine/alignment/check_arguments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_set>

#include "engine/alignment/pairwise_engine.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine::align {

namespace {

void checkNames(std::string_view what, const std::vector<std::string>& names) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k].empty()) throw InputError(fmt::format("{} {} has no name", what, k + 1));
        if (!seen.insert(names[k]).second)
            throw InputError(fmt::format("{} {}: the name '{}' is there already; expected each name once",
                                         what, k + 1, excerpt(names[k])));
    }
}

void checkMatrix(const SubstitutionMatrix& matrix, Alphabet alphabet) {
    checkKnown(matrix.alphabet);
    if (!matrix.isFor(alphabet))
        throw UsageError(fmt::format("the substitution matrix {} is for {}, but the sequences are {}",
                                     matrix.name, toString(matrix.alphabet), toString(alphabet)));
    const std::string_view letters = lettersOf(alphabet);
    if (matrix.size != letters.size())
        throw UsageError(
            fmt::format("the substitution matrix '{}' has scores of {} letters; expected those of the {} "
                        "letters of {} (namedMatrix, matrixOf or matchMatrix)",
                        matrix.name, matrix.size, letters.size(), toString(alphabet)));
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            const int score = matrix.scores[a][b];
            if (score != matrix.scores[b][a])
                throw UsageError(fmt::format(
                    "the substitution matrix '{}' scores {} beside {} as {}, and {} beside {} as {}; "
                    "expected a symmetric one",
                    matrix.name, letters[a], letters[b], score, letters[b], letters[a], matrix.scores[b][a]));
            if (score > kLargestScore || score < -kLargestScore)
                throw UsageError(
                    fmt::format("the substitution matrix '{}' scores {} beside {} as {}; expected {} … {}",
                                matrix.name, letters[a], letters[b], score, -kLargestScore, kLargestScore));
        }
}

/// What only some methods have.
void checkMethodOptions(const AlignOptions& options) {
    const bool isAuto = options.method == AlignMethod::Auto;
    const bool isForAccuracy = options.method == AlignMethod::Accuracy || isAuto;
    const auto refuse = [&](const char* option) {
        throw UsageError(fmt::format("{} is not for the method {}", option, toString(options.method)));
    };
    if (options.method == AlignMethod::Fast && options.variant != Variant::Default) refuse("a variant");
    if (options.method == AlignMethod::Fast && options.treeMethod) refuse("a tree method");
    if (!isForAccuracy && options.endsWithTree) refuse("an end with the tree");
    if (!isForAccuracy && options.kept != nullptr) refuse("a file of kept posteriors");
    if (!isForAccuracy && options.consistencyRounds) refuse("a number of rounds of consistency");
    if (!isForAccuracy && options.refinements) refuse("a number of refinements");
    constexpr std::size_t kMostRounds = 100;
    if (options.consistencyRounds.value_or(0) > kMostRounds)
        throw UsageError(fmt::format("{} rounds of consistency; expected 0 … {}", *options.consistencyRounds,
                                     kMostRounds));
    checkNumber("the budget of work", options.budgetSeconds,
                options.budgetSeconds > 0 && std::isfinite(options.budgetSeconds),
                "a finite number of seconds above 0");
    if (options.guideTree && options.distances)
        throw UsageError("a guide tree and distances exclude each other: the tree comes from the distances");
}

}  // namespace

void checkSequences(const Sequences& sequences) {
    checkKnown(sequences.alphabet);
    const std::size_t n = sequences.letters.size();
    checkCount("the names", sequences.names.size(), n, "one for each sequence");
    checkCount("the sequences of codes", sequences.codes.size(), n, "one for each sequence");
    checkNames("sequence", sequences.names);
    for (std::size_t k = 0; k < n; ++k) {
        const std::string& letters = sequences.letters[k];
        const std::vector<std::uint8_t>& codes = sequences.codes[k];
        const auto fail = [&](const std::string& message) {
            throw InputError(
                fmt::format("sequence {} ('{}'){}", k + 1, excerpt(sequences.names[k]), message));
        };
        if (letters.empty()) fail(" has no letters; expected at least one");
        if (codes.size() != letters.size())
            fail(
                fmt::format(" has {} codes; expected {}, one for each letter", codes.size(), letters.size()));
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const std::uint8_t code = codeOf(sequences.alphabet, letters[i]);
            if (code == kNoCode || code == kGapCode)
                fail(fmt::format(", letter {}: '{}' is no letter of the alphabet {}", i + 1,
                                 excerpt(letters.substr(i, 1)), toString(sequences.alphabet)));
            if (codes[i] != code)
                fail(fmt::format(", letter {}: the code of '{}' is {}; expected {}", i + 1, letters[i],
                                 codes[i], code));
        }
    }
}

void checkPairwise(const Sequences& sequences, const PairwiseOptions& options) {
    checkKnown(options.scoring.method);
    checkKnown(options.measure);
    checkKnown(options.variant);
    if (sequences.size() == 0) throw InputError("there are no sequences to align; expected at least one");
    checkSequences(sequences);
    if (options.scoring.method == PairMethod::ClustalW) return;
    checkPenalties(options.scoring.gaps);
    checkMatrix(options.scoring.matrix, sequences.alphabet);
}

void checkGuideTree(const trees::Tree& tree, std::size_t sequences) {
    if (tree.leaves != sequences)
        throw InputError(
            fmt::format("the guide tree has {} leaves; expected one for each of the {} sequences",
                        tree.leaves, sequences));
    trees::checkTree(tree);
}

namespace {

void checkDistances(std::size_t sequences, const std::vector<double>& distances) {
    checkCount("the distances", distances.size(), sequences * (sequences - 1) / 2,
               fmt::format("one for each pair of {} sequences", sequences));
    for (std::size_t j = 1, pair = 0; j < sequences; ++j)
        for (std::size_t i = 0; i < j; ++i, ++pair)
            if (!std::isfinite(distances[pair]))
                throw InputError(
                    fmt::format("the distance of sequences {} and {} is {}; expected a finite number", j + 1,
                                i + 1, distances[pair]));
}

}  // namespace

void checkAlignment(const Sequences& sequences, const AlignOptions& options) {
    checkKnown(options.method);
    checkKnown(options.variant);
    if (options.treeMethod) checkKnown(*options.treeMethod);
    checkMethodOptions(options);
    if (sequences.size() < 2) throw UsageError("an alignment needs at least two sequences");
    checkSequences(sequences);
    if (options.guideTree) checkGuideTree(*options.guideTree, sequences.size());
    if (options.distances) checkDistances(sequences.size(), *options.distances);
}

void checkRows(const MultipleAlignment& alignment, bool areAligned) {
    checkKnown(alignment.alphabet);
    const std::size_t n = alignment.size();
    if (n == 0) throw InputError("the alignment has no rows; expected at least one");
    checkCount("the names", alignment.names.size(), n, "one for each row");
    if (!alignment.order.empty()) {
        checkCount("the rows in order", alignment.order.size(), n, "each row once, or none");
        std::vector<char> seen(n, 0);
        for (const std::size_t row : alignment.order)
            if (row >= n || seen[row]++ != 0)
                throw UsageError(
                    fmt::format("the order names row {}; expected each of 0 … {} once", row, n - 1));
    }
    if (!alignment.confidence.empty())
        checkCount("the confidences", alignment.confidence.size(), alignment.columns(),
                   "one for each column, or none");
    checkNames("row", alignment.names);
    for (std::size_t k = 0; k < n; ++k) {
        const std::string& row = alignment.rows[k];
        const auto fail = [&](const std::string& message) {
            throw InputError(fmt::format("row {} ('{}'){}", k + 1, excerpt(alignment.names[k]), message));
        };
        if (areAligned && row.size() != alignment.columns())
            fail(fmt::format(" has {} columns; expected {} as in row 1", row.size(), alignment.columns()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::uint8_t code = codeOf(alignment.alphabet, row[i]);
            if (code == kNoCode || (code == kGapCode && row[i] != '-'))
                fail(fmt::format(", column {}: '{}' is neither '-' nor a letter of the alphabet {}", i + 1,
                                 excerpt(row.substr(i, 1)), toString(alignment.alphabet)));
        }
    }
    if (alignment.hasGuideTree()) checkGuideTree(alignment.guideTree, n);
}

}  // namespace glycine::align
