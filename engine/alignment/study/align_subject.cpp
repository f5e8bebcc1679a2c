#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/fast/subsequence_tree.hpp"
#include "engine/alignment/method.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/published.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::align {

// ---- published figures

namespace {

/// Two problems per input: by the thesis' scheme, and by ClustalW's.
std::vector<std::unique_ptr<study::Problem>> problemsOf(const std::vector<Json>& inputs, study::Scale scale,
                                                        std::uint64_t seed) {
    // For inputs whose length is not printed.
    const std::size_t usualLetters = scale == study::Scale::Quick ? 64 : 256;
    std::vector<std::unique_ptr<study::Problem>> problems;
    for (const Json& input : inputs) {
        const std::size_t count = input.at("sequences"), letters = input.value("letters", usualLetters);
        const auto sequences = std::make_shared<pairwise::StudySequences>(pairwise::StudySequences{
            randomSequences({.count = count, .length = letters, .gaps = 0, .shortest = 1, .seed = seed}),
            fmt::format("{} × {}", count, letters)});
        for (const AlignMethod method : {AlignMethod::Thesis, AlignMethod::ClustalW})
            problems.push_back(alignmentProblem(sequences, method, seed));
    }
    return problems;
}

/// Two problems: scores of each pair once, N (N − 1) / 2 of them, and scores of the whole square, N².
std::vector<std::unique_ptr<study::Problem>> halfAndSquare(const Json& input, std::uint64_t seed) {
    const std::size_t count = input.at("sequences"), letters = input.at("letters");
    const auto sequences = std::make_shared<pairwise::StudySequences>(pairwise::StudySequences{
        randomSequences({.count = count, .length = letters, .gaps = 0, .shortest = 1, .seed = seed}),
        fmt::format("{} × {}", count, letters)});
    std::vector<std::unique_ptr<study::Problem>> problems;
    for (const bool isSquare : {false, true})
        problems.push_back(pairwise::scoresProblem(sequences, isSquare));
    return problems;
}

/// Facts that a device reports about the thesis' kernel.
std::map<std::string, double> factsOfKernel(Backend& backend, const Configuration& row) {
    const auto use = createImplementation<pairwise::PairwiseEngine>(backend)->kernelOf(
        fromString<pairwise::Variant>(row.variant));
    return use ? use->facts(row.variant) : std::map<std::string, double>{};
}

}  // namespace

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("khaladkar");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures) {
        if (figure.id == "clustal-figure-6-5") figure.deviceFacts = factsOfKernel;
        figure.problems = [data, id = figure.id](study::Scale scale, std::uint64_t seed, Progress&) {
            const std::vector<Json> inputs = data.inputs(id, scale);
            return id == "clustal-figure-5-8" ? halfAndSquare(inputs.front(), seed)
                                              : problemsOf(inputs, scale, seed);
        };
    }
    return figures;
}

namespace {

using Shared = pairwise::SequenceSet::Shared;

/// The reference's results, computed once for all backends.
struct ReferenceResults {
    PosteriorSet posteriors, consistent;
    PosteriorAlignment alignment;
};

/// Weights that differ, so that a wrong weight shows.
std::vector<double> unequalWeights(std::size_t sequences) {
    std::vector<double> weights;
    for (std::size_t k = 0; k < sequences; ++k) weights.push_back(0.5 + static_cast<double>(k % 5) / 4);
    return weights;
}

/// Builds guide trees on the backend's device, if it builds any, and compares them with the host's.
void compareTrees(Backend& backend, std::size_t sequences, const std::vector<double>& distances,
                  Comparison& comparison, Progress& progress) {
    trees::TreeDevice device(backend, nullptr);
    device.takeSmallTrees();
    if (device.engineFor(trees::TreeMethod::NeighbourJoining, sequences) == nullptr) return;
    for (const AlignMethod method : {AlignMethod::Accuracy, AlignMethod::ClustalW})
        for (const trees::TreeMethod tree : {trees::TreeMethod::NeighbourJoining, trees::TreeMethod::Upgma})
            if (guideTreeOf(sequences, method, distances, progress, tree, &device) !=
                guideTreeOf(sequences, method, distances, progress, tree))
                comparison.fail(fmt::format("the {} tree of {}, {}, is not the host's", toString(tree),
                                            formatCount(sequences, "sequence"), toString(method)));
}

/// Many of them equal, so that ties and the order of additions show.
std::vector<double> tenths(std::size_t sequences, std::uint64_t seed) {
    RandomSequence random(seed);
    std::vector<double> distances(sequences * (sequences - 1) / 2);
    for (double& distance : distances) distance = 0.1 * static_cast<double>(random.below(8));
    return distances;
}

/// One input and the reference's results for it.
class AlignInput {
  public:
    AlignInput(Shared sequences, std::size_t checkedPairs, std::uint64_t seed)
        : sequences_(std::move(sequences)), checkedPairs_(checkedPairs), seed_(seed) {}

