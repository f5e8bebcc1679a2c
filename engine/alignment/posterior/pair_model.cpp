#include "engine/alignment/posterior/pair_model.hpp"

#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "engine/alignment/posterior/emission_tables.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::align {

namespace {

/// The residues that an ambiguous letter stands for; empty for those that tell nothing.
std::string_view residuesOf(Alphabet alphabet, char letter) {
    using Meaning = std::pair<char, std::string_view>;
    static constexpr Meaning kProtein[] = {{'B', "DN"}, {'Z', "EQ"}, {'J', "IL"}, {'U', "C"}, {'O', "K"}};
    static constexpr Meaning kNucleotide[] = {{'R', "AG"},  {'Y', "CT"}, {'S', "CG"},  {'W', "AT"},
                                              {'K', "GT"},  {'M', "AC"}, {'B', "CGT"}, {'D', "AGT"},
                                              {'H', "ACT"}, {'V', "ACG"}};
    const std::span<const Meaning> all =
        isNucleotide(alphabet) ? std::span<const Meaning>(kNucleotide) : std::span<const Meaning>(kProtein);
    for (const auto& [ambiguous, residues] : all)
        if (ambiguous == letter) return residues;
    return {};
}

/// Odds of all codes from those of the residues, which come first, and how often each residue is.
void fillOdds(PairModel& model, Alphabet alphabet, std::span<const double> frequencies) {
    const std::string_view letters = lettersOf(alphabet);
    const std::size_t residues = definiteCodes(alphabet);
    model.codes = letters.size();
    std::vector<std::vector<double>> shares(letters.size(), std::vector<double>(residues, 0));
    std::vector<bool> isKnown(letters.size(), true);
    for (std::size_t code = 0; code < letters.size(); ++code) {
        if (code < residues) {
            shares[code][code] = 1;
            continue;
        }
        const std::string_view meaning = residuesOf(alphabet, letters[code]);
        isKnown[code] = !meaning.empty();
        double sum = 0;
        for (const char residue : meaning) sum += frequencies[codeOf(alphabet, residue)];
        for (const char residue : meaning) {
            const std::uint8_t place = codeOf(alphabet, residue);
            shares[code][place] = frequencies[place] / sum;
        }
    }
    const auto definite = model.odds;
    for (std::size_t a = 0; a < letters.size(); ++a)
        for (std::size_t b = 0; b < letters.size(); ++b) {
            double odds = isKnown[a] && isKnown[b] ? 0 : 1;
            for (std::size_t i = 0; i < residues; ++i)
                for (std::size_t j = 0; j < residues; ++j)
                    odds += shares[a][i] * shares[b][j] * definite[i][j];
            model.odds[a][b] = odds;
        }
}

PairModel makeHiddenMarkovModel(Alphabet alphabet) {
    const EmissionTable& emissions = emissionTable(alphabet);
    const std::size_t residues = definiteCodes(alphabet);
    PairModel model;
    for (std::size_t a = 0; a < residues; ++a)
        for (std::size_t b = 0; b < residues; ++b)
            model.odds[a][b] = emissions.pair(a, b) / (emissions.single[a] * emissions.single[b]);
    fillOdds(model, alphabet, emissions.single);
    const TransitionTable& transitions = emissions.transitions;
    model.gapKinds = transitions.open.size();
    model.match = 1;
    for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
        model.match -= 2 * transitions.open[kind];
        model.open[kind] = transitions.open[kind];
        model.extend[kind] = transitions.extend[kind];
        model.close[kind] = 1 - transitions.extend[kind];
        model.firstGap[kind] = transitions.firstGap[kind];
    }
    model.firstMatch = transitions.firstMatch;
    return model;
}

PairModel makePartitionModel(Alphabet alphabet) {
    const BoltzmannTable& table = boltzmannTable(alphabet);
    const std::size_t residues = definiteCodes(alphabet);
    PairModel model;
    for (std::size_t a = 0; a < residues; ++a)
        for (std::size_t b = 0; b < residues; ++b)
            model.odds[a][b] = std::exp(table.score(a, b) / table.temperature);
    fillOdds(model, alphabet, emissionTable(alphabet).single);
    model.gapKinds = 1;
    model.match = 1;
    model.open[0] = std::exp(table.gapOpen / table.temperature);
    model.extend[0] = std::exp(table.gapExtend / table.temperature);
    model.close[0] = 1;
    model.hasFreeEnds = true;
    return model;
}

}  // namespace

void ScaledNumber::add(double value, int exponentOfValue) {
    if (value == 0) return;
    if (mantissa == 0) exponent = exponentOfValue;
    if (exponentOfValue > exponent) {
        mantissa = std::ldexp(mantissa, exponent - exponentOfValue);
        exponent = exponentOfValue;
    }
    mantissa += std::ldexp(value, exponentOfValue - exponent);
}

void ScaledNumber::multiply(double factor) {
    int shift = 0;
    mantissa = std::frexp(mantissa * factor, &shift);
    exponent += shift;
}

std::vector<ScaledNumber> PairModel::leads(std::size_t most) const {
    return ends(most, firstGap, close);
}

std::vector<ScaledNumber> PairModel::trails(std::size_t most) const {
    return ends(most, open, firstGap);
}

std::vector<ScaledNumber> PairModel::ends(std::size_t most, const std::array<double, kMostGapKinds>& first,
                                          const std::array<double, kMostGapKinds>& last) const {
    std::vector<ScaledNumber> weights(most + 1, {1, 0});
    if (hasFreeEnds) return weights;
    weights[0] = {firstMatch, 0};
    std::array<ScaledNumber, kMostGapKinds> gaps;
    for (std::size_t kind = 0; kind < gapKinds; ++kind) gaps[kind] = {first[kind], 0};
    for (std::size_t letters = 1; letters <= most; ++letters) {
        weights[letters] = {};
        for (std::size_t kind = 0; kind < gapKinds; ++kind) {
            weights[letters].add(gaps[kind].mantissa * last[kind], gaps[kind].exponent);
            gaps[kind].multiply(extend[kind]);
        }
    }
    return weights;
}

const PairModel& hiddenMarkovModel(Alphabet alphabet) {
    static const PairModel protein = makeHiddenMarkovModel(Alphabet::Protein);
    static const PairModel nucleotide = makeHiddenMarkovModel(Alphabet::Dna);
    return isNucleotide(alphabet) ? nucleotide : protein;
}

const PairModel& partitionModel(Alphabet alphabet) {
    static const PairModel protein = makePartitionModel(Alphabet::Protein);
    static const PairModel nucleotide = makePartitionModel(Alphabet::Dna);
    return isNucleotide(alphabet) ? nucleotide : protein;
}

}  // namespace glycine::align
