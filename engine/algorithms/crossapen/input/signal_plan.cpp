#include "engine/algorithms/crossapen/input/signal_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/algorithms/crossapen/input/channel_selection.hpp"
#include "engine/algorithms/crossapen/input/epoch_plan.hpp"
#include "engine/algorithms/crossapen/input/resampler.hpp"
#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"

namespace glycine::crossapen {

namespace {

void requirePositive(const std::optional<double>& value, const char* what) {
    if (value && !(*value > 0 && std::isfinite(*value)))
        throw UsageError(fmt::format("{} of {} Hz: a number above 0 was expected", what, *value));
}

void checkOptions(const SignalOptions& options) {
    requirePositive(options.samplingRate, "a sampling rate");
    requirePositive(options.resampleRate, "resampling to a rate");
    if (options.band) requireBand(*options.band);
    if (options.epochSamples == 0) throw UsageError("epochs of 0 samples: at least 1 was expected");
    if (options.maximumEpochs && *options.maximumEpochs == 0)
        throw UsageError("at most 0 epochs: at least 1 was expected");
}

class Planner {
  public:
    Planner(const std::filesystem::path& path, const SignalSource& source, const SignalOptions& options)
        : path_(path), source_(source), options_(options) {}

    SignalPlan plan() {
        plan_.channels = selectChannels(source_, options_);
        plan_.notes = source_.notes;
        requireSamples();
        planRates();
        planSegments();
        planBand();
        EpochPlan epochs = planEpochs(path_, source_, options_, plan_);
        plan_.epochs = std::move(epochs.epochs);
        plan_.skipped = std::move(epochs.skipped);
        for (std::string& note : epochs.notes) plan_.notes.push_back(std::move(note));
        plan_.description = describe();
        return std::move(plan_);
    }

  private:
    double rate(std::size_t channel) const { return source_.channels[channel].samplingRate; }

    void requireSamples() const {
        for (std::size_t segment = 0; segment < source_.segments.size(); ++segment)
            if (source_.sampleCount(segment, plan_.channels.front()) > 0) return;
        throw InputError(fmt::format("{}: has no samples", source_.name));
    }

    void planRates() {
        std::map<double, std::vector<std::string>> byRate;
        for (const std::size_t channel : plan_.channels)
            byRate[rate(channel)].push_back(source_.channels[channel].name);
        const bool isUnknown = byRate.contains(0.0);
        if (isUnknown && (options_.resampleRate || options_.band))
            throw InputError(fmt::format("{}: tells no sampling rate, which {} needs; give it with --rate",
                                         source_.name, options_.resampleRate ? "resampling" : "a band"));
        if (options_.resampleRate) {
            plan_.samplingRate = *options_.resampleRate;
            if (byRate.size() > 1 || byRate.begin()->first != plan_.samplingRate)
                plan_.resampleRate = options_.resampleRate;
            for (const auto& [from, names] : byRate) requireRatio(from);
            return;
        }
        if (byRate.size() > 1) {
            std::string rates;
            for (const auto& [from, names] : byRate)
                rates += fmt::format("{}{} Hz: {}", rates.empty() ? "" : "; ", from, quoteNames(names, 4));
            throw InputError(
                fmt::format("{}: the channels have different sampling rates ({}); choose channels "
                            "of one rate, or bring all to one with --resample",
                            source_.name, rates));
        }
        plan_.samplingRate = byRate.begin()->first;
    }

    void requireRatio(double from) const {
        constexpr double kLargest = 1000;
        if (const double ratio = plan_.samplingRate / from; ratio > kLargest || ratio < 1 / kLargest)
            throw InputError(
                fmt::format("{}: resampling from {} to {} Hz; expected a change of {}-fold at most",
                            source_.name, from, plan_.samplingRate, kLargest));
    }

    void planBand() {
        if (!options_.band) return;
        const Band& band = *options_.band;
        const double edge = std::isinf(band.high) ? band.low : band.high;
        if (!(edge < plan_.samplingRate / 2))
            throw InputError(fmt::format("{}: {}; expected less than {} Hz, half the sampling rate",
                                         source_.name, describeBand(band), plan_.samplingRate / 2));
        const std::size_t taps = BandPass::tapsOf(band, plan_.samplingRate);
        const std::size_t longest =
            *std::max_element(plan_.segmentSamples.begin(), plan_.segmentSamples.end());
        if (taps > longest)
            throw InputError(fmt::format(
                "{}: {} takes a filter of {} samples, {:.4g} s; the longest stretch without gaps has {}",
                source_.name, describeBand(band), taps, static_cast<double>(taps) / plan_.samplingRate,
                longest));
        plan_.bandPass.emplace(band, plan_.samplingRate);
    }

    void planSegments() {
        for (std::size_t segment = 0; segment < source_.segments.size(); ++segment) {
            // A segment lasts equally long in all channels, up to rounding of their rates.
            std::size_t samples = ~std::size_t{0};
            for (const std::size_t channel : plan_.channels) {
                const std::size_t count = source_.sampleCount(segment, channel);
                const double from = rate(channel);
                samples = std::min(samples, plan_.resampleRate && count > 0 && from != plan_.samplingRate
                                                ? Resampler(from, plan_.samplingRate).resultSamples(count)
                                                : count);
            }
            plan_.segmentSamples.push_back(samples);
        }
    }

    std::string describe() const {
        const auto all = std::count_if(
            source_.channels.begin(), source_.channels.end(),
            [](const SourceChannel& channel) { return channel.kind != io::ChannelKind::Annotations; });
        const std::size_t samples =
            std::accumulate(plan_.segmentSamples.begin(), plan_.segmentSamples.end(), std::size_t{0});
        std::string text = fmt::format("{}, ", source_.format);
        if (plan_.channels.size() != static_cast<std::size_t>(all))
            text += fmt::format("{} of {} channels", plan_.channels.size(), all);
        else
            text += fmt::format("{} channel{}", all, all == 1 ? "" : "s");
        if (plan_.samplingRate == 0)
            text += fmt::format(", {} samples", samples);
        else
            text += fmt::format(", {} Hz, {:.4g} s", rateText(),
                                static_cast<double>(samples) / plan_.samplingRate);
        if (source_.segments.size() > 1) text += fmt::format(" in {} segments", source_.segments.size());
        if (plan_.bandPass) text += ", " + plan_.bandPass->description();
        return text;
    }

    /// "160", "678.17 → 169.549", "200, 500 → 100".
    std::string rateText() const {
        if (!plan_.resampleRate) return fmt::to_string(plan_.samplingRate);
        std::vector<double> rates;
        for (const std::size_t channel : plan_.channels) rates.push_back(rate(channel));
        std::sort(rates.begin(), rates.end());
        rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
        return fmt::format("{} → {}", fmt::join(rates, ", "), plan_.samplingRate);
    }

    const std::filesystem::path& path_;
    const SignalSource& source_;
    const SignalOptions& options_;
    SignalPlan plan_;
};

}  // namespace

SignalPlan planSignals(const std::filesystem::path& path, const SignalSource& source,
                       const SignalOptions& options) {
    checkOptions(options);
    return Planner(path, source, options).plan();
}

}  // namespace glycine::crossapen
