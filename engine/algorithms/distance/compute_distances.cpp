#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/algorithms/distance/distance.hpp"
#include "engine/algorithms/distance/missing_weights.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/algorithms/distance/pair_values.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_sink.hpp"

namespace glycine::distance {

namespace {

PairRequest requestFor(const DataView& data, const DistanceOptions& options) {
    const CountNeeds needs = data.isCoordinates()
                                 ? CountNeeds{}
                                 : neededCounts(options.measure, options.missing, data.discrete->shape());
    return requestFor(data, needs, options.variant);
}

/// Throws InputError naming the first missing entry.
[[noreturn]] void refuseMissing(const DiscreteSource& source) {
    const DiscreteShape& shape = source.shape();
    constexpr std::size_t kBlock = 1 << 16;
    for (std::size_t i = 0; i < shape.instances; ++i) {
        for (const Range attributes : splitRange(shape.attributes, kBlock)) {
            Matrix<std::uint8_t> symbols(1, attributes.size());
            source.readSymbols({i, i + 1}, attributes, symbols.view());
            const std::uint8_t* begin = symbols.row(0);
            const std::uint8_t* end = begin + attributes.size();
            const std::uint8_t* found = std::find(begin, end, kMissingSymbol);
            if (found != end)
                throw InputError(fmt::format(
                    "instance {}, attribute {}: the entry is missing; the rule 'refuse' allows none", i + 1,
                    attributes.begin + static_cast<std::size_t>(found - begin) + 1));
        }
    }
    throw InputError("entries are missing; the rule 'refuse' allows none");
}

/// What counting writes, kept from tile to tile.
class CountBuffers {
  public:
    CountBuffers(CountNeeds needs, bool isWeighted) : needs_(needs), isWeighted_(isWeighted) {}

    CountedTile view(const PairTile& tile) {
        const std::size_t rows = tile.rows.size();
        const std::size_t columns = tile.columns.size();
        CountedTile counted{tile, {}, {}};
        counted.counts.differing = fit(differing_, rows, columns);
        if (needs_.opposite) counted.counts.opposite = fit(opposite_, rows, columns);
        if (needs_.valid) counted.counts.valid = fit(valid_, rows, columns);
        return counted;
    }
    MatrixView<std::uint32_t> bothMissing(const PairTile& tile) {
        return isWeighted_ ? fit(bothMissing_, tile.rows.size(), tile.columns.size())
                           : MatrixView<std::uint32_t>();
    }

  private:
    static MatrixView<std::uint32_t> fit(Matrix<std::uint32_t>& matrix, std::size_t rows,
                                         std::size_t columns) {
        if (matrix.size() < rows * columns) matrix = Matrix<std::uint32_t>(rows, columns);
        return {matrix.data(), rows, columns};
    }

    CountNeeds needs_;
    bool isWeighted_;
    Matrix<std::uint32_t> differing_, opposite_, valid_, bothMissing_;
};

/// Work on one tile after the other; leaves the values of the tile in `values`.
class TileWork {
  public:
    virtual ~TileWork() = default;
    virtual PairRun& run() = 0;
    /// Returns the number of undefined pairs.
    virtual std::size_t compute(const PairTile& tile, MatrixView<double> values, Progress& progress) = 0;
    /// Seconds that were spent beside the backend's own stages.
    double finishSeconds = 0;
};

class CountWork final : public TileWork {
  public:
    CountWork(PairEngine& engine, const DiscreteSource& source, const DistanceOptions& options,
              Progress& progress)
        : options_(options),
          attributes_(source.shape().attributes),
          needs_(neededCounts(options.measure, options.missing, source.shape())),
          buffers_(needs_, options.missing == MissingRule::Weighted && source.shape().hasMissing) {
        if (options.missing == MissingRule::Weighted && source.shape().hasMissing) {
            const Stopwatch watch;
            weights_.emplace(source, options.founders, progress);
            finishSeconds += watch.seconds();
        }
        run_ = engine.startCounting(source, needs_, options.variant);
    }
    PairRun& run() override { return *run_; }

    std::size_t compute(const PairTile& tile, MatrixView<double> values, Progress& progress) override {
        CountedTile counted = buffers_.view(tile);
        run_->count(tile, counted.counts, progress);
        const Stopwatch watch;
        if (weights_) {
            const MatrixView<std::uint32_t> bothMissing = buffers_.bothMissing(tile);
            weights_->sumBothMissing(tile, bothMissing, progress);
            counted.bothMissing = bothMissing;
        }
        const std::size_t undefined = valuesFromCounts(counted, options_.measure, options_.missing,
                                                       attributes_, weights_ ? &*weights_ : nullptr, values);
        finishSeconds += watch.seconds();
        return undefined;
    }

