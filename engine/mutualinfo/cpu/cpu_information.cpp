#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/shared_items.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/joint_kernel.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

/// Rows per panel. Filling the panels takes about a tenth of the time then (3,000 genes of 2,000 samples).
constexpr std::size_t kRowBlock = 64;
/// Grouped weights in memory, unless the smallest tile needs more.
constexpr std::size_t kWeightBytes = std::size_t{512} << 20;

/// Number of genes per panel for `bins` bins with the least padding.
template <class Number>
PanelShape panelShape(const JointKernel<Number>& kernel, std::size_t bins) {
    // In wider panels, a block of samples would not fit in the second-level cache.
    constexpr std::size_t kRowBytes = 1152;
    const auto shapeOf = [&](std::size_t genes) {
        // Wide enough for passes that fill all registers, unless not even one gene fits in them.
        const std::size_t columns = genes * bins;
        const std::size_t step =
            columns * sizeof(Number) <= kRowBytes ? kernel.columnsAtOnce : kernel.columnStep;
        return PanelShape{genes, roundUp(columns, step)};
    };
    PanelShape best = shapeOf(1);
    for (std::size_t genes = 2; genes * bins * sizeof(Number) <= kRowBytes; ++genes)
        if (const PanelShape shape = shapeOf(genes); shape.width * best.genes < best.width * genes)
            best = shape;
    return best;
}

/// Splits samples into blocks of equal length. A panel's dense weights over a block fit in the second-level
/// cache.
struct SampleBlocks {
    explicit SampleBlocks(std::size_t samples);
    std::size_t samples;
    std::size_t count;
    std::size_t length;
    Range block(std::size_t index) const;
};

/// The weights of a gene, block by block, ordered by first bin. Missing samples are skipped. A view of
/// memory that GeneLayout divides.
template <class Number>
struct GroupedGene {
    std::uint16_t* samples;  ///< within the block; kAhead extra ones at the end
    Number* weights;         ///< `order` per sample
    std::uint32_t* begins;   ///< start of each block in `samples`; one extra at the end
    std::uint32_t* ends;     ///< end of each group within its block, block by block
    std::uint32_t* isConstant;
};

/// Where the parts of a GroupedGene lie in its memory.
template <class Number>
class GeneLayout {
  public:
    GeneLayout(std::size_t samples, std::size_t order, std::size_t blocks, std::size_t groups)
        : begins_(samples * order * sizeof(Number)),
          ends_(begins_ + (blocks + 1) * sizeof(std::uint32_t)),
          isConstant_(ends_ + blocks * groups * sizeof(std::uint32_t)),
          samples_(isConstant_ + sizeof(std::uint32_t)),
          bytes_(samples_ + (samples + kAhead) * sizeof(std::uint16_t)) {}
    std::size_t bytes() const { return bytes_; }
    GroupedGene<Number> in(std::byte* memory) const {
        const auto numbers = [memory](std::size_t offset) {
            return reinterpret_cast<std::uint32_t*>(memory + offset);
        };
        return {reinterpret_cast<std::uint16_t*>(memory + samples_), reinterpret_cast<Number*>(memory),
                numbers(begins_), numbers(ends_), numbers(isConstant_)};
    }

  private:
    std::size_t begins_, ends_, isConstant_, samples_, bytes_;
};

/// `cpu grouped`: multiplies one gene's sparse weights by a panel of dense ones. A sample of gene x has
/// weight in `order` bins. For all samples with the same first bin, `order` rows of the joint tables with the
/// whole panel stay in registers. The rows then shift to the next bin. float32 products are added in float32
/// over at most a block of samples, then in double. Number: float or double.
template <class Number>
class GroupedRun final : public InformationRun {
  public:
    GroupedRun(ExpressionView expression, const SplineOptions& splines, InstructionSet instructions,
               int threads);
    std::string_view variantName() const override { return toString(Variant::Grouped); }
    pairs::PairTimes times() const override { return times_; }
    void beginShared(ProcessTeam& team, std::size_t side) override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    using Genes = std::span<const GroupedGene<Number>>;
    /// One thread's buffers.
    struct Workspace {
        Matrix<Number> panel;
        Matrix<double> joints;  ///< a row for each gene of a row block
        Matrix<double> scratch;
        std::vector<double> values;
    };

