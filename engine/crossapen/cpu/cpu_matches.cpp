#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/cpu/match_kernels.hpp"
#include "engine/crossapen/cpu/partner_tables.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Samples of a partner block. They fit in the first-level cache together with the bit rows.
constexpr std::size_t kBlockSamples = 2048;

/// Each kernel has its own order of the bits in a word, which follows from its instructions. This finds it by
/// one comparison per place.
template <class T>
std::array<std::uint8_t, 64> findBitOrder(const MatchKernels<T>& kernels) {
    std::array<std::uint8_t, 64> bits{};
    for (std::size_t place = 0; place < 64; ++place) {
        Matrix<T> partners(1, 64, std::numeric_limits<T>::infinity());
        partners(0, place) = 0;
        const T sample = 0;
        std::uint64_t word = 0;
        kernels.compareRows({&sample, 1, partners.data(), 0, {&word, 1, 1, 0}});
        bits[place] = static_cast<std::uint8_t>(std::countr_zero(word));
    }
    return bits;
}

/// Variant `merged`: compares every sample of one channel with every sample of the other. The comparisons of
/// a sample make a bit row; ANDing a row with the next rows gives the templates of both lengths. Row sums are
/// the matches for one direction, column sums for the other. Not thread-safe: one object per thread.
template <class T>
class MergedPairs {
  public:
    /// For channels of `samples` samples.
    MergedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m);

    /// Lays out the channel with which the next calls compare.
    void setPartner(std::span<const T> partner);
    /// `forward`: templates from `templates`, partners from the partner. `backward`: the other direction;
    /// null if not needed. Distances ≤ `tolerance` match.
    void match(std::span<const T> templates, T tolerance, const LogTable& logs, MatchStatistics& forward,
               MatchStatistics* backward);

  private:
    struct Block {
        PartnerBlock range;
        std::size_t words = 0;
        std::vector<std::uint64_t> positions;
        Matrix<T> partners;  // one row, in the kernel's order
    };

    void matchBlock(const Block& block, const T* templates, T tolerance, bool wantsColumns);

    const MatchKernels<T>& kernels_;
    std::size_t samples_;
    std::size_t m_;
    std::array<std::uint8_t, 64> bitOfPlace_;  // bit that the kernel assigns to each of 64 partners
    std::vector<Block> blocks_;
    std::span<const T> partner_;
    std::vector<std::uint64_t> rows_;
    ColumnCounts shortColumns_;
    ColumnCounts longColumns_;
    std::vector<std::uint32_t> shortByRow_;
    std::vector<std::uint32_t> longByRow_;
    std::vector<std::uint32_t> shortByColumn_;
    std::vector<std::uint32_t> longByColumn_;
};

template <class T>
MergedPairs<T>::MergedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m)
    : kernels_(kernels),
      samples_(samples),
      m_(m),
      bitOfPlace_(findBitOrder(kernels)),
      shortByRow_(samples - m + 1),
      longByRow_(samples - m + 1),
      shortByColumn_(samples - m + 1),
      longByColumn_(samples - m + 1) {
    std::size_t stride = 0;
    for (const PartnerBlock& range : splitPartner(samples, m, 64 * kernels.words, kBlockSamples)) {
        Block block;
        block.range = range;
        block.words = bitRowWords(range.samples, kernels.words);
        block.positions = positionMask(range.positions, block.words);
        block.partners = Matrix<T>(1, 64 * block.words);
        stride = std::max(stride, block.words + m);
        blocks_.push_back(std::move(block));
    }
    rows_.resize((kColumnRows + m) * stride);
}

template <class T>
void MergedPairs<T>::setPartner(std::span<const T> partner) {
    partner_ = partner;
    for (Block& block : blocks_) {
        T* target = block.partners.data();
        for (std::size_t word = 0; word < block.words; ++word)
            for (std::size_t place = 0; place < 64; ++place) {
                const std::size_t position = word + block.words * bitOfPlace_[place];
                target[64 * word + place] = position < block.range.samples
                                                ? partner[block.range.first + position]
                                                : std::numeric_limits<T>::infinity();
            }
    }
}