  private:
    const DistanceOptions& options_;
    std::size_t attributes_;
    CountNeeds needs_;
    CountBuffers buffers_;
    std::optional<MissingWeights> weights_;
    std::unique_ptr<CountingRun> run_;
};

class SumWork final : public TileWork {
  public:
    SumWork(PairEngine& engine, MatrixView<const float> coordinates, const DistanceOptions& options)
        : measure_(options.measure) {
        const Stopwatch watch;
        if (measure_ == Measure::Correlation) {
            standardised_ = standardiseRows(coordinates);
            coordinates = standardised_.view();
        }
        finishSeconds += watch.seconds();
        run_ = engine.startSumming(coordinates, sumTerm(measure_), options.variant);
    }
    PairRun& run() override { return *run_; }

    std::size_t compute(const PairTile& tile, MatrixView<double> values, Progress& progress) override {
        run_->sum(tile, values, progress);
        const Stopwatch watch;
        valuesFromSums(tile, measure_, values);
        finishSeconds += watch.seconds();
        return 0;
    }

  private:
    Measure measure_;
    Matrix<float> standardised_;
    std::unique_ptr<SummingRun> run_;
};

}  // namespace

std::size_t tileSide(Backend& backend, const DataView& data, const DistanceOptions& options) {
    const std::size_t wanted =
        options.tile > 0 ? options.tile : createPairEngine(backend)->preferredTile(requestFor(data, options));
    return std::clamp<std::size_t>(wanted, 1, data.instances());
}

Support supportsDistances(Backend& backend, const DataView& data, const DistanceOptions& options) {
    return supportsRequest(backend, requestFor(data, options));
}

DistanceReport computeDistances(Backend& backend, const DataView& data, const DistanceOptions& options,
                                pairs::PairSink& sink, Progress& progress) {
    checkMeasure(data, options);
    if (data.instances() == 0 || data.attributes() == 0)
        throw InputError(
            fmt::format("the data are {} instances × {} attributes; expected at least one of each",
                        data.instances(), data.attributes()));
    // What is done beside the backend's own work takes no more threads than it may.
    std::optional<DefaultThreads> threads;
    if (const auto* host = dynamic_cast<const HostBackend*>(&backend)) threads.emplace(host->threads());
    const std::unique_ptr<PairEngine> engine = createPairEngine(backend);
    if (const Support support = engine->supports(requestFor(data, options)); !support)
        throw UnavailableError(support.reason());
    if (!data.isCoordinates() && options.missing == MissingRule::Refuse && data.discrete->shape().hasMissing)
        refuseMissing(*data.discrete);

    const std::vector<PairTile> tiles =
        tilesBelowDiagonal(data.instances(), tileSide(backend, data, options));
    DistanceReport report;
    report.backend = backend.name();
    report.device = backend.device();
    report.instances = data.instances();
    report.attributes = data.attributes();
    report.tiles = tiles.size();
    double work = 0;
    std::vector<PairTile> open;
    for (const PairTile& tile : tiles) {
        if (sink.has(tile)) {
            ++report.tilesResumed;
            continue;
        }
        open.push_back(tile);
        work += static_cast<double>(tile.pairs()) * static_cast<double>(data.attributes());
    }

    std::unique_ptr<TileWork> tileWork;
    if (data.isCoordinates())
        tileWork = std::make_unique<SumWork>(*engine, data.coordinates, options);
    else
        tileWork = std::make_unique<CountWork>(*engine, *data.discrete, options, progress);
    progress.begin(data.isCoordinates() ? "summing" : "counting", work);
    Matrix<double> values;
    for (const PairTile& tile : open) {
        progress.throwIfCancelled();
        if (values.size() < tile.rows.size() * tile.columns.size())
            values = Matrix<double>(tile.rows.size(), tile.columns.size());
        const MatrixView<double> view(values.data(), tile.rows.size(), tile.columns.size());
        report.undefinedPairs += tileWork->compute(tile, view, progress);
        const Stopwatch watch;
        sink.store(tile, view);
        report.finishSeconds += watch.seconds();
    }
    report.finishSeconds += tileWork->finishSeconds;
    report.variant = toString(tileWork->run().variant());
    report.times = tileWork->run().times();
    report.note = tileWork->run().note();
    return report;
}

}  // namespace glycine::distance
