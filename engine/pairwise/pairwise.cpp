#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>

#include "engine/core/arguments.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::pairwise {

// ---- shared by backends

PairwiseRequest requestFor(const Sequences& sequences, const PairwiseOptions& options) {
    return {.variant = options.variant,
            .scoring = options.scoring,
            .sequences = sequences.size(),
            .longest = sequences.longest()};
}

Support supportsRequest(Backend& backend, const PairwiseRequest& request) {
    return glycine::supportsRequest<PairwiseEngine>(backend, request);
}

Recurrence recurrenceOf(const PairScoring& scoring) {
    if (scoring.method == PairMethod::Local) return Recurrence::Local;
    return scoring.gaps.open == 0 ? Recurrence::Linear : Recurrence::Affine;
}

std::size_t evenTile(std::size_t sequences, std::size_t most) {
    if (sequences == 0) return most;
    const std::size_t tiles = (sequences + most - 1) / most;
    return (sequences + tiles - 1) / tiles;
}

ScoreBounds scoreBounds(const PairScoring& scoring, std::size_t shorter, std::size_t longer) {
    const auto least = static_cast<std::int64_t>(std::min(shorter, longer));
    const auto all = static_cast<std::int64_t>(shorter + longer);
    ScoreBounds bounds;
    // Of ClustalW's matrices, the one for proteins has the highest score.
    const int highest = scoring.method == PairMethod::ClustalW ? clustalMatrix(Alphabet::Protein).highest()
                                                               : scoring.matrix.highest();
    bounds.highest = std::max(highest, 0) * least;
    // An alignment of two gaps only, one in each sequence, always exists.
    if (scoring.method == PairMethod::Global)
        bounds.lowest = -(2 * std::int64_t{scoring.gaps.open} + all * scoring.gaps.extend);
    return bounds;
}

void checkPenalties(const GapPenalties& gaps) {
    if (gaps.open < 0 || gaps.open > kLargestPenalty || gaps.extend < 0 || gaps.extend > kLargestPenalty)
        throw UsageError(fmt::format("gap penalties are {} and {}; expected 0 … {}", gaps.open, gaps.extend,
                                     kLargestPenalty));
}

Support scoresFit(const PairwiseRequest& request) {
    // Nucleotide gaps cost 666 per letter, and the scores of two halves are added.
    constexpr std::size_t kLongestClustal = 200'000;
    if (request.scoring.method == PairMethod::ClustalW && request.longest > kLongestClustal)
        return Support::no(fmt::format("as ClustalW, sequences of up to {} letters are aligned; one has {}",
                                       formatCount(kLongestClustal), formatCount(request.longest)));
    const ScoreBounds bounds = scoreBounds(request.scoring, request.longest, request.longest);
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (-bounds.lowest < kLargest && bounds.highest < kLargest) return Support::yes();
    return Support::no(
        fmt::format("scores of {} letters with these penalties may reach {}; at most {} are kept",
                    request.longest, -bounds.lowest >= kLargest ? bounds.lowest : bounds.highest, kLargest));
}

std::vector<std::size_t> placesByLength(const Sequences& sequences, Range range) {
    std::vector<std::size_t> places(range.size());
    std::iota(places.begin(), places.end(), range.begin);
    std::ranges::stable_sort(places, {}, [&](std::size_t place) { return sequences.codes[place].size(); });
    return places;
}

double cellsOf(const Sequences& sequences, const pairs::PairTile& tile) {
    double cells = 0, before = 0;
    if (!tile.isDiagonal())
        for (std::size_t j = tile.columns.begin; j < tile.columns.end; ++j)
            before += static_cast<double>(sequences.letters[j].size());
    for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i) {
        const auto length = static_cast<double>(sequences.letters[i].size());
        cells += before * length;
        if (tile.isDiagonal()) before += length;
    }
    return cells;
}

TileProgress::TileProgress(const Sequences& sequences, const pairs::PairTile& tile, Progress& progress)
    : progress_(progress),
      unitsPerCell_(static_cast<double>(tile.pairs()) / std::max(1.0, cellsOf(sequences, tile))) {}

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
                    "the substitution matrix '{}' scores {} with {} as {}, and {} with {} as {}; expected a "
                    "symmetric one",
                    matrix.name, letters[a], letters[b], score, letters[b], letters[a], matrix.scores[b][a]));
            if (score > kLargestScore || score < -kLargestScore)
                throw UsageError(
                    fmt::format("the substitution matrix '{}' scores {} with {} as {}; expected {} … {}",
                                matrix.name, letters[a], letters[b], score, -kLargestScore, kLargestScore));
        }
}

void checkPairwise(const Sequences& sequences, const PairwiseOptions& options) {
    checkKnown(options.scoring.method);
    checkKnown(options.measure);
    checkKnown(options.variant);
    if (sequences.size() == 0) throw InputError("there are no sequences to align; expected at least one");
    checkSequences(sequences);
    if (options.measure == PairMeasure::Mismatch && !isThesisScoring(options.scoring))
        throw UsageError("the measure mismatch is for the thesis' scores: 1, -1, gaps -2");
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

bool isThesisScoring(const PairScoring& scoring) {
    const PairScoring thesis = thesisScoring(scoring.matrix.alphabet);
    return scoring.method == thesis.method && scoring.matrix.scores == thesis.matrix.scores &&
           scoring.gaps == thesis.gaps;
}

double valueOf(PairMeasure measure, const PairResult& result, std::size_t letters, std::size_t others) {
    if (measure == PairMeasure::Score) return static_cast<double>(result.score);
    if (measure == PairMeasure::Mismatch) {
        const auto mismatches = static_cast<double>(
            (result.score + 2 * static_cast<std::int64_t>(letters + others) - 5 * result.identities) / 3);
        return mismatches / (mismatches + static_cast<double>(result.identities));
    }
    const double identity =
        static_cast<double>(result.identities) / static_cast<double>(std::min(letters, others));
    return measure == PairMeasure::Identity ? identity : 1 - identity;
}

Support supportsPairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options) {
    return supportsRequest(backend, requestFor(sequences, options));
}

