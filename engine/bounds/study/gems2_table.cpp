#include <fmt/format.h>

#include <array>

#include "engine/bounds/study/bounds_problem.hpp"

namespace glycine::bounds {

namespace {

using study::Claim;
using study::Exponent;
using study::PublishedRow;
using study::Ratio;
using study::Scale;

/// A line of the table: milliseconds of the lower bounds, the upper ones, and both.
struct TableLine {
    std::size_t atoms;
    std::array<double, 3> cpu;
    std::array<double, 3> gpu;
};
constexpr std::array kTable{
    TableLine{128, {4.8, 5.5, 10.3}, {2.1, 2.0, 4.1}},
    TableLine{256, {36.4, 40.0, 76.4}, {9.7, 5.4, 15.1}},
    TableLine{512, {517.2, 393.3, 910.5}, {69.7, 35.3, 105.0}},
    TableLine{1024, {3828.0, 2937.5, 6765.5}, {531.7, 266.6, 798.3}},
    TableLine{2048, {29687.0, 22560.9, 52247.9}, {4156.2, 2084.3, 6240.5}},
    TableLine{4096, {233969.0, 183281.0, 417250.0}, {32969.0, 16610.0, 49579.0}},
};
constexpr std::size_t kQuickLines = 3;
constexpr std::array kStages{"lower", "upper", "upper+lower"};

/// What is measured here, and the column of the table that it stands for.
struct Method {
    const char* name;
    const char* backend;
    const char* variant;
    int threads = 0;
    std::array<double, 3> TableLine::*printed = nullptr;
};
constexpr std::array kMethods{Method{"CPU", "cpu", "dense", 1, &TableLine::cpu},
                              Method{"GPU", "gl", "packed", 0, &TableLine::gpu},
                              Method{"cpu dense", "cpu", "dense"},
                              Method{"gl scalar", "gl", "scalar"},
                              Method{"gl scalar-shadercoords", "gl", "scalar-shadercoords"},
                              Method{"gl copy", "gl", "copy"},
                              Method{"gl triangle", "gl", "triangle"},
                              Method{"gl packed-branch", "gl", "packed-branch"},
                              Method{"gl blocked", "gl", "blocked"},
                              Method{"cuda naive", "cuda", "naive"},
                              Method{"cuda blocked", "cuda", "blocked"}};

std::size_t lineCount(Scale scale) {
    return scale == Scale::Quick ? kQuickLines : kTable.size();
}

std::string keyOf(const std::string& method, std::size_t atoms, std::size_t stage) {
    return fmt::format("{} {} {}", method, atoms, kStages[stage]);
}

std::vector<PublishedRow> tableRows(Scale scale) {
    std::vector<PublishedRow> rows;
    for (std::size_t line = 0; line < lineCount(scale); ++line) {
        const TableLine& published = kTable[line];
        const auto n = static_cast<double>(published.atoms);
        for (const Method& method : kMethods)
            for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
                PublishedRow row;
                row.method = method.name;
                row.problem = line;
                row.stage = kStages[stage];
                row.key = keyOf(method.name, published.atoms, stage);
                row.configuration = {method.backend, method.variant, {}, "float32"};
                row.threads = method.threads;
                row.paperWork = (stage == 2 ? 2 : 1) * n * n * n / 1e9;
                if (method.printed != nullptr) row.paperSeconds = (published.*method.printed)[stage] / 1e3;
                rows.push_back(std::move(row));
            }
    }
    return rows;
}

/// "Faster" without a number in the chapter: by 5 %, which measurements can tell from nothing.
constexpr double kFaster = 1.05;
constexpr std::nullopt_t kNoLimit = std::nullopt;

std::vector<Claim> tableClaims(Scale scale) {
    const std::size_t n = scale == Scale::Quick ? 512 : 1024;
    const std::size_t largest = kTable[lineCount(scale) - 1].atoms;
    const auto both = [n](const char* slow, const char* fast) {
        return Ratio{keyOf(slow, n, 2), keyOf(fast, n, 2)};
    };
    const auto speedUp = [largest](std::size_t stage) {
        return Ratio{keyOf("CPU", largest, stage), keyOf("GPU", largest, stage)};
    };
    const std::string cpuToday =
        "the processor's program works in blocks that stay in its caches and computes each pair once, with "
        "vectors of 8 or 16 bounds; one pass a k, as in the chapter, is limited by memory";
    const std::string fillToday =
        "a pass a k is limited by filling and by fetching what it fills, no longer by instructions";
    Exponent cubic{{}, "atoms"};
    for (std::size_t line = scale == Scale::Quick ? 0 : 2; line < lineCount(scale); ++line)
        cubic.rows.push_back(keyOf("GPU", kTable[line].atoms, 2));
    return {
        {"ping-pong buffering is twice as fast as copying to a texture", "43.3.1",
         both("gl copy", "gl scalar"), "2 ×", 1.75, kNoLimit,
         "the copy stays in fast memory of the device, and costs little beside the pass"},
        {"texture coordinates from the rasterizer instead of the shader save about 10 percent", "43.3.2",
         both("gl scalar-shadercoords", "gl scalar"), "1.1 ×", 1.05, 1.2,
         "the shader makes coordinates while it waits for memory: " + fillToday},
        {"four bounds a texel are faster than one", "43.3.4", both("gl scalar", "GPU"), "faster", kFaster,
         kNoLimit, "pipelines are no longer made of four-component vectors"},
        {"four programs by k mod 4 are faster than one that chooses the component", "43.3.4",
         both("gl packed-branch", "GPU"), "faster", kFaster, kNoLimit,
         "a branch that all fragments of a pass take alike costs nothing now"},
        {"two textures are faster than two triangles of one", "43.3.4", both("gl triangle", "GPU"), "faster",
         kFaster, kNoLimit,
         "triangles hold one bound a texel here, need no more fetches, and fill half as much: " + fillToday},
        {"lower bounds take twice as long as upper ones",
         "43.4: nine and five instructions, five and three fetches",
         Ratio{keyOf("GPU", n, 0), keyOf("GPU", n, 1)}, "2.0 ×", 1.6, 2.4, fillToday},
        {"time grows with the cube of the number of atoms", "43.2, table 43-1", cubic,
         "2.96 from 512 to 4096 atoms", 2.8, 3.2,
         "small matrices leave most of the device idle, and each pass costs the same to start"},
        {"the GPU smooths both bounds more than eight times as fast as the CPU", "43.5, table 43-1",
         speedUp(2), "8.4 ×", 8, kNoLimit, cpuToday},
        {"the GPU smooths upper bounds eleven times as fast", "table 43-1", speedUp(1), "11.0 ×", 10,
         kNoLimit, cpuToday},
        {"the GPU smooths lower bounds seven times as fast", "table 43-1", speedUp(0), "7.1 ×", 6.5, kNoLimit,
         cpuToday},
    };
}

}  // namespace

