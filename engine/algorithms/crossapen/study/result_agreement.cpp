#include "engine/algorithms/crossapen/study/result_agreement.hpp"

#include <fmt/format.h>

#include "engine/core/guarded_matrix.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

template <class Result>
struct Member {
    const char* name;
    double (*value)(const Result&);
};

constexpr Member<MatchStatistics> kMatchMembers[] = {
    {"short matches", [](const auto& s) { return static_cast<double>(s.matchesShort); }},
    {"short matches but those of the last templates",
     [](const auto& s) { return static_cast<double>(s.matchesWithin); }},
    {"long matches", [](const auto& s) { return static_cast<double>(s.matchesLong); }},
    {"templates without a short match", [](const auto& s) { return static_cast<double>(s.noShort); }},
    {"templates without a long match", [](const auto& s) { return static_cast<double>(s.noLong); }},
    {"templates with short matches alone", [](const auto& s) { return static_cast<double>(s.noLongOnly); }},
    {"logarithms of short matches", [](const auto& s) { return static_cast<double>(s.logShort); }},
    {"logarithms of long matches", [](const auto& s) { return static_cast<double>(s.logLong); }}};

constexpr Member<MembershipSums> kMembershipMembers[] = {
    {"short memberships", [](const auto& s) { return s.shortSum; }},
    {"long memberships", [](const auto& s) { return s.longSum; }}};

template <class Result>
void compareMembers(Comparison& comparison, std::span<const Member<Result>> members, const Result& expected,
                    const Result& found, std::size_t epoch, std::size_t a, std::size_t b) {
    for (const Member<Result>& member : members)
        comparison.compareElement(member.value(expected), member.value(found), [&] {
            return fmt::format("{} of ({}, {}) in epoch {}", member.name, a, b, epoch);
        });
}

double allowedDifference(const MatchRule&, NumberFormat) {
    return 0;
}
double allowedDifference(const FuzzyRule& rule, NumberFormat format) {
    return membershipTolerance(rule, format);
}

}  // namespace

template <class Engine>
ResultComparison<Engine>::ResultComparison(const EpochBatch& batch, const RuleOf<Engine>& rule)
    : rule_(rule),
      format_(batch.format()),
      samples_(batch.samples()),
      comparison_(equalSoFar(allowedDifference(rule, batch.format()))) {}

template <>
void ResultComparison<Matcher>::add(const MatchStatistics& expected, const MatchStatistics& found,
                                    std::size_t epoch, std::size_t a, std::size_t b) {
    if (found == expected) return;
    // Numbers of 64 bits that differ may be one number in double precision.
    comparison_.isEqual = false;
    compareMembers<MatchStatistics>(comparison_, kMatchMembers, expected, found, epoch, a, b);
    if (comparison_.largestDifference == 0)
        comparison_.compareElement(0, kLogUnit, [&] {
            return fmt::format("logarithms of ({}, {}) in epoch {}, a last bit", a, b, epoch);
        });
}

template <>
void ResultComparison<MembershipSummer>::add(const MembershipSums& expected, const MembershipSums& found,
                                             std::size_t epoch, std::size_t a, std::size_t b) {
    Comparison one = equalSoFar(comparison_.allowedDifference);
    compareMembers<MembershipSums>(one, kMembershipMembers, expected, found, epoch, a, b);
    if (one.isEqual) return;
    comparison_.isEqual = false;
    // Sums that are next to nothing may differ by more than what is allowed of others.
    const bool agrees = agreeOnMemberships(found, expected, rule_, format_, samples_);
    if (agrees && !one.agrees()) return;
    if (one.largestDifference <= comparison_.largestDifference) return;
    comparison_.largestDifference = one.largestDifference;
    comparison_.place = one.place;
}

template <class Engine>
Comparison compareWithReference(Engine& engine, const EpochBatch& batch, const RuleOf<Engine>& rule,
                                Variant variant, const ResultMatrices<Engine>& expected, Progress& progress,
                                double& seconds) {
    const std::size_t channels = batch.channels();
    std::vector<GuardedMatrix<ResultOf<Engine>>> guarded;
    std::vector<MatrixView<ResultOf<Engine>>> results;
    for (std::size_t e = 0; e < batch.count(); ++e) guarded.emplace_back(channels, channels);
    for (auto& matrix : guarded) results.push_back(matrix.view());

    progress.begin(std::string(EngineTraits<Engine>::kTask), batch.comparisons());
    const Stopwatch watch;
    computePairs(engine, batch, rule, variant, results, progress);
    seconds += watch.seconds();

    ResultComparison<Engine> comparison(batch, rule);
    for (std::size_t e = 0; e < batch.count(); ++e) {
        for (std::size_t a = 0; a < channels; ++a)
            for (std::size_t b = 0; b < channels; ++b)
                comparison.add(expected[e](a, b), results[e](a, b), e, a, b);
        if (!guarded[e].isIntact())
            comparison.comparison().fail(
                fmt::format("elements beside the results of epoch {}, which were overwritten", e));
    }
    return comparison.comparison();
}

template class ResultComparison<Matcher>;
template class ResultComparison<MembershipSummer>;
template Comparison compareWithReference(Matcher&, const EpochBatch&, const MatchRule&, Variant,
                                         const ResultMatrices<Matcher>&, Progress&, double&);
template Comparison compareWithReference(MembershipSummer&, const EpochBatch&, const FuzzyRule&, Variant,
                                         const ResultMatrices<MembershipSummer>&, Progress&, double&);

}  // namespace glycine::crossapen
