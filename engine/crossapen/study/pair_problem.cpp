#include "engine/crossapen/study/pair_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/core/device_probe.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/verify_pairs.hpp"

namespace glycine::crossapen {

namespace {

/// The recordings of a problem: one that is kept, or those of a study, one per subject, which are made on
/// demand.
struct Recordings {
    std::string name;
    EntropyOptions options;
    bool isFuzzy = false;
    EpochExtents extents;
    std::function<std::shared_ptr<PairVerifier>(std::size_t)> make{};
    std::size_t subjects = 0;  ///< 0: not a study
    double work = 0;           ///< of the last run
    PairChecksums first{};     ///< of a study: from the first correct configuration

    bool isStudy() const { return subjects > 0; }
};

class PairComputation final : public study::Computation {
  public:
    PairComputation(Backend& backend, Recordings& recordings, const EntropyOptions& options,
                    std::string label, study::CheckScope scope)
        : workspace_(makeWorkspace(makeEngine(backend, options.measure), scope == study::CheckScope::Full)),
          recordings_(recordings),
          options_(options),
          isWhole_(scope == study::CheckScope::Full),
          checksums_{std::move(label)} {}

    study::Outcome run(Progress& progress) override {
        study::Outcome outcome;
        MatchTimes times;
        double making = 0;
        checksums_.sums.clear();
        for (std::size_t s = 0; s < std::max<std::size_t>(recordings_.subjects, 1); ++s) {
            Stopwatch watch;
            const std::shared_ptr<PairVerifier> recording = recordings_.make(s);
            const EpochBatch& batch = recording->batch(options_);
            making += watch.seconds();
            progress.begin("matching", batch.comparisons());
            workspace_->clear();
            watch.restart();
            const MatchOutcome found = workspace_->compute(batch.views(), options_, progress);
            outcome.seconds += watch.seconds();
            outcome.variant = toString(found.variant);
            // Patterns read each sample of a pair once.
            const double each = isOfPatterns(options_.measure) ? 1 / static_cast<double>(batch.samples()) : 1;
            outcome.work += batch.comparisons() * each / 1e9;
            times += found.times;
            if (recordings_.isStudy()) takeSubject(*recording, s, progress);
        }
        recordings_.work = outcome.work;
        outcome.stages = {{"prepare", times.prepare},
                          {"upload", times.upload},
                          {"compute", times.compute, outcome.work},
                          {"download", times.download}};
        if (recordings_.isStudy())
            outcome.note =
                fmt::format("in addition, {} for making and normalising the signals", formatSeconds(making));
        return outcome;
    }
    std::optional<study::ResultDigest> digest() override {
        if (recordings_.isStudy()) return {};
        const EpochExtents& extents = recordings_.extents;
        PairChecksums all{checksums_.label};
        all.add(*workspace_, extents.epochs, extents.channels);
        return study::ResultDigest{all.sums.front(), extents.epochs * extents.channels * extents.channels};
    }
    Comparison check(Progress& progress) override {
        if (!recordings_.isStudy()) return compare(*recordings_.make(0), progress);
        if (!comparison_.agrees()) return comparison_;
        comparison_.verdict = "each subject: " + comparison_.verdict;
        checksums_.compare(comparison_, recordings_.first);
        return comparison_;
    }

  private:
    Comparison compare(PairVerifier& recording, Progress& progress) const {
        return recording.compare(options_, isWhole_, checksums_.label, *workspace_, progress);
    }
    void takeSubject(PairVerifier& recording, std::size_t subject, Progress& progress) {
        checksums_.add(*workspace_, recordings_.extents.epochs, recordings_.extents.channels);
        Comparison one = compare(recording, progress);
        if (subject > 0 && !comparison_.agrees()) return;
        comparison_ = std::move(one);
        comparison_.place += fmt::format(", subject {}", subject + 1);
    }

    std::unique_ptr<PairWorkspace> workspace_;
    Recordings& recordings_;
    EntropyOptions options_;
    bool isWhole_;
    Comparison comparison_;    ///< for a study
    PairChecksums checksums_;  ///< one per subject; with the label of the configuration
};

class PairProblem final : public study::Problem {
  public:
    explicit PairProblem(Recordings recordings) : recordings_(std::move(recordings)) {}

    std::string name() const override { return recordings_.name; }
    Dimensions dimensions() const override {
        const auto& [channels, samples, epochs] = recordings_.extents;
        Dimensions dimensions{{"epochs", epochs}, {"channels", channels}, {"samples", samples}};
        if (recordings_.isStudy()) dimensions.insert(dimensions.begin(), {"subjects", recordings_.subjects});
        return dimensions;
    }
    std::size_t size() const override { return recordings_.extents.samples; }
    bool concerns(const Configuration& configuration) const override {
        if (isOfPatterns(recordings_.options.measure))
            return configuration.variant == toString(Variant::Patterns);
        return configuration.variant != toString(Variant::Patterns) &&
               (recordings_.isFuzzy || configuration.variant != toString(Variant::Membership));
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsEntropies(backend, optionsFor(configuration), recordings_.extents.channels,
                                 recordings_.extents.samples);
    }
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration& configuration,
                                              study::CheckScope scope, Progress& progress) override {
        const EntropyOptions options = optionsFor(configuration);
        // Now rather than during the first run.
        if (!recordings_.isStudy())
            recordings_.make(0)->prepareReference(options, scope == study::CheckScope::Full, progress);
        return std::make_unique<PairComputation>(backend, recordings_, options, configuration.label(), scope);
    }
    /// Brute force (Martínez-Zarzuela et al. 2013) compares every two samples of two channels once for both
    /// orders, with a difference and a comparison; bit sets store one bit per comparison. The work of the
    /// other variants depends on the data.
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override {
        using enum Variant;
        const Variant variant = fromString<Variant>(configuration.variant);
        if (variant == Pruned || variant == Dominance || variant == Membership || variant == Patterns)
            return {};
        if (variant == Bitset) return {{std::string(kPopulationCount), recordings_.work / 2}};
        return {{probeName(kAddMin, configuration.numberFormat), recordings_.work / 2}};
    }
    double referenceSeconds() const override {
        return recordings_.isStudy() ? 0 : recordings_.make(0)->referenceSeconds();
    }

  private:
    /// The options of the input for this configuration.
    EntropyOptions optionsFor(const Configuration& configuration) const {
        EntropyOptions options = recordings_.options;
        options.format = fromString<NumberFormat>(configuration.numberFormat);
        options.variant = fromString<Variant>(configuration.variant);
        if (options.variant == Variant::Membership) options.measure = Measure::CrossFuzzyEn;
        return options;
    }

    Recordings recordings_;
};

}  // namespace

std::unique_ptr<study::Problem> pairProblem(EpochInput input, std::uint64_t seed) {
    Recordings recordings{input.name, input.options, input.isFuzzy, input.extents()};
    const auto only = std::make_shared<PairVerifier>(std::move(input.epochs), seed);
    recordings.make = [only](std::size_t) { return only; };
    return std::make_unique<PairProblem>(std::move(recordings));
}

std::unique_ptr<study::Problem> studyProblem(const StudyPlan& plan) {
    const auto make = [plan](std::size_t index) {
        const std::uint64_t seed = derivedSeed(plan.seed, index);
        return std::make_shared<PairVerifier>(randomEpochs(plan.model, plan.extents, seed), seed,
                                              plan.subjects);
    };
    return std::make_unique<PairProblem>(
        Recordings{"study", plan.options, false, plan.extents, make, plan.subjects});
}

}  // namespace glycine::crossapen
