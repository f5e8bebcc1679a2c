#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/edf.hpp"

/// Any bytes either give a recording with readable samples, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    try {
        const io::Recording recording = io::parseEdf(std::as_bytes(std::span(data, size)), "fuzz");
        std::size_t records = 0;
        double end = -HUGE_VAL;
        for (std::size_t s = 0; s < recording.segments.size(); ++s) {
            const io::RecordingSegment& segment = recording.segments[s];
            if (segment.firstRecord != records || segment.records == 0) std::abort();
            if (!std::isfinite(segment.onset) || segment.onset < end || !(segment.duration > 0)) std::abort();
            records += segment.records;
            end = segment.onset;
            for (std::size_t channel = 0; channel < recording.channels.size(); ++channel) {
                std::vector<std::int32_t> digital(recording.sampleCount(s, channel));
                std::vector<double> physical(digital.size());
                recording.readDigital(s, channel, 0, digital);
                recording.readPhysical(s, channel, 0, physical);
                for (const double value : physical)
                    if (!std::isfinite(value)) std::abort();
            }
        }
        for (const io::RecordingAnnotation& annotation : recording.annotations)
            if (!std::isfinite(annotation.onset) || annotation.text.empty()) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
