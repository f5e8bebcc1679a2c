#include "engine/sequences/random_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine {

namespace {

/// The frequency of each amino acid in proteins, in tenths of a percent, in the order of the codes: A. B.
/// Robinson & L. R. Robinson, PNAS 88 (1991), rounded.
constexpr std::array<int, 20> kAminoAcids{78, 51, 45, 54, 19, 43, 63, 74, 22, 51,
                                          90, 57, 22, 39, 52, 71, 58, 13, 32, 66};

/// The frequency of a letter, in arbitrary units; equal for all nucleotides.
int letterShare(Alphabet alphabet, std::uint8_t code) {
    return isNucleotide(alphabet) ? 1 : kAminoAcids[code];
}

std::uint8_t randomCode(Alphabet alphabet, RandomSequence& random) {
    if (isNucleotide(alphabet)) return static_cast<std::uint8_t>(random.below(4));
    std::size_t place = random.below(1000);
    std::uint8_t code = 0;
    for (; place >= static_cast<std::size_t>(kAminoAcids[code]); ++code)
        place -= static_cast<std::size_t>(kAminoAcids[code]);
    return code;
}

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

/// Throws UsageError for impossible sizes and MemoryError for sizes that do not fit in memory.
template <class RandomOptions>
void checkSizes(const RandomOptions& options, std::initializer_list<double> shares) {
    checkKnown(options.alphabet);
    if (options.count == 0 || options.length == 0)
        throw UsageError(fmt::format("{} sequences of {} letters; expected at least one of each",
                                     options.count, options.length));
    for (const double share : shares)
        if (!(share >= 0 && share <= 1))
            throw UsageError(fmt::format("a share of {}; expected 0 … 1", share));
    // Letters and their codes.
    requireHostMemory(
        fmt::format("{} of {} letters", formatCount(options.count, "sequence"), formatCount(options.length)),
        2 * static_cast<double>(options.count) * static_cast<double>(options.length) *
            std::max(options.shortest, 0.01));
}

}  // namespace

Sequences randomSequences(const RandomSequencesOptions& options) {
    checkSizes(options, {options.divergence, options.gaps, options.shortest, options.ambiguous});
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

namespace {

/// Means of the fifths of the exponential distribution, which is the gamma distribution of shape 1.
constexpr std::array<double, 5> kRates{0.10744, 0.36008, 0.69990, 1.22314, 2.60944};
constexpr std::uint8_t kHinge = kRates.size();
constexpr std::size_t kPlacesOfAHinge = 12;

/// A letter, by its code, and its rate: a class of kRates, or kHinge.
struct Place {
    std::uint8_t code = 0;
    std::uint8_t kind = 0;
};
using Places = std::vector<Place>;

/// Draws replacements of letters.
class Replacements {
  public:
    explicit Replacements(Alphabet alphabet) : codes_(isNucleotide(alphabet) ? 4 : 20) {
        const SubstitutionMatrix& matrix =
            namedMatrix(isNucleotide(alphabet) ? "IDENTITY" : "BLOSUM62", alphabet);
        for (std::uint8_t code = 0; code < codes_; ++code) {
            double sum = 0;
            for (std::uint8_t other = 0; other < codes_; ++other) {
                if (other != code) {
                    // Scores are in half bits: log-odds of the pair relative to chance.
                    const double byChance = static_cast<double>(letterShare(alphabet, other));
                    const bool isTransition = isNucleotide(alphabet) && (code ^ other) == 2;
                    sum += byChance * std::exp2(matrix.score(code, other) / 2.0) * (isTransition ? 2 : 1);
                }
                sums_[code][other] = sum;
            }
        }
    }
    std::uint8_t of(std::uint8_t code, RandomSequence& random) const {
        const auto& sums = sums_[code];
        const double drawn = random.uniform() * sums[codes_ - 1];
        std::uint8_t other = 0;
        while (other + 1U < codes_ && sums[other] <= drawn) ++other;
        return other;
    }

  private:
    std::size_t codes_;
    std::array<std::array<double, 20>, 20> sums_{};
};

/// 1, 2, …, by Zipf's law.
std::size_t gapLength(RandomSequence& random) {
    constexpr std::size_t kLongest = 40;
    static const std::array<double, kLongest> sums = [] {
        std::array<double, kLongest> all{};
        double sum = 0;
        for (std::size_t k = 0; k < kLongest; ++k) all[k] = sum += std::pow(static_cast<double>(k + 1), -1.8);
        return all;
    }();
    const double drawn = random.uniform() * sums.back();
    return 1 + static_cast<std::size_t>(std::ranges::upper_bound(sums, drawn) - sums.begin()) % kLongest;
}

class Family {
  public:
    explicit Family(const RandomFamilyOptions& options)
        : options_(options), replacements_(options.alphabet) {}

    Places ancestor(RandomSequence& random) const {
        Places places(options_.length);
        for (Place& place : places) {
            place.code = randomCode(options_.alphabet, random);
            place.kind = random.below(kPlacesOfAHinge) == 0
                             ? kHinge
                             : static_cast<std::uint8_t>(random.below(kRates.size()));
        }
        return places;
    }

    Places descendant(const Places& parent, RandomSequence& random) const {
        Places places;
        places.reserve(parent.size() + 8);
        for (std::size_t k = 0; k < parent.size(); ++k) {
            Place place = parent[k];
            const double rate = place.kind == kHinge ? 1 : kRates[place.kind];
            if (random.uniform() < options_.divergence * rate)
                place.code = replacements_.of(place.code, random);
            places.push_back(place);
            if (place.kind != kHinge) continue;
            if (random.uniform() < options_.gaps)
                for (std::size_t more = gapLength(random); more > 0; --more)
                    places.push_back({randomCode(options_.alphabet, random), kRates.size() - 1});
            if (random.uniform() < options_.gaps) k += gapLength(random);
        }
        return places;
    }

    /// The visible part of a sequence.
    std::string letters(const Places& places, RandomSequence& random) const {
        const auto n = static_cast<double>(places.size());
        const double kept = options_.shortest + (1 - options_.shortest) * random.uniform();
        const auto length =
            std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(n * kept)), 1, places.size());
        const std::size_t begin = random.below(places.size() - length + 1);
        std::string text;
        for (std::size_t k = begin; k < begin + length; ++k)
            text += lettersOf(options_.alphabet)[places[k].code];
        return text;
    }

  private:
    const RandomFamilyOptions& options_;
    Replacements replacements_;
};

}  // namespace

Sequences randomFamily(const RandomFamilyOptions& options) {
    checkSizes(options, {options.divergence, options.gaps, options.shortest});
    const Family family(options);
    Sequences sequences;
    sequences.alphabet = options.alphabet;
    std::vector<Places> all;
    for (std::size_t i = 0; i < options.count; ++i) {
        RandomSequence random(derivedSeed(options.seed, i));
        all.push_back(i == 0 ? family.ancestor(random) : family.descendant(all[random.below(i)], random));
        sequences.add(fmt::format("s{}", i + 1), family.letters(all.back(), random));
    }
    return sequences;
}

}  // namespace glycine
