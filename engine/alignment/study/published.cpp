#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::align {

namespace {

using study::Claim;
using study::Exponent;
using study::Growth;
using study::PublishedFigure;
using study::PublishedRow;
using study::Ratio;
using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;
constexpr std::nullopt_t kNoLimit = std::nullopt;

/// Sequences × letters.
struct Input {
    std::size_t sequences, letters;
    std::string text() const { return fmt::format("{} × {}", sequences, letters); }
};

/// Two problems an input: by the thesis' scheme, and as ClustalW.
constexpr std::size_t kMethods = 2;
Problems problemsOf(std::span<const Input> inputs, std::uint64_t seed) {
    Problems problems;
    for (const Input& input : inputs) {
        const auto sequences = std::make_shared<pairwise::StudySequences>(pairwise::StudySequences{
            randomSequences(
                {.count = input.sequences, .length = input.letters, .gaps = 0, .shortest = 1, .seed = seed}),
            input.text()});
        for (const AlignMethod method : {AlignMethod::Thesis, AlignMethod::ClustalW})
            problems.push_back(alignmentProblem(sequences, method, seed));
    }
    return problems;
}

constexpr const char* kResident = "cuda antidiagonal-resident";
constexpr const char* kSent = "cuda antidiagonal";
constexpr const char* kNumbers = "integers";
constexpr const char* kStages[] = {"pairs", "guide tree", "progressive"};

/// By the thesis' scheme.
PublishedRow thesisRow(const char* what, std::size_t input, const std::string& method,
                       const std::string& stage = {}) {
    return study::rowOf(what, kNumbers, kMethods * input, method, 0, stage);
}
/// ClustalW on one thread, as it was then.
PublishedRow clustalRow(std::size_t input, const std::string& method, const std::string& stage = {}) {
    return study::rowOf("cpu interpair", kNumbers, kMethods * input + 1, method, 1, stage);
}

/// A row of tables C.1 and C.2.
struct Timed {
    std::size_t sequences;
    double pairs, tree, progressive;  ///< ms
};
using TimedRows = std::span<const Timed>;
constexpr Timed kTableC1[] = {
    {17, 722.90, 0.811, 749.61},         {22, 1475.91, 1.319, 1109.41},     {50, 12260.00, 3.429, 5949.62},
    {70, 19154.70, 6.880, 6313.10},      {78, 39375.30, 8.944, 2663.22},    {150, 56508.40, 43.688, 7237.14},
    {170, 65052.30, 48.110, 12357.10},   {200, 91976.10, 71.795, 19148.40}, {298, 91732.40, 198.057, 9980.86},
    {500, 526816.00, 767.826, 26419.50}, {1000, 2.42e6, 4863.330, 85991.80}};
constexpr Timed kTableC2[] = {{50, 12260.00, 3.429, 5949.62},    {100, 30868.50, 14.423, 17075.00},
                              {150, 56508.40, 43.688, 7237.14},  {200, 91976.10, 71.795, 19148.40},
                              {298, 91732.40, 198.057, 9980.86}, {500, 526816.00, 767.826, 26419.50},
                              {1000, 2.42e6, 4863.330, 85991.80}};

/// Letters of sequences whose length is not printed.
std::size_t usualLetters(Scale scale) {
    return scale == Scale::Quick ? 64 : 256;
}
/// --quick: the rows of up to 150 sequences.
TimedRows measured(TimedRows rows, Scale scale) {
    if (scale == Scale::Published) return rows;
    return rows.first(static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const Timed& row) { return row.sequences <= 150; })));
}
std::vector<Input> inputsOf(TimedRows rows, Scale scale) {
    std::vector<Input> inputs;
    for (const Timed& row : measured(rows, scale)) inputs.push_back({row.sequences, usualLetters(scale)});
    return inputs;
}
std::string clustal(const Timed& row) {
    return fmt::format("ClustalW {}", row.sequences);
}

std::vector<PublishedRow> tableRows(TimedRows all, Scale scale) {
    std::vector<PublishedRow> rows;
    const TimedRows some = measured(all, scale);
    for (std::size_t i = 0; i < some.size(); ++i) {
        const double printed[] = {some[i].pairs, some[i].tree, some[i].progressive};
        double sum = 0;
        for (std::size_t s = 0; s < std::size(kStages); ++s) {
            rows.push_back(clustalRow(i, clustal(some[i]), kStages[s]));
            rows.back().paperSeconds = printed[s] / 1000;
            sum += rows.back().paperSeconds;
        }
        rows.push_back(clustalRow(i, clustal(some[i])));
        rows.back().paperSeconds = sum;
        const auto others = [&](const char* what) {
            const std::string method = fmt::format("{} {}", what, some[i].sequences);
            for (const char* stage : {"pairs", ""}) rows.push_back(thesisRow(what, i, method, stage));
        };
        others(kResident);
        others("cuda intertask");
    }
    return rows;
}

