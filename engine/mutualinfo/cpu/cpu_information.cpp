#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/joint_kernel.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

/// Rows per panel. Filling a panel then takes a few hundredths of the total time.
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

/// The weights of a gene, block by block, ordered by first bin. Missing samples are skipped.
template <class Number>
struct GroupedGene {
    std::vector<std::uint16_t> samples;  ///< within the block; kAhead extra ones at the end
    std::vector<Number> weights;         ///< `order` per sample
    std::vector<std::uint32_t> begins;   ///< start of each block in `samples`; one extra at the end
    std::vector<std::uint32_t> ends;     ///< end of each group within its block, block by block
    bool isConstant = false;
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
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    using Genes = std::span<const std::optional<GroupedGene<Number>>>;
    /// One thread's buffers.
    struct Workspace {
        Matrix<Number> panel;
        Matrix<double> joints;  ///< a row for each gene of a row block
        Matrix<double> scratch;
        std::vector<double> values;
    };

    /// Groups the genes of a tile. Those of earlier tiles stay, within kWeightBytes.
    void group(const pairs::PairTile& tile, const Progress& progress);
    GroupedGene<Number> groupGene(std::size_t index) const;
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
    std::vector<std::optional<GroupedGene<Number>>> genes_;  ///< all; empty: not grouped
    std::size_t grouped_ = 0;                                ///< number of them that are not empty
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
      genes_(expression.rows()) {}

template <class Number>
GroupedGene<Number> GroupedRun<Number>::groupGene(std::size_t index) const {
    const GeneWeights dense =
        weightsOf({expression_.row(index), expression_.columns()}, basis_, splines_.transform);
    const std::size_t order = basis_.order();
    const std::size_t groups = basis_.intervals();
    GroupedGene<Number> gene;
    gene.isConstant = dense.isConstant;
    for (std::size_t b = 0; b < blocks_.count; ++b) {
        const Range block = blocks_.block(b);
        std::vector<std::uint32_t> ends(groups);
        for (std::size_t s = block.begin; s < block.end; ++s)
            if (dense.firstBins[s] != kNoBin) ++ends[dense.firstBins[s]];
        std::uint32_t next = 0;
        for (std::uint32_t& end : ends) next += std::exchange(end, next);
        const std::size_t begin = gene.samples.size();
        gene.begins.push_back(static_cast<std::uint32_t>(begin));
        gene.samples.resize(begin + next);
        gene.weights.resize((begin + next) * order);
        for (std::size_t s = block.begin; s < block.end; ++s) {
            if (dense.firstBins[s] == kNoBin) continue;
            const std::size_t place = begin + ends[dense.firstBins[s]]++;
            gene.samples[place] = static_cast<std::uint16_t>(s - block.begin);
            for (std::size_t i = 0; i < order; ++i)
                gene.weights[place * order + i] = static_cast<Number>(dense.weights[s * order + i]);
        }
        gene.ends.insert(gene.ends.end(), ends.begin(), ends.end());
    }
    gene.begins.push_back(static_cast<std::uint32_t>(gene.samples.size()));
    gene.samples.resize(gene.samples.size() + kAhead);
    return gene;
}

template <class Number>
void GroupedRun<Number>::group(const pairs::PairTile& tile, const Progress& progress) {
    const auto isIn = [](std::size_t gene, const Range& range) {
        return gene >= range.begin && gene < range.end;
    };
    std::vector<std::size_t> lacking;
    for (std::size_t g = tile.rows.begin; g < tile.rows.end; ++g)
        if (!genes_[g]) lacking.push_back(g);
    for (std::size_t g = tile.columns.begin; g < tile.columns.end && !tile.isDiagonal(); ++g)
        if (!genes_[g]) lacking.push_back(g);
    const std::size_t geneBytes =
        expression_.columns() * (sizeof(std::uint16_t) + basis_.order() * sizeof(Number));
    if ((grouped_ + lacking.size()) * geneBytes > kWeightBytes)
        for (std::size_t g = 0; g < genes_.size(); ++g)
            if (genes_[g] && !isIn(g, tile.rows) && !isIn(g, tile.columns)) {
                genes_[g].reset();
                --grouped_;
            }
    requireHostMemory(fmt::format("weighing the samples of {} genes", lacking.size()),
                      static_cast<double>(lacking.size()) * static_cast<double>(geneBytes));
    parallelFor(threads_, lacking.size(), [&](std::size_t index, std::size_t) {
        progress.throwIfCancelled();
        genes_[lacking[index]] = groupGene(lacking[index]);
    });
    grouped_ += lacking.size();
}

template <class Number>
void GroupedRun<Number>::fillPanel(Genes genes, Range columns, std::size_t block,
                                   Matrix<Number>& panel) const {
    const std::size_t order = basis_.order();
    std::fill_n(panel.data(), blocks_.block(block).size() * panel_.width, Number{0});
    for (std::size_t g = columns.begin; g < columns.end; ++g) {
        const GroupedGene<Number>& gene = *genes[g];
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
            const GroupedGene<Number>& gene = *rows[r];
            double* const joint = workspace.joints.row(blocks_.count == 1 ? 0 : r - part.rows.begin);
            if (b == 0) std::fill_n(joint, tables, 0.0);
            kernel_.addJoint({.panel = workspace.panel.data(),
                              .width = panel_.width,
                              .bins = basis_.bins(),
                              .order = basis_.order(),
                              .samples = gene.samples.data() + gene.begins[b],
                              .weights = gene.weights.data() + gene.begins[b] * basis_.order(),
                              .ends = &gene.ends[b * basis_.intervals()],
                              .joint = joint});
            if (b + 1 < blocks_.count) continue;
            kernel_.findInformation(
                {joint, panel_, basis_.bins(), workspace.scratch.data(), workspace.values.data()});
            for (std::size_t g = 0; g < part.columns.size(); ++g) {
                const double value = workspace.values[g];
                const bool isConstant = gene.isConstant || columns[part.columns.begin + g]->isConstant;
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

InformationEngineEntry engine() {
    return implementWith<InformationEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::mutualinfo::cpu
