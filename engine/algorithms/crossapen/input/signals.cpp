#include "engine/algorithms/crossapen/input/signals.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "engine/algorithms/crossapen/input/resampler.hpp"
#include "engine/algorithms/crossapen/input/signal_plan.hpp"
#include "engine/algorithms/crossapen/input/signal_source.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::crossapen {

namespace {

/// Samples that are read of one channel after another: pieces of interleaved files that fit a cache.
constexpr std::size_t kPieceSamples = 4096;
/// Bytes of unresampled signals that are in memory at a time.
constexpr std::size_t kGroupBytes = std::size_t{256} << 20;

/// What the parts of the work take, a sample each, for the estimate of the time: about nanoseconds.
constexpr double kReadCost = 5;
constexpr double kResampleCost = 250;
constexpr double kFilterCost = 20;

class SegmentReader {
  public:
    SegmentReader(const SignalSource& source, const SignalPlan& plan, Progress& progress)
        : source_(source), plan_(plan), progress_(progress) {}

    /// Work of one segment, in units of the progress.
    double cost(std::size_t segment) const {
        const double samples =
            static_cast<double>(plan_.segmentSamples[segment]) * static_cast<double>(plan_.sources.size());
        return samples *
               (kReadCost + (plan_.resampleRate ? kResampleCost : 0) + (plan_.bandPass ? kFilterCost : 0));
    }

    /// channels × samples; counts in notFinite what is not finite, one a channel.
    Matrix<double> read(std::size_t segment, std::span<std::size_t> notFinite) {
        Matrix<double> signals(plan_.sources.size(), plan_.segmentSamples[segment]);
        // Channels of one rate go together.
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
        return signals;
    }

  private:
    /// Fills targets[k], all of one length, with the samples of the plan's channel rows[k].
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
    Progress& progress_;
};

void noteNotFinite(SignalSet& set, std::span<const std::size_t> notFinite, std::size_t filterReach) {
    io::RepeatedNote note;
    for (std::size_t k = 0; k < notFinite.size(); ++k)
        if (notFinite[k] > 0)
            note.add(fmt::format("channel '{}': {} samples are not finite{}", set.channels[k], notFinite[k],
                                 filterReach == 0
                                     ? ""
                                     : fmt::format("; the filter makes NaN of all samples within "
                                                   "{} of them",
                                                   filterReach)));
    note.appendTo(set.notes);
}

}  // namespace

SignalSet readSignals(const std::filesystem::path& path, const SignalOptions& options, Progress& progress) {
    const std::unique_ptr<SignalSource> source = openSignals(path, options);
    SignalPlan plan = planSignals(path, *source, options);
    SignalSet set;
    set.name = path.filename().string();
    for (const std::size_t channel : plan.sources) set.units.push_back(source->channels[channel].unit);

    std::vector<bool> isNeeded(source->segments.size(), false);
    for (const EpochOrigin& origin : plan.epochs) isNeeded[origin.segment] = true;
    SegmentReader reader(*source, plan, progress);
    double work = 0;
    for (std::size_t segment = 0; segment < isNeeded.size(); ++segment)
        if (isNeeded[segment]) work += reader.cost(segment);
    progress.begin(fmt::format("reading {}", set.name), work);
    source->load();
    std::vector<std::size_t> notFinite(plan.sources.size(), 0);
    for (std::size_t segment = 0; segment < isNeeded.size(); ++segment)
        set.segments.push_back(isNeeded[segment] ? reader.read(segment, notFinite) : Matrix<double>());

    const std::size_t filterReach = plan.bandPass ? plan.bandPass->taps() / 2 : 0;
    static_cast<SignalSetShape&>(set) = std::move(plan);
    set.epochSamples = options.epochSamples;
    noteNotFinite(set, notFinite, filterReach);
    return set;
}

SignalSetShape inspectSignals(const std::filesystem::path& path, const SignalOptions& options) {
    const std::unique_ptr<SignalSource> source = openSignals(path, options);
    return planSignals(path, *source, options);
}

}  // namespace glycine::crossapen
