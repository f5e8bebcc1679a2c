#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/crossapen/input/signal_filters.hpp"
#include "engine/crossapen/input/signal_source.hpp"
#include "engine/crossapen/input/signals.hpp"

namespace glycine::crossapen {

/// A channel of the result: one that is read less the mean of others.
struct Derivation {
    std::size_t own = 0;              ///< among SignalPlan::sources
    std::vector<std::size_t> others;  ///< likewise; empty: nothing is taken out
};

/// What is to be done with a file, all checks made: channels, rates, the filter, and where epochs lie. Notes
/// are those of the source and of planning.
struct SignalPlan : SignalSetShape {
    std::vector<std::size_t> sources;         ///< channels of the source that are read
    std::vector<Derivation> derived;          ///< one a channel of the result; empty: they are the sources
    std::optional<double> resampleRate;       ///< Hz; absent: nothing is to be resampled
    std::optional<BandPass> bandPass;         ///< at samplingRate
    std::vector<std::size_t> segmentSamples;  ///< of the result, one a segment of the source
};

/// Throws as readSignals.
SignalPlan planSignals(const std::filesystem::path& path, const SignalSource& source,
                       const SignalOptions& options);

/// Indices of the channels that `options` choose, at least one, each once.
///
/// Names are looked for as they are; then without regard to case; then also without dots at the end (as in
/// "Fc5.") and without the type in front ("EEG Fz"). What only one channel answers to is taken. Names with
/// * or ? stand for the signals that match as a whole, in the order of the file; without names all signals
/// are taken. Types restrict both; a channel given by its name is taken whatever its type. Status channels
/// are taken only by name, annotation channels never.
///
/// Throws InputError, naming the nearest names or the types that there are: names, patterns and types that no
/// channel has, names that several channels answer to, files without signals, nothing left.
std::vector<std::size_t> selectChannels(const SignalSource& source, const SignalOptions& options);

}  // namespace glycine::crossapen
