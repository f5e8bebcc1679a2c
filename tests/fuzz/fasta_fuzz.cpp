#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "engine/alignment/input/read_sequences.hpp"
#include "engine/alignment/input/substitution_file.hpp"
#include "engine/core/error.hpp"
#include "engine/io/sequences/fasta.hpp"

namespace {

using namespace glycine;

/// Sequences that are not aligned, and a substitution matrix.
void readForAlignment(const std::uint8_t* data, std::size_t size) {
    const auto text = [&] {
        return std::make_unique<io::TextStream>(io::openMemory(std::as_bytes(std::span(data, size)), "fuzz"));
    };
    try {
        const align::Sequences sequences = align::readSequences(*text(), {}).sequences;
        if (sequences.size() < 2 || sequences.names.size() != sequences.size()) std::abort();
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            if (sequences.codes[i].size() != sequences.letters[i].size()) std::abort();
            for (const std::uint8_t code : sequences.codes[i])
                if (code >= align::lettersOf(sequences.alphabet).size()) std::abort();
        }
    } catch (const InputError&) {
    }
    try {
        const align::SubstitutionMatrix matrix = align::readMatrix(*text(), align::Alphabet::Dna);
        if (matrix.highest() > align::kLargestScore || matrix.lowest() < -align::kLargestScore) std::abort();
    } catch (const InputError&) {
    }
}

}  // namespace

/// Any bytes, packed or not, either give an alignment or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    readForAlignment(data, size);
    try {
        io::TextStream stream(io::openMemory(std::as_bytes(std::span(data, size)), "fuzz"));
        const io::Alignment alignment = io::readAlignment(stream);
        if (alignment.names.empty() || alignment.letters.rows() != alignment.names.size() ||
            alignment.letters.columns() == 0)
            std::abort();
        for (std::size_t i = 0; i < alignment.letters.size(); ++i) {
            const char letter = static_cast<char>(alignment.letters.data()[i]);
            if (!io::isSequenceLetter(letter) || (letter >= 'a' && letter <= 'z')) std::abort();
        }
    } catch (const InputError&) {
    }
    return 0;
}