template <class T>
void MergedPairs<T>::match(std::span<const T> templates, T tolerance, const LogTable& logs,
                           MatchStatistics& forward, MatchStatistics* backward) {
    std::fill(shortByRow_.begin(), shortByRow_.end(), 0);
    std::fill(longByRow_.begin(), longByRow_.end(), 0);
    for (const Block& block : blocks_) matchBlock(block, templates.data(), tolerance, backward != nullptr);

    const std::size_t longTotal = samples_ - m_;
    bool isCornerMatch = true;
    for (std::size_t k = longTotal; k < samples_; ++k)
        isCornerMatch = isCornerMatch && std::abs(templates[k] - partner_[k]) <= tolerance;
    // The matrix of a channel with itself is symmetric: its columns are its rows.
    const std::uint32_t lastColumn = backward != nullptr ? shortByColumn_.back() : shortByRow_.back();
    const std::uint64_t outside = std::uint64_t{shortByRow_.back()} + lastColumn - isCornerMatch;
    forward = summarise({shortByRow_, std::span(longByRow_).first(longTotal), outside}, logs);
    if (backward != nullptr)
        *backward = summarise({shortByColumn_, std::span(longByColumn_).first(longTotal), outside}, logs);
}

template <class T>
void MergedPairs<T>::matchBlock(const Block& block, const T* templates, T tolerance, bool wantsColumns) {
    if (wantsColumns) {
        shortColumns_.reset(block.words, shortByRow_.size());
        longColumns_.reset(block.words, shortByRow_.size());
    }
    BitRows rows{rows_.data(), block.words + m_, block.words, m_};
    for (std::size_t first = 0; first < shortByRow_.size(); first += kColumnRows) {
        const std::size_t count = std::min(kColumnRows, shortByRow_.size() - first);
        const std::size_t compared = std::min(count + m_, samples_ - first);
        kernels_.compareRows({templates + first, compared, block.partners.data(), tolerance, rows});
        // The last template has no sample m + 1, so its long version matches nothing.
        std::fill(rows.row(compared), rows.row(count + m_), 0);
        const WindowCounting windows{rows, count, block.positions.data()};
        kernels_.countWindows(windows, shortByRow_.data() + first, longByRow_.data() + first);
        if (wantsColumns) kernels_.addColumns(windows, shortColumns_.planes(), longColumns_.planes());
    }
    if (wantsColumns) {
        shortColumns_.store(std::span(shortByColumn_).subspan(block.range.first, block.range.positions));
        longColumns_.store(std::span(longByColumn_).subspan(block.range.first, block.range.positions));
    }
}

/// Samples of a block, chosen so that its table fits in the second-level cache. Ranks need 16 bits.
constexpr std::size_t kGridSamples = 16384;
constexpr std::size_t kBitSetSamples = 2048;
static_assert(kGridSamples < kMaximumSearched && kBitSetSamples < kMaximumSearched);

/// Bit rows in memory at a time. They fit in the first-level cache.
constexpr std::size_t kChunk = 64;

/// Number of templates of `signal` that match the single template at `sample`, both of length m. Compares
/// many templates at a time.
template <class T>
std::uint64_t countMatchesOf(const T* sample, std::span<const T> signal, std::size_t m, T tolerance) {
    constexpr std::size_t kStep = 64;
    std::uint64_t total = 0;
    const std::size_t templates = signal.size() - m + 1;
    for (std::size_t first = 0; first < templates; first += kStep) {
        const std::size_t count = std::min(kStep, templates - first);
        std::array<std::uint8_t, kStep> isMatch;
        isMatch.fill(1);
        for (std::size_t k = 0; k < m; ++k)
            for (std::size_t i = 0; i < count; ++i)
                isMatch[i] &= std::abs(signal[first + i + k] - sample[k]) <= tolerance;
        for (std::size_t i = 0; i < count; ++i) total += isMatch[i];
    }
    return total;
}

