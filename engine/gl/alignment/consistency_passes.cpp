#include "engine/gl/alignment/consistency_passes.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

namespace {

using glycine::gl::TableTexture;
using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

constexpr const char* kShader = "align/apply_consistency.frag";
constexpr std::int32_t kNoResidue = 0x7fffffff;
/// More texels of entries are uploaded in several tiles, and more targets drawn in several batches.
constexpr std::size_t kMostEntryTexels = std::size_t{1} << 25;
constexpr std::size_t kMostTargets = std::size_t{1} << 22;
/// Bytes of a target: its texel, its sum, and a third sequence.
constexpr std::size_t kBytesOfTarget = 16 + 4 + 16;

/// Texels of a row: two entries each, and the end. All empty rows share a texel.
std::size_t texelsOf(std::size_t entries) {
    return entries == 0 ? 0 : (entries + 2) / 2;
}

/// Texels of the rows of a sequence towards all others, their number, and the entries of the longest one.
struct RowSizes {
    std::size_t texels = 0, rows = 0, longest = 0;
    RowSizes& operator+=(const RowSizes& other) {
        texels += other.texels;
        rows += other.rows;
        longest = std::max(longest, other.longest);
        return *this;
    }
};

RowSizes sizesOf(const PosteriorSet& posteriors, std::size_t sequence) {
    RowSizes sizes;
    for (std::size_t z = 0; z < posteriors.sequences(); ++z) {
        const PosteriorView pair = posteriors.pair(sequence, z);
        sizes.rows += pair.rows();
        for (std::size_t row = 0; row < pair.rows(); ++row) {
            const std::size_t entries = pair.row(row).size();
            sizes.texels += texelsOf(entries);
            sizes.longest = std::max(sizes.longest, entries);
        }
    }
    return sizes;
}

/// Sizes of rows and limits of the device, which determine batches and tiles.
class Plan {
  public:
    Plan(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors)
        : limits_(backend.gl().limits), bytesFree_(backend.textures().bytesFree()) {
        const std::size_t n = posteriors.sequences();
        sizes_.resize(n);
        parallelFor(omp_get_max_threads(), n,
                    [&](std::size_t s, std::size_t) { sizes_[s] = sizesOf(posteriors, s); });
        for (const RowSizes& one : sizes_) all_ += one;
        std::size_t all = 0;
        for (std::size_t y = 0; y < n; ++y)
            for (std::size_t x = 0; x < y; ++x) {
                largestPair_ = std::max(largestPair_, posteriors.pair(x, y).size());
                all += posteriors.pair(x, y).size();
            }
        // A batch holds whole pairs with all their third sequences.
        const std::size_t least = std::max<std::size_t>({largestPair_, n, 1});
        targets_ = largestFitting(
            std::min({kMostTargets, bytesFree_ / 4 / kBytesOfTarget, std::max(all, least)}),
            [this](std::size_t targets) {
                return fits({{TextureFormat::RGBA32I, targets}, {TextureFormat::R32F, targets}});
            });
        if (targets_ < least || n < 3) return;
        std::size_t begin = 0;
        RowSizes sum = all_;
        if (holds(sum)) {
            groups_ = {{0, n}};
            return;
        }
        sum = {};
        for (std::size_t s = 0; s < n; ++s) {
            RowSizes with = sum;
            with += sizes_[s];
            if (holds({2 * with.texels, 2 * with.rows})) {
                sum = with;
                continue;
            }
            if (s == begin || !holds({2 * sizes_[s].texels, 2 * sizes_[s].rows})) {
                groups_.clear();
                return;
            }
            groups_.push_back({begin, s});
            begin = s;
            sum = sizes_[s];
        }
        groups_.push_back({begin, n});
    }

    /// Ranges of sequences, two of which fit at a time; none: not even two sequences do.
    const std::vector<Range>& groups() const { return groups_; }
    std::size_t targets() const { return targets_; }
    const RowSizes& sizes(std::size_t sequence) const { return sizes_[sequence]; }
    /// The most steps of a fragment, which merges the rows of two residues towards so many third sequences.
    std::size_t mostSteps(std::size_t thirds) const { return thirds * (2 * all_.longest + 1); }

