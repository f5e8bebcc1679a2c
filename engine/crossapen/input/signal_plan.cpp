#include "engine/crossapen/input/signal_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/natural_order.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/input/file_tables.hpp"
#include "engine/crossapen/input/signal_filters.hpp"

namespace glycine::crossapen {

namespace {

/// The number of events with each text.
using EventCounts = std::map<std::string, std::size_t, NaturalOrder>;

/// Removes a type prefix and trailing dots and spaces.
std::string_view bareName(std::string_view name) {
    const std::string_view type = io::standardSignalType(name);
    if (!type.empty() && name.size() > type.size() + 1) name.remove_prefix(type.size() + 1);
    while (name.size() > 1 && (name.back() == '.' || name.back() == ' ')) name.remove_suffix(1);
    return name;
}

class Selection {
  public:
    Selection(const SignalSource& source, const SignalOptions& options)
        : source_(source), options_(options) {}

    std::vector<std::size_t> choose() {
        requireSignals();
        for (const std::string& type : options_.types) requireType(type);
        if (options_.channels.empty()) addMatching("*");
        for (const std::string& name : options_.channels) addNamed(name);
        for (const std::string& name : options_.excluded) exclude(name);
        if (chosen_.empty())
            throw InputError(
                fmt::format("{}: no channel is left to compute with; the signals of the file are {}",
                            source_.name, quoteNames(names())));
        return chosen_;
    }

    /// The channel that a name denotes. Throws InputError if none or several match.
    std::size_t require(const std::string& name) const {
        const std::optional<std::size_t> k = find(name);
        if (!k) refuseName(name);
        return *k;
    }

    /// Parses "Fp1-F3". Labels may contain hyphens themselves.
    std::pair<std::size_t, std::size_t> pairOf(const std::string& text) const {
        for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
            const auto first = find(text.substr(0, at)), second = find(text.substr(at + 1));
            if (first && second) return {*first, *second};
        }
        throw InputError(
            fmt::format("{}: '{}' in a montage; expected two of the channels with a hyphen between, "
                        "as in Fp1-F3; {}",
                        source_.name, text, suggestNames("", names())));
    }

    /// All signals of a channel's type, rate and unit that are not bad and not excluded.
    std::vector<std::size_t> alike(std::size_t k) const {
        std::vector<std::size_t> all;
        for (std::size_t other = 0; other < source_.channels.size(); ++other) {
            const SourceChannel &one = channel(other), &own = channel(k);
            const bool isExcluded =
                std::any_of(options_.excluded.begin(), options_.excluded.end(),
                            [&](const std::string& name) { return matches(name, other); });
            if (isSignal(other) && !one.isBad && !isExcluded && one.type == own.type &&
                one.unit == own.unit && one.samplingRate == own.samplingRate)
                all.push_back(other);
        }
        return all;
    }

    /// The signals by type, unit and rate: "EEG, uV, 250 Hz: 'Fz', 'Cz'; no type, BS, 250 Hz: 'CP5'".
    std::string describeKinds() const {
        std::map<std::string, std::vector<std::string>> kinds;
        for (const SourceChannel& one : source_.channels)
            if (one.kind == io::ChannelKind::Signal)
                kinds[fmt::format("{}, {}, {} Hz", one.type.empty() ? "no type" : one.type,
                                  one.unit.empty() ? "no unit" : one.unit, one.samplingRate)]
                    .push_back(one.name);
        std::string text;
        for (const auto& [kind, members] : kinds)
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind, quoteNames(members, 4));
        return text;
    }

  private:
    const SourceChannel& channel(std::size_t k) const { return source_.channels[k]; }

    bool isSignal(std::size_t k) const { return channel(k).kind == io::ChannelKind::Signal; }

    /// MEG comprises magnetometers and gradiometers.
    bool isOfType(std::size_t k, const std::string& type) const {
        const std::string own = lowerCase(channel(k).type), wanted = lowerCase(type);
        return own == wanted || (wanted == "meg" && (own == "mag" || own == "grad"));
    }

    bool hasChosenType(std::size_t k) const {
        return options_.types.empty() ||
               std::any_of(options_.types.begin(), options_.types.end(),
                           [&](const std::string& type) { return isOfType(k, type); });
    }

