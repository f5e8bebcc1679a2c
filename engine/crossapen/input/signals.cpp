#include "engine/crossapen/input/signals.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/crossapen/input/signal_filters.hpp"
#include "engine/crossapen/input/signal_plan.hpp"
#include "engine/crossapen/input/signal_source.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::crossapen {

namespace {

/// Samples of a channel that are read at a time: pieces of interleaved files then fit in a cache.
constexpr std::size_t kPieceSamples = 4096;
/// Bytes of signals before resampling that are in memory at a time.
constexpr std::size_t kGroupBytes = std::size_t{256} << 20;

/// Cost per sample of each part of the work, about nanoseconds, for the time estimate.
constexpr double kReadCost = 10;
constexpr double kResampleCost = 250;
constexpr double kFilterCost = 20;

class SegmentReader {
  public:
    SegmentReader(const SignalSource& source, const SignalPlan& plan, std::size_t epochSamples,
                  Progress& progress)
        : source_(source), plan_(plan), epochSamples_(epochSamples), progress_(progress) {
        for (const std::size_t channel : plan_.sources) {
            const double rate = source_.channels[channel].samplingRate;
            usability_.emplace_back(rate, rawSamples({0, epochSamples_}, rate).size());
        }
    }

    /// Work for one segment, in units of progress.
    double cost(std::size_t segment) const {
        const double samples =
            static_cast<double>(plan_.segmentSamples[segment]) * static_cast<double>(plan_.sources.size());
        return samples *
               (kReadCost + (plan_.resampleRate ? kResampleCost : 0) + (plan_.bandPass ? kFilterCost : 0));
    }

    /// Returns channels × samples. Adds the number of non-finite samples per channel to `notFinite`.
    Matrix<double> read(std::size_t segment, std::span<std::size_t> notFinite) {
        Matrix<double> signals(plan_.sources.size(), plan_.segmentSamples[segment]);
        // Channels of the same rate are read together.
        std::map<double, std::vector<std::size_t>> byRate;
        for (std::size_t k = 0; k < plan_.sources.size(); ++k)
            byRate[source_.channels[plan_.sources[k]].samplingRate].push_back(k);
        for (const auto& [rate, rows] : byRate) {
            if (!plan_.resampleRate || rate == plan_.samplingRate)
                readRows(segment, rows, signals, notFinite);
            else
                resampleRows(segment, rate, rows, signals, notFinite);
        }
        if (plan_.bandPass)
            parallelFor(omp_get_max_threads(), signals.rows(), [&](std::size_t k, std::size_t) {
                plan_.bandPass->apply({signals.row(k), signals.columns()});
                progress_.advance(kFilterCost * static_cast<double>(signals.columns()));
            });
        return plan_.derived.empty() ? std::move(signals) : derive(signals);
    }

    /// Unusable epochs of the segments that were read, channel by channel. Channels are those of the result.
    std::vector<UnusableChannel> unusable(const UsabilityLimits& limits) const {
        std::vector<UnusableChannel> all;
        std::set<std::pair<std::size_t, std::size_t>> known;
        for (std::size_t k = 0; k < usability_.size(); ++k)
            for (const UnusableEpoch& found : usability_[k].judge(limits))
                for (std::size_t channel = 0; channel < plan_.channels.size(); ++channel) {
                    const Derivation made =
                        plan_.derived.empty() ? Derivation{channel, {}} : plan_.derived[channel];
                    const bool isOther = made.others.size() == 1 && made.others.front() == k;
                    if ((made.own == k || isOther) && known.emplace(found.epoch, channel).second)
                        all.push_back({found.epoch, channel, found.reason, found.share});
                }
        return all;
    }

  private:
    Matrix<double> derive(const Matrix<double>& read) const {
        Matrix<double> made(plan_.derived.size(), read.columns());
        parallelFor(omp_get_max_threads(), made.rows(), [&](std::size_t k, std::size_t) {
            const auto& [own, others] = plan_.derived[k];
            for (std::size_t i = 0; i < made.columns(); ++i) {
                double sum = 0;
                for (const std::size_t other : others) sum += read(other, i);
                made(k, i) = read(own, i) - sum / static_cast<double>(others.size());
            }
        });
        return made;
    }

