#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/brainvision.hpp"

/// Any header, markers and data, separated by zero bytes, either give a recording with readable samples, or
/// an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const auto takePart = [&rest] {
        const std::string_view part = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        return part;
    };
    io::BrainVisionContents contents;
    contents.header = takePart();
    contents.markers = takePart();
    contents.data = std::as_bytes(std::span(rest));
    try {
        const io::Recording recording = io::parseBrainVision(contents, "fuzz.vhdr");
        std::size_t points = 0;
        for (std::size_t s = 0; s < recording.segments.size(); ++s) {
            const io::RecordingSegment& segment = recording.segments[s];
            if (segment.firstRecord != points || segment.records == 0 || !std::isfinite(segment.onset))
                std::abort();
            points += segment.records;
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
