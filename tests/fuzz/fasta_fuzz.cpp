#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "engine/core/error.hpp"
#include "engine/io/sequences/fasta.hpp"

/// Any bytes, packed or not, either give an alignment or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
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