Ratio shareOf(const std::string& method, const char* stage) {
    return {method + " " + stage, method};
}

constexpr const char* kProgram =
    "both stages have other constants today: pairs gain from wide registers, groups less";
std::vector<Claim> shareClaims(Scale scale) {
    const TimedRows rows = measured(kTableC1, scale);
    const Timed &fewest = rows.front(), &most = rows.back();
    const std::string few = clustal(fewest), many = clustal(most);
    constexpr const char* kPlace = "3, figure 3.6, table C.1";
    std::vector<Claim> claims{
        {"with 17 sequences the pairs take around 49 % of the time", kPlace, shareOf(few, "pairs"), "0.49 ×",
         0.39, 0.59, kProgram},
        {"with few sequences pairs and progressive alignment take nearly the same time", kPlace,
         Ratio{few + " pairs", few + " progressive"}, "0.96 ×", 0.5, 2, kProgram},
        {"the pairs' share grows with the sequences", kPlace,
         Growth{shareOf(many, "pairs"), shareOf(few, "pairs")}, scale == Scale::Quick ? "1.81 ×" : "1.97 ×",
         1.05, kNoLimit, kProgram},
        {"the guide tree takes a negligible time", kPlace, shareOf(many, "guide tree"),
         scale == Scale::Quick ? "0.0007 ×" : "0.0019 ×", kNoLimit, 0.01,
         "a joining costs more than it did then, beside pairs that cost much less"}};
    if (scale == Scale::Published)
        claims.push_back({"with 1,000 sequences the pairs take nearly 97 %", kPlace, shareOf(many, "pairs"),
                          "0.97 ×", 0.92, 1, kProgram});
    return claims;
}

std::vector<Claim> growthClaims(Scale scale) {
    constexpr const char* kLengthsDiffer =
        "298 sequences take less time than 200 in the table, so that lengths differ there; here they do not";
    std::vector<Claim> claims;
    const auto add = [&](const char* text, const char* stage, const char* paper, double low,
                         std::optional<double> high, const char* otherwise) {
        Exponent exponent{.rows = {}, .dimension = "sequences"};
        for (const Timed& row : measured(kTableC2, scale))
            exponent.rows.push_back(clustal(row) + " " + stage);
        claims.push_back({text, "table C.2", exponent, paper, low, high, otherwise});
    };
    add("pairs take time ~ N^1.73", "pairs", "1.73", 1.43, 2.03, kLengthsDiffer);
    add("the guide tree takes time ~ N^2.43", "guide tree", "2.43", 1.93, 2.93,
        "neighbour joining searches only rows that can hold the smallest value now");
    add("progressive alignment takes time ~ N^0.75", "progressive", "0.75", 0.45, 1.05, kLengthsDiffer);
    return claims;
}

/// Figures 6.3 and 6.4: lengths are multiples of 8; which, their axes alone say.
constexpr std::size_t kCounts[] = {100, 200, 300, 400};
constexpr std::size_t kLengths[] = {16, 64, 256};
/// --quick: a quarter of the sequences.
std::size_t countOf(std::size_t printed, Scale scale) {
    return scale == Scale::Quick ? printed / 4 : printed;
}
std::vector<Input> gridOf(Scale scale) {
    std::vector<Input> inputs;
    for (const std::size_t count : kCounts)
        for (const std::size_t length : kLengths) inputs.push_back({countOf(count, scale), length});
    return inputs;
}
std::string gpu(std::size_t count, std::size_t length, Scale scale) {
    return "GPU " + Input{countOf(count, scale), length}.text();
}
std::string cpu(std::size_t count, std::size_t length, Scale scale) {
    return "CPU " + Input{countOf(count, scale), length}.text();
}

