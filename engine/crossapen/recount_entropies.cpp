#include "engine/crossapen/recount_entropies.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/crossapen/epoch_batch.hpp"
#include "engine/crossapen/pair_finder.hpp"

namespace glycine::crossapen {

namespace {

/// How far ln Φ^m − ln Φ^{m+1} may be off when the sums of memberships agree as agreeOnMemberships tells.
double allowedOfMemberships(const PairNumbers& numbers, const EntropyOptions& options, std::size_t samples) {
    const double relative = membershipTolerance(fuzzyRule(options), options.format);
    const double missing = missingMemberships(options.format, samples);
    double allowed = 0;
    for (std::size_t k = 0; k < kMembershipNames.size(); ++k) {
        const auto sum = std::bit_cast<double>(numbers[k]);
        const double off = relative * sum + missing;
        if (off >= sum) return std::numeric_limits<double>::infinity();
        allowed -= std::log1p(-off / sum);
    }
    return allowed;
}

}  // namespace

std::vector<RecountedPair> countAgain(Backend& reference, Signals epoch,
                                      std::span<const std::size_t> channels, const EntropyOptions& options,
                                      Progress& progress) {
    const std::size_t samples = epoch.columns();
    const Matrix<double> chosen = chosenChannels(epoch, channels);
    const std::unique_ptr<PairFinder> finder = makeFinder(makeEngine(reference, options.measure));
    EntropyOptions asked = options;
    asked.variant = Variant::Default;
    const Signals view = chosen.view();
    const EpochBatch batch({&view, 1}, asked, 1);
    const bool isSingle = isOfSingleChannels(options.measure);
    progress.begin("re-counting", batch.comparisons());
    finder->find(isSingle ? batch.channelViews() : batch.views(), asked, progress);

    std::vector<RecountedPair> pairs;
    for (std::size_t a = 0; a < channels.size(); ++a)
        for (std::size_t b = 0; b < (isSingle ? 1 : channels.size()); ++b) {
            RecountedPair& pair = pairs.emplace_back();
            pair.row = channels[a];
            pair.column = isSingle ? 0 : channels[b];
            const PairPlace place = isSingle ? PairPlace{a, 0, 0} : PairPlace{0, a, b};
            const bool isDefined = batch.isUsable(0, a) && (isSingle || batch.isUsable(0, b));
            for (const Quantity& quantity : quantitiesOf(options))
                pair.values.push_back(isDefined ? finder->value(place, samples, quantity, asked)
                                                : std::numeric_limits<double>::quiet_NaN());
            if (isDefined && options.measure == Measure::CrossFuzzyEn)
                pair.allowed = allowedOfMemberships(finder->numbers(place), options, samples);
        }
    return pairs;
}

double secondsForRecount(const EntropyOptions& options, std::size_t samples) {
    // Of the reference, serial; every membership takes two exponentials.
    const double perSecond = options.measure == Measure::CrossFuzzyEn ? 1e7 : 5e7;
    const double sides = isOfSingleChannels(options.measure) ? 2 : 4;
    return sides * static_cast<double>(samples) * static_cast<double>(samples) / perSecond;
}

}  // namespace glycine::crossapen