    const Sequences& sequences() const { return sequences_->sequences; }
    std::string name() const { return sequences_->description; }
    bool isWhole() const { return checkedPairs_ == 0; }

    const ReferenceResults& answers(Progress& progress) {
        if (referenceResults_) return *referenceResults_;
        const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
        const auto run = createImplementation<PosteriorEngine>(*reference)->start(sequences());
        PosteriorSet posteriors = run->posteriors(progress);
        PosteriorSet consistent = applyConsistency(*run, posteriors, progress);
        referenceResults_ = std::make_unique<ReferenceResults>(ReferenceResults{
            std::move(posteriors), std::move(consistent),
            alignByPosteriors(sequences(), *run, defaultOptions(sequences().size()), progress)});
        return *referenceResults_;
    }

    /// Compares everything: posteriors, a round of consistency, the alignment, guide trees.
    Comparison compareWhole(Backend& backend, PosteriorRun& run, const PosteriorAlignment& alignment,
                            Progress& progress) {
        const ReferenceResults& expected = answers(progress);
        Comparison comparison = start();
        const PosteriorSet found = run.posteriors(progress);
        // Starts from the reference's posteriors, so that rounding errors do not add up.
        const PosteriorSet consistent = applyConsistency(run, expected.posteriors, progress);
        for (std::size_t x = 0; x < sequences().size(); ++x)
            for (std::size_t y = 0; y < sequences().size(); ++y) {
                if (x == y) continue;
                const std::string pair = fmt::format("sequences {} and {}", x, y);
                comparePair(expected.posteriors.pair(x, y), found.pair(x, y), pair, comparison);
                comparePair(expected.consistent.pair(x, y), consistent.pair(x, y), pair + ", consistent",
                            comparison);
            }
        compareAccuracies(accuracyOf(expected.alignment.columns, expected.posteriors),
                          accuracyOf(alignment.columns, expected.posteriors), expected.alignment, alignment,
                          comparison);
        compareTrees(backend, sequences().size(), expected.alignment.distances, comparison, progress);
        constexpr std::size_t kMany = 150;
        compareTrees(backend, kMany, tenths(kMany, seed_), comparison, progress);
        return comparison;
    }

    /// Compares some pairs, which the reference computes again.
    Comparison compareSome(PosteriorRun& run, Progress& progress) {
        Comparison comparison = start();
        const std::size_t n = sequences().size();
        const PosteriorSet found = run.posteriors(progress);
        const std::vector<std::size_t> pairs =
            drawSamples(n * (n - 1) / 2, std::min(checkedPairs_, n * (n - 1) / 2), seed_);
        for (const std::size_t pair : pairs) {
            const pairs::PairTile one = pairs::pairNumber(pair);
            const std::size_t x = one.rows.begin, y = one.columns.begin;
            progress.throwIfCancelled();
            comparePair(reference::mergedPosterior(sequences(), x, y), found.pair(x, y),
                        fmt::format("sequences {} and {}", x, y), comparison);
        }
        comparison.verdict =
            fmt::format("{} within {:.0e}", formatCount(pairs.size(), "pair"), kPosteriorTolerance);
        return comparison;
    }