    /// Groups the genes of a tile. Those of earlier tiles stay, within kWeightBytes.
    void group(const pairs::PairTile& tile, const Progress& progress);
    void groupGene(std::size_t index, const GroupedGene<Number>& gene) const;
    void fillPanel(Genes genes, Range columns, std::size_t block, Matrix<Number>& panel) const;
    void computePart(Genes rows, Genes columns, const pairs::PairTile& part, MatrixView<double> values,
                     Workspace& workspace) const;

    const ExpressionView expression_;
    const SplineOptions splines_;
    const SplineBasis basis_;
    const JointKernel<Number> kernel_;
    const PanelShape panel_;
    const SampleBlocks blocks_;
    const int threads_;
    std::vector<Workspace> workspaces_;
    const GeneLayout<Number> layout_;
    std::vector<GroupedGene<Number>> genes_;         ///< all; without samples: not grouped
    std::vector<std::unique_ptr<std::byte[]>> own_;  ///< memory of genes that are not shared
    std::size_t grouped_ = 0;                        ///< number of genes in own_
    std::optional<SharedItems> shared_;              ///< genes that other processes use, too
    pairs::PairTimes times_;
};

SampleBlocks::SampleBlocks(std::size_t theSamples)
    : samples(theSamples),
      count(std::max<std::size_t>(1, (samples + kMaxFloat32Products - 1) / kMaxFloat32Products)),
      length((samples + count - 1) / count) {}

Range SampleBlocks::block(std::size_t index) const {
    return {std::min(samples, index * length), std::min(samples, (index + 1) * length)};
}

template <class Number>
GroupedRun<Number>::GroupedRun(ExpressionView expression, const SplineOptions& splines,
                               InstructionSet instructions, int threads)
    : expression_(expression),
      splines_(splines),
      basis_(splines),
      kernel_(kernelFor<JointKernel<Number>>(instructions)),
      panel_(panelShape(kernel_, splines.bins)),
      blocks_(expression.columns()),
      threads_(threads),
      workspaces_(static_cast<std::size_t>(threads)),
      layout_(expression.columns(), basis_.order(), blocks_.count, basis_.intervals()),
      genes_(expression.rows()),
      own_(expression.rows()) {}

template <class Number>
void GroupedRun<Number>::groupGene(std::size_t index, const GroupedGene<Number>& gene) const {
    const GeneWeights dense =
        weightsOf({expression_.row(index), expression_.columns()}, basis_, splines_.transform);
    const std::size_t order = basis_.order();
    const std::size_t groups = basis_.intervals();
    *gene.isConstant = dense.isConstant ? 1 : 0;
    std::uint32_t begin = 0;
    for (std::size_t b = 0; b < blocks_.count; ++b) {
        const Range block = blocks_.block(b);
        std::uint32_t* const ends = gene.ends + b * groups;
        std::fill_n(ends, groups, 0);
        for (std::size_t s = block.begin; s < block.end; ++s)
            if (dense.firstBins[s] != kNoBin) ++ends[dense.firstBins[s]];
        std::uint32_t next = 0;
        for (std::size_t group = 0; group < groups; ++group) next += std::exchange(ends[group], next);
        gene.begins[b] = begin;
        for (std::size_t s = block.begin; s < block.end; ++s) {
            if (dense.firstBins[s] == kNoBin) continue;
            const std::size_t place = begin + ends[dense.firstBins[s]]++;
            gene.samples[place] = static_cast<std::uint16_t>(s - block.begin);
            for (std::size_t i = 0; i < order; ++i)
                gene.weights[place * order + i] = static_cast<Number>(dense.weights[s * order + i]);
        }
        begin += next;
    }
    gene.begins[blocks_.count] = begin;
    std::fill_n(gene.samples + begin, kAhead, std::uint16_t{0});
}

template <class Number>
void GroupedRun<Number>::beginShared(ProcessTeam& team, std::size_t) {
    // All processes together take no more memory than each with genes of its own.
    if (genes_.size() * layout_.bytes() > kWeightBytes * team.processesOnHost()) return;
    if (auto memory = team.memoryOfHost(SharedItems::bytesFor(genes_.size(), layout_.bytes())))
        shared_.emplace(std::move(memory), genes_.size(), layout_.bytes());
}