  private:
    struct TableSize {
        TextureFormat format;
        std::size_t texels;
    };
    bool fits(const std::vector<TableSize>& tables) const {
        return std::ranges::all_of(tables, [&](const TableSize& table) {
            const auto side = static_cast<std::size_t>(limits_.maxTextureSize);
            if (table.texels > side * side) return false;
            const TextureShape shape =
                pairwise::gl::tableWidth(limits_, table.texels).shape(table.format, table.texels);
            return shape.size.y <= limits_.maxTextureSize && shape.bytes() <= limits_.maxTextureBytes;
        });
    }
    bool holds(const RowSizes& sizes) const {
        const std::size_t texels = sizes.texels + 1;
        return texels <= kMostEntryTexels && texels * 16 + sizes.rows * 4 <= bytesFree_ / 2 &&
               fits({{TextureFormat::RGBA32I, texels}, {TextureFormat::R32I, sizes.rows}});
    }

    glycine::gl::GlLimits limits_;
    std::size_t bytesFree_;
    std::vector<RowSizes> sizes_;
    RowSizes all_;
    std::size_t largestPair_ = 0, targets_ = 0;
    std::vector<Range> groups_;
};

/// A table with the width of its rows.
struct Table {
    glycine::gl::TableWidth width;
    TableTexture<std::int32_t> texels;
    Table(glycine::gl::GlBackend& backend, TextureFormat format, std::size_t count)
        : width(pairwise::gl::tableWidth(backend.gl().limits, count)),
          texels(backend.textures(), format, width, count) {}
};

/// The rows of some sequences towards all others, on the device.
class RowTables {
  public:
    RowTables(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors, const Plan& plan,
              const std::vector<std::size_t>& some)
        : firstRows_(posteriors.sequences(), std::vector<std::int32_t>(posteriors.sequences(), 0)) {
        // The first texel is that of all empty rows.
        std::vector<RowSizes> begins{{1, 0}};
        for (const std::size_t s : some) {
            begins.push_back(begins.back());
            begins.back() += plan.sizes(s);
        }
        entries_.emplace(backend, TextureFormat::RGBA32I, begins.back().texels);
        rows_.emplace(backend, TextureFormat::R32I, std::max<std::size_t>(begins.back().rows, 1));
        fill(0, {});
        parallelFor(omp_get_max_threads(), some.size(), [&](std::size_t k, std::size_t) {
            RowSizes next = begins[k];
            for (std::size_t z = 0; z < posteriors.sequences(); ++z) {
                const PosteriorView pair = posteriors.pair(some[k], z);
                firstRows_[some[k]][z] = static_cast<std::int32_t>(next.rows);
                for (std::size_t row = 0; row < pair.rows(); ++row) {
                    const auto entries = pair.row(row);
                    *rows_->texels.texel(next.rows++) =
                        static_cast<std::int32_t>(entries.empty() ? 0 : next.texels);
                    if (!entries.empty()) fill(next.texels, entries);
                    next.texels += texelsOf(entries.size());
                }
            }
        });
        entries_->texels.upload(begins.back().texels);
        rows_->texels.upload(begins.back().rows);
    }

    /// The number of the first row of posteriors of `sequence` towards `other`.
    std::int32_t firstRow(std::size_t sequence, std::size_t other) const {
        return firstRows_[sequence][other];
    }
    const Table& entries() const { return *entries_; }
    const Table& rows() const { return *rows_; }

  private:
    void fill(std::size_t texel, std::span<const PosteriorEntry> entries) {
        std::int32_t* numbers = entries_->texels.texel(texel);
        // Rows of texels follow each other, so that a list may go on in the next one.
        for (std::size_t k = 0; k < 2 * std::max<std::size_t>(texelsOf(entries.size()), 1); ++k) {
            *numbers++ = k < entries.size() ? static_cast<std::int32_t>(entries[k].column) : kNoResidue;
            *numbers++ = k < entries.size() ? std::bit_cast<std::int32_t>(entries[k].value) : 0;
        }
    }