/// The samples of one block of a partner in ascending order.
template <class T>
struct SortedBlock {
    /// Selects the block's samples from the sorted partner.
    void select(const SortedSignal<T>& signal, const PartnerBlock& block);

    std::vector<T> values;             ///< followed by kPartnerPadding infinities
    std::vector<std::uint32_t> order;  ///< time of the k-th value, relative to the beginning of the block
};

/// Variant `pruned`: the partners within r of a sample form one interval of the sorted partner. For m = 1,
/// the intervals of two consecutive samples span a rectangle of ranks, and prefix counts give the points in
/// it. For longer templates, an interval is the difference of two prefix sets of positions, which are
/// combined into templates as in `merged`. Both count the same matches as comparisons do. Not thread-safe:
/// one object per thread.
template <class T>
class PrunedPairs {
  public:
    /// For channels of `samples` samples.
    PrunedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m);

    /// Builds the tables of the channel that the next calls search.
    void setPartner(std::span<const T> partner, const SortedSignal<T>& sorted);
    /// Templates from `templates`, partners from the partner. Distances ≤ `tolerance` match.
    MatchStatistics match(std::span<const T> templates, const SortedSignal<T>& sorted, T tolerance,
                          const LogTable& logs);

  private:
    struct Block {
        PartnerBlock range;
        SortedBlock<T> sorted;
        std::optional<RankGridTable> grid;
        std::optional<PrefixBitSets> sets;
    };

    void selectAndCount(const PrefixBitSets& sets, const SortedSignal<T>& sorted);

    const MatchKernels<T>& kernels_;
    std::size_t samples_;
    std::size_t m_;
    std::vector<Block> blocks_;
    std::span<const T> partner_;
    std::vector<Interval> intervals_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint32_t> shortMatches_;
    std::vector<std::uint32_t> longMatches_;
};

template <class T>
void SortedBlock<T>::select(const SortedSignal<T>& signal, const PartnerBlock& block) {
    values.resize(block.samples + kPartnerPadding);
    order.resize(block.samples);
    std::size_t count = 0;
    for (std::size_t k = 0; k < signal.size(); ++k) {
        const std::size_t time = signal.order[k] - block.first;  // wraps around for earlier samples
        if (time >= block.samples) continue;
        values[count] = signal.values[k];
        order[count] = static_cast<std::uint32_t>(time);
        ++count;
    }
    std::fill_n(values.data() + count, kPartnerPadding, std::numeric_limits<T>::infinity());
}

template <class T>
PrunedPairs<T>::PrunedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m)
    : kernels_(kernels),
      samples_(samples),
      m_(m),
      intervals_(roundUp(samples, kTemplatePadding)),
      shortMatches_(samples - m + 1),
      longMatches_(samples - m + 1) {
    std::size_t stride = 0;
    const auto ranges = m == 1 ? splitPartner(samples, m, RankGrid::kCell, kGridSamples)
                               : splitPartner(samples, m, 64 * kernels.words, kBitSetSamples);
    for (const PartnerBlock& range : ranges) {
        Block& block = blocks_.emplace_back();
        block.range = range;
        if (m == 1)
            block.grid.emplace(range, &range == &ranges.back());
        else
            stride = std::max(stride, block.sets.emplace(range, m, kernels.words).stride());
    }
    rows_.resize((kChunk + m) * stride);
}

template <class T>
void PrunedPairs<T>::setPartner(std::span<const T> partner, const SortedSignal<T>& sorted) {
    partner_ = partner;
    for (Block& block : blocks_) {
        block.sorted.select(sorted, block.range);
        if (block.grid)
            block.grid->fill(block.sorted.order);
        else
            block.sets->fill(block.sorted.order);
    }
}