template <class Number>
void GroupedRun<Number>::group(const pairs::PairTile& tile, const Progress& progress) {
    const auto isIn = [](std::size_t gene, const Range& range) {
        return gene >= range.begin && gene < range.end;
    };
    std::vector<std::size_t> lacking;
    for (std::size_t g = tile.rows.begin; g < tile.rows.end; ++g)
        if (genes_[g].samples == nullptr) lacking.push_back(g);
    for (std::size_t g = tile.columns.begin; g < tile.columns.end && !tile.isDiagonal(); ++g)
        if (genes_[g].samples == nullptr) lacking.push_back(g);
    const auto groupAll = [&](std::span<const std::size_t> genes) {
        parallelFor(threads_, genes.size(), [&](std::size_t index, std::size_t) {
            progress.throwIfCancelled();
            groupGene(genes[index], genes_[genes[index]]);
        });
    };
    if (shared_) {
        // Few at a time: processes that begin with the same genes then divide them.
        constexpr std::size_t kForEachThread = 16;
        for (const std::size_t g : lacking) genes_[g] = layout_.in(shared_->data(g));
        shared_->complete(lacking, kForEachThread * static_cast<std::size_t>(threads_), groupAll);
        return;
    }
    if ((grouped_ + lacking.size()) * layout_.bytes() > kWeightBytes)
        for (std::size_t g = 0; g < genes_.size(); ++g)
            if (own_[g] != nullptr && !isIn(g, tile.rows) && !isIn(g, tile.columns)) {
                own_[g].reset();
                genes_[g] = {};
                --grouped_;
            }
    requireHostMemory(fmt::format("weighing the samples of {} genes", lacking.size()),
                      static_cast<double>(lacking.size()) * static_cast<double>(layout_.bytes()));
    for (const std::size_t g : lacking) {
        own_[g] = std::make_unique_for_overwrite<std::byte[]>(layout_.bytes());
        genes_[g] = layout_.in(own_[g].get());
    }
    grouped_ += lacking.size();
    groupAll(lacking);
}

template <class Number>
void GroupedRun<Number>::fillPanel(Genes genes, Range columns, std::size_t block,
                                   Matrix<Number>& panel) const {
    const std::size_t order = basis_.order();
    std::fill_n(panel.data(), blocks_.block(block).size() * panel_.width, Number{0});
    for (std::size_t g = columns.begin; g < columns.end; ++g) {
        const GroupedGene<Number>& gene = genes[g];
        const std::uint32_t* ends = &gene.ends[block * basis_.intervals()];
        std::size_t sample = gene.begins[block];
        for (std::size_t first = 0; first < basis_.intervals(); ++first)
            for (; sample < gene.begins[block] + ends[first]; ++sample) {
                Number* row = panel.row(gene.samples[sample]) + first * panel_.genes + (g - columns.begin);
                for (std::size_t i = 0; i < order; ++i)
                    row[i * panel_.genes] = gene.weights[sample * order + i];
            }
    }
}

template <class Number>
void GroupedRun<Number>::computePart(Genes rows, Genes columns, const pairs::PairTile& part,
                                     MatrixView<double> values, Workspace& workspace) const {
    const std::size_t tables = basis_.bins() * panel_.width;
    if (workspace.panel.empty()) {
        workspace.panel = Matrix<Number>(blocks_.length, panel_.width);
        // With a single block, each table is finished before the next one starts.
        workspace.joints = Matrix<double>(blocks_.count == 1 ? 1 : kRowBlock, tables + kBeyond);
        workspace.scratch = Matrix<double>(1, 3 * panel_.width + kBeyond);
        workspace.values.resize(panel_.genes);
    }
    // Rows and columns of a part are relative to the tile.
    for (std::size_t b = 0; b < blocks_.count; ++b) {
        fillPanel(columns, part.columns, b, workspace.panel);
        for (std::size_t r = part.rows.begin; r < part.rows.end; ++r) {
            const GroupedGene<Number>& gene = rows[r];
            double* const joint = workspace.joints.row(blocks_.count == 1 ? 0 : r - part.rows.begin);
            if (b == 0) std::fill_n(joint, tables, 0.0);
            kernel_.addJoint({.panel = workspace.panel.data(),
                              .width = panel_.width,
                              .bins = basis_.bins(),
                              .order = basis_.order(),
                              .samples = gene.samples + gene.begins[b],
                              .weights = gene.weights + gene.begins[b] * basis_.order(),
                              .ends = &gene.ends[b * basis_.intervals()],
                              .joint = joint});
            if (b + 1 < blocks_.count) continue;
            kernel_.findInformation(
                {joint, panel_, basis_.bins(), workspace.scratch.data(), workspace.values.data()});
            for (std::size_t g = 0; g < part.columns.size(); ++g) {
                const double value = workspace.values[g];
                const bool isConstant =
                    *gene.isConstant != 0 || *columns[part.columns.begin + g].isConstant != 0;
                values(r, part.columns.begin + g) = value == kEmpty ? std::numeric_limits<double>::quiet_NaN()
                                                    : isConstant    ? 0
                                                                    : value;
            }
        }
    }
}

