#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

bool isNucleotides(const io::CharacterSet& has) {
    for (char letter = 'A'; letter <= 'Z'; ++letter)
        if (has[static_cast<std::size_t>(letter)] && kNucleotideCodes.find(letter) == std::string_view::npos)
            return false;
    return true;
}

/// The symbol of each character.
struct SymbolTable {
    std::array<std::uint8_t, 256> symbols{};
    unsigned planes = 1;
};

SymbolTable symbolsFor(DataKind kind, const io::CharacterSet& has, const InputOptions& options) {
    const std::string_view letters = kind == DataKind::Dna ? kNucleotides : kAminoAcids;
    SymbolTable alphabet;
    alphabet.symbols.fill(kMissingSymbol);
    std::size_t symbols = 0;
    const auto assign = [&](char letter) {
        alphabet.symbols[static_cast<unsigned char>(letter)] = static_cast<std::uint8_t>(symbols++);
    };
    for (const char letter : letters) assign(letter);
    if (kind == DataKind::Dna) alphabet.symbols['U'] = alphabet.symbols['T'];
    for (std::size_t c = 0; c < has.size(); ++c) {
        if (!has[c] || alphabet.symbols[c] != kMissingSymbol) continue;
        const bool isGap = kGaps.find(static_cast<char>(c)) != std::string_view::npos;
        if ((isGap ? options.gaps : options.ambiguous) == LetterRule::State) assign(static_cast<char>(c));
    }
    alphabet.planes = static_cast<unsigned>(std::bit_width(symbols - 1));
    return alphabet;
}

/// Replaces letters by their symbols on several threads, and counts those that are missing.
class Translator {
  public:
    Translator(const SymbolTable& alphabet, const InputOptions& options)
        : symbols_(alphabet.symbols),
          gapsAreMissing_(options.gaps == LetterRule::Missing),
          counts_(static_cast<std::size_t>(omp_get_max_threads())) {}

    /// Called by threads of a team of at most omp_get_max_threads() threads.
    void operator()(const std::uint8_t* letters, std::size_t count, std::uint8_t* symbols) {
        Counts& counts = counts_[static_cast<std::size_t>(omp_get_thread_num())];
        for (std::size_t begin = 0; begin < count; begin += kBlock)
            translateBlock(letters + begin, std::min(kBlock, count - begin), symbols + begin, counts);
    }

    std::size_t missingGaps() const { return sum(&Counts::gaps); }
    std::size_t missingLetters() const { return sum(&Counts::missing) - missingGaps(); }

  private:
    /// Letters whose counts fit into a byte.
    static constexpr std::size_t kBlock = 240;
    struct alignas(64) Counts {
        std::size_t gaps = 0;     ///< missing ones
        std::size_t missing = 0;  ///< gaps included
    };

    void translateBlock(const std::uint8_t* letters, std::size_t count, std::uint8_t* symbols,
                        Counts& counts) const {
        std::uint8_t gaps = 0, missing = 0;
#pragma omp simd reduction(+ : gaps)
        for (std::size_t k = 0; k < count; ++k)
            gaps = static_cast<std::uint8_t>(gaps + (((letters[k] == '-') | (letters[k] == '.')) ? 1U : 0U));
        for (std::size_t k = 0; k < count; ++k) symbols[k] = symbols_[letters[k]];
#pragma omp simd reduction(+ : missing)
        for (std::size_t k = 0; k < count; ++k)
            missing = static_cast<std::uint8_t>(missing + (symbols[k] == kMissingSymbol ? 1U : 0U));
        counts.gaps += gapsAreMissing_ ? gaps : 0;
        counts.missing += missing;
    }

    std::size_t sum(std::size_t Counts::*count) const {
        std::size_t total = 0;
        for (const Counts& counts : counts_) total += counts.*count;
        return total;
    }

    std::array<std::uint8_t, 256> symbols_;
    bool gapsAreMissing_;
    std::vector<Counts> counts_;  ///< by thread
};

/// The data of letters that `take(Translator&)` returns as symbols.
template <class Take>
DataSet dataOf(std::vector<std::string> names, const io::CharacterSet& has, const InputOptions& options,
               const Take& take) {
    DataSet data;
    data.kind = options.kind != DataKind::Automatic ? options.kind
                : isNucleotides(has)                ? DataKind::Dna
                                                    : DataKind::Protein;
    const SymbolTable alphabet = symbolsFor(data.kind, has, options);
    Translator translator(alphabet, options);
    Matrix<std::uint8_t> symbols = take(translator);
    if (translator.missingGaps() > 0)
        data.notes.push_back(fmt::format("{} gaps are missing entries", translator.missingGaps()));
    if (translator.missingLetters() > 0)
        data.notes.push_back(
            fmt::format("{} ambiguous letters are missing entries", translator.missingLetters()));
    DiscreteShape shape;
    shape.planes = alphabet.planes;
    data.names = std::move(names);
    data.discrete = std::make_unique<SymbolMatrix>(std::move(symbols), shape);
    return data;
}

DataSet readFasta(const std::filesystem::path& path, const InputOptions& options) {
    io::Alignment read = io::readAlignment(path);
    return dataOf(std::move(read.names), read.has, options, [&](Translator& translator) {
        return read.letters.take([&](const std::uint8_t* row, std::size_t columns, std::uint8_t* target) {
            translator(row, columns, target);
        });
    });
}

}  // namespace

DataSet readSequenceData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Dna, DataKind::Protein});
    return readFasta(path, options);
}

DataSet readAlignmentData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Dna, DataKind::Protein});
    // The first bytes of a pipe can be read only once.
    const bool isKept = std::filesystem::is_regular_file(path);
    if (!isKept || formatOfFile(path).value_or(AlignmentFormat::Fasta) == AlignmentFormat::Fasta)
        return readFasta(path, options);
    MultipleAlignment read = readAlignment(path, {}).alignment;
    io::CharacterSet has{};
    for (const std::string& row : read.rows)
        for (const char letter : row) has[static_cast<unsigned char>(letter)] = true;
    return dataOf(std::move(read.names), has, options, [&](Translator& translator) {
        Matrix<std::uint8_t> symbols(read.rows.size(), read.columns());
        const auto rows = static_cast<std::ptrdiff_t>(read.rows.size());
#pragma omp parallel for schedule(static)
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
            const auto row = static_cast<std::size_t>(i);
            translator(reinterpret_cast<const std::uint8_t*>(read.rows[row].data()), read.columns(),
                       symbols.row(row));
        }
        return symbols;
    });
}

}  // namespace glycine::distance
