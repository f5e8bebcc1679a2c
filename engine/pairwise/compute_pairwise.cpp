#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/check_sequences.hpp"

namespace glycine::pairwise {

namespace {

void checkMatrix(const SubstitutionMatrix& matrix, Alphabet alphabet) {
    checkKnown(matrix.alphabet);
    if (!matrix.isFor(alphabet))
        throw UsageError(fmt::format("the substitution matrix {} is for {}, but the sequences are {}",
                                     matrix.name, toString(matrix.alphabet), toString(alphabet)));
    const std::string_view letters = lettersOf(alphabet);
    if (matrix.size != letters.size())
        throw UsageError(
            fmt::format("the substitution matrix '{}' has scores of {} letters; expected those of the {} "
                        "letters of {} (namedMatrix, matrixOf or matchMatrix)",
                        matrix.name, matrix.size, letters.size(), toString(alphabet)));
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            const int score = matrix.scores[a][b];
            if (score != matrix.scores[b][a])
                throw UsageError(fmt::format(
                    "the substitution matrix '{}' scores {} beside {} as {}, and {} beside {} as {}; "
                    "expected a symmetric one",
                    matrix.name, letters[a], letters[b], score, letters[b], letters[a], matrix.scores[b][a]));
            if (score > kLargestScore || score < -kLargestScore)
                throw UsageError(
                    fmt::format("the substitution matrix '{}' scores {} beside {} as {}; expected {} … {}",
                                matrix.name, letters[a], letters[b], score, -kLargestScore, kLargestScore));
        }
}

void checkPairwise(const Sequences& sequences, const PairwiseOptions& options) {
    checkKnown(options.scoring.method);
    checkKnown(options.measure);
    checkKnown(options.variant);
    if (sequences.size() == 0) throw InputError("there are no sequences to align; expected at least one");
    checkSequences(sequences);
    if (options.scoring.method == PairMethod::ClustalW) return;
    checkPenalties(options.scoring.gaps);
    checkMatrix(options.scoring.matrix, sequences.alphabet);
}

}  // namespace

PairScoring thesisScoring(Alphabet alphabet) {
    return {.method = PairMethod::Global,
            .matrix = matchMatrix(alphabet, 1, -1),
            .gaps = {.open = 0, .extend = 2}};
}

double valueOf(PairMeasure measure, const PairResult& result, std::size_t letters, std::size_t others) {
    if (measure == PairMeasure::Score) return static_cast<double>(result.score);
    const double identity =
        static_cast<double>(result.identities) / static_cast<double>(std::min(letters, others));
    return measure == PairMeasure::Identity ? identity : 1 - identity;
}

Support supportsPairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options) {
    return supportsRequest(backend, requestFor(sequences, options));
}

std::size_t tileSide(Backend& backend, const Sequences& sequences, const PairwiseOptions& options) {
    const std::size_t wanted =
        options.tile > 0 ? options.tile
                         : createPairwiseEngine(backend)->preferredTile(requestFor(sequences, options));
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(sequences.size(), 1));
}

PairwiseReport computePairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options,
                               pairs::PairSink& sink, Progress& progress) {
    checkPairwise(sequences, options);
    // What is done beside the backend's own work takes no more threads than it may.
    const ThreadsOf threads(backend);
    const std::unique_ptr<PairwiseEngine> engine = createPairwiseEngine(backend);
    const PairwiseRequest request = requestFor(sequences, options);
    if (const Support support = engine->supports(request); !support) throw UnavailableError(support.reason());

    const std::unique_ptr<PairwiseRun> run = engine->start(sequences, request);
    std::array<Matrix<std::int32_t>, kPairQuantities> found;
    double cellsComputed = 0;
    const auto compute = [&](const pairs::PairTile& tile, MatrixView<double> values) {
        std::array<MatrixView<std::int32_t>, kPairQuantities> views;
        for (std::size_t q = 0; q < kPairQuantities; ++q) {
            if (found[q].size() < values.rows() * values.columns())
                found[q] = Matrix<std::int32_t>(values.rows(), values.columns(), 0);
            views[q] = {found[q].data(), values.rows(), values.columns()};
        }
        // Empty where nobody asks.
        std::array<MatrixView<std::int32_t>, kPairQuantities> asked = views;
        asked[options.measure == PairMeasure::Score ? 1 : 0] = {};
        namingDevice(backend, [&] { run->compute(tile, asked, progress); });
        cellsComputed += cellsOf(sequences, tile);
        for (std::size_t r = 0; r < values.rows(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : values.columns()); ++c)
                values(r, c) = valueOf(options.measure, {views[0](r, c), views[1](r, c)},
                                       sequences.letters[tile.rows.begin + r].size(),
                                       sequences.letters[tile.columns.begin + c].size());
    };
    const pairs::TileCount count = pairs::computeTiles({.instances = sequences.size(),
                                                        .side = tileSide(backend, sequences, options),
                                                        .stage = "aligning pairs",
                                                        .workPerPair = 1},
                                                       sink, progress, compute);
    return {{backend, *run, count},
            sequences.size(),
            cellsOf(sequences, {{0, sequences.size()}, {0, sequences.size()}}),
            cellsComputed};
}

}  // namespace glycine::pairwise
