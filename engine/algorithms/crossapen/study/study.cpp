#include "engine/algorithms/crossapen/study/study.hpp"

#include <fmt/format.h>

#include "engine/algorithms/crossapen/study/pair_engines.hpp"
#include "engine/algorithms/crossapen/study/result_check.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

std::uint64_t checksum(const ResultMatrices<Matcher>& results) {
    std::uint64_t sum = 0;
    const auto add = [&sum](std::uint64_t value) { sum = mixBits(sum ^ (value + kGoldenIncrement)); };
    for (const auto& matrix : results)
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            const MatchStatistics& s = matrix.data()[i];
            add(static_cast<std::uint64_t>(s.logShort));
            add(static_cast<std::uint64_t>(s.logLong));
            add(s.noShort);
            add(s.noLong);
            add(s.noLongOnly);
            add(s.matchesShort);
            add(s.matchesWithin);
            add(s.matchesLong);
        }
    return sum;
}

}  // namespace

double StudyPlan::comparisons() const {
    const double side = static_cast<double>(shape.channels) * static_cast<double>(shape.samples);
    return static_cast<double>(subjects) * static_cast<double>(shape.epochs) * side * side;
}

StudyOutcome Study::run(Matcher& matcher, Variant variant, const std::string& label) {
    StudyOutcome outcome;
    std::vector<std::uint64_t> checksums;
    std::string sampled;
    for (std::size_t subject = 0; subject < plan_.subjects; ++subject) {
        context_.setProgressPrefix(fmt::format("{}, subject {} of {}: ", label, subject + 1, plan_.subjects));
        Stopwatch watch;
        const EpochBatch batch =
            generateBatch(plan_.format, plan_.shape, plan_.model, plan_.r, derivedSeed(plan_.seed, subject));
        outcome.generateSeconds += watch.seconds();
        if (const Support support = supportsBatch(matcher, batch, plan_.rule, variant); !support)
            throw UnavailableError(support.reason());
        ResultMatrices<Matcher> results = emptyResults<Matcher>(batch);
        const auto views = viewsOf(results);
        for (bool isTimed : {false, true}) {
            if (!isTimed && subject > 0) continue;
            context_.progress().begin("matching", batch.comparisons());
            watch.restart();
            const MatchOutcome one =
                computePairs(matcher, batch, plan_.rule, variant, views, context_.progress());
            if (!isTimed) {
                clearResults(results);
                continue;
            }
            outcome.wallSeconds += watch.seconds();
            outcome.variant = one.variant;
            outcome.times += one.times;
        }
        ResultCheck<Matcher> check(
            batch, plan_.rule, derivedSeed(plan_.seed, subject),
            EngineTraits<Matcher>::kReferenceBudget / static_cast<double>(plan_.subjects),
            context_.progress());
        checksums.push_back(checksum(results));
        outcome.isWrong = !check.check(label, results);
        outcome.check = check.verdict();
        if (!outcome.isWrong && !firstChecksums_.empty() && checksums.back() != firstChecksums_[subject]) {
            outcome.isWrong = true;
            outcome.check = fmt::format("the checksum is not that of {}", firstLabel_);
        }
        if (outcome.isWrong) {
            outcome.check = fmt::format("subject {}: {}", subject + 1, outcome.check);
            return outcome;
        }
    }
    outcome.check = fmt::format("each subject: {}", outcome.check);
    if (firstChecksums_.empty()) {
        firstChecksums_ = std::move(checksums);
        firstLabel_ = label;
    } else {
        outcome.check += fmt::format(", checksums as {}", firstLabel_);
    }
    return outcome;
}

}  // namespace glycine::crossapen