study::PublishedFigure gems2Table() {
    study::PublishedFigure figure;
    figure.id = "gems2-table-43-1";
    figure.title = "Table 43-1: times for the optimized GPU implementation";
    figure.source =
        "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter 43";
    figure.about =
        "There: 2.4 GHz Xeon, SSE2, and GeForce 6800 Ultra; means of 1000 executions (1 of the largest), "
        "float32. Here: random atoms, 10 % of the pairs known. For its CPU stands cpu dense on one thread, "
        "for its GPU gl packed, the same passes. Times are those of the stages on the device, without "
        "transfers; the method decides what a rate means: all count n³ relaxations for each kind of bound.";
    figure.quick = "128, 256 and 512 atoms instead of 128 to 4096; claims about 1024 atoms and more at 512";
    figure.sizeLabel = "atoms";
    figure.rateUnit = "G/s";
    figure.problems = [](Scale scale, std::uint64_t seed, Progress&) {
        std::vector<std::unique_ptr<study::Problem>> problems;
        for (std::size_t line = 0; line < lineCount(scale); ++line)
            problems.push_back(randomProblem({.atoms = kTable[line].atoms, .seed = seed}));
        return problems;
    };
    figure.bytes = [](Scale scale) {
        std::vector<study::InputBytes> bytes;
        for (std::size_t line = 0; line < lineCount(scale); ++line) {
            const double both = bytesForBounds(NumberFormat::Float32, kTable[line].atoms);
            bytes.push_back({both, 0, both});
        }
        return bytes;
    };
    figure.rows = tableRows;
    figure.claims = tableClaims;
    figure.untested = {
        {"three primitives a pass are faster than one whose shader finds the region (43.3.3)",
         "no variant finds the region in the shader"},
        {"a texture with both triangles and four bounds a texel needs 11 fetches for a lower bound, 3 or 6 "
         "for an upper one (43.3.4)",
         "no variant packs triangles: `triangle` holds one bound a texel"},
        {"binding another program for each k has a negligible overhead (43.3.4)",
         "programs are bound within the time of a pass, which is not taken apart"},
        {"shaders of nine and five instructions (43.4)", "drivers do not tell what they compile GLSL to"},
        {"4096 atoms are the most, for lack of larger pbuffers (43.4)",
         "not a time; textures are larger now, and larger matrices are worked in tiles"},
        {"the processor and the graphics card can share one matrix (43.5)",
         "proposed there, not measured; Glycine does not divide a matrix between them"},
    };
    return figure;
}

}  // namespace glycine::bounds
