#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/cpu/merged_pairs.hpp"
#include "engine/crossapen/cpu/pruned_pairs.hpp"
#include "engine/crossapen/entropy_engine.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Longest templates: bit rows are held for as many samples.
constexpr unsigned kLongestTemplate = 64;

/// Whether sorting and tables cost less than the comparisons that they save. Measured on Zen 5, m = 1 and 2:
/// for one channel `pruned` wins from 300 to 500 samples on, for eight from 16 to 100, with AVX-512 and with
/// AVX2.
bool isPrunedFaster(std::size_t channels, std::size_t samples) {
    return samples >= (channels < 8 ? 384 : 64);
}

template <class T>
std::span<const T> channel(const Epoch<T>& epoch, std::size_t index) {
    return {epoch.signals.row(index), epoch.samples()};
}

/// Every match is one within the returned distance, which no strictness needs: < r is ≤ the number before r.
template <class T>
T closedTolerance(T tolerance, const MatchRule& rule) {
    return rule.isStrict ? std::nextafter(tolerance, -std::numeric_limits<T>::infinity()) : tolerance;
}

/// Tells progress of finished pairs in portions of about a millisecond, as telling takes a lock.
class FinishedPairs {
  public:
    FinishedPairs(Progress& progress, std::size_t samples)
        : progress_(progress), work_(static_cast<double>(samples) * static_cast<double>(samples)) {}
    void add(std::size_t pairs) {
        pending_ += static_cast<double>(pairs) * work_;
        if (pending_ >= kPortion) tell();
    }
    void tell() {
        progress_.advance(pending_);
        pending_ = 0;
    }

  private:
    static constexpr double kPortion = 1e8;
    Progress& progress_;
    double work_;
    double pending_ = 0;
};

/// One run over epochs of one format.
template <class T>
class Run {
  public:
    Run(std::span<const AnyEpoch> epochs, const MatchRule& rule,
        std::span<const MatrixView<MatchStatistics>> statistics, InstructionSet instructions, int threads,
        Progress& progress)
        : statistics_(statistics),
          rule_(rule),
          kernels_(kernelFor<MatchKernels<T>>(instructions)),
          threads_(threads),
          progress_(progress) {
        for (const AnyEpoch& epoch : epochs) epochs_.push_back(std::get<Epoch<T>>(epoch));
        channels_ = epochs_.front().channels();
        samples_ = epochs_.front().samples();
        logs_.emplace(samples_);
    }

    /// Tasks are channels, each compared with itself and those before it; the longest ones come first.
    void merge() {
        std::vector<std::unique_ptr<MergedPairs<T>>> workers(static_cast<std::size_t>(threads_));
        parallelFor(threads_, epochs_.size() * channels_, [&](std::size_t task, std::size_t thread) {
            auto& worker = workers[thread];
            if (!worker) worker = std::make_unique<MergedPairs<T>>(kernels_, samples_, rule_.m);
            const std::size_t e = task % epochs_.size();
            const std::size_t b = channels_ - 1 - task / epochs_.size();
            const Epoch<T>& epoch = epochs_[e];
            worker->setPartner(channel(epoch, b));
            FinishedPairs finished(progress_, samples_);
            for (std::size_t a = 0; a <= b; ++a) {
                worker->match(channel(epoch, a), closedTolerance(epoch.toleranceOf(a, b), rule_), *logs_,
                              statistics_[e](a, b), a == b ? nullptr : &statistics_[e](b, a));
                finished.add(a == b ? 1 : 2);
            }
            finished.tell();
        });
    }