    /// Names that the user can request.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const SourceChannel& one : source_.channels)
            if (one.kind != io::ChannelKind::Annotations) all.push_back(one.name);
        return all;
    }

    void requireSignals() const {
        const auto isKind = [&](io::ChannelKind kind) {
            return std::any_of(source_.channels.begin(), source_.channels.end(),
                               [&](const SourceChannel& one) { return one.kind == kind; });
        };
        const bool hasOthers = isKind(io::ChannelKind::Status) || isKind(io::ChannelKind::Time);
        if (isKind(io::ChannelKind::Signal) || (hasOthers && !options_.channels.empty())) return;
        std::string_view found = ", only annotations";
        if (source_.channels.empty()) found = ", no channels at all";
        if (isKind(io::ChannelKind::Status)) found = ", only status channels, which are taken by name";
        if (isKind(io::ChannelKind::Time))
            found = ", only columns of times or counters, which are taken by name or with --keep-time";
        throw InputError(fmt::format("{}: has no signals{}", source_.name, found));
    }

    void requireType(const std::string& type) const {
        std::map<std::string, std::size_t> counts;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (!isSignal(k)) continue;
            if (isOfType(k, type)) return;
            ++counts[channel(k).type];
        }
        std::string found;
        for (const auto& [name, count] : counts)
            found +=
                fmt::format("{}{} ({})", found.empty() ? "" : ", ", name.empty() ? "no type" : name, count);
        throw InputError(
            fmt::format("{}: no channel is of the type '{}'; there are these types: {}. A type is what the "
                        "file says, a word of EDF+'s list at the beginning of a label, as in 'EEG Fz', or "
                        "what a name means: Fz is EEG, EOG1 is EOG; channels without one are chosen by name",
                        source_.name, type, found));
    }

    void add(std::size_t k) {
        if (std::find(chosen_.begin(), chosen_.end(), k) == chosen_.end()) chosen_.push_back(k);
    }

    bool matches(std::string_view pattern, std::size_t k) const {
        return matchesWildcards(pattern, channel(k).name) ||
               matchesWildcards(pattern, bareName(channel(k).name));
    }

    void addMatching(std::string_view pattern) {
        bool isMatched = false;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (!isSignal(k) || !matches(pattern, k)) continue;
            isMatched = true;
            if (hasChosenType(k) && !channel(k).isBad) add(k);
        }
        if (!isMatched) refuseName(std::string(pattern));
    }

    [[noreturn]] void refuseName(const std::string& name) const {
        // Suggestions compare the part of a name that distinguishes channels.
        throw InputError(fmt::format("{}: no {} '{}'; {}", source_.name,
                                     hasWildcard(name) ? "signal matches" : "channel is called", name,
                                     suggestNames(hasWildcard(name) ? "" : name, names(), bareName)));
    }

    /// The channel that `name` denotes, if any. Annotation channels do not count.
    std::optional<std::size_t> find(const std::string& name) const {
        const std::string lower = lowerCase(name), bare = lowerCase(bareName(name));
        std::vector<std::size_t> sameLower, sameBare;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (channel(k).kind == io::ChannelKind::Annotations) continue;
            const std::string& own = channel(k).name;
            if (own == name) return k;
            if (lowerCase(own) == lower) sameLower.push_back(k);
            if (lowerCase(bareName(own)) == bare) sameBare.push_back(k);
        }
        const std::vector<std::size_t>& found = sameLower.empty() ? sameBare : sameLower;
        if (found.size() > 1) {
            std::vector<std::string> all;
            for (const std::size_t k : found) all.push_back(channel(k).name);
            throw InputError(fmt::format("{}: several channels match '{}': {}; expected one of these names",
                                         source_.name, name, quoteNames(all)));
        }
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    void addNamed(const std::string& name) {
        if (const std::optional<std::size_t> k = find(name))
            add(*k);
        else if (hasWildcard(name))
            addMatching(name);
        else
            refuseName(name);
    }

    void exclude(const std::string& name) {
        std::set<std::size_t> excluded;
        if (const std::optional<std::size_t> k = find(name)) {
            excluded.insert(*k);
        } else if (hasWildcard(name)) {
            for (std::size_t other = 0; other < source_.channels.size(); ++other)
                if (matches(name, other)) excluded.insert(other);
        }
        if (excluded.empty()) refuseName(name);
        std::erase_if(chosen_, [&](std::size_t k) { return excluded.contains(k); });
    }

    const SignalSource& source_;
    const SignalOptions& options_;
    std::vector<std::size_t> chosen_;
};

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
    if (!options.montage.empty() && (!options.channels.empty() || !options.reference.empty()))
        throw UsageError(
            "a montage names the channels of its differences, in which a reference cancels: expected no "
            "channels and no reference next to it");
    if (options.eventStart != 0 && options.events.empty())
        throw UsageError("the start of epochs around events needs the texts of events");
}

