#include "engine/sequences/random_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/sequences/random_letters.hpp"

namespace glycine {

namespace {

char randomLetter(Alphabet alphabet, RandomSequence& random) {
    return lettersOf(alphabet)[randomCode(alphabet, random)];
}

std::string descendantOf(const std::string& ancestor, const RandomSequencesOptions& options,
                         RandomSequence& random) {
    constexpr std::size_t kLongestGap = 10;
    const std::string_view ambiguous = isNucleotide(options.alphabet) ? "NRY" : "XBZ";
    const auto n = static_cast<double>(ancestor.size());
    const double kept = options.shortest + (1 - options.shortest) * random.uniform();
    const auto length =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(n * kept)), 1, ancestor.size());
    const std::size_t begin = random.below(ancestor.size() - length + 1);
    std::string sequence;
    for (std::size_t k = 0; k < length; ++k) {
        if (random.uniform() < options.gaps)
            for (std::size_t more = 1 + random.below(kLongestGap); more > 0; --more)
                sequence += randomLetter(options.alphabet, random);
        if (random.uniform() < options.gaps) {
            k += random.below(kLongestGap);
            continue;
        }
        const bool isReplaced = random.uniform() < options.divergence;
        const char other = randomLetter(options.alphabet, random);
        sequence += isReplaced ? other : ancestor[begin + k];
        if (random.uniform() < options.ambiguous) sequence.back() = ambiguous[random.below(ambiguous.size())];
    }
    if (sequence.empty()) sequence = ancestor.substr(begin, 1);
    return sequence;
}

}  // namespace

Sequences randomSequences(const RandomSequencesOptions& options) {
    checkKnown(options.alphabet);
    if (options.count == 0 || options.length == 0)
        throw UsageError(
            fmt::format("{} sequences of {} letters were asked for; expected at least one of each",
                        options.count, options.length));
    for (const double share : {options.divergence, options.gaps, options.shortest, options.ambiguous})
        if (!(share >= 0 && share <= 1))
            throw UsageError(fmt::format("a share of {} was asked for; expected 0 … 1", share));
    // Letters and their codes.
    requireHostMemory(
        fmt::format("{} of {} letters", formatCount(options.count, "sequence"), formatCount(options.length)),
        2 * static_cast<double>(options.count) * static_cast<double>(options.length) *
            std::max(options.shortest, 0.01));
    RandomSequence common(derivedSeed(options.seed, 0));
    std::string ancestor(options.length, ' ');
    for (char& letter : ancestor) letter = randomLetter(options.alphabet, common);
    Sequences sequences;
    sequences.alphabet = options.alphabet;
    for (std::size_t i = 0; i < options.count; ++i) {
        RandomSequence random(derivedSeed(options.seed, i + 1));
        sequences.add(fmt::format("s{}", i + 1), descendantOf(ancestor, options, random));
    }
    return sequences;
}

}  // namespace glycine
