#include "engine/pairwise/study/sequence_set.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::pairwise {

SequenceSet::Shared SequenceSet::readFile(const Options& options) const {
    requireFromFile(options);
    Sequences sequences = readUnaligned(std::filesystem::path(file_), {.fewest = 1}).sequences;
    std::string description = fmt::format("{}, {} of up to {} letters", file_,
                                          formatCount(sequences.size(), "sequence"), sequences.longest());
    return std::make_shared<StudySequences>(StudySequences{std::move(sequences), std::move(description)});
}

SequenceSet::Shared SequenceSet::generate(DataSize size, Alphabet alphabet, double shortest,
                                          double ambiguous) const {
    return std::make_shared<StudySequences>(
        StudySequences{randomSequences({.count = size.instances,
                                        .length = size.attributes,
                                        .alphabet = alphabet,
                                        .shortest = shortest,
                                        .ambiguous = ambiguous,
                                        .seed = seed_}),
                       formatDataSize(size) + (isNucleotide(alphabet) ? " nucleotides" : "")});
}

}  // namespace glycine::pairwise