/// Cuts every segment into consecutive epochs, or cuts epochs around events, and numbers them. Skips epochs
/// that artefacts mark and epochs of segments shorter than the band pass, and stops at maximumEpochs. The
/// plan provides rates, filter and lengths of segments.
///
/// Throws InputError for: no epoch left; no matching event; an artefact list that readArtefactList refuses,
/// has a number beyond the last epoch, or has times although the sampling rate is unknown.
class EpochPlanner {
  public:
    EpochPlanner(const std::filesystem::path& path, const SignalSource& source, const SignalOptions& options,
                 SignalPlan& plan)
        : path_(path), source_(source), options_(options), plan_(plan) {}

    void run() {
        if (options_.events.empty())
            cut();
        else
            cutAroundEvents();
        collectMarks();
        for (const EpochOrigin& origin : all_) {
            if (options_.maximumEpochs && plan_.epochs.size() == *options_.maximumEpochs) break;
            if (std::optional<std::string> reason = reasonToSkip(origin))
                plan_.skipped.push_back({origin, std::move(*reason)});
            else
                plan_.epochs.push_back(origin);
        }
        if (plan_.epochs.empty())
            throw InputError(fmt::format("{}: all {} epochs are left out; the first: {}", source_.name,
                                         all_.size(), plan_.skipped.front().reason));
    }

  private:
    /// Time of a sample, or its index if the rate is unknown.
    double onset(std::size_t segment, std::size_t sample) const {
        const auto number = static_cast<double>(sample);
        return source_.segments[segment].onset +
               (plan_.samplingRate == 0 ? number : number / plan_.samplingRate);
    }

    void cut() {
        const std::size_t length = options_.epochSamples;
        std::size_t rest = 0, longest = 0;
        for (std::size_t segment = 0; segment < plan_.segmentSamples.size(); ++segment) {
            const std::size_t samples = plan_.segmentSamples[segment];
            for (std::size_t first = 0; first + length <= samples; first += length)
                all_.push_back({all_.size() + 1, segment, first, onset(segment, first)});
            rest += samples % length;
            longest = std::max(longest, samples);
        }
        if (all_.empty())
            throw InputError(fmt::format(
                "{}: the longest stretch without gaps has {} samples; expected at least one epoch of {}{}",
                source_.name, longest, length,
                longest > 0 ? fmt::format(" (--epoch {} takes it whole)", longest) : ""));
        const std::size_t count = plan_.segmentSamples.size();
        if (rest > 0)
            plan_.notes.push_back(fmt::format("{} sample{} at the end{} make no whole epoch and are left out",
                                              rest, rest == 1 ? "" : "s",
                                              count == 1 ? "" : fmt::format("s of {} segments", count)));
    }

    bool isWanted(std::string_view text) const {
        const std::string_view end = text.substr(text.rfind('/') + 1);
        return std::any_of(options_.events.begin(), options_.events.end(), [&](const std::string& wanted) {
            return matchesWildcards(wanted, text) || matchesWildcards(wanted, end);
        });
    }

    void cutAroundEvents() {
        if (plan_.samplingRate == 0)
            throw InputError(
                fmt::format("{}: has no sampling rate, which epochs around events need; give it "
                            "with --rate",
                            source_.name));
        EventCounts texts;
        std::size_t found = 0, lost = 0;
        const auto length = static_cast<double>(options_.epochSamples);
        for (const io::RecordingAnnotation& annotation : source_.annotations) {
            ++texts[annotation.text];
            if (!isWanted(annotation.text)) continue;
            ++found;
            // Onsets are rounded, so an event at the beginning of a segment may appear before it.
            const double half = 0.5 / plan_.samplingRate;
            std::size_t segment = source_.segments.size();
            while (segment > 0 && source_.segments[segment - 1].onset > annotation.onset + half) --segment;
            const double first = segment == 0
                                     ? -1
                                     : std::round((annotation.onset - source_.segments[segment - 1].onset) *
                                                  plan_.samplingRate) +
                                           std::round(options_.eventStart * plan_.samplingRate);
            if (!(first >= 0 && first + length <= static_cast<double>(plan_.segmentSamples[segment - 1]))) {
                ++lost;
                continue;
            }
            const auto sample = static_cast<std::size_t>(first);
            all_.push_back({0, segment - 1, sample, onset(segment - 1, sample), annotation.text});
        }
        if (all_.empty()) refuseEvents(found, texts);
        const auto place = [](const EpochOrigin& origin) {
            return std::pair(origin.segment, origin.firstSample);
        };
        std::stable_sort(all_.begin(), all_.end(),
                         [&](const EpochOrigin& a, const EpochOrigin& b) { return place(a) < place(b); });
        const auto same =
            std::unique(all_.begin(), all_.end(),
                        [&](const EpochOrigin& a, const EpochOrigin& b) { return place(a) == place(b); });
        all_.erase(same, all_.end());
        for (std::size_t k = 0; k < all_.size(); ++k) all_[k].number = k + 1;
        if (lost > 0)
            plan_.notes.push_back(fmt::format("{} of {} have no whole epoch of {} around them without a gap",
                                              lost, formatCount(found, "event"),
                                              formatCount(options_.epochSamples, "sample")));
    }

