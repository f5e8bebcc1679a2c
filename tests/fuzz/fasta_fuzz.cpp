#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "engine/core/error.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace {

using namespace glycine;

/// Reads unaligned sequences, and a substitution matrix.
void readForAlignment(const std::uint8_t* data, std::size_t size) {
    const auto text = [&] {
        return std::make_unique<io::TextStream>(io::openMemory(std::as_bytes(std::span(data, size)), "fuzz"));
    };
    try {
        const Sequences sequences = readSequences(*text(), {}).sequences;
        if (sequences.size() < 2 || sequences.names.size() != sequences.size()) std::abort();
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            if (sequences.codes[i].size() != sequences.letters[i].size()) std::abort();
            for (const std::uint8_t code : sequences.codes[i])
                if (code >= lettersOf(sequences.alphabet).size()) std::abort();
        }
    } catch (const InputError&) {
    }
    try {
        const SubstitutionMatrix matrix = readMatrix(*text(), Alphabet::Dna);
        if (matrix.highest() > kLargestScore || matrix.lowest() < -kLargestScore) std::abort();
    } catch (const InputError&) {
    }
}

}  // namespace

/// Any bytes, packed or not, either give an alignment or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    readForAlignment(data, size);
    try {
        io::TextStream stream(io::openMemory(std::as_bytes(std::span(data, size)), "fuzz"));
        io::Alignment alignment = io::readAlignment(stream);
        const Matrix<std::uint8_t> letters = alignment.letters.take();
        if (alignment.names.empty() || letters.rows() != alignment.names.size() || letters.columns() == 0)
            std::abort();
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const char letter = static_cast<char>(letters.data()[i]);
            if (!io::isSequenceLetter(letter) || (letter >= 'a' && letter <= 'z') ||
                !alignment.has[letters.data()[i]])
                std::abort();
        }
    } catch (const InputError&) {
    }
    return 0;
}
