#include "engine/pairwise/study/pairwise_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/device_probe.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/pair_computation.hpp"

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

namespace {

class PairwiseProblem final : public study::Problem {
  public:
    PairwiseProblem(std::shared_ptr<const StudySequences> sequences, const PairScoring& scoring,
                    std::vector<std::size_t> checked)
        : sequences_(std::move(sequences)), scoring_(scoring), checked_(std::move(checked)) {}

    std::string name() const override {
        if (scoring_.method == PairMethod::ClustalW)
            return fmt::format("{}: as ClustalW", sequences_->description);
        return fmt::format("{}: {}, {}, {} + {}k", sequences_->description, toString(scoring_.method),
                           scoring_.matrix.name, scoring_.gaps.open, scoring_.gaps.extend);
    }
    Dimensions dimensions() const override {
        return {{"sequences", sequences().size()}, {"letters", sequences().longest()}};
    }
    bool concerns(const Configuration&) const override { return true; }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsRequest(backend, requestOf(configuration));
    }
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration& configuration,
                                              study::CheckScope scope, Progress& progress) override {
        findAnswers(progress);
        const PairwiseRequest request = requestOf(configuration);
        const std::shared_ptr<PairwiseEngine> engine = createImplementation<PairwiseEngine>(backend);
        const auto start = [engine, request, this] { return engine->start(sequences(), request); };
        const std::size_t n = sequences().size();
        // Every pair is computed once, but the work counts N² comparisons of one attribute.
        const double cells = cellsOf(sequences(), {{0, n}, {0, n}});
        const double counted = static_cast<double>(n) * static_cast<double>(n);
        return study::computePairs<std::int32_t>({.stage = "aligning pairs",
                                                  .instances = n,
                                                  .attributes = 1,
                                                  .tile = engine->preferredTile(request),
                                                  .quantities = {"score", "identities"},
                                                  .inputs = {{start, checked_, expected_, {}}},
                                                  .workOfEach = cells / counted},
                                                 scope);
    }
    /// Per cell of Gotoh's recurrence (1982): the letters' score and one opening are added, and two of four
    /// maxima are for gaps; skewing saves all other operations. This equals three additions and three maxima
    /// of the narrowest numbers.
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override {
        const double cells = cellsOf(sequences(), {{0, sequences().size()}, {0, sequences().size()}});
        return {{probeName(kAddMin, configuration.backend == "gl" ? "int32" : "int16"), 3 * cells / 1e9}};
    }
    double referenceSeconds() const override { return referenceSeconds_; }

  private:
    const Sequences& sequences() const { return sequences_->sequences; }

    PairwiseRequest requestOf(const Configuration& configuration) const {
        PairwiseOptions options{.scoring = scoring_};
        if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
        return requestFor(sequences(), options);
    }

    /// Computes the reference's results once, for the checked sequences in their order.
    void findAnswers(Progress& progress) {
        if (!expected_.empty()) return;
        Sequences some;
        some.alphabet = sequences().alphabet;
        for (const std::size_t k : checked_) some.add(sequences().names[k], sequences().letters[k]);
        const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
        const auto run = createImplementation<PairwiseEngine>(*reference)
                             ->start(some, requestFor(some, {.scoring = scoring_}));
        expected_ = study::runReference(*run, some.size(), 1, kPairQuantities, referenceSeconds_, progress);
    }

    std::shared_ptr<const StudySequences> sequences_;
    PairScoring scoring_;
    std::vector<std::size_t> checked_;  ///< ascending
    std::vector<Matrix<std::int32_t>> expected_;
    double referenceSeconds_ = 0;
};

}  // namespace

std::unique_ptr<study::Problem> pairwiseProblem(std::shared_ptr<const StudySequences> sequences,
                                                const PairScoring& scoring, std::size_t checked,
                                                std::uint64_t seed) {
    const std::size_t n = sequences->sequences.size();
    return std::make_unique<PairwiseProblem>(std::move(sequences), scoring,
                                             drawSamples(n, checked == 0 ? n : checked, seed));
}