std::vector<PublishedRow> phaseRows(Scale scale) {
    std::vector<PublishedRow> rows;
    const std::vector<Input> inputs = gridOf(scale);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (const char* stage : {"pairs", "guide tree", "progressive", ""})
            rows.push_back(thesisRow(kResident, i, "GPU " + inputs[i].text(), stage));
    return rows;
}
std::vector<Claim> phaseClaims(Scale scale) {
    std::vector<Claim> claims;
    constexpr const char* kPlace = "6.2, figure 6.3";
    constexpr const char* kTree =
        "neighbour joining searches only rows that can hold the smallest value now, and is much faster";
    for (const std::size_t count : kCounts) {
        const std::string shortest = gpu(count, kLengths[0], scale), longest = gpu(count, kLengths[2], scale);
        const std::string which = fmt::format(", {} sequences", countOf(count, scale));
        claims.push_back({"of very short sequences the guide tree takes the majority of the time" + which,
                          kPlace, shareOf(shortest, "guide tree"), "more than half", 0.5, kNoLimit, kTree});
        claims.push_back({"of long sequences the pairs dominate" + which, kPlace, shareOf(longest, "pairs"),
                          "more than half", 0.5, kNoLimit,
                          "launches are what pairs cost, and cost less now"});
        claims.push_back({"the guide tree takes a smaller share of long sequences" + which, kPlace,
                          Growth{shareOf(shortest, "guide tree"), shareOf(longest, "guide tree")}, "smaller",
                          1.05, kNoLimit, kTree});
    }
    return claims;
}

std::vector<PublishedRow> comparedRows(Scale scale) {
    std::vector<PublishedRow> rows;
    const std::vector<Input> inputs = gridOf(scale);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        rows.push_back(clustalRow(i, "CPU " + inputs[i].text()));
        rows.push_back(thesisRow(kResident, i, "GPU " + inputs[i].text()));
        for (const char* ours : {"cuda intertask", "gl blocked"})
            rows.push_back(thesisRow(ours, i, fmt::format("{} {}", ours, inputs[i].text())));
    }
    return rows;
}
std::vector<Claim> comparedClaims(Scale scale) {
    constexpr const char* kPlace = "6.2, figure 6.4";
    constexpr const char* kThen =
        "a pair is a launch for each anti-diagonal of blocks, which leaves most of a GPU of today idle, and "
        "a "
        "processor's thread aligns many pairs at once";
    const auto speedUp = [&](std::size_t count, std::size_t length) {
        return Ratio{cpu(count, length, scale), gpu(count, length, scale)};
    };
    std::vector<Claim> claims;
    const auto add = [&](const std::string& text, const char* place, std::size_t count, std::size_t length,
                         const char* paper, std::optional<double> low, std::optional<double> high) {
        claims.push_back({fmt::format("{}: {}", text, Input{countOf(count, scale), length}.text()), place,
                          speedUp(count, length), paper, low, high, kThen});
    };
    add("the GPU is 9 × as fast as the CPU for short sequences", "7.1", 100, kLengths[0], "9 ×", 7.2,
        kNoLimit);
    for (const std::size_t length : kLengths)
        add("of 100 sequences the GPU is faster at every length", kPlace, 100, length, "faster", 1, kNoLimit);
    add("of 300 short sequences both are on par", kPlace, 300, kLengths[0], "on par", 0.67, 1.5);
    for (const std::size_t count : {std::size_t{300}, std::size_t{400}})
        add("the CPU outperforms the GPU with long sequences", "6.2, 7.1", count, kLengths[2], "slower",
            kNoLimit, 1);
    for (const std::size_t count : kCounts)
        claims.push_back(
            {fmt::format("the GPU gains less with long sequences than with short ones, {} sequences",
                         countOf(count, scale)),
             "7.1", Growth{speedUp(count, kLengths[0]), speedUp(count, kLengths[2])}, "less", 1.05, kNoLimit,
             "short sequences fill few threads of a GPU of today"});
    return claims;
}

/// A row of table C.3: ms.
struct Memory {
    std::size_t sequences;
    double without, with;
};
constexpr Memory kTableC3[] = {
    {8, 3037.9, 5037.9},         {16, 5655.29, 7655.29},     {24, 5702.89, 7702.89},
    {32, 8356.26, 10356.26},     {40, 8877.26, 10877.26},    {48, 11714.89, 13714.89},
    {56, 11734.16, 13734.16},    {64, 14181.74, 16181.74},   {128, 34800.36, 36800.36},
    {256, 121788.19, 123788.19}, {512, 589624.16, 591624.16}};
