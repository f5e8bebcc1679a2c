#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine {

/// Aborts unless `read` either gives a recording with readable samples, or throws InputError.
template <class Read>
void requireWholeRecording(const Read& read) {
    try {
        const io::Recording recording = read();
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
}

}  // namespace glycine