    /// Tasks are a partner and some of the channels that search it. Epochs are taken together until there is
    /// work enough for all threads.
    void prune(MatchTimes& times) {
        const std::size_t enough = kTasksPerThread * static_cast<std::size_t>(threads_);
        std::vector<std::unique_ptr<PrunedPairs<T>>> workers(static_cast<std::size_t>(threads_));
        for (const Range group : splitRange(epochs_.size(), enough / channels_ + 1)) {
            Stopwatch watch;
            std::vector<SortedSignal<T>> sorted(group.size() * channels_);
            parallelFor(threads_, sorted.size(), [&](std::size_t task, std::size_t) {
                const Epoch<T>& epoch = epochs_[group.begin + task / channels_];
                sorted[task] = SortedSignal<T>(channel(epoch, task % channels_));
            });
            times.prepare += watch.restart();

            const std::size_t parts = std::min(channels_, enough / sorted.size() + 1);
            const auto searchers = splitRange(channels_, (channels_ + parts - 1) / parts);
            parallelFor(threads_, sorted.size() * searchers.size(),
                        [&](std::size_t task, std::size_t thread) {
                            auto& worker = workers[thread];
                            if (!worker)
                                worker = std::make_unique<PrunedPairs<T>>(kernels_, samples_, rule_.m);
                            const std::size_t partner = task / searchers.size();
                            const std::size_t e = group.begin + partner / channels_;
                            search(*worker, e, {sorted.data() + partner / channels_ * channels_, channels_},
                                   partner % channels_, searchers[task % searchers.size()]);
                        });
            times.compute += watch.restart();
        }
    }

  private:
    static constexpr std::size_t kTasksPerThread = 16;

    void search(PrunedPairs<T>& worker, std::size_t e, std::span<const SortedSignal<T>> sorted, std::size_t b,
                Range searchers) {
        const Epoch<T>& epoch = epochs_[e];
        worker.setPartner(channel(epoch, b), sorted[b]);
        FinishedPairs finished(progress_, samples_);
        for (std::size_t a = searchers.begin; a < searchers.end; ++a) {
            statistics_[e](a, b) = worker.match(channel(epoch, a), sorted[a],
                                                closedTolerance(epoch.toleranceOf(a, b), rule_), *logs_);
            finished.add(1);
        }
        finished.tell();
    }

    std::vector<Epoch<T>> epochs_;
    std::span<const MatrixView<MatchStatistics>> statistics_;
    MatchRule rule_;
    MatchKernels<T> kernels_;
    int threads_;
    Progress& progress_;
    std::size_t channels_ = 0;
    std::size_t samples_ = 0;
    std::optional<LogTable> logs_;
};

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"float32", "float64"},
        {{Variant::Pruned,
          "sorted partners: prefix counts of ranks for m = 1, prefix bit sets for longer templates",
          "",
          {},
          true},
         {Variant::Merged, "all comparisons in one sweep for both lengths and both directions",
          "Martínez-Zarzuela et al. 2013, section 3.1"}});
    return table;
}

class CpuMatcher : public Matcher {
  public:
    explicit CpuMatcher(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const MatchRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        if (request.rule.m > kLongestTemplate)
            return Support::no(fmt::format("the backend 'cpu' takes templates of {} samples at most, not {}",
                                           kLongestTemplate, request.rule.m));
        return supportsShape(request);
    }

    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        MatchOutcome outcome;
        outcome.variant = variant == Variant::Default ? Variant::Pruned : variant;
        if (epochs.empty()) return outcome;
        std::visit(
            [&]<class T>(const Epoch<T>& first) {
                if (first.channels() == 0) return;
                if (variant == Variant::Default && !isPrunedFaster(first.channels(), first.samples()))
                    outcome.variant = Variant::Merged;
                Run<T> run(epochs, rule, statistics, instructions_, threads_, progress);
                const Stopwatch watch;
                if (outcome.variant == Variant::Pruned) {
                    run.prune(outcome.times);
                } else {
                    run.merge();
                    outcome.times.compute = watch.seconds();
                }
            },
            epochs.front());
        return outcome;
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

MatcherEntry matcher() {
    return implementWith<Matcher, CpuMatcher, HostBackend>(variants());
}

}  // namespace glycine::crossapen::cpu