  private:
    /// A round through the nearer half of the other sequences, by made-up distances.
    PosteriorSet applyConsistency(PosteriorRun& run, const PosteriorSet& posteriors,
                                  Progress& progress) const {
        const std::size_t n = sequences().size();
        std::vector<float> distances;
        for (std::size_t pair = 0; pair < n * (n - 1) / 2; ++pair)
            distances.push_back(static_cast<float>(pair % 7));
        const std::vector<double> weights = unequalWeights(n);
        return run.applyConsistency(
            posteriors, {weights, kSelfWeight, ThirdSequences(n, distances, std::max<std::size_t>(1, n / 2))},
            progress);
    }

    static constexpr double kSelfWeight = 3;

    static Comparison start() {
        Comparison comparison = equalSoFar(kPosteriorTolerance);
        comparison.isAbsolute = true;
        return comparison;
    }

    Shared sequences_;
    std::size_t checkedPairs_;  ///< 0: everything is compared
    std::uint64_t seed_;
    std::unique_ptr<ReferenceResults> referenceResults_;
};

/// A backend's run on an input.
struct AlignTrial {
    std::shared_ptr<AlignInput> input;
    Backend& backend;
    std::unique_ptr<PosteriorEngine> engine;
    std::unique_ptr<PosteriorRun> computation;
    PosteriorAlignment found{};