std::span<const Memory> memoryCases(Scale scale) {
    const std::span<const Memory> all(kTableC3);
    return scale == Scale::Quick ? all.first(8) : all;
}
std::vector<Input> memoryInputs(Scale scale) {
    std::vector<Input> inputs;
    for (const Memory& one : memoryCases(scale)) inputs.push_back({one.sequences, usualLetters(scale)});
    return inputs;
}
std::vector<PublishedRow> memoryRows(Scale scale) {
    std::vector<PublishedRow> rows;
    const std::span<const Memory> cases = memoryCases(scale);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        rows.push_back(thesisRow(kSent, i, fmt::format("without device memory {}", cases[i].sequences)));
        rows.back().paperSeconds = cases[i].without / 1000;
        rows.push_back(thesisRow(kResident, i, fmt::format("with device memory {}", cases[i].sequences)));
        rows.back().paperSeconds = cases[i].with / 1000;
    }
    return rows;
}
std::vector<Claim> memoryClaims(Scale scale) {
    std::vector<Claim> claims;
    for (const Memory& one : memoryCases(scale))
        claims.push_back(study::faster(
            fmt::format("sequences that stay on the device save time: {} of them", one.sequences),
            "6.2, figure 6.5", fmt::format("without device memory {}", one.sequences),
            fmt::format("with device memory {}", one.sequences), "faster; table C.3: 2 s slower", 1.05,
            "of few pairs transfers are no share of the whole alignment"));
    return claims;
}

PublishedFigure figureOf(PublishedFigure figure, std::function<std::vector<Input>(Scale)> inputs) {
    figure.source =
        "C. S. Khaladkar, An Efficient Implementation of Needleman Wunsch Algorithm on Graphical Processing "
        "Units, University of Western Australia (2009)";
    figure.about +=
        " Thesis: GeForce GTX 260, Core 2 Duo T5850, ClustalW 2.0.11. Sequences are generated proteins of "
        "one length; lengths "
        "are not printed there. The GPU is cuda antidiagonal-resident with the thesis' scheme; its guide "
        "tree runs on the processor.";
    figure.sizeLabel = "sequences × letters";
    figure.rateUnit = "GCUPS";
    figure.problems = [inputs = std::move(inputs)](Scale scale, std::uint64_t seed, Progress&) {
        return problemsOf(inputs(scale), seed);
    };
    return figure;
}

PublishedFigure tableOf(PublishedFigure figure, TimedRows rows) {
    figure.about +=
        " For ClustalW stands align --clustalw, cpu interpair on one thread, on sequences of 256 letters.";
    figure.quick = "up to 150 sequences, 64 letters";
    figure.rows = [rows](Scale scale) { return tableRows(rows, scale); };
    return figureOf(std::move(figure), [rows](Scale scale) { return inputsOf(rows, scale); });
}

}  // namespace

std::vector<PublishedFigure> publishedFigures() {
    return {
        tableOf({.id = "clustal-c1",
                 .title = "Table C.1 and figure 3.6: ClustalW's three stages, 17 to 1,000 sequences",
                 .about = "Pairs, guide tree and progressive alignment.",
                 .claims = shareClaims},
                kTableC1),
        tableOf({.id = "clustal-c2",
                 .title = "Table C.2: ClustalW's three stages, 50 to 1,000 sequences",
                 .about = "How each grows; exponents are those of the printed times.",
                 .claims = growthClaims,
                 .untested = {{"the time grows exponentially with the sequences (figure 3.7)",
                               "its own times grow as a power of them"}}},
                kTableC2),
        figureOf({.id = "clustal-figure-6-3",
                  .title = "Figure 6.3: shares of the three stages on the GPU",
                  .about = "100 to 400 sequences of 16, 64 and 256 letters.",
                  .quick = "a quarter of the sequences",
                  .rows = phaseRows,
                  .claims = phaseClaims},
                 gridOf),
        figureOf(
            {.id = "clustal-figure-6-4",
             .title = "Figure 6.4: the GPU against ClustalW on the CPU",
             .about = "Whole alignments of 100 to 400 sequences of 16, 64 and 256 letters. The CPU is align "
                      "--clustalw on one thread.",
             .quick = "a quarter of the sequences",
             .rows = comparedRows,
             .claims = comparedClaims},
            gridOf),
        figureOf(
            {.id = "clustal-figure-6-5",
             .title = "Figure 6.5 and table C.3: sequences sent for each pair, or kept on the device",
             .about =
                 "8 to 512 sequences of 256 letters, whole alignments. Each row of the table has exactly "
                 "2,000 ms more with device memory than without, against the text. The matrix, which "
                 "the thesis may send as well, is kept nowhere here.",
             .quick = "up to 64 sequences, 64 letters",
             .rows = memoryRows,
             .claims = memoryClaims,
             .untested = {{"every multiprocessor is fully occupied (6.2, figure 6.6)",
                           "the occupancy of another GPU"}}},
            memoryInputs)};
}

}  // namespace glycine::align
