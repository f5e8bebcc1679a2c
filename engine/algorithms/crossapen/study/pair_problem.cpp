#include "engine/algorithms/crossapen/study/pair_problem.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/algorithms/crossapen/study/pair_check.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

using study::Computation;
using study::Depth;
using study::Outcome;

bool isMembership(const Configuration& configuration) {
    return configuration.variant == toString(Variant::Membership);
}

/// The options of an input as this configuration answers them.
EntropyOptions optionsFor(EntropyOptions options, const Configuration& configuration) {
    options.format = parseNumberFormat(configuration.numberFormat);
    options.variant = parseVariant(configuration.variant);
    if (isMembership(configuration)) options.measure = Measure::CrossFuzzyEn;
    return options;
}

/// An input as engines take it, with its checks, each made when it is first needed.
class Recording {
  public:
    Recording(PairInput input, std::uint64_t seed, std::size_t share)
        : input_(std::move(input)), seed_(seed), share_(share) {}

    const EpochBatch& batch(NumberFormat format) {
        const auto found = batches_.find(format);
        return found != batches_.end() ? found->second
                                       : batches_.emplace(format, input_.batch(format)).first->second;
    }
    template <class Engine>
    PairCheck<Engine>& check(NumberFormat format, Depth depth, Progress& progress) {
        auto& checks = std::get<Checks<Engine>>(checks_);
        const auto key = std::pair(format, depth);
        if (const auto found = checks.find(key); found != checks.end()) return found->second;
        PairCheck<Engine>& check =
            checks.try_emplace(key, input_, format, depth == Depth::Whole, share_, seed_, progress)
                .first->second;
        referenceSeconds_ += check.referenceSeconds();
        return check;
    }
    double referenceSeconds() const { return referenceSeconds_; }

  private:
    template <class Engine>
    using Checks = std::map<std::pair<NumberFormat, Depth>, PairCheck<Engine>>;

    PairInput input_;
    std::uint64_t seed_;
    std::size_t share_;
    std::map<NumberFormat, EpochBatch> batches_;
    std::tuple<Checks<Matcher>, Checks<MembershipSummer>> checks_;
    double referenceSeconds_ = 0;
};

/// The recordings of a problem: one that stays, or those of a study, one a subject, which are made when they
/// are asked for.
struct Recordings {
    bool isStudy = false;
    std::size_t count = 1;
    EpochExtents extents;
    std::function<std::shared_ptr<Recording>(std::size_t)> make;
    /// Of a study: checksums of the configuration that was right first, with its label.
    std::pair<std::string, std::vector<std::uint64_t>> first;
};

std::uint64_t checksum(std::span<const MatrixView<MatchStatistics>> results) {
    std::uint64_t sum = 0;
    const auto add = [&sum](auto... values) {
        ((sum = mixBits(sum ^ (static_cast<std::uint64_t>(values) + kGoldenIncrement))), ...);
    };
    for (const auto& matrix : results)
        for (std::size_t a = 0; a < matrix.rows(); ++a)
            for (std::size_t b = 0; b < matrix.columns(); ++b) {
                const MatchStatistics& s = matrix(a, b);
                add(s.logShort, s.logLong, s.noShort, s.noLong, s.noLongOnly, s.matchesShort, s.matchesWithin,
                    s.matchesLong);
            }
    return sum;
}

template <class Engine>
class PairComputation final : public Computation {
  public:
    PairComputation(Backend& backend, Recordings& recordings, const EntropyOptions& options,
                    std::string label, Depth depth)
        : engine_(createEngine<Engine>(backend)),
          recordings_(recordings),
          options_(options),
          label_(std::move(label)),
          depth_(depth),
          results_(recordings.extents, depth == Depth::Whole) {}

    Outcome run(Progress& progress) override {
        Outcome outcome;
        MatchTimes times;
        double making = 0;
        checksums_.clear();
        for (std::size_t s = 0; s < recordings_.count; ++s) {
            Stopwatch watch;
            const std::shared_ptr<Recording> recording = recordings_.make(s);
            const EpochBatch& batch = recording->batch(options_.format);
            making += watch.seconds();
            progress.begin("matching", batch.comparisons());
            watch.restart();
            const MatchOutcome found = runEngine(*engine_, batch, options_, results_.views(), progress);
            outcome.seconds += watch.seconds();
            outcome.variant = toString(found.variant);
            outcome.work += batch.comparisons() / 1e9;
            times += found.times;
            if (recordings_.isStudy) takeIn(*recording, s, progress);
        }
        outcome.stages = {{"prepare", times.prepare},
                          {"upload", times.upload},
                          {"compute", times.compute, outcome.work},
                          {"download", times.download}};
        if (recordings_.isStudy)
            outcome.note = fmt::format("signals made and normalised beside it in {}", formatSeconds(making));
        return outcome;
    }
    Comparison check(Progress& progress) override {
        if (!recordings_.isStudy)
            takeIn(*recordings_.make(0), 0, progress);
        else if (comparison_.agrees())
            compareChecksums();
        return comparison_;
    }

