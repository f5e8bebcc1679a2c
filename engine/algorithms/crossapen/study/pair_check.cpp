#include "engine/algorithms/crossapen/study/pair_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

/// Comparisons of samples that the reference may be asked for, a few seconds' worth. Every membership takes
/// two exponentials.
constexpr double kMatchBudget = 6e8;
constexpr double kMembershipBudget = 2e7;
/// Some epochs rather than many channels of one: both kinds of differences would show.
constexpr std::size_t kWantedEpochs = 4;

/// `wanted` distinct numbers below `count`, ascending; the first and the last one among them.
std::vector<std::size_t> draw(std::size_t wanted, std::size_t count, RandomSequence& random) {
    std::vector<std::size_t> drawn(std::min(wanted, count));
    std::iota(drawn.begin(), drawn.end(), std::size_t{0});
    if (wanted >= count) return drawn;
    drawn.resize(1);
    if (wanted > 1) drawn.push_back(count - 1);
    while (drawn.size() < wanted) {
        const std::size_t next = random.below(count);
        if (std::find(drawn.begin(), drawn.end(), next) == drawn.end()) drawn.push_back(next);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

/// A member of a result, expected and found.
struct Member {
    const char* name;
    double expected;
    double found;
};

template <class Number>
Member member(const char* name, Number expected, Number found) {
    return {name, static_cast<double>(expected), static_cast<double>(found)};
}

std::array<Member, 8> members(const MatchStatistics& e, const MatchStatistics& f) {
    return {member("short matches", e.matchesShort, f.matchesShort),
            member("short matches but those of the last templates", e.matchesWithin, f.matchesWithin),
            member("long matches", e.matchesLong, f.matchesLong),
            member("templates without a short match", e.noShort, f.noShort),
            member("templates without a long match", e.noLong, f.noLong),
            member("templates with short matches alone", e.noLongOnly, f.noLongOnly),
            member("logarithms of short matches", e.logShort, f.logShort),
            member("logarithms of long matches", e.logLong, f.logLong)};
}
std::array<Member, 2> members(const MembershipSums& e, const MembershipSums& f) {
    return {member("short memberships", e.shortSum, f.shortSum),
            member("long memberships", e.longSum, f.longSum)};
}

}  // namespace

template <class Engine>
PairCheck<Engine>::PairCheck(const PairInput& input, NumberFormat format, bool isWhole, std::size_t share,
                             std::uint64_t seed, Progress& progress)
    : input_(input), format_(format) {
    constexpr bool isMatch = std::is_same_v<Engine, Matcher>;
    const double budget = (isMatch ? kMatchBudget : kMembershipBudget) / static_cast<double>(share);
    auto [channels, samples, epochs] = input.extents();
    const double pairs = budget / (static_cast<double>(samples) * static_cast<double>(samples));
    isWhole_ = isWhole || static_cast<double>(epochs * channels * channels) <= pairs;
    if (!isWhole_) {
        const double perEpoch = pairs / static_cast<double>(std::min(epochs, kWantedEpochs));
        const auto side = static_cast<std::size_t>(std::sqrt(perEpoch));
        channels = std::min(channels, std::max<std::size_t>(side, 2));
        const auto affordable = static_cast<std::size_t>(pairs / static_cast<double>(channels * channels));
        epochs = std::clamp<std::size_t>(affordable, 1, epochs);
    }
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    const std::unique_ptr<Engine> reference = createEngine<Engine>(*backend);
    EntropyOptions options = input.options;
    options.variant = Variant::Default;
    const Stopwatch watch;
    RandomSequence random(seed);
    for (const std::size_t epoch : draw(epochs, input.extents().epochs, random)) {
        Sample& sample = samples_.emplace_back();
        sample.epoch = epoch;
        sample.channels = draw(channels, input.extents().channels, random);
        sample.expected = Matrix<Result>(channels, channels);
        const MatrixView<Result> view = sample.expected.view();
        const EpochBatch batch = input.batch(format, epoch, sample.channels);
        progress.begin("reference", batch.comparisons());
        runEngine(*reference, batch, options, {&view, 1}, progress);
    }
    referenceSeconds_ = watch.seconds();
}

template <class Engine>
void PairCheck<Engine>::compareElement(Comparison& comparison, const Result& expected, const Result& found,
                                       std::size_t epoch, std::size_t a, std::size_t b) const {
    if (found == expected) return;
    Comparison one = equalSoFar(comparison.allowedDifference);
    const auto compare = [&](const Member& member) {
        one.compareElement(member.expected, member.found, [&] {
            return fmt::format("{} of ({}, {}) in epoch {}", member.name, a, b, epoch);
        });
    };
    for (const Member& member : members(expected, found)) compare(member);
    // Numbers of 64 bits that differ may be one number in double precision.
    if (one.isEqual) compare({"a last bit", 0, kLogUnit});
    comparison.isEqual = false;
    // Sums that are next to nothing may differ by more than what is allowed of others.
    if constexpr (std::is_same_v<Engine, MembershipSummer>)
        if (!one.agrees() &&
            agreeOnMemberships(found, expected, fuzzyRule(input_.options), format_, input_.extents().samples))
            return;
    if (one.largestDifference <= comparison.largestDifference) return;
    comparison.largestDifference = one.largestDifference;
    comparison.place = one.place;
}

template <class Engine>
Comparison PairCheck<Engine>::compare(const std::string& label, const PairResults<Result>& room) {
    const std::span<const MatrixView<Result>> results = room.views();
    Comparison comparison = equalSoFar(0);
    if constexpr (std::is_same_v<Engine, MembershipSummer>)
        comparison.allowedDifference = membershipTolerance(fuzzyRule(input_.options), format_);
    std::size_t pairs = 0;
    for (const Sample& sample : samples_)
        for (std::size_t i = 0; i < sample.channels.size(); ++i)
            for (std::size_t j = 0; j < sample.channels.size(); ++j, ++pairs) {
                const std::size_t a = sample.channels[i];
                const std::size_t b = sample.channels[j];
                compareElement(comparison, sample.expected(i, j), results[sample.epoch](a, b), sample.epoch,
                               a, b);
            }
    for (std::size_t e = 0; e < results.size(); ++e)
        if (!room.isIntact(e))
            comparison.fail(
                fmt::format("elements beside the results of epoch {}, which were overwritten", e));
    if (!comparison.agrees()) return comparison;
    comparison.verdict = fmt::format(
        "{}{} {}", isWhole_ ? "all " : "", formatCount(pairs, "pair"),
        comparison.isEqual ? "exact" : fmt::format("within {:.1g}", comparison.largestDifference));
    if (isWhole_) return comparison;
    if (kept_.empty()) {
        for (const MatrixView<Result>& matrix : results) kept_.emplace_back(matrix);
        keptLabel_ = label;
        return comparison;
    }
    for (std::size_t e = 0; e < results.size(); ++e)
        for (std::size_t a = 0; a < results[e].rows(); ++a)
            for (std::size_t b = 0; b < results[e].columns(); ++b)
                compareElement(comparison, kept_[e](a, b), results[e](a, b), e, a, b);
    if (!comparison.agrees()) {
        comparison.place += fmt::format(", as {} found", keptLabel_);
        comparison.verdict.clear();
    } else if (label != keptLabel_) {
        comparison.verdict +=
            fmt::format(", all {} as {}", formatCount(results.size() * kept_.front().size()), keptLabel_);
    }
    return comparison;
}

template class PairCheck<Matcher>;
template class PairCheck<MembershipSummer>;

}  // namespace glycine::crossapen
