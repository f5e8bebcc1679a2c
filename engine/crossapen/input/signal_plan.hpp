#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/crossapen/input/signal_filters.hpp"
#include "engine/crossapen/input/signal_source.hpp"
#include "engine/crossapen/input/signals.hpp"

namespace glycine::crossapen {

/// A channel of the result: a channel that is read, minus the mean of others.
struct Derivation {
    std::size_t own = 0;              ///< index into SignalPlan::sources
    std::vector<std::size_t> others;  ///< likewise; never empty in SignalPlan::derived
};

/// How to read a file, after all checks: channels, rates, filter, and the position of epochs. Notes are those
/// of the source and of planning.
struct SignalPlan : SignalSetShape {
    std::vector<std::size_t> sources;         ///< channels of the source that are read
    std::vector<Derivation> derived;          ///< one per channel of the result; empty if the result's
                                              ///< channels are the sources
    std::optional<double> resampleRate;       ///< Hz; absent if nothing is resampled
    std::optional<BandPass> bandPass;         ///< at samplingRate
    std::vector<std::size_t> segmentSamples;  ///< of the result, one per segment of the source
};

/// Throws as readSignals does.
SignalPlan planSignals(const std::filesystem::path& path, const SignalSource& source,
                       const SignalOptions& options);

/// Indices of the channels that `options` select: at least one, each once.
///
/// Names are matched exactly first, then ignoring case, then also ignoring trailing dots (as in "Fc5.") and a
/// type prefix ("EEG Fz"). The match must be unique. Names with * or ? select the signals that match as a
/// whole, in the order of the file; without names all signals are selected. Types restrict both. A channel
/// given by its name is selected whatever its type. Status channels are selected by name only, annotation
/// channels never.
///
/// Throws InputError, listing the nearest names or the existing types, for: names, patterns and types without
/// a channel, ambiguous names, files without signals, no channel left.
std::vector<std::size_t> selectChannels(const SignalSource& source, const SignalOptions& options);

}  // namespace glycine::crossapen
