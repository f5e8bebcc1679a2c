#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/eeglab.hpp"

/// Any bytes either give a recording whose samples can all be read, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    try {
        const io::Recording recording = io::recordingOf(
            io::parseMatlab(std::as_bytes(std::span(data, size)), "fuzz.set"), "fuzz.set", {});
        if (recording.segments.empty()) std::abort();
        for (std::size_t s = 0; s < recording.segments.size(); ++s) {
            if (!std::isfinite(recording.segments[s].onset) || recording.segments[s].records == 0)
                std::abort();
            for (std::size_t channel = 0; channel < recording.channels.size(); ++channel) {
                std::vector<double> physical(recording.sampleCount(s, channel));
                recording.readPhysical(s, channel, 0, physical);
            }
        }
        for (const io::RecordingAnnotation& annotation : recording.annotations)
            if (!std::isfinite(annotation.onset) || annotation.text.empty()) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