template <class T>
MatchStatistics PrunedPairs<T>::match(std::span<const T> templates, const SortedSignal<T>& sorted,
                                      T tolerance, const LogTable& logs) {
    std::fill(shortMatches_.begin(), shortMatches_.end(), 0);
    std::fill(longMatches_.begin(), longMatches_.end(), 0);
    for (const Block& block : blocks_) {
        kernels_.findIntervals(
            {sorted.values.data(), samples_, block.sorted.values.data(), tolerance, intervals_.data()});
        if (block.grid)
            kernels_.countRectangles({intervals_.data(), sorted.ranks.data(), samples_, block.grid->view()},
                                     shortMatches_.data(), longMatches_.data());
        else
            selectAndCount(*block.sets, sorted);
    }
    const std::size_t longTotal = samples_ - m_;
    const std::uint64_t outside =
        shortMatches_.back() + countMatchesOf(partner_.data() + longTotal, templates, m_, tolerance) -
        countMatchesOf(partner_.data() + longTotal, templates.last(m_), m_, tolerance);
    return summarise({shortMatches_, std::span(longMatches_).first(longTotal), outside}, logs);
}

template <class T>
void PrunedPairs<T>::selectAndCount(const PrefixBitSets& sets, const SortedSignal<T>& sorted) {
    const BitRows rows{rows_.data(), sets.stride(), sets.words(), m_};
    for (std::size_t first = 0; first < shortMatches_.size(); first += kChunk) {
        const std::size_t count = std::min(kChunk, shortMatches_.size() - first);
        const std::size_t selected = std::min(count + m_, samples_ - first);
        kernels_.selectRows(
            {sets.prefixes(), intervals_.data(), sorted.ranks.data() + first, selected, rows});
        // The last template has no sample m + 1, so its long version matches nothing.
        std::fill(rows.row(selected), rows.row(count + m_), 0);
        kernels_.countWindows({rows, count, sets.positions()}, shortMatches_.data() + first,
                              longMatches_.data() + first);
    }
}

/// Longest templates, since that many more bit rows must be in memory.
constexpr unsigned kLongestTemplate = 64;

/// Whether sorting and tables cost less than the comparisons that they save. Measured on Zen 5 with AVX-512
/// and AVX2, m = 1 and 2: `pruned` is faster from 300 to 500 samples on for one channel, from 16 to 100 for
/// eight.
bool isPrunedFaster(std::size_t channels, std::size_t samples) {
    return samples >= (channels < 8 ? 384 : 64);
}

template <class T>
std::span<const T> channel(const Epoch<T>& epoch, std::size_t index) {
    return {epoch.signals.row(index), epoch.samples()};
}

/// Converts a strict tolerance to an inclusive one: < r is equivalent to ≤ the number before r.
template <class T>
T closedTolerance(T tolerance, const MatchRule& rule) {
    return rule.isStrict ? std::nextafter(tolerance, -std::numeric_limits<T>::infinity()) : tolerance;
}

/// Reports finished pairs in portions of about a millisecond, because each report takes a lock.
class FinishedPairs {
  public:
    FinishedPairs(Progress& progress, std::size_t samples)
        : progress_(progress), work_(static_cast<double>(samples) * static_cast<double>(samples)) {}
    void add(std::size_t pairs) {
        pending_ += static_cast<double>(pairs) * work_;
        if (pending_ >= kPortion) reportProgress();
    }
    void reportProgress() {
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

    /// Each task compares a channel with itself and its predecessors. The longest tasks come first.
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
            finished.reportProgress();
        });
    }

    /// Each task is a partner and some of the channels that search it. Epochs are grouped so that there are
    /// enough tasks for all threads.
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
        finished.reportProgress();
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
          "Martínez-Zarzuela et al. 2013, section 3.1"}},
        {Variant::Merged});
    return table;
}

class CpuMatchEngine : public MatchEngine {
  public:
    explicit CpuMatchEngine(const HostBackend& backend)
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
        outcome.variant = variants().resolve(variant);
        if (epochs.empty()) return outcome;
        std::visit(
            [&]<class T>(const Epoch<T>& first) {
                if (first.channels() == 0) return;
                outcome.variant = variants().resolve(
                    variant, [&](Variant) { return isPrunedFaster(first.channels(), first.samples()); });
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

Implementation<MatchEngine> matchEngine() {
    return implementWith<MatchEngine, CpuMatchEngine, HostBackend>(variants());
}

}  // namespace glycine::crossapen::cpu