    /// Range of a channel's samples, at its own rate, from which a range of the result is computed.
    Range rawSamples(const Range& result, double rate) const {
        if (!plan_.resampleRate || rate == plan_.samplingRate) return result;
        const double ratio = rate / plan_.samplingRate;
        return {static_cast<std::size_t>(std::floor(static_cast<double>(result.begin) * ratio)),
                static_cast<std::size_t>(std::ceil(static_cast<double>(result.end) * ratio))};
    }

    void examineUsability(std::size_t segment, std::size_t k, std::span<const double> samples) {
        std::vector<ChannelUsability::Place> places;
        const auto first = std::lower_bound(
            plan_.epochs.begin(), plan_.epochs.end(), segment,
            [](const EpochOrigin& origin, std::size_t number) { return origin.segment < number; });
        for (auto origin = first; origin != plan_.epochs.end() && origin->segment == segment; ++origin) {
            Range range = rawSamples({origin->firstSample, origin->firstSample + epochSamples_},
                                     source_.channels[plan_.sources[k]].samplingRate);
            range.end = std::min(range.end, samples.size());
            range.begin = std::min(range.begin, range.end);
            places.push_back({static_cast<std::size_t>(origin - plan_.epochs.begin()), range});
        }
        usability_[k].add(samples, places, segment + 1 == source_.segments.size());
    }

    /// Fills targets[k], all of equal length, with the samples of the plan's channel rows[k].
    void readChannels(std::size_t segment, std::span<const std::size_t> rows,
                      std::span<const std::span<double>> targets, std::span<std::size_t> notFinite) {
        const std::vector<Range> pieces = splitRange(targets.front().size(), kPieceSamples);
        parallelFor(omp_get_max_threads(), pieces.size(), [&](std::size_t piece, std::size_t) {
            for (std::size_t k = 0; k < rows.size(); ++k)
                source_.read(segment, plan_.sources[rows[k]], pieces[piece].begin,
                             targets[k].subspan(pieces[piece].begin, pieces[piece].size()));
            progress_.throwIfCancelled();
        });
        parallelFor(omp_get_max_threads(), rows.size(), [&](std::size_t k, std::size_t) {
            notFinite[rows[k]] += static_cast<std::size_t>(std::count_if(
                targets[k].begin(), targets[k].end(), [](double value) { return !std::isfinite(value); }));
            examineUsability(segment, rows[k], targets[k]);
        });
        progress_.advance(kReadCost * static_cast<double>(rows.size() * plan_.segmentSamples[segment]));
    }

    void readRows(std::size_t segment, std::span<const std::size_t> rows, Matrix<double>& signals,
                  std::span<std::size_t> notFinite) {
        std::vector<std::span<double>> targets;
        for (const std::size_t row : rows) targets.emplace_back(signals.row(row), signals.columns());
        readChannels(segment, rows, targets, notFinite);
    }

    void resampleRows(std::size_t segment, double rate, std::span<const std::size_t> rows,
                      Matrix<double>& signals, std::span<std::size_t> notFinite) {
        const Resampler resampler(rate, plan_.samplingRate);
        const std::size_t samples = source_.sampleCount(segment, plan_.sources[rows.front()]);
        const std::size_t width = samples + 2 * resampler.margin();
        const std::size_t groupSize = std::max<std::size_t>(1, kGroupBytes / (width * sizeof(double)));
        for (const Range& range : splitRange(rows.size(), groupSize)) {
            const std::span<const std::size_t> group = rows.subspan(range.begin, range.size());
            Matrix<double> extended(group.size(), width);
            std::vector<std::span<double>> inputs, inner, results;
            for (std::size_t k = 0; k < group.size(); ++k) {
                inputs.emplace_back(extended.row(k), width);
                inner.push_back(inputs.back().subspan(resampler.margin(), samples));
                results.emplace_back(signals.row(group[k]), signals.columns());
            }
            readChannels(segment, group, inner, notFinite);
            resampler.apply(inputs, results, [&](std::size_t count) {
                progress_.advance(kResampleCost * static_cast<double>(count));
            });
        }
    }

