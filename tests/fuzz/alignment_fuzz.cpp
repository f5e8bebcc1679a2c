#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "engine/alignment/results/alignment_files.hpp"
#include "engine/core/error.hpp"
#include "engine/sequences/files/alignment_reader.hpp"

/// Any bytes either give an alignment, which every format writes and reads back unchanged, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    using namespace glycine::align;
    const auto read = [](std::span<const std::byte> bytes, const AlignmentReading& reading) {
        io::TextStream stream(io::openMemory(bytes, "fuzz"));
        return readAlignment(stream, reading).alignment;
    };
    MultipleAlignment alignment;
    try {
        alignment = read(std::as_bytes(std::span(data, size)), {});
    } catch (const InputError&) {
        return 0;
    }
    if (alignment.size() == 0 || alignment.columns() == 0 || alignment.names.size() != alignment.size())
        std::abort();
    for (const std::string& row : alignment.rows)
        if (row.size() != alignment.columns()) std::abort();
    for (const AlignmentFormat format :
         {AlignmentFormat::Clustal, AlignmentFormat::Fasta, AlignmentFormat::Phylip,
          AlignmentFormat::Stockholm, AlignmentFormat::Msf}) {
        std::string text;
        try {
            text = alignmentText(alignment, format, "fuzz");
        } catch (const InputError&) {
            continue;  // a name with another meaning in this format
        }
        const MultipleAlignment again =
            read(std::as_bytes(std::span(text)), {.alphabet = alignment.alphabet});
        if (again.names != alignment.names || again.rows != alignment.rows) std::abort();
    }
    return 0;
}