std::size_t tileSide(Backend& backend, const PairwiseRequest& request) {
    // Processors align up to 32 sequences at once. Multiples of it leave no lanes empty, nor do the quarters
    // into which the last tiles are cut.
    constexpr std::size_t kLanes = 32;
    const std::size_t preferred = createImplementation<PairwiseEngine>(backend)->preferredTile(request);
    std::size_t wanted = pairs::sharedSide(backend, request.sequences, preferred);
    if (wanted >= kLanes && wanted < preferred) wanted = std::min(preferred, roundUp(wanted, 2 * kLanes));
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(request.sequences, 1));
}

std::size_t tileSide(Backend& backend, const Sequences& sequences, const PairwiseOptions& options) {
    if (options.tile == 0) return tileSide(backend, requestFor(sequences, options));
    return std::clamp<std::size_t>(options.tile, 1, std::max<std::size_t>(sequences.size(), 1));
}

PairwiseReport computePairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options,
                               pairs::PairSink& sink, Progress& progress) {
    checkPairwise(sequences, options);
    // The host's own work uses no more threads than the backend may.
    const ThreadsOf threads(backend);
    const PairwiseRequest request = requestFor(sequences, options);
    const std::size_t side = tileSide(backend, sequences, options);
    const std::size_t sets = pairs::tileSets(backend, sequences.size(), side);
    std::shared_ptr<PairwiseRun> first;
    double cellsComputed = 0;
    // A device's run, with memory for the tiles of each set.
    struct AtWork {
        using Views = std::array<MatrixView<std::int32_t>, kPairQuantities>;
        std::unique_ptr<PairwiseEngine> engine;
        std::shared_ptr<PairwiseRun> run;
        std::vector<std::array<Matrix<std::int32_t>, kPairQuantities>> found;
        std::vector<Views> views;
        double cells = 0;
    };
    const auto stepsOn = [&](Backend& device) {
        const auto own = std::make_shared<AtWork>();
        own->engine = createImplementation<PairwiseEngine>(device);
        if (const Support support = own->engine->supports(request); !support)
            throw UnavailableError(support.reason());
        own->run = own->engine->start(sequences, request);
        own->found.resize(sets);
        own->views.resize(sets);
        if (&device == &backend) first = own->run;
        const auto compute = [&, own](const pairs::TileWork& work) {
            for (std::size_t q = 0; q < kPairQuantities; ++q) {
                Matrix<std::int32_t>& memory = own->found[work.set][q];
                if (memory.size() < work.values.rows() * work.values.columns())
                    memory = Matrix<std::int32_t>(work.values.rows(), work.values.columns(), 0);
                own->views[work.set][q] = {memory.data(), work.values.rows(), work.values.columns()};
            }
            // Leave results that nobody needs empty.
            AtWork::Views views = own->views[work.set];
            if (options.measure != PairMeasure::Mismatch)
                views[options.measure == PairMeasure::Score ? 1 : 0] = {};
            namingDevice(device, [&] { own->run->compute(work.tile, views, progress); });
            own->cells += cellsOf(sequences, work.tile);
        };
        const auto finish = [&, own](const pairs::TileWork& work) {
            const AtWork::Views& views = own->views[work.set];
            parallelFor(omp_get_max_threads(), work.values.rows(), [&](std::size_t r, std::size_t) {
                for (std::size_t c = 0; c < work.tile.columnsOf(r); ++c)
                    work.values(r, c) = valueOf(options.measure, {views[0](r, c), views[1](r, c)},
                                                sequences.letters[work.tile.rows.begin + r].size(),
                                                sequences.letters[work.tile.columns.begin + c].size());
            });
        };
        return pairs::TileSteps{
            .compute = compute, .finish = finish, .end = [&, own] { cellsComputed += own->cells; }};
    };
    const pairs::TileCount count = pairs::computeTiles({.instances = sequences.size(),
                                                        .side = side,
                                                        .stage = "aligning pairs",
                                                        .workPerPair = 1,
                                                        .sets = sets,
                                                        .isExact = true},
                                                       sink, progress, backend, stepsOn);
    return {{backend, *first, count},
            sequences.size(),
            cellsOf(sequences, {{0, sequences.size()}, {0, sequences.size()}}),
            cellsComputed};
}

// ---- the algorithm for the registry

const Algorithm& pairwiseAlgorithm() {
    static const Algorithm algorithm(
        "pairwise", "Align all pairs of proteins or nucleotide sequences: scores, identities, distances",
        "S. B. Needleman & C. D. Wunsch, J. Mol. Biol. 48 (1970), with affine gaps O. Gotoh, J. Mol. Biol. "
        "162 (1982); as ClustalW's first stage: C. S. Khaladkar, University of Western Australia (2009)",
        [] { return allVariants<PairwiseEngine>(); },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            PairwiseRequest request{.scoring = thesisScoring(Alphabet::Protein),
                                    .sequences = dimension(dimensions, "sequences"),
                                    .longest = dimension(dimensions, "letters")};
            if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
            return supportsRequest(backend, request);
        });
    return algorithm;
}

ImplementationList<PairwiseEngine>& PairwiseEngine::implementations() {
    static ImplementationList<PairwiseEngine> all{reference::pairwiseEngine(), cpu::pairwiseEngine()};
    return all;
}

}  // namespace glycine::pairwise
