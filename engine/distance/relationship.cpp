#include "engine/distance/relationship.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/core/stopwatch.hpp"
#include "engine/distance/allele_counts.hpp"

namespace glycine::distance {

namespace {

/// z for zero, one and two copies of the counted allele.
using Standardised = std::array<double, 3>;

std::vector<Standardised> standardise(const DiscreteSource& source, const std::vector<bool>& founders,
                                      Progress& progress) {
    std::vector<Standardised> result;
    for (const AlleleCount& count : countAlleles(source, founders, progress)) {
        const double p = count.genotypes == 0 ? 0 : count.alleles / (2.0 * count.genotypes);
        const double scale = p > 0 && p < 1 ? 1 / std::sqrt(2 * p * (1 - p)) : 0;
        result.push_back({-2 * p * scale, (1 - 2 * p) * scale, (2 - 2 * p) * scale});
    }
    return result;
}

/// Calls take(i, symbols) for each of some instances, on several threads, with their symbols of `attributes`.
template <class Take>
void forInstances(const DiscreteSource& source, Range instances, Range attributes, const Take& take) {
    Matrix<std::uint8_t> symbols(instances.size(), attributes.size());
    source.readSymbols(instances, attributes, symbols.view());
#pragma omp parallel for schedule(static) if (symbols.size() > 100000)
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(instances.size()); ++i)
        take(static_cast<std::size_t>(i), symbols.row(static_cast<std::size_t>(i)));
}

/// A sum over many attributes in short runs, which limits rounding errors.
class SumInRuns {
  public:
    void add(double value) {
        run_ += value;
        if (++count_ % kLength == 0) {
            sum_ += run_;
            run_ = 0;
        }
    }
    double total() const { return sum_ + run_; }

  private:
    static constexpr std::size_t kLength = 128;
    double sum_ = 0, run_ = 0;
    std::size_t count_ = 0;
};

template <class Number>
class Relationships final : public ValueRun {
  public:
    Relationships(DistanceEngine& engine, const DiscreteSource& source, const DistanceOptions& options,
                  Progress& progress)
        : engine_(engine), source_(source), options_(options) {
        const Stopwatch watch;
        z_ = standardise(source, options.founders, progress);
        finishSeconds_ += watch.seconds();
        if (source.shape().hasMissing)
            counting_ = engine.startCounting(source, {.opposite = false, .valid = true}, Variant::Default);
        Matrix<Number> few(1, 1);
        few(0, 0) = 0;
        sums_.name = startOn(few)->variantName();
    }

    void begin(const PairTile& tile, std::size_t set, MatrixView<double> values,
               Progress& progress) override {
        Memory& memory = memory_[set];
        if (counting_) {
            const MatrixView<std::uint32_t> differing = pairs::fitTile(memory.differing, tile);
            counting_->count(tile, {differing, {}, pairs::fitTile(memory.inCommon, tile)}, silent_);
        }
        const DiscreteShape& shape = source_.shape();
        const std::size_t rows = tile.rows.size(), columns = tile.isDiagonal() ? 0 : tile.columns.size();
        const PairTile local{{columns, columns + rows}, {0, columns == 0 ? rows : columns}};
        const std::size_t side = std::max(rows, columns);
        Matrix<double> sumsOfBlock;  // after the first
        memory.squares.assign(rows + columns, 0);
        for (const Range block :
             splitRange(shape.attributes, relationshipBlock(shape, precisionOf<Number>(), side))) {
            Stopwatch watch;
            Matrix<Number> z(rows + columns, block.size());
            std::vector<double> squares(rows + columns);
            fill(tile.rows, block, z.view().block(columns, 0, rows, block.size()), squares.data() + columns);
            if (columns > 0)
                fill(tile.columns, block, z.view().block(0, 0, columns, block.size()), squares.data());
            finishSeconds_ += watch.seconds();
            const std::unique_ptr<SummingRun> summing = startOn(z);
            const bool isFirst = block.begin == 0;
            const MatrixView<double> sums = isFirst ? values : pairs::fitTile(sumsOfBlock, tile);
            summing->sum(local, sums, progress);
            sums_.spent += summing->times();
            sums_.notes = summing->note();
            watch.restart();
            forRows(tile, [&](std::size_t r, std::size_t end) {
                for (std::size_t c = 0; c < end; ++c) {
                    const double product = (squares[columns + r] + squares[c] - sums(r, c)) / 2;
                    values(r, c) = isFirst ? product : values(r, c) + product;
                }
                return std::size_t{0};
            });
            finishSeconds_ += watch.seconds();
            std::ranges::transform(squares, memory.squares, memory.squares.begin(), std::plus());
        }
    }

    void finish(const PairTile& tile, std::size_t set, MatrixView<double> values) override {
        const double all = static_cast<double>(source_.shape().attributes);
        const std::vector<double>& squares = memory_[set].squares;
        const MatrixView<std::uint32_t> common =
            counting_ ? pairs::fitTile(memory_[set].inCommon, tile) : MatrixView<std::uint32_t>();
        const auto inCommonOf = [&](std::size_t r, std::size_t c) { return counting_ ? common(r, c) : all; };
        undefinedPairs_[set] = forRows(tile, [&](std::size_t r, std::size_t end) {
            std::size_t undefined = 0;
            for (std::size_t c = 0; c < end; ++c) {
                const double inCommon = inCommonOf(r, c);
                const bool isKnown = inCommon > 0 && inCommon >= static_cast<double>(options_.leastInCommon);
                values(r, c) = isKnown ? values(r, c) / inCommon : std::nan("");
                undefined += isKnown ? 0 : 1;
            }
            return undefined;
        });
        if (tile.pairs() == 1)
            magnitude_ = (squares.front() + squares.back()) /
                         inCommonOf(values.rows() - 1, tile.columnsOf(values.rows() - 1) - 1);
    }
    double magnitude(double) const override { return magnitude_; }

