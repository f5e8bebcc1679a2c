#include "engine/sequences/files/read_sequences.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/sequences/fasta.hpp"

namespace glycine {

namespace {

char upperCase(char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

class SequenceReader {
  public:
    SequenceReader(io::TextStream& stream, const SequenceReading& reading)
        : reading_(reading), records_(stream, reading.areAligned ? "aligned FASTA" : "FASTA") {}

    ReadSequences read() {
        while (records_.nextBatch()) {
            convertBatch();
            for (std::size_t k = 0; records_.next(); ++k) add(converted_[k]);
        }
        const std::string& source = records_.source();
        if (letters_.empty()) throw InputError(fmt::format("{}: has no sequences; expected FASTA", source));
        if (letters_.size() < reading_.fewest)
            throw InputError(fmt::format("{}: has {}; expected at least {}", source,
                                         formatCount(letters_.size(), "sequence"), reading_.fewest));
        ReadSequences result;
        Sequences& sequences = result.sequences;
        sequences.alphabet = reading_.alphabet.value_or(guess_.alphabet());
        for (std::size_t i = 0; i < letters_.size(); ++i)
            sequences.add(std::move(names_[i]), std::move(letters_[i]));
        if (removed_ > 0) result.notes.push_back(fmt::format("{} removed", formatCount(removed_, "gap")));
        return result;
    }

  private:
    /// Letters of a sequence as they are kept.
    struct Converted {
        std::string letters{};
        std::size_t gaps = 0;              ///< left out
        std::optional<std::size_t> bad{};  ///< index of the first character that is none of the alphabet
    };

    Converted convert(std::string_view text) const {
        Converted result;
        result.letters.reserve(text.size());
        for (std::size_t k = 0; k < text.size(); ++k) {
            const char letter = upperCase(text[k]);
            const std::uint8_t code = codeOf(reading_.alphabet.value_or(Alphabet::Protein), letter);
            if (code == kNoCode) {
                result.bad = k;
                break;
            }
            if (code != kGapCode)
                result.letters.push_back(letter);
            else if (reading_.areAligned)
                result.letters.push_back('-');
            else
                ++result.gaps;
        }
        return result;
    }

    /// Converts the sequences of a batch on all threads; `add` checks them.
    void convertBatch() {
        const std::span<const std::string_view> batch = records_.batch();
        // Room for the letters and, later, their codes. Checked only every 64 MiB, because many sequences are
        // short.
        constexpr std::size_t kBetween = std::size_t{64} << 20;
        std::size_t more = 0;
        for (const std::string_view text : batch) more += text.size();
        if ((held_ + more) / kBetween > held_ / kBetween)
            requireHostMemory(fmt::format("{}: its sequences up to number {}", records_.source(),
                                          records_.count() + batch.size()),
                              static_cast<double>(held_ + 2 * more));
        held_ += more;
        // Runs of sequences, since some are short.
        constexpr std::size_t kRuns = 64;
        const std::vector<Range> runs =
            splitRange(batch.size(), std::max<std::size_t>(1, batch.size() / kRuns));
        converted_.clear();
        converted_.resize(batch.size());
        parallelFor(omp_get_max_threads(), runs.size(), [&](std::size_t run, std::size_t) {
            for (std::size_t k = runs[run].begin; k < runs[run].end; ++k) converted_[k] = convert(batch[k]);
        });
    }

    void add(Converted& converted) {
        const std::string& source = records_.source();
        if (converted.bad) refuse(*converted.bad, records_.letters()[*converted.bad]);
        std::string letters = std::move(converted.letters);
        removed_ += converted.gaps;
        if (letters.find_first_not_of('-') == std::string::npos)
            throw InputError(fmt::format("{}: {} has no letters", source, records_.describe()));
        if (reading_.areAligned && !letters_.empty() && letters.size() != letters_.front().size())
            throw InputError(fmt::format(
                "{0}: {1} has {2} columns; expected {3}, as sequence 1 ('{4}') has: the sequences must be "
                "aligned. Align them first: glycine align {0} -o aligned.fa",
                source, records_.describe(), letters.size(), letters_.front().size(),
                excerpt(names_.front())));
        records_.requireNewName();
        guess_.count(letters);
        names_.emplace_back(records_.name());
        letters_.push_back(std::move(letters));
    }

    [[noreturn]] void refuse(std::size_t index, char letter) const {
        throw InputError(fmt::format(
            "{}: {}, {}: {} was found; expected a letter of the alphabet {}, or a gap ('-' or '.')",
            records_.source(), records_.describe(), records_.placeOf(index),
            io::describeCharacter(static_cast<unsigned char>(letter)),
            reading_.alphabet ? toString(*reading_.alphabet) : "protein, dna or rna"));
    }

    const SequenceReading& reading_;
    io::FastaRecords records_;
    std::vector<std::string> names_;
    std::vector<std::string> letters_;
    std::vector<Converted> converted_;  ///< of the batch
    std::size_t held_ = 0;              ///< letters so far
    std::size_t removed_ = 0;           ///< gaps
    AlphabetGuess guess_;
};

}  // namespace

ReadSequences readSequences(io::TextStream& stream, const SequenceReading& reading) {
    return SequenceReader(stream, reading).read();
}

// ---- substitution matrices

SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet) {
    io::LineReader lines(stream);
    return parseMatrix(stream.name(), alphabet, [&lines] { return lines.next(); });
}

SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet) {
    if (isMatrixName(nameOrFile) || !std::filesystem::exists(nameOrFile))
        return namedMatrix(nameOrFile, alphabet);
    return readMatrix(std::filesystem::path(nameOrFile), alphabet);
}

}  // namespace glycine
