#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/algorithms/crossapen/crossapen.hpp"
#include "engine/algorithms/crossapen/fuzzy.hpp"
#include "engine/algorithms/crossapen/match_engine.hpp"
#include "engine/algorithms/crossapen/normalise.hpp"
#include "engine/core/backend.hpp"

/// Everything that decides the value of an entropy.
namespace glycine::crossapen {

/// Whose definition is followed where publications and packages differ.
enum class Convention {
    Paper,      ///< Martínez-Zarzuela et al. 2013
    EntropyHub  ///< the package's XApEn, XSampEn and XFuzzEn, see entropyhub.hpp
};
/// "paper", "entropyhub".
std::string_view toString(Convention convention);
/// Throws UsageError that lists the names.
Convention parseConvention(std::string_view name);

struct EntropyOptions {
    Measure measure = Measure::CrossApEn;
    MatchRule rule{};
    /// r: a fraction of the standard deviation, which each epoch of each channel is divided by.
    double tolerance = 0.2;
    /// r is in the unit of the signals, and they stay as they are.
    bool isAbsolute = false;
    double fuzzyPower = 2;  ///< n of Measure::CrossFuzzyEn
    Bias bias = Bias::Max;
    Deviation deviation = Deviation::Sample;
    Convention convention = Convention::Paper;
    NumberFormat format = NumberFormat::Float32;
    Variant variant = Variant::Default;
};

/// Whether the measure is about single channels, so that its results have one column.
bool isOfSingleChannels(Measure measure);
/// Whether (u‖v) and (v‖u) are the same.
bool isSymmetric(const EntropyOptions& options);

/// Throws UsageError for options that contradict each other, m = 0, or r that is no number above 0 (or 0 and
/// above with matches); epochs of `samples` that are too short for m.
void checkOptions(const EntropyOptions& options, std::size_t samples);

/// One number that a run gives for each pair and epoch.
struct Quantity {
    enum class Kind { Entropy, ShareWithoutMatch };
    std::string name;   ///< "crossapen_max"
    std::string label;  ///< "Cross-ApEn, bias max"
    Kind kind = Kind::Entropy;
    Bias bias = Bias::Max;  ///< of the approximate entropies
};
/// The one that the options ask for comes first. Approximate entropies: the corrections 0 and max, whichever
/// is asked for, and the share of templates without a match come from the same match counts.
std::vector<Quantity> quantitiesOf(const EntropyOptions& options);

/// Whether the backend can compute the measure for epochs of this shape.
Support supportsEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels,
                          std::size_t samples);

}  // namespace glycine::crossapen
