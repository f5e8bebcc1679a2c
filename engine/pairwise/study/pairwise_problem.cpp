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
                                              study::Depth depth, Progress& progress) override {
        findAnswers(progress);
        const PairwiseRequest request = requestOf(configuration);
        const std::shared_ptr<PairwiseEngine> engine = createPairwiseEngine(backend);
        const auto start = [engine, request, this] { return engine->start(sequences(), request); };
        const std::size_t n = sequences().size();
        // Every pair is computed once, but N² comparisons of one attribute are counted.
        const double cells = cellsOf(sequences(), {{0, n}, {0, n}});
        const double counted = static_cast<double>(n) * static_cast<double>(n);
        return study::computePairs<std::int32_t>({.stage = "aligning pairs",
                                                  .instances = n,
                                                  .attributes = 1,
                                                  .tile = engine->preferredTile(request),
                                                  .quantities = {"score", "identities"},
                                                  .inputs = {{start, checked_, expected_, {}}},
                                                  .workOfEach = cells / counted},
                                                 depth);
    }
    /// Gotoh 1982, a cell: the letters' score and one opening are added, and of four maxima two are for
    /// gaps; all others can be saved by skewing. That is as much as three of each, of the narrowest numbers.
    std::vector<study::Need> needs(const Configuration& configuration) const override {
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

    /// Once, about the checked sequences in their order.
    void findAnswers(Progress& progress) {
        if (!expected_.empty()) return;
        Sequences some;
        some.alphabet = sequences().alphabet;
        for (const std::size_t k : checked_) some.add(sequences().names[k], sequences().letters[k]);
        const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
        const auto run =
            createPairwiseEngine(*reference)->start(some, requestFor(some, {.scoring = scoring_}));
        expected_ = study::askReference(*run, some.size(), 1, kPairQuantities, referenceSeconds_, progress);
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

}  // namespace glycine::pairwise