  private:
    /// Compares the results of a recording, and clears them.
    void takeIn(Recording& recording, std::size_t index, Progress& progress) {
        Comparison one = recording.check<Engine>(options_.format, depth_, progress).compare(label_, results_);
        if constexpr (std::is_same_v<Engine, Matcher>) checksums_.push_back(checksum(results_.views()));
        results_.clear();
        if (index > 0 && !comparison_.agrees()) return;
        comparison_ = std::move(one);
        if (recordings_.isStudy) comparison_.place += fmt::format(", subject {}", index + 1);
    }
    void compareChecksums() {
        auto& [label, checksums] = recordings_.first;
        if (label.empty()) recordings_.first = {label_, checksums_};
        if (checksums_ != checksums) {
            comparison_.fail(fmt::format("checksums, which are not those of {}", label));
            comparison_.verdict.clear();
            return;
        }
        comparison_.verdict = "each subject: " + comparison_.verdict;
        if (label_ != label) comparison_.verdict += fmt::format(", checksums as {}", label);
    }

    std::unique_ptr<Engine> engine_;
    Recordings& recordings_;
    EntropyOptions options_;
    std::string label_;
    Depth depth_;
    PairResults<ResultOf<Engine>> results_;
    Comparison comparison_;
    std::vector<std::uint64_t> checksums_;
};

class PairProblem final : public study::Problem {
  public:
    PairProblem(PairInput input, std::uint64_t seed)
        : name_(input.name), options_(input.options), isFuzzy_(input.isFuzzy) {
        recordings_.extents = input.extents();
        only_ = std::make_shared<Recording>(std::move(input), seed, 1);
        recordings_.make = [this](std::size_t) { return only_; };
    }
    explicit PairProblem(const StudyPlan& plan) : name_("study"), options_(plan.options) {
        recordings_.isStudy = true;
        recordings_.count = plan.subjects;
        recordings_.extents = plan.extents;
        recordings_.make = [plan](std::size_t index) {
            const std::uint64_t seed = derivedSeed(plan.seed, index);
            return std::make_shared<Recording>(
                PairInput{"", plan.options, false, randomEpochs(plan.model, plan.extents, seed)}, seed,
                plan.subjects);
        };
    }

    std::string name() const override { return name_; }
    Dimensions dimensions() const override {
        const EpochExtents& extents = recordings_.extents;
        Dimensions dimensions{
            {"epochs", extents.epochs}, {"channels", extents.channels}, {"samples", extents.samples}};
        if (!only_) dimensions.insert(dimensions.begin(), {"subjects", recordings_.count});
        return dimensions;
    }
    std::size_t size() const override { return recordings_.extents.samples; }
    bool concerns(const Configuration& configuration) const override {
        return isFuzzy_ || !isMembership(configuration);
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsEntropies(backend, optionsFor(options_, configuration), recordings_.extents.channels,
                                 recordings_.extents.samples);
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, Depth depth,
                                       Progress& progress) override {
        if (isMembership(configuration))
            return begin<MembershipSummer>(backend, configuration, depth, progress);
        return begin<Matcher>(backend, configuration, depth, progress);
    }
    double referenceSeconds() const override { return only_ ? only_->referenceSeconds() : 0; }

  private:
    template <class Engine>
    std::unique_ptr<Computation> begin(Backend& backend, const Configuration& configuration, Depth depth,
                                       Progress& progress) {
        const EntropyOptions options = optionsFor(options_, configuration);
        // Now rather than in the first run.
        if (only_) only_->check<Engine>(options.format, depth, progress);
        return std::make_unique<PairComputation<Engine>>(backend, recordings_, options, configuration.label(),
                                                         depth);
    }

    std::string name_;
    EntropyOptions options_;
    bool isFuzzy_ = false;
    std::shared_ptr<Recording> only_;  ///< null: a study
    Recordings recordings_;
};

}  // namespace

std::unique_ptr<study::Problem> pairProblem(PairInput input, std::uint64_t seed) {
    return std::make_unique<PairProblem>(std::move(input), seed);
}

std::unique_ptr<study::Problem> studyProblem(const StudyPlan& plan) {
    return std::make_unique<PairProblem>(plan);
}

}  // namespace glycine::crossapen
