#include <utility>

#include "engine/algorithms/crossapen/input/signal_source.hpp"

namespace glycine::crossapen {

namespace {

class RecordingSource : public SignalSource {
  public:
    explicit RecordingSource(io::Recording recording) : recording_(std::move(recording)) {
        name = recording_.name;
        format = recording_.format;
        for (const io::RecordingChannel& channel : recording_.channels)
            channels.push_back(
                {channel.label, channel.type, channel.unit, channel.kind, channel.samplingRate});
        for (const io::RecordingSegment& segment : recording_.segments) segments.push_back({segment.onset});
        annotations = recording_.annotations;
        notes = recording_.notes;
        makeNamesUnique(channels, notes);
    }

    std::size_t sampleCount(std::size_t segment, std::size_t channel) const override {
        return recording_.sampleCount(segment, channel);
    }
    void read(std::size_t segment, std::size_t channel, std::size_t first,
              std::span<double> target) const override {
        recording_.readPhysical(segment, channel, first, target);
    }

  private:
    io::Recording recording_;
};

}  // namespace

std::unique_ptr<SignalSource> recordingSource(io::Recording recording) {
    return std::make_unique<RecordingSource>(std::move(recording));
}

}  // namespace glycine::crossapen