std::unique_ptr<study::Problem> scoresProblem(std::shared_ptr<const StudySequences> sequences,
                                              bool isSquare) {
    const std::size_t n = sequences->sequences.size();
    const auto requestOf = [](const Configuration& configuration, const Sequences& all) {
        PairwiseOptions options{.scoring = thesisScoring(all.alphabet), .measure = PairMeasure::Score};
        if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
        return requestFor(all, options);
    };
    const auto start = [sequences, isSquare, n, requestOf](Backend& backend,
                                                           const Configuration& configuration) {
        // Off-diagonal squares are needed, so the set is aligned with a copy of itself.
        const auto all = std::make_shared<Sequences>(sequences->sequences);
        for (std::size_t k = 0; k < n; ++k)
            all->add(all->names[k] + "'", std::string(sequences->sequences.letters[k]));
        const PairwiseRequest request = requestOf(configuration, *all);
        const std::shared_ptr<PairwiseEngine> engine = createImplementation<PairwiseEngine>(backend);
        const std::shared_ptr<PairwiseRun> run = engine->start(*all, request);
        const std::size_t side = std::clamp<std::size_t>(engine->preferredTile(request), 1, n);
        const auto scores = std::make_shared<Matrix<std::int32_t>>(n, n, 0);
        const auto compute = [=](Progress& progress) {
            const Stopwatch watch;
            Matrix<std::int32_t> tile(side, side, 0);
            for (std::size_t row = 0; row < n; row += side)
                for (std::size_t column = 0; column < (isSquare ? n : row + 1); column += side) {
                    const std::size_t height = std::min(side, n - row), width = std::min(side, n - column);
                    const std::size_t shift = isSquare ? n : 0;
                    const MatrixView<std::int32_t> view{tile.data(), height, width};
                    run->compute({{row + shift, row + shift + height}, {column, column + width}},
                                 std::array<MatrixView<std::int32_t>, kPairQuantities>{view}, progress);
                    for (std::size_t r = 0; r < height; ++r)
                        for (std::size_t c = 0; c < width && (isSquare || column + c < row + r); ++c)
                            (*scores)(row + r, column + c) = view(r, c);
                }
            return study::Outcome{.variant = configuration.variant,
                                  .stages = {},
                                  .seconds = watch.seconds(),
                                  .work = 0,
                                  .note = {}};
        };
        const auto check = [=](Progress& progress) {
            Comparison comparison = equalSoFar(0);
            const auto compare = [&](std::size_t i, std::size_t j, std::int32_t expected) {
                const double difference = std::abs(double((*scores)(i, j)) - expected);
                if (difference <= comparison.largestDifference) return;
                comparison.isEqual = false;
                comparison.largestDifference = difference;
                comparison.place = fmt::format("sequences {} and {}", i, j);
            };
            for (std::size_t i = 0; isSquare && i < n; ++i) {
                compare(i, i, static_cast<std::int32_t>(all->letters[i].size()));
                for (std::size_t j = 0; j < i; ++j) compare(i, j, (*scores)(j, i));
            }
            const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
            Matrix<std::int32_t> last(1, 1, 0);
            createImplementation<PairwiseEngine>(*reference)
                ->start(*all, requestOf({}, *all))
                ->compute({{n - 1, n}, {0, 1}},
                          std::array<MatrixView<std::int32_t>, kPairQuantities>{{{last.data(), 1, 1}}},
                          progress);
            compare(n - 1, 0, last(0, 0));
            *scores = Matrix<std::int32_t>(n, n, 0);
            return comparison;
        };
        return study::CallbackComputation{compute, check};
    };
    return study::problemOf(
        {.name =
             fmt::format("{}: {}", sequences->description, isSquare ? "the whole square" : "each pair once"),
         .dimensions = {{"sequences", n}, {"letters", sequences->sequences.longest()}},
         .supports =
             [sequences, requestOf](Backend& backend, const Configuration& configuration) {
                 return supportsRequest(backend, requestOf(configuration, sequences->sequences));
             },
         .start = start});
}

}  // namespace glycine::pairwise
