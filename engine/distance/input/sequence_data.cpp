#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/distance/input/format_readers.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/files/alignment_reader.hpp"

namespace glycine::distance {

namespace {

// ---- alignments

constexpr std::string_view kNucleotides = "ACGT";
constexpr std::string_view kAminoAcids = "ACDEFGHIKLMNPQRSTVWY";
/// The letters that IUPAC defines for nucleotides, ambiguous ones included.
constexpr std::string_view kNucleotideCodes = "ACGTURYSWKMBDHVN";
constexpr std::string_view kGaps = "-.";

/// Number of occurrences of each character.
using Counts = std::array<std::size_t, 256>;

Counts countLetters(const Matrix<std::uint8_t>& letters) {
    Counts total{};
    const auto rows = static_cast<std::ptrdiff_t>(letters.rows());
#pragma omp parallel
    {
        // Two tables, so that repeated letters do not wait for the previous increment.
        std::array<Counts, 2> counts{};
#pragma omp for schedule(static)
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
            const std::uint8_t* const row = letters.row(static_cast<std::size_t>(i));
            for (std::size_t k = 0; k < letters.columns(); ++k) ++counts[k % 2][row[k]];
        }
#pragma omp critical
        for (std::size_t c = 0; c < total.size(); ++c) total[c] += counts[0][c] + counts[1][c];
    }
    return total;
}

bool isNucleotides(const Counts& counts) {
    for (char letter = 'A'; letter <= 'Z'; ++letter)
        if (counts[static_cast<std::size_t>(letter)] > 0 &&
            kNucleotideCodes.find(letter) == std::string_view::npos)
            return false;
    return true;
}

/// The symbol of each character, and counts of characters treated as missing.
struct SymbolTable {
    std::array<std::uint8_t, 256> symbols{};
    unsigned planes = 1;
    std::size_t missingGaps = 0;
    std::size_t missingLetters = 0;
};

SymbolTable symbolsFor(DataKind kind, const Counts& counts, const InputOptions& options) {
    const std::string_view letters = kind == DataKind::Dna ? kNucleotides : kAminoAcids;
    SymbolTable alphabet;
    alphabet.symbols.fill(kMissingSymbol);
    std::size_t symbols = 0;
    const auto assign = [&](char letter) {
        alphabet.symbols[static_cast<unsigned char>(letter)] = static_cast<std::uint8_t>(symbols++);
    };
    for (const char letter : letters) assign(letter);
    if (kind == DataKind::Dna) alphabet.symbols['U'] = alphabet.symbols['T'];
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (counts[c] == 0 || alphabet.symbols[c] != kMissingSymbol) continue;
        const bool isGap = kGaps.find(static_cast<char>(c)) != std::string_view::npos;
        if ((isGap ? options.gaps : options.ambiguous) == LetterRule::State)
            assign(static_cast<char>(c));
        else
            (isGap ? alphabet.missingGaps : alphabet.missingLetters) += counts[c];
    }
    alphabet.planes = static_cast<unsigned>(std::bit_width(symbols - 1));
    return alphabet;
}

void replaceLetters(Matrix<std::uint8_t>& letters, const SymbolTable& alphabet) {
    const auto rows = static_cast<std::ptrdiff_t>(letters.rows());
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        std::uint8_t* const row = letters.row(static_cast<std::size_t>(i));
        for (std::size_t k = 0; k < letters.columns(); ++k) row[k] = alphabet.symbols[row[k]];
    }
}

DataSet dataOf(io::Alignment alignment, const InputOptions& options) {
    const Counts counts = countLetters(alignment.letters);
    DataSet data;
    data.kind = options.kind != DataKind::Automatic ? options.kind
                : isNucleotides(counts)             ? DataKind::Dna
                                                    : DataKind::Protein;
    const SymbolTable alphabet = symbolsFor(data.kind, counts, options);
    if (alphabet.missingGaps > 0)
        data.notes.push_back(fmt::format("{} gaps are missing entries", alphabet.missingGaps));
    if (alphabet.missingLetters > 0)
        data.notes.push_back(
            fmt::format("{} ambiguous letters are missing entries", alphabet.missingLetters));
    replaceLetters(alignment.letters, alphabet);
    DiscreteShape shape;
    shape.planes = alphabet.planes;
    data.names = std::move(alignment.names);
    data.discrete = std::make_unique<SymbolMatrix>(std::move(alignment.letters), shape);
    return data;
}

}  // namespace

DataSet readSequenceData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Dna, DataKind::Protein});
    return dataOf(io::readAlignment(path), options);
}

DataSet readAlignmentData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Dna, DataKind::Protein});
    // The first bytes of a pipe can be read only once.
    const bool isKept = std::filesystem::is_regular_file(path);
    if (!isKept || formatOfFile(path).value_or(AlignmentFormat::Fasta) == AlignmentFormat::Fasta)
        return dataOf(io::readAlignment(path), options);
    MultipleAlignment read = readAlignment(path, {}).alignment;
    io::Alignment alignment{std::move(read.names), {read.rows.size(), read.columns()}};
    for (std::size_t i = 0; i < read.rows.size(); ++i)
        std::ranges::copy(read.rows[i], alignment.letters.row(i));
    return dataOf(std::move(alignment), options);
}

}  // namespace glycine::distance
