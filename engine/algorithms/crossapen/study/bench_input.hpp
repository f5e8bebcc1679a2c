#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/study/epoch_batch.hpp"
#include "engine/algorithms/crossapen/study/limited_signals.hpp"
#include "engine/core/progress.hpp"

namespace CLI {
class App;
}

namespace glycine::crossapen {

/// What an epoch is.
enum class TrialKind {
    AllPairs,  ///< all ordered pairs of the channels
    Cross,     ///< two signals, as in the paper's trials: four ordered pairs
    Self       ///< one signal with itself: the single sweep that the paper counts for a trial
};
/// Throws UsageError that lists the names.
TrialKind parseTrialKind(std::string_view name);

/// What is measured: generated epochs of some shapes, or a file. Lists: every combination.
struct BenchInputOptions {
    std::vector<std::size_t> channels;
    std::vector<std::size_t> samples;
    std::vector<std::size_t> epochs;
    std::string pairs = "all";
    std::string kind = "ar";
    double coupling = SignalModel{}.coupling;
    unsigned m = 1;
    double r = 0.2;
    std::string format = "float32";
    std::uint64_t seed = 1;
    std::string file;
};

/// Adds the options of the same names; `options` must outlive the parsing.
void addBenchInputOptions(CLI::App& command, BenchInputOptions& options);

/// The epochs, one shape at a time.
class BenchInput {
  public:
    /// Checks the options. Throws UsageError for some that exclude each other, and for epochs too short for
    /// m.
    BenchInput(const CLI::App& command, const BenchInputOptions& options, bool isStudy);

    const std::vector<SignalShape>& shapes() const { return shapes_; }
    /// Reads the file, if there is one, and finds out its shape. Before anything else is asked.
    void read(Progress& progress);
    EpochBatch make(std::size_t shape) const;

    NumberFormat format() const { return format_; }
    const SignalModel& model() const { return model_; }
    MatchRule rule() const { return {.m = options_.m}; }
    std::string description() const;
    /// What a comparison is, and how many there are: for people.
    std::string counting() const;

  private:
    const BenchInputOptions& options_;
    TrialKind trials_;
    NumberFormat format_;
    SignalModel model_;
    std::vector<SignalShape> shapes_;
    std::optional<LimitedSignals> file_;
};

}  // namespace glycine::crossapen