template <class Number>
void GroupedRun<Number>::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                                 Progress& progress) {
    Stopwatch watch;
    group(tile, progress);
    const Genes genes(genes_);
    const Genes ofRows = genes.subspan(tile.rows.begin, tile.rows.size());
    const Genes ofColumns = genes.subspan(tile.columns.begin, tile.columns.size());
    times_.pack += watch.restart();
    std::vector<pairs::PairTile> parts;
    for (const Range rows : splitRange(tile.rows.size(), kRowBlock))
        for (const Range panel : splitRange(tile.columns.size(), panel_.genes))
            if (!tile.isDiagonal() || panel.begin + 1 < rows.end) {
                // Below the diagonal of the tile: only rows after the first column.
                const std::size_t first =
                    tile.isDiagonal() ? std::max(rows.begin, panel.begin + 1) : rows.begin;
                parts.push_back({{first, rows.end}, panel});
            }
    const double samples = static_cast<double>(expression_.columns());
    parallelFor(threads_, parts.size(), [&](std::size_t index, std::size_t thread) {
        const pairs::PairTile& part = parts[index];
        computePart(ofRows, ofColumns, part, results.front(), workspaces_[thread]);
        std::size_t pairs = 0;
        for (std::size_t r = part.rows.begin; r < part.rows.end; ++r)
            pairs +=
                tile.isDiagonal() ? std::min(part.columns.end, r) - part.columns.begin : part.columns.size();
        progress.advance(static_cast<double>(pairs) * samples);
    });
    times_.compute += watch.seconds();
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"float64", "float32"},
        {{Variant::Grouped,
          "samples of one gene grouped by bin, rows of its joint tables with a panel of others in registers",
          "",
          {},
          true}});
    return table;
}

class CpuEngine : public InformationEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float64 && request.precision != WeightPrecision::Float32)
            return Support::no(fmt::format("the backend 'cpu' computes in float64 and float32, not in {}",
                                           toString(request.precision)));
        return Support::yes();
    }

    /// Makes tiles of equal size. Where weights of all genes need too much memory, longer sides weigh genes
    /// less often (at the longest, weighing is a hundredth of the work), but a stopped run loses more. The
    /// grouped weights of rows and columns take at most kWeightBytes, unless the smallest tile needs more.
    std::size_t preferredTile(const InformationRequest& request) const override {
        constexpr std::size_t kLongest = 1024;
        constexpr std::size_t kShortest = 64;
        const std::size_t sampleBytes =
            sizeof(std::uint16_t) +
            request.splines.order *
                (request.precision == WeightPrecision::Float64 ? sizeof(double) : sizeof(float));
        const std::size_t fitting =
            kWeightBytes / (2 * sampleBytes * std::max<std::size_t>(1, request.samples));
        const std::size_t longest = std::clamp(fitting, kShortest, kLongest);
        const std::size_t tiles = std::max<std::size_t>(1, (request.genes + longest - 1) / longest);
        return request.genes == 0 ? longest : (request.genes + tiles - 1) / tiles;
    }

    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        if (request.precision == WeightPrecision::Float32)
            return std::make_unique<GroupedRun<float>>(expression, request.splines, instructions_, threads_);
        return std::make_unique<GroupedRun<double>>(expression, request.splines, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<InformationEngine> engine() {
    return implementWith<InformationEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::mutualinfo::cpu
