#include "engine/alignment/posterior/pair_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::align {

namespace {

// Published parameters; pair_model.hpp names the sources. Residues are in the order of their codes.

/// Transitions of a pair hidden Markov model for each kind of gap: from a pair to a gap in one sequence, and
/// from a gap to itself. A path begins and ends with a pair or a gap.
struct TransitionTable {
    double firstMatch;
    std::span<const double> firstGap, open, extend;
};
struct EmissionTable {
    std::span<const double> single;  ///< probability of each residue
    std::span<const double> pairs;   ///< of (0,0), (1,0), (1,1), (2,0), …
    TransitionTable transitions;

    double pair(std::size_t a, std::size_t b) const {
        const std::size_t high = std::max(a, b);
        return pairs[high * (high + 1) / 2 + std::min(a, b)];
    }
};

/// Scores, gap penalties (negative) and the temperature, in the same unit.
struct BoltzmannTable {
    std::span<const double> scores;  ///< of (0,0), (1,0), (1,1), (2,0), …
    double gapOpen, gapExtend, temperature;

    double score(std::size_t a, std::size_t b) const {
        const std::size_t high = std::max(a, b);
        return scores[high * (high + 1) / 2 + std::min(a, b)];
    }
};

// clang-format off
constexpr std::array<double, 20> kProteinSingle{
    0.07831005, 0.05246024, 0.04433257, 0.05130349, 0.02189704, 0.03585766, 0.05615771, 0.07783433, 0.02601093, 0.06511648,
    0.09716489, 0.05877077, 0.02438117, 0.04463228, 0.03940142, 0.05849916, 0.05115306, 0.01203523, 0.03124726, 0.07343426};
constexpr std::array<double, 210> kProteinPairs{
    0.02373072,
    0.00244502, 0.01775118,
    0.00210228, 0.00207782, 0.01281864,
    0.00223549, 0.00161657, 0.00353540, 0.01911178,
    0.00145515, 0.00044701, 0.00042479, 0.00036798, 0.01013470,
    0.00219102, 0.00253532, 0.00158223, 0.00176784, 0.00032102, 0.00756604,
    0.00332218, 0.00268865, 0.00224738, 0.00496800, 0.00037956, 0.00345128, 0.01676565,
    0.00597898, 0.00194865, 0.00288882, 0.00235249, 0.00071206, 0.00142432, 0.00214860, 0.04062876,
    0.00114353, 0.00132105, 0.00141205, 0.00097077, 0.00026421, 0.00113901, 0.00131767, 0.00103704, 0.00867996,
    0.00318853, 0.00138145, 0.00104273, 0.00105355, 0.00094040, 0.00100883, 0.00124207, 0.00142520, 0.00059716, 0.01778263,
    0.00449576, 0.00246811, 0.00160275, 0.00161966, 0.00138494, 0.00180553, 0.00222063, 0.00212853, 0.00111754, 0.01071834,
    0.03583921,
    0.00331693, 0.00595650, 0.00257310, 0.00252518, 0.00046951, 0.00312308, 0.00428420, 0.00259311, 0.00121376, 0.00157852,
    0.00259626, 0.01612228,
    0.00148878, 0.00076734, 0.00063401, 0.00047808, 0.00037421, 0.00075546, 0.00076105, 0.00066504, 0.00042237, 0.00224097,
    0.00461939, 0.00096120, 0.00409522,
    0.00165004, 0.00090768, 0.00084658, 0.00069041, 0.00052274, 0.00059248, 0.00078814, 0.00115204, 0.00072545, 0.00279948,
    0.00533369, 0.00087222, 0.00116111, 0.01661038,
    0.00230618, 0.00106268, 0.00100282, 0.00125381, 0.00034766, 0.00090111, 0.00151550, 0.00155601, 0.00049078, 0.00103767,
    0.00157310, 0.00154836, 0.00046718, 0.00060701, 0.01846071,
    0.00631752, 0.00224540, 0.00301397, 0.00285226, 0.00094867, 0.00191155, 0.00293898, 0.00381962, 0.00116422, 0.00173565,
    0.00250962, 0.00312633, 0.00087787, 0.00119036, 0.00180037, 0.01346609,
    0.00389995, 0.00186053, 0.00220144, 0.00180488, 0.00073798, 0.00154526, 0.00216760, 0.00214841, 0.00077747, 0.00248968,
    0.00302273, 0.00250862, 0.00093371, 0.00107595, 0.00147982, 0.00487295, 0.01299436,
    0.00039119, 0.00029139, 0.00021006, 0.00016015, 0.00010666, 0.00020592, 0.00023815, 0.00038786, 0.00019097, 0.00039549,
    0.00076736, 0.00028448, 0.00016253, 0.00085751, 0.00015674, 0.00026525, 0.00024961, 0.00563625,
    0.00131840, 0.00099430, 0.00074960, 0.00066005, 0.00036626, 0.00070192, 0.00092548, 0.00089301, 0.00131038, 0.00127857,
    0.00219713, 0.00100817, 0.00054105, 0.00368739, 0.00047608, 0.00102648, 0.00094759, 0.00069226, 0.00999315,
    0.00533241, 0.00169359, 0.00136609, 0.00127915, 0.00119152, 0.00132844, 0.00178697, 0.00194579, 0.00071553, 0.01117956,
    0.00914460, 0.00210897, 0.00197461, 0.00256159, 0.00135781, 0.00241601, 0.00343452, 0.00038538, 0.00148001, 0.02075171};
constexpr std::array<double, 2> kProteinFirstGap{8.615339902e-05, 0.1591759622};
constexpr std::array<double, 2> kProteinOpen{0.0119511066, 0.008008334786};
constexpr std::array<double, 2> kProteinExtend{0.3965826333, 0.8988758326};

// A, C, G, T; the program's separate values for U are equal to those for T.
constexpr std::array<double, 4> kNucleotideSingle{0.2270790040, 0.2422080040, 0.2839320004, 0.2464679927};
constexpr std::array<double, 10> kNucleotidePairs{
    0.1487240046,
    0.0184142999, 0.1583919972,
    0.0361397006, 0.0275536999, 0.1979320049,
    0.0238473993, 0.0389291011, 0.0244289003, 0.1557479948};
constexpr std::array<double, 2> kNucleotideFirstGap{0.0000004538, 0.0192291681};
constexpr std::array<double, 2> kNucleotideOpen{0.0082473317, 0.0107844425};
constexpr std::array<double, 2> kNucleotideExtend{0.3210460842, 0.3298229277};

constexpr std::array<double, 210> kVtml200{
    4,
    -2, 7,
    -1, 0, 6,
    -1, -2, 3, 6,
    1, -3, -2, -4, 12,
    -1, 2, 1, 1, -3, 5,
    -1, -1, 1, 3, -4, 2, 5,
    0, -2, 0, -1, -2, -2, -1, 8,
    -2, 1, 1, 0, -2, 2, 0, -2, 8,
    -1, -3, -4, -5, 0, -3, -4, -6, -3, 5,
    -2, -3, -4, -5, -3, -2, -4, -5, -2, 3, 5,
    -1, 4, 1, 0, -4, 2, 1, -2, 0, -3, -3, 5,
    -1, -2, -3, -4, -1, -1, -3, -4, -3, 2, 3, -2, 6,
    -3, -4, -4, -6, -3, -3, -5, -5, 0, 0, 2, -5, 1, 8,
    0, -1, -2, -1, -3, -1, -1, -2, -2, -4, -3, -1, -3, -4, 9,
    1, -1, 1, 0, 1, 0, 0, 0, 0, -3, -3, 0, -2, -3, 0, 4,
    1, -1, 0, -1, 0, 0, -1, -2, -1, -1, -2, 0, -1, -3, -1, 2, 4,
    -4, -3, -5, -6, -6, -6, -6, -5, -1, -2, -1, -4, -3, 3, -4, -4, -5, 15,
    -3, -2, -2, -4, 0, -3, -3, -5, 3, -2, -1, -3, -2, 5, -5, -2, -3, 4, 9,
    0, -3, -3, -4, 1, -2, -3, -4, -3, 4, 2, -3, 2, -1, -3, -2, 0, -4, -2, 4};
constexpr std::array<double, 10> kHoxd70{
    91,
    -114, 100,
    -31, -125, 100,
    -123, -31, -114, 91};
// clang-format on

const EmissionTable& emissionTable(Alphabet alphabet) {
    static const EmissionTable protein{
        kProteinSingle, kProteinPairs, {0.6814756989, kProteinFirstGap, kProteinOpen, kProteinExtend}};
    static const EmissionTable nucleotide{
        kNucleotideSingle,
        kNucleotidePairs,
        {0.9615409374, kNucleotideFirstGap, kNucleotideOpen, kNucleotideExtend}};
    return isNucleotide(alphabet) ? nucleotide : protein;
}

const BoltzmannTable& boltzmannTable(Alphabet alphabet) {
    static const BoltzmannTable protein{kVtml200, -28, -1.6, 5.6007};
    static const BoltzmannTable nucleotide{kHoxd70, -414, -27, 100};
    return isNucleotide(alphabet) ? nucleotide : protein;
}

/// The residues that an ambiguous letter stands for; empty for unknown letters.
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

/// Derives the odds of all codes from those of the residues, which come first, and the residues' frequencies.
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

std::vector<ScaledNumber> PairModel::ends(std::size_t most, const std::array<double, kMaxGapKinds>& first,
                                          const std::array<double, kMaxGapKinds>& last) const {
    std::vector<ScaledNumber> weights(most + 1, {1, 0});
    if (hasFreeEnds) return weights;
    weights[0] = {firstMatch, 0};
    std::array<ScaledNumber, kMaxGapKinds> gaps;
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