    [[noreturn]] void refuseEvents(std::size_t found, const EventCounts& texts) const {
        if (found > 0)
            throw InputError(fmt::format("{}: none of {} has a whole epoch of {} around it without a gap",
                                         source_.name, formatCount(found, "event"),
                                         formatCount(options_.epochSamples, "sample")));
        std::vector<std::string> names;
        for (const auto& [text, count] : texts) names.push_back(fmt::format("{} ({})", text, count));
        throw InputError(
            fmt::format("{}: no event is called {}; {}", source_.name, quoteNames(options_.events),
                        names.empty() ? "the file has no annotations and no trigger channel that rises"
                                      : suggestNames("", names)));
    }

    void collectMarks() {
        if (!options_.artefacts.empty()) {
            const ArtefactList list = readArtefactList(options_.artefacts);
            marks_ = list.marksOf(path_);
            for (const ArtefactMark& mark : marks_) {
                if (mark.epoch && *mark.epoch > all_.size())
                    throw InputError(fmt::format("{}: {}: epoch {}; {} has {} epochs of {} samples",
                                                 list.name, mark.source, *mark.epoch, source_.name,
                                                 all_.size(), options_.epochSamples));
                if (!mark.epoch && plan_.samplingRate == 0)
                    throw InputError(
                        fmt::format("{}: {}: a time in seconds, but {} has no sampling rate; give it with "
                                    "--rate",
                                    list.name, mark.source, source_.name));
                noteIfOutside(mark);
            }
        }
        for (ArtefactMark& mark : annotationMarks(source_.annotations, options_.artefactAnnotations))
            marks_.push_back(std::move(mark));
    }

    void noteIfOutside(const ArtefactMark& mark) {
        const std::size_t last = plan_.segmentSamples.size() - 1;
        const double end = onset(last, plan_.segmentSamples[last]);
        if (!mark.epoch && mark.onset >= end)
            plan_.notes.push_back(fmt::format("{}: {} s lies after the end of the recording at {} s",
                                              mark.source, mark.onset, end));
    }

    bool covers(const ArtefactMark& mark, const EpochOrigin& origin) const {
        if (mark.epoch) return *mark.epoch == origin.number;
        const double begin = origin.onset;
        const double end = onset(origin.segment, origin.firstSample + options_.epochSamples);
        if (mark.duration == 0) return begin <= mark.onset && mark.onset < end;
        return mark.onset < end && mark.onset + mark.duration > begin;
    }

    std::optional<std::string> reasonToSkip(const EpochOrigin& origin) const {
        for (const ArtefactMark& mark : marks_)
            if (covers(mark, origin)) return mark.source;
        const std::size_t samples = plan_.segmentSamples[origin.segment];
        if (plan_.bandPass && samples < plan_.bandPass->taps())
            return fmt::format("its segment has {} samples, fewer than the {} taps of the filter", samples,
                               plan_.bandPass->taps());
        return std::nullopt;
    }

    const std::filesystem::path& path_;
    const SignalSource& source_;
    const SignalOptions& options_;
    SignalPlan& plan_;
    std::vector<EpochOrigin> all_;
    std::vector<ArtefactMark> marks_;
};

class Planner {
  public:
    Planner(const std::filesystem::path& path, const SignalSource& source, const SignalOptions& options)
        : path_(path), source_(source), options_(options) {}

    SignalPlan plan() {
        chooseChannels();
        plan_.notes = source_.notes;
        noteBad();
        requireSamples();
        planRates();
        planSegments();
        planBand();
        EpochPlanner(path_, source_, options_, plan_).run();
        plan_.description = describe();
        return std::move(plan_);
    }