    study::Outcome run(Progress& progress) {
        const Sequences& sequences = input->sequences();
        const Stopwatch watch;
        found = alignByPosteriors(sequences, *computation, defaultOptions(sequences.size()), progress);
        study::Outcome outcome{.variant = std::string(computation->variantName()),
                               .stages = {},
                               .seconds = watch.seconds(),
                               .work = cellsOfPairs(sequences) / 1e9,
                               .note = found.note};
        for (const auto& [stage, seconds] : found.stages)
            outcome.stages.push_back({stage, seconds, stage == "posteriors" ? outcome.work : 0});
        return outcome;
    }
    Comparison check(Progress& progress) {
        const PosteriorAlignment last = std::exchange(found, {});
        return input->isWhole() ? input->compareWhole(backend, *computation, last, progress)
                                : input->compareSome(*computation, progress);
    }
};

PosteriorRequest requestOf(const Sequences& sequences, const Configuration& configuration) {
    PosteriorRequest request{.sequences = sequences.size(), .longest = sequences.longest()};
    if (!configuration.variant.empty())
        request.variant = fromString<pairwise::Variant>(configuration.variant);
    return request;
}

/// The need of the stage "posteriors", by the recurrences of PairModel. A cell of a model with g kinds of
/// gaps adds 1 + 2 g paths to its pair of letters, and two to each of 2 g gaps. Apart from the first, these
/// are 4 g sums, each with a product. The hidden Markov model has two kinds of gaps and the partition
/// function one (Do et al. 2005; Roshan & Livesay 2006); each runs forwards and backwards.
std::vector<study::RequiredWork> posteriorNeeds(const Sequences& sequences,
                                                const Configuration& configuration) {
    return {{probeName(kMultiplyAdd, configuration.numberFormat),
             2. * (4 * 2 + 4 * 1) * cellsOfPairs(sequences) / 1e9, "posteriors"}};
}

/// `checkedPairs`: how many pairs are compared; 0: everything.
std::unique_ptr<study::Problem> alignProblem(const Shared& sequences, std::size_t checkedPairs,
                                             std::uint64_t seed) {
    const auto input = std::make_shared<AlignInput>(sequences, checkedPairs, seed);
    return study::problemOf(
        {.name = sequences->description,
         .dimensions = {{"sequences", sequences->sequences.size()},
                        {"letters", sequences->sequences.longest()}},
         .supports =
             [input](Backend& backend, const Configuration& configuration) {
                 return supportsRequest(backend, requestOf(input->sequences(), configuration));
             },
         .start =
             [input](Backend& backend, const Configuration&) {
                 std::unique_ptr<PosteriorEngine> engine = createImplementation<PosteriorEngine>(backend);
                 std::unique_ptr<PosteriorRun> run = engine->start(input->sequences());
                 const auto trial = std::shared_ptr<AlignTrial>(
                     new AlignTrial{input, backend, std::move(engine), std::move(run)});
                 return study::CallbackComputation{
                     [trial](Progress& progress) { return trial->run(progress); },
                     [trial](Progress& progress) { return trial->check(progress); },
                     [trial] { return study::digestOfRows(trial->found.columns); }};
             },
         .needs =
             [input](const Configuration& configuration) {
                 return posteriorNeeds(input->sequences(), configuration);
             }});
}

/// Bytes of the letters and of the posteriors, with kEntries entries per residue and other sequence; the
/// posteriors count twice if they are made consistent.
study::InputBytes bytesOf(DataSize size, bool isGenerated) {
    constexpr double kEntries = 6;
    const auto n = static_cast<double>(size.instances), length = static_cast<double>(size.attributes);
    const double posteriors = n * n * length * kEntries * sizeof(PosteriorEntry);
    const double sets = defaultOptions(size.instances).consistencyRounds > 0 ? 2 : 1;
    return {isGenerated ? 2 * n * length : 0, sets * posteriors, sets * posteriors};
}

/// Proteins of all lengths and nucleotides, or a file.
class AlignmentValidationSet final : public pairwise::SequenceSet {
  public:
    AlignmentValidationSet() : pairwise::SequenceSet({{2, 1}, {3, 17}, {9, 60}, {20, 90}, {4, 600}}) {}
    void declare(Options& options) override {
        options.value("FASTA", file_, "Sequences, as glycine align reads them; generated ones if absent");
        declareGenerated(options, "Sequences x letters of the generated inputs");
        options.footer(
            "Compares every backend and variant with the serial reference: posteriors of all pairs, a\n"
            "round of consistency, the expected accuracy of the alignment, and guide trees that a device\n"
            "builds; for --method fast, on the processor's backends, common subsequences, the guide tree\n"
            "and the expected accuracy. Exit code 1 if any disagree.\n\n"
            "Examples:\n"
            "  glycine validate align\n"
            "  glycine validate align family.fa --backend cpu");
    }
    void prepare(const Options& options, Progress&) override {
        if (!file_.empty()) inputs_.push_back(readFile(options));
    }
    /// --method fast needs much less.
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        if (!file_.empty()) {
            const Sequences& sequences = inputs_.front()->sequences;
            return {bytesOf({sequences.size(), sequences.longest()}, false)};
        }
        std::vector<study::InputBytes> all;
        for (const DataSize size : sizes_) all.insert(all.end(), 2, bytesOf(size, true));
        return all;
    }
    void makeInputs(Progress&) override {
        if (!file_.empty()) return;
        for (const DataSize size : sizes_) {
            inputs_.push_back(generate(size, Alphabet::Protein, 0.1, 0.03));
            inputs_.push_back(generate(size, Alphabet::Dna, 0.8, 0.03));
        }
    }
    /// Each input by both methods.
    std::size_t count() const override { return 2 * inputs_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        const Shared& input = inputs_[index / 2];
        return index % 2 == 0 ? alignProblem(input, 0, seed_) : fastProblem(input, kPairsOfFast, seed_);
    }
    Fields settings() const override {
        return {{"input", !file_.empty() ? inputs_.front()->description
                                         : fmt::format("generated: {} (sequences × letters), proteins of all "
                                                       "lengths and nucleotides; seed {}",
                                                       sizes_.text(), seed_)},
                {"allowed", fmt::format("posteriors {:.0e}, expected accuracy of the alignment {:.1g} %",
                                        kPosteriorTolerance, 100 * kAccuracyTolerance)}};
    }

  private:
    static constexpr std::size_t kPairsOfFast = 200;
    std::vector<Shared> inputs_;
};