    std::vector<std::vector<std::int32_t>> firstRows_;
    std::optional<Table> entries_, rows_;
};

/// A pair of a batch.
struct TargetPair {
    std::size_t x = 0, y = 0;
    std::size_t target = 0, third = 0;  ///< its first ones
    std::vector<std::size_t> thirds{};
};

/// Pairs whose entries are drawn together.
class Batches {
  public:
    Batches(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors, const ConsistencyRound& round,
            std::size_t targets, PosteriorSet& result, Progress& progress)
        : backend_(backend),
          posteriors_(posteriors),
          round_(round),
          result_(result),
          progress_(progress),
          most_(targets),
          targets_(backend, TextureFormat::RGBA32I, targets),
          thirds_(backend, TextureFormat::RGBA32I, targets),
          sums_(backend.textures(), targets_.width.shape(TextureFormat::R32F, targets)),
          found_(static_cast<std::size_t>(sums_.shape().size.x) *
                 static_cast<std::size_t>(sums_.shape().size.y)) {}

    void add(const RowTables& tables, TargetPair pair) {
        const std::size_t entries = posteriors_.pair(pair.x, pair.y).size();
        if (target_ + entries > most_ || third_ + pair.thirds.size() > most_) flush(tables);
        pair.target = std::exchange(target_, target_ + entries);
        pair.third = std::exchange(third_, third_ + pair.thirds.size());
        pairs_.push_back(std::move(pair));
    }
    void flush(const RowTables& tables) {
        if (target_ > 0) compute(tables);
        // Pairs without entries have none afterwards.
        parallelFor(omp_get_max_threads(), pairs_.size(),
                    [&](std::size_t k, std::size_t) { setPair(pairs_[k]); });
        progress_.advance(static_cast<double>(pairs_.size()));
        pairs_.clear();
        target_ = third_ = 0;
    }

  private:
    void compute(const RowTables& tables) {
        const auto width = static_cast<std::size_t>(sums_.shape().size.x);
        const std::size_t height = roundUp(target_, width) / width;
        parallelFor(omp_get_max_threads(), pairs_.size(),
                    [&](std::size_t k, std::size_t) { fill(tables, pairs_[k]); });
        targets_.texels.upload(target_);
        thirds_.texels.upload(third_);
        double work = 0;
        for (const TargetPair& pair : pairs_)
            work += static_cast<double>(posteriors_.pair(pair.x, pair.y).size() * pair.thirds.size());
        const glycine::gl::Rectangle region{{0, 0}, {width, height}};
        glycine::gl::drawInBands(backend_.budget(), region, std::max(work, 1.0) / static_cast<double>(height),
                                 [&](const glycine::gl::Rectangle& band) {
                                     progress_.throwIfCancelled();
                                     backend_.pass(kShader)
                                         .input("targets", targets_.texels.texture())
                                         .input("thirds", thirds_.texels.texture())
                                         .input("rows", tables.rows().texels.texture())
                                         .input("entries", tables.entries().texels.texture())
                                         .output(sums_.framebuffer())
                                         .uniform("targetCount", toInt(target_))
                                         .uniform("targetBits", targets_.width.rowBits)
                                         .uniform("thirdBits", thirds_.width.rowBits)
                                         .uniform("rowBits", tables.rows().width.rowBits)
                                         .uniform("entryBits", tables.entries().width.rowBits)
                                         .draw(band);
                                 });
        glycine::gl::readPixels(sums_.framebuffer(), 0, TextureFormat::R32F, region, found_.data());
        backend_.budget().settle();
        backend_.canary().check("consistency");
    }

    void fill(const RowTables& tables, const TargetPair& pair) {
        std::int32_t* third = thirds_.texels.texel(pair.third);
        for (const std::size_t z : pair.thirds) {
            *third++ = tables.firstRow(pair.x, z);
            *third++ = tables.firstRow(pair.y, z);
            *third++ = std::bit_cast<std::int32_t>(static_cast<float>(round_.weights[z]));
            *third++ = 0;
        }
        std::int32_t* target = targets_.texels.texel(pair.target);
        const PosteriorView view = posteriors_.pair(pair.x, pair.y);
        for (std::size_t row = 0; row < view.rows(); ++row)
            for (const PosteriorEntry& entry : view.row(row)) {
                *target++ = static_cast<std::int32_t>(pair.third);
                *target++ = static_cast<std::int32_t>(pair.thirds.size());
                *target++ = static_cast<std::int32_t>(row);
                *target++ = static_cast<std::int32_t>(entry.column);
            }
    }