    const SignalSource& source_;
    const SignalPlan& plan_;
    std::size_t epochSamples_;
    Progress& progress_;
    std::vector<ChannelUsability> usability_;  ///< one per channel of the plan
};

/// Replaces unusable samples by NaN, so that no result is derived from them.
void blank(SignalSet& set) {
    for (const UnusableChannel& unusable : set.unusable) {
        const EpochOrigin& origin = set.epochs[unusable.epoch];
        double* const first = set.around.empty()
                                  ? set.segments[origin.segment].row(unusable.channel) + origin.firstSample
                                  : set.around[unusable.epoch].row(unusable.channel);
        std::fill_n(first, set.epochSamples, std::numeric_limits<double>::quiet_NaN());
    }
}

void noteNotFinite(SignalSet& set, std::span<const std::string> names, std::span<const std::size_t> notFinite,
                   std::size_t filterReach) {
    io::RepeatedNote note;
    for (std::size_t k = 0; k < notFinite.size(); ++k)
        if (notFinite[k] > 0)
            note.add(fmt::format(
                "channel '{}': {} samples are not finite{}", names[k], notFinite[k],
                filterReach == 0
                    ? ""
                    : fmt::format("; the filter makes NaN of all samples within {} of them", filterReach)));
    note.appendTo(set.notes);
}

}  // namespace

SignalSet readSignals(const std::filesystem::path& path, const SignalOptions& options, Progress& progress) {
    const std::unique_ptr<SignalSource> source = openSignals(path, options);
    SignalPlan plan = planSignals(path, *source, options);
    SignalSet set;
    set.name = path.filename().string();
    std::vector<std::string> names;
    for (const std::size_t channel : plan.sources) names.push_back(source->channels[channel].name);
    for (std::size_t k = 0; k < plan.channels.size(); ++k)
        set.units.push_back(
            source->channels[plan.sources[plan.derived.empty() ? k : plan.derived[k].own]].unit);

    std::vector<bool> isNeeded(source->segments.size(), false);
    for (const EpochOrigin& origin : plan.epochs) isNeeded[origin.segment] = true;
    SegmentReader reader(*source, plan, options.epochSamples, progress);
    double work = 0;
    for (std::size_t segment = 0; segment < isNeeded.size(); ++segment)
        if (isNeeded[segment]) work += reader.cost(segment);
    progress.begin(fmt::format("reading {}", set.name), work);
    source->load();
    std::vector<std::size_t> notFinite(plan.sources.size(), 0);
    for (std::size_t segment = 0; segment < isNeeded.size(); ++segment)
        set.segments.push_back(isNeeded[segment] ? reader.read(segment, notFinite) : Matrix<double>());

    const std::size_t filterReach = plan.bandPass ? plan.bandPass->taps() / 2 : 0;
    set.unusable = reader.unusable(options.usability);
    static_cast<SignalSetShape&>(set) = std::move(plan);  // the reader no longer needs the plan
    set.epochSamples = options.epochSamples;
    std::stable_sort(set.unusable.begin(), set.unusable.end(),
                     [](const UnusableChannel& a, const UnusableChannel& b) { return a.epoch < b.epoch; });
    if (!options.events.empty()) {
        std::vector<Matrix<double>> around;
        for (std::size_t e = 0; e < set.epochs.size(); ++e) around.emplace_back(set.epoch(e));
        set.around = std::move(around);
        for (Matrix<double>& segment : set.segments) segment = Matrix<double>();
    }
    blank(set);
    noteNotFinite(set, names, notFinite, filterReach);
    return set;
}

SignalSetShape inspectSignals(const std::filesystem::path& path, const SignalOptions& options) {
    const std::unique_ptr<SignalSource> source = openSignals(path, options);
    return planSignals(path, *source, options);
}

}  // namespace glycine::crossapen