/// Proteins of similar length, or a file.
class AlignmentTimingSet final : public pairwise::SequenceSet {
  public:
    AlignmentTimingSet() : pairwise::SequenceSet({{50, 300}, {200, 400}}) {}
    void declare(Options& options) override {
        declareGenerated(options, "Sequences x letters");
        isForGenerated(options.choice("--alphabet A", alphabet_, "Alphabet: protein, dna or rna"));
        options.value("--input FILE", file_, "Time this file instead, as glycine align reads it");
        options.choice("--method NAME", method_, kMethods,
                       "accuracy, or fast: as glycine align by default, or with --method fast");
        options.footer(
            "A result that fails its check gets no time, and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench align --sizes 200x400 --backend cpu\n"
            "  glycine bench align --sizes 1000x240 --method fast\n"
            "  glycine bench align --input family.fa -o report.json");
    }
    void prepare(const Options& options, Progress&) override {
        if (!file_.empty()) input_ = readFile(options);
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        const auto bytes = isFast() ? bytesOfFast : bytesOf;
        if (input_) return {bytes({input_->sequences.size(), input_->sequences.longest()}, false)};
        std::vector<study::InputBytes> all;
        for (const DataSize size : sizes_) all.push_back(bytes(size, true));
        return all;
    }
    std::size_t count() const override { return input_ ? 1 : sizes_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        const Shared input = input_ ? input_ : generate(sizes_[index], alphabet_, 0.9, 0);
        return isFast() ? fastProblem(input, kCheckedPairs, seed_)
                        : alignProblem(input, kCheckedPairs, seed_);
    }
    Fields settings() const override {
        return {
            {"input", input_ ? input_->description
                             : fmt::format("generated, {}, seed {}", toString(alphabet_), seed_)},
            {"total", "on the clock, the whole alignment"},
            {"rates",
             isFast() ? "none: what is computed depends on the sequences"
                      : "cells of all unordered pairs in 10⁹ / s (minimum time); both models' posteriors"},
            {"check",
             isFast()
                 ? fmt::format("common subsequences of up to {0} pairs; up to {1} sequences, the guide tree, "
                               "and what the alignment puts together of the posteriors of {0} pairs",
                               kCheckedPairs, formatCount(kMaxForAllPairs))
                 : fmt::format("posteriors of up to {} pairs of the first and the last result computed "
                               "again by the reference",
                               kCheckedPairs)}};
    }

  private:
    static constexpr std::size_t kCheckedPairs = 20;
    static constexpr NameTable<AlignMethod, 2> kMethods{
        {{AlignMethod::Accuracy, "accuracy"}, {AlignMethod::Fast, "fast"}}};

    bool isFast() const { return method_ == AlignMethod::Fast; }

    AlignMethod method_ = AlignMethod::Accuracy;
    Alphabet alphabet_ = Alphabet::Protein;
    Shared input_;  ///< read from the file
};

class AlignSubject final : public study::SubjectOf<AlignmentValidationSet, AlignmentTimingSet> {
  public:
    const Algorithm& algorithm() const override { return alignAlgorithm(); }
    std::string unit() const override { return ""; }
    std::string rateUnit() const override { return "GCUPS"; }
    std::string sizeLabel() const override { return "sequences × letters"; }
    std::vector<study::SweepStep> sweep() const override {
        std::vector<study::SweepStep> steps = study::sweepOver(
            "--sizes", {"8x100,16x100,32x100", "64x100,128x100", "256x100,512x100"}, {{"protein"}});
        std::ranges::copy(
            study::sweepOver("--sizes", {"32x200,128x200", "512x200,1000x200", "2000x200,5000x200"},
                             {{"fast", {"--method", "fast"}}}),
            std::back_inserter(steps));
        return steps;
    }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        const std::string generate = "sequences --length 200 --family -o in.fa --sequences {}";
        return study::endToEndRunsOf(extent, {"16", "100", "400"},
                                     {{"posteriors", generate, "align in.fa -o out.fa --method accuracy"},
                                      {"clustalw", generate, "align in.fa -o out.fa --method clustalw"}});
    }
    std::vector<study::PublishedFigure> published() const override { return publishedFigures(); }
};

}  // namespace

std::unique_ptr<study::Subject> alignSubject() {
    return std::make_unique<AlignSubject>();
}

}  // namespace glycine::align
