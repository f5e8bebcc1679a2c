#include "engine/distance/reference/reference_engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/distance/distance_engine.hpp"

namespace glycine::distance::reference {

void countAsInPaper(int instances, int attributes, const int* data, int* distance) {
    for (int i = 0; i < instances; i++) {
        for (int j = 0; j < instances; j++) {
            for (int k = 0; k < attributes; k++) {
                distance[i + instances * j] += (data[i * attributes + k] != data[j * attributes + k]);
            }
        }
    }
}

namespace {

class LoopRun final : public CountingRun {
  public:
    explicit LoopRun(const DiscreteSource& source)
        : instances_(source.shape().instances), attributes_(source.shape().attributes) {
        const Stopwatch watch;
        Matrix<std::uint8_t> symbols(instances_, attributes_);
        source.readSymbols({0, instances_}, {0, attributes_}, symbols.view());
        data_.assign(symbols.data(), symbols.data() + symbols.size());
        times_.pack = watch.seconds();
    }
    Variant variant() const override { return Variant::PaperLoop; }
    PairTimes times() const override { return times_; }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override {
        distances_.assign(instances_ * instances_, 0);
        const Stopwatch watch;
        countAsInPaper(static_cast<int>(instances_), static_cast<int>(attributes_), data_.data(),
                       distances_.data());
        times_.compute += watch.seconds();
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            std::copy_n(&distances_[(tile.rows.begin + r) * instances_ + tile.columns.begin],
                        tile.columns.size(), counts.differing.row(r));
        progress.advance(static_cast<double>(tile.pairs()) * static_cast<double>(attributes_));
    }

  private:
    std::size_t instances_;
    std::size_t attributes_;
    std::vector<int> data_;
    std::vector<int> distances_;
    PairTimes times_;
};

/// Variant::PaperLoop supports only differing attributes of complete data whose number of elements fits into
/// 32-bit integers.
Support supportsPaperLoop(const PairRequest& request) {
    constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<int>::max());
    const auto [instances, attributes] = std::pair(request.shape.instances, request.shape.attributes);
    if (request.isCoordinates || request.shape.hasMissing || request.needs != CountNeeds{})
        return Support::misuse("the paper's loop counts differing attributes of complete data");
    if (instances > kMax / std::max({instances, attributes, std::size_t{1}}))
        return Support::no("the paper's loop counts elements in 32-bit integers; these are too many");
    return Support::yes();
}

/// Processes all pairs for every tile; only the loop counts as its compute stage.
std::unique_ptr<CountingRun> startPaperLoop(const DiscreteSource& source) {
    return std::make_unique<LoopRun>(source);
}

/// Number of columns of a row that count: each pair once, without the diagonal.
std::size_t columnsBefore(std::size_t row, Range columns) {
    return std::clamp(row, columns.begin, columns.end) - columns.begin;
}

/// Appendix 1 of the paper: distance[i, j] += data[i, k] != data[j, k], over all attributes k known in both
/// instances.
struct SymbolCounts {
    std::uint32_t differing = 0;
    std::uint32_t opposite = 0;
    std::uint32_t valid = 0;
};
SymbolCounts countPair(const std::uint8_t* a, const std::uint8_t* b, std::size_t attributes) {
    SymbolCounts counts;
    for (std::size_t k = 0; k < attributes; ++k) {
        if (a[k] == kMissingSymbol || b[k] == kMissingSymbol) continue;
        counts.valid += 1;
        counts.differing += a[k] != b[k];
        // For genotypes, these are 0 and 2: no shared allele.
        counts.opposite += std::abs(a[k] - b[k]) == 2;
    }
    return counts;
}

class ReferenceCounting : public CountingRun {
  public:
    ReferenceCounting(const DiscreteSource& source, CountNeeds needs) : source_(source), needs_(needs) {}
    Variant variant() const override { return Variant::Serial; }
    PairTimes times() const override { return times_; }

    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override {
        const std::size_t attributes = source_.shape().attributes;
        const std::size_t block =
            std::max<std::size_t>(1, kBlockBytes / std::max<std::size_t>(1, attributes));
        for (const Range rows : splitRange(tile.rows.size(), block)) {
            const Range instances{tile.rows.begin + rows.begin, tile.rows.begin + rows.end};
            const Matrix<std::uint8_t> a = read(instances);
            for (const Range columns : splitRange(tile.columns.size(), block)) {
                if (tile.isDiagonal() && columns.begin >= rows.end) break;
                const Range others{tile.columns.begin + columns.begin, tile.columns.begin + columns.end};
                const Matrix<std::uint8_t> b = read(others);
                const Stopwatch watch;
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const std::size_t before = columnsBefore(instances.begin + i, others);
                    for (std::size_t j = 0; j < before; ++j)
                        store(counts, rows.begin + i, columns.begin + j,
                              countPair(a.row(i), b.row(j), attributes));
                    progress.advance(static_cast<double>(before) * static_cast<double>(attributes));
                }
                times_.compute += watch.seconds();
            }
        }
    }