  private:
    template <class T>
    static constexpr Precision precisionOf() {
        return std::is_same_v<T, float> ? Precision::Float32 : Precision::Float64;
    }
    /// Times and notes of the runs on successive blocks.
    struct Sums final : pairs::PairRun {
        std::string_view variantName() const override { return name; }
        pairs::PairTimes times() const override { return spent; }
        std::string note() const override { return notes; }
        std::string_view name;
        pairs::PairTimes spent;
        std::string notes;
    };
    const pairs::PairRun& run() const override { return sums_; }
    const pairs::PairRun* secondRun() const override { return counting_.get(); }
    std::unique_ptr<SummingRun> startOn(const Matrix<Number>& z) {
        return engine_.startSumming(z.view(), SumTerm::SquaredDifference, options_.variant);
    }
    /// `squares`: sums of squares of the rounded numbers.
    void fill(Range instances, Range block, MatrixView<Number> z, double* squares) const {
        forInstances(source_, instances, block, [&](std::size_t i, const std::uint8_t* symbols) {
            SumInRuns sum;
            for (std::size_t k = 0; k < block.size(); ++k) {
                z(i, k) = symbols[k] == kMissingSymbol ? Number{0}
                                                       : static_cast<Number>(z_[block.begin + k][symbols[k]]);
                sum.add(double{z(i, k)} * double{z(i, k)});
            }
            squares[i] = sum.total();
        });
    }

    struct Memory {
        Matrix<std::uint32_t> differing, inCommon;
        std::vector<double> squares;
    };
    DistanceEngine& engine_;
    const DiscreteSource& source_;
    const DistanceOptions options_;
    std::vector<Standardised> z_;
    Memory memory_[2];
    std::unique_ptr<CountingRun> counting_;
    Sums sums_;
    double magnitude_ = 0;
    Progress silent_;
};

}  // namespace

std::unique_ptr<ValueRun> startRelationships(DistanceEngine& engine, const DiscreteSource& source,
                                             const DistanceOptions& options, Precision precision,
                                             Progress& progress) {
    if (precision == Precision::Float32)
        return std::make_unique<Relationships<float>>(engine, source, options, progress);
    return std::make_unique<Relationships<double>>(engine, source, options, progress);
}

std::size_t relationshipBlock(const DiscreteShape& shape, Precision precision, std::size_t tile) {
    constexpr std::size_t kBytes = std::size_t{256} << 20;
    const std::size_t bytes = precision == Precision::Float32 ? sizeof(float) : sizeof(double);
    const std::size_t rows = 2 * std::max<std::size_t>(1, std::min(tile, shape.instances));
    return std::max<std::size_t>(64, kBytes / (rows * bytes) / 64 * 64);
}

double bytesForRelationships(const DiscreteShape& shape, Precision precision, std::size_t tile) {
    const auto rows = static_cast<double>(std::min(tile, shape.instances));
    const auto block =
        static_cast<double>(std::min(shape.attributes, relationshipBlock(shape, precision, tile)));
    return rows * (2 * block * (sizeof(double) + 1) + rows * (sizeof(double) + 2 * sizeof(std::uint32_t)));
}

std::vector<double> diagonalsOf(const DataView& data, const DistanceOptions& options, Progress& progress) {
    if (options.measure != Measure::Grm) return {};
    return relationshipsWithThemselves(*data.discrete, options.founders, progress);
}

CommonAttributes::CommonAttributes(Backend& backend, const DiscreteSource& source)
    : source_(source), engine_(createImplementation<DistanceEngine>(backend)) {
    if (!source.shape().hasMissing) return;
    run_ = engine_->startCounting(source, {.opposite = false, .valid = true}, Variant::Default);
    known_ = knownAttributes(source, silentProgress());
}

void CommonAttributes::count(Range rows, MatrixView<float> counts) {
    for (std::size_t i = 0; !run_ && i < rows.size(); ++i)
        std::fill_n(counts.row(i), rows.end, static_cast<float>(source_.shape().attributes));
    if (!run_) return;
    for (const PairTile& tile : {PairTile{rows, {0, rows.begin}}, PairTile{rows, rows}}) {
        if (tile.pairs() == 0) continue;
        const MatrixView<std::uint32_t> differing = pairs::fitTile(differing_, tile);
        const MatrixView<std::uint32_t> valid = pairs::fitTile(valid_, tile);
        run_->count(tile, {differing, {}, valid}, silentProgress());
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < tile.columnsOf(i); ++j)
                counts(i, tile.columns.begin + j) = static_cast<float>(valid(i, j));
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        counts(i, rows.begin + i) = static_cast<float>(known_[rows.begin + i]);
}

std::vector<double> relationshipsWithThemselves(const DiscreteSource& source,
                                                const std::vector<bool>& founders, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    const std::vector<Standardised> z = standardise(source, founders, progress);
    std::vector<SumInRuns> sums(shape.instances);
    std::vector<std::size_t> known(shape.instances, 0);
    for (const Range block :
         splitRange(shape.attributes, relationshipBlock(shape, Precision::Float64, shape.instances)))
        forInstances(source, {0, shape.instances}, block, [&](std::size_t i, const std::uint8_t* symbols) {
            for (std::size_t k = 0; k < block.size(); ++k) {
                if (symbols[k] == kMissingSymbol) continue;
                const double value = z[block.begin + k][symbols[k]];
                sums[i].add(value * value);
                ++known[i];
            }
        });
    std::vector<double> result(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) result[i] = sums[i].total() / static_cast<double>(known[i]);
    return result;
}

}  // namespace glycine::distance