  private:
    /// Index of a channel in SignalPlan::sources, to which it is added if missing.
    std::size_t rowOf(std::size_t channel) {
        const auto found = std::find(plan_.sources.begin(), plan_.sources.end(), channel);
        if (found == plan_.sources.end()) return plan_.sources.push_back(channel), plan_.sources.size() - 1;
        return static_cast<std::size_t>(found - plan_.sources.begin());
    }

    void chooseChannels() {
        const Selection selection(source_, options_);
        for (const std::string& text : options_.montage) {
            const auto [first, second] = selection.pairOf(text);
            const std::size_t own = rowOf(first), other = rowOf(second);
            plan_.derived.push_back({own, {other}});
            plan_.channels.push_back(text);
            plan_.positions.push_back(source_.channels[first].position);
        }
        if (!options_.montage.empty()) return;
        plan_.sources = selectChannels(source_, options_);
        const std::vector<std::size_t> chosen = plan_.sources;
        for (const std::size_t channel : chosen) {
            plan_.channels.push_back(source_.channels[channel].name);
            plan_.positions.push_back(source_.channels[channel].position);
        }
        const bool isAverage = options_.reference == std::vector<std::string>{"average"};
        for (std::size_t k = 0; !options_.reference.empty() && k < chosen.size(); ++k) {
            std::vector<std::size_t> others =
                isAverage ? selection.alike(chosen[k]) : std::vector<std::size_t>{};
            for (const std::string& name : options_.reference)
                if (!isAverage) others.push_back(selection.require(name));
            if (others.size() < 2 && isAverage)
                throw InputError(fmt::format(
                    "{}: there is no second channel like '{}' to average with; expected another one of its "
                    "type, unit and sampling rate, found {}; choose channels that have one with --channels "
                    "or --types",
                    source_.name, plan_.channels[k], selection.describeKinds()));
            for (std::size_t& other : others) other = rowOf(other);
            plan_.derived.push_back({k, std::move(others)});
        }
    }

    /// Channels that the file marks as bad are used only if given by name.
    void noteBad() {
        std::vector<std::string> bad;
        for (std::size_t k = 0; k < source_.channels.size(); ++k)
            if (source_.channels[k].isBad &&
                std::find(plan_.sources.begin(), plan_.sources.end(), k) == plan_.sources.end())
                bad.push_back(source_.channels[k].name);
        if (!bad.empty())
            plan_.notes.push_back(fmt::format("{} marked as bad {} left out: {}",
                                              formatCount(bad.size(), "channel"),
                                              bad.size() == 1 ? "is" : "are", quoteNames(bad)));
    }

    double rate(std::size_t channel) const { return source_.channels[channel].samplingRate; }

    void requireSamples() const {
        for (std::size_t segment = 0; segment < source_.segments.size(); ++segment)
            if (source_.sampleCount(segment, plan_.sources.front()) > 0) return;
        throw InputError(fmt::format("{}: has no samples", source_.name));
    }

    void planRates() {
        std::map<double, std::vector<std::string>> byRate;
        for (const std::size_t channel : plan_.sources)
            byRate[rate(channel)].push_back(source_.channels[channel].name);
        const bool isUnknown = byRate.contains(0.0);
        if (isUnknown && (options_.resampleRate || options_.band))
            throw InputError(fmt::format("{}: has no sampling rate, which {} needs; give it with --rate",
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
        const FrequencyBand& band = *options_.band;
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
            // A segment has the same duration in all channels, up to rounding of their rates.
            std::size_t samples = ~std::size_t{0};
            for (const std::size_t channel : plan_.sources) {
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
        if (!options_.montage.empty())
            text += fmt::format("{} of {} channels", formatCount(plan_.derived.size(), "difference"), all);
        else if (plan_.channels.size() != static_cast<std::size_t>(all))
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
        if (!options_.reference.empty())
            text += fmt::format(", reference {}", fmt::join(options_.reference, ", "));
        return text;
    }

    /// "160", "678.17 → 169.549", "200, 500 → 100".
    std::string rateText() const {
        if (!plan_.resampleRate) return fmt::to_string(plan_.samplingRate);
        std::vector<double> rates;
        for (const std::size_t channel : plan_.sources) rates.push_back(rate(channel));
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

std::vector<std::size_t> selectChannels(const SignalSource& source, const SignalOptions& options) {
    return Selection(source, options).choose();
}

SignalPlan planSignals(const std::filesystem::path& path, const SignalSource& source,
                       const SignalOptions& options) {
    checkOptions(options);
    return Planner(path, source, options).plan();
}

}  // namespace glycine::crossapen