  private:
    /// Bytes of symbols held for the rows, and the same for the columns.
    static constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

    Matrix<std::uint8_t> read(Range instances) {
        const Stopwatch watch;
        const std::size_t attributes = source_.shape().attributes;
        Matrix<std::uint8_t> symbols(instances.size(), attributes);
        source_.readSymbols(instances, {0, attributes}, symbols.view());
        times_.pack += watch.seconds();
        return symbols;
    }

    void store(const PairCounts& counts, std::size_t row, std::size_t column, SymbolCounts pair) const {
        counts.differing(row, column) = pair.differing;
        if (needs_.opposite) counts.opposite(row, column) = pair.opposite;
        if (needs_.valid) counts.valid(row, column) = pair.valid;
    }

    const DiscreteSource& source_;
    CountNeeds needs_;
    PairTimes times_;
};

/// Numbers of either precision, converted to float64 unchanged.
template <class Number>
class ReferenceSumming : public SummingRun {
  public:
    ReferenceSumming(CoordinateRows<Number> coordinates, SumTerm term)
        : coordinates_(coordinates), term_(term) {}
    Variant variant() const override { return Variant::Serial; }
    PairTimes times() const override { return times_; }

    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override {
        const std::size_t attributes = coordinates_.columns();
        const Stopwatch watch;
        for (std::size_t i = 0; i < tile.rows.size(); ++i) {
            const std::size_t row = tile.rows.begin + i;
            const std::size_t before = columnsBefore(row, tile.columns);
            for (std::size_t j = 0; j < before; ++j)
                sums(i, j) = sumOfTerms(coordinates_.row(row), coordinates_.row(tile.columns.begin + j),
                                        attributes, term_);
            progress.advance(static_cast<double>(before) * static_cast<double>(attributes));
        }
        times_.compute += watch.seconds();
    }

  private:
    CoordinateRows<Number> coordinates_;
    SumTerm term_;
    PairTimes times_;
};

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "reference", {"counts", "float32", "float64"},
        {{Variant::Serial,
          "the paper's loops over pairs and attributes; sums of coordinates in double precision",
          "Sinnott-Armstrong et al. 2010, appendix 1",
          {},
          true}});
    return table;
}

class ReferenceEngine : public DistanceEngine {
  public:
    Support supports(const PairRequest& request) const override {
        if (request.variant == Variant::PaperLoop) return supportsPaperLoop(request);
        if (const Support known = variants().supports(request.variant); !known) return known;
        return supportsCounts(request);
    }
    std::size_t preferredTile(const PairRequest& request) const override {
        // The paper's loop processes all pairs for every tile.
        return request.variant == Variant::PaperLoop ? request.shape.instances : 1024;
    }
    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant variant) override {
        if (variant == Variant::PaperLoop) return startPaperLoop(source);
        return std::make_unique<ReferenceCounting>(source, needs);
    }
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        return coordinates.visit([&]<class Number>(CoordinateRows<Number> numbers) {
            return std::unique_ptr<SummingRun>(std::make_unique<ReferenceSumming<Number>>(numbers, term));
        });
    }
    Precision summingPrecision(Precision) const override { return Precision::Float64; }
};

}  // namespace

Implementation<DistanceEngine> engine() {
    return implementWith<DistanceEngine, ReferenceEngine, Backend>(variants());
}

}  // namespace glycine::distance::reference
