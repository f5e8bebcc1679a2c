#include "engine/algorithms/crossapen/input/epoch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "engine/algorithms/crossapen/input/artefact_list.hpp"
#include "engine/core/error.hpp"

namespace glycine::crossapen {

namespace {

class EpochPlanner {
  public:
    EpochPlanner(const std::filesystem::path& path, const SignalSource& source, const SignalOptions& options,
                 const SignalPlan& plan)
        : path_(path), source_(source), options_(options), plan_(plan) {}

    EpochPlan run() {
        cut();
        collectMarks();
        for (const EpochOrigin& origin : all_) {
            if (options_.maximumEpochs && result_.epochs.size() == *options_.maximumEpochs) break;
            if (std::optional<std::string> reason = reasonToSkip(origin))
                result_.skipped.push_back({origin, std::move(*reason)});
            else
                result_.epochs.push_back(origin);
        }
        if (result_.epochs.empty())
            throw InputError(fmt::format("{}: all {} epochs are left out; the first: {}", source_.name,
                                         all_.size(), result_.skipped.front().reason));
        return std::move(result_);
    }

  private:
    /// Time of a sample, or its number where no rate is known.
    double onset(std::size_t segment, std::size_t sample) const {
        const auto number = static_cast<double>(sample);
        return plan_.samplingRate == 0 ? number
                                       : source_.segments[segment].onset + number / plan_.samplingRate;
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
                "{}: the longest stretch without gaps has {} samples; expected at least one epoch of {}",
                source_.name, longest, length));
        const std::size_t count = plan_.segmentSamples.size();
        if (rest > 0)
            result_.notes.push_back(
                fmt::format("{} sample{} at the end{} make no whole epoch and are left out", rest,
                            rest == 1 ? "" : "s", count == 1 ? "" : fmt::format("s of {} segments", count)));
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
                        fmt::format("{}: {}: a time in seconds, but {} tells no sampling rate; give it with "
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
            result_.notes.push_back(fmt::format("{}: {} s lies behind the end of the recording at {} s",
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
    const SignalPlan& plan_;
    std::vector<EpochOrigin> all_;
    std::vector<ArtefactMark> marks_;
    EpochPlan result_;
};

}  // namespace

EpochPlan planEpochs(const std::filesystem::path& path, const SignalSource& source,
                     const SignalOptions& options, const SignalPlan& plan) {
    return EpochPlanner(path, source, options, plan).run();
}

}  // namespace glycine::crossapen