    void setPair(const TargetPair& pair) {
        SparsePosterior transformed(posteriors_.pair(pair.x, pair.y));
        const double self = round_.selfWeight * (round_.weights[pair.x] + round_.weights[pair.y]);
        const double all = self + ThirdSequences::weightOf(pair.thirds, round_.weights);
        const auto kept = static_cast<float>(self / all), added = static_cast<float>(1 / all);
        const float* sum = found_.data() + pair.target;
        for (std::size_t row = 0; row < transformed.rows(); ++row)
            for (PosteriorEntry& entry : transformed.row(row))
                entry.value = kept * entry.value + added * *sum++;
        result_.setPair(pair.x, pair.y, transformed, posteriors_.pair(pair.y, pair.x).rows());
    }

    glycine::gl::GlBackend& backend_;
    const PosteriorSet& posteriors_;
    const ConsistencyRound& round_;
    PosteriorSet& result_;
    Progress& progress_;
    std::size_t most_;
    Table targets_, thirds_;
    glycine::gl::RenderTexture sums_;
    std::vector<float> found_;
    std::vector<TargetPair> pairs_;
    std::size_t target_ = 0, third_ = 0;
};

}  // namespace

std::optional<PosteriorSet> ConsistencyPasses::apply(const PosteriorSet& posteriors,
                                                     const ConsistencyRound& round, Progress& progress) {
    const std::size_t n = posteriors.sequences();
    tiles_ = 0;
    if (backend_.isEmulated() && !settings_.takesEmulated)
        reason_ = kEmulatedConsistency;
    else if (n < settings_.leastSequences || n < 3)
        reason_ = kSmallConsistency;
    else if (omp_get_max_threads() > settings_.mostHostThreads)
        reason_ = kFastConsistency;
    else
        reason_ = {};
    if (!reason_.empty()) return std::nullopt;
    backend_.makeCurrent();
    std::vector<std::size_t> thirds;
    round.thirds.find(0, 1, thirds);
    const Plan plan(backend_, posteriors);
    if (!backend_.loopLimit().allows(plan.mostSteps(thirds.size()))) {
        reason_ = kManySteps;
        return std::nullopt;
    }
    if (plan.groups().empty()) {
        reason_ = kNoRoomForConsistency;
        return std::nullopt;
    }
    backend_.budget().restart(kShader);
    progress.begin("consistency", static_cast<double>(n * (n - 1) / 2));
    PosteriorSet result(n);
    Batches batches(backend_, posteriors, round, plan.targets(), result, progress);
    const std::vector<Range>& groups = plan.groups();
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t h = g; h < groups.size(); ++h) {
            std::vector<std::size_t> some;
            for (std::size_t s = groups[g].begin; s < groups[g].end; ++s) some.push_back(s);
            for (std::size_t s = groups[h].begin; h > g && s < groups[h].end; ++s) some.push_back(s);
            const RowTables tables(backend_, posteriors, plan, some);
            for (std::size_t x = groups[g].begin; x < groups[g].end; ++x) {
                const Range others{std::max(x + 1, groups[h].begin), groups[h].end};
                if (others.begin >= others.end) continue;
                std::vector<TargetPair> pairs(others.size());
                parallelFor(omp_get_max_threads(), pairs.size(), [&](std::size_t k, std::size_t) {
                    pairs[k] = {.x = x, .y = others.begin + k};
                    round.thirds.find(x, others.begin + k, pairs[k].thirds);
                });
                for (TargetPair& pair : pairs) batches.add(tables, std::move(pair));
            }
            batches.flush(tables);
            ++tiles_;
        }
    return result;
}

}  // namespace glycine::align::gl
