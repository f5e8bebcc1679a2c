#include "engine/distance/distance.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/missing_weights.hpp"
#include "engine/distance/prepared_coordinates.hpp"
#include "engine/distance/relationship.hpp"

namespace glycine::distance {

CoordinateView viewOf(const CoordinateMatrix& coordinates) {
    return std::visit([](const auto& matrix) -> CoordinateView { return matrix.view(); }, coordinates);
}

MissingRule defaultMissingRule(Measure measure) {
    return traitsOf(measure).isWeighted ? MissingRule::Weighted : MissingRule::Ignore;
}

std::size_t DataView::instances() const {
    return isCoordinates() ? coordinates.rows() : discrete->shape().instances;
}

std::size_t DataView::attributes() const {
    return isCoordinates() ? coordinates.columns() : discrete->shape().attributes;
}

void checkMeasure(const DataView& data, const DistanceOptions& options) {
    checkKnown(options.missing);
    const std::string_view measure = toString(options.measure);
    if (data.isCoordinates() != isForCoordinates(options.measure))
        throw UsageError(
            data.isCoordinates()
                ? fmt::format("the measure '{}' counts symbols, but the data are coordinates; for them: {}{}",
                              measure, measureNames(Attributes::Coordinates),
                              options.measure == Measure::Jaccard
                                  ? "; jaccard takes 1 for what is there and 0 for what is not"
                                  : "")
                : fmt::format("the measure '{}' is for coordinates, but the data are symbols; for them: {}, "
                              "hamming (the same as proportion), and for genotypes {}",
                              measure, measureNames(Attributes::Symbols),
                              measureNames(Attributes::Genotypes)));
    if (data.isCoordinates()) return;
    if (isForGenotypes(options.measure) && !data.discrete->shape().isGenotypes)
        throw UsageError(fmt::format("the measure '{}' counts alleles, but the data are no genotypes; use {}",
                                     measure, measureNames(Attributes::Symbols, " or ")));
    if (isForGenotypes(options.measure) && !traitsOf(options.measure).isWeighted &&
        options.missing != MissingRule::Ignore && options.missing != MissingRule::Refuse)
        throw UsageError(fmt::format(
            "the measure '{}' uses the genotypes that both samples have; use ignore or refuse", measure));
    if (options.missing == MissingRule::Weighted && !traitsOf(options.measure).isWeighted)
        throw UsageError(fmt::format(
            "missing entries can be weighted for allele, ibs and 1-ibs, not for '{}'; use ignore or flat",
            measure));
}

namespace {

/// The rows that this process checks of coordinates; other processes of a team at work check the rest.
Range ownRows(std::size_t rows) {
    const ProcessTeam* const team = teamAtWork();
    return team != nullptr ? ownPart(*team, rows) : Range{0, rows};
}

/// The first element in ownRows that `accepts` rejects.
template <class Number, class Accepts>
std::optional<ElementPlace> firstOwnRefused(const CoordinateRows<Number>& numbers, const Accepts& accepts) {
    const Range own = ownRows(numbers.rows());
    std::size_t before = 0;
    for (const MatrixView<const Number> part : {numbers.first(), numbers.second()}) {
        const std::size_t begin = std::clamp(own.begin, before, before + part.rows());
        const std::size_t end = std::clamp(own.end, begin, before + part.rows());
        const auto rows = part.block(begin - before, 0, end - begin, part.columns());
        if (const auto place = firstRefused(rows, accepts))
            return ElementPlace{begin + place->row, place->column};
        before += part.rows();
    }
    return std::nullopt;
}

}  // namespace

void checkDistances(const DataView& data, const DistanceOptions& options) {
    checkMeasure(data, options);
    checkKnown(options.variant);
    if (options.precision) checkKnown(*options.precision);
    if (data.instances() == 0 || data.attributes() == 0)
        throw InputError(
            fmt::format("the data are {} instances × {} attributes; expected at least one of each",
                        data.instances(), data.attributes()));
    if (options.references > 0 && options.references >= data.instances())
        throw UsageError(fmt::format("{} references among {} instances; expected at least one query, too",
                                     options.references, data.instances()));
    if (!options.founders.empty())
        checkCount("the founders", options.founders.size(), data.instances(),
                   "a flag for each instance, or none");
    if (!data.isCoordinates()) return;
    const DeviceCoordinates* const device = data.coordinates.device();
    if (device != nullptr && device->summary().areFinite) return;
    data.coordinates.visit([](const auto& numbers) {
        checkView("the coordinates", numbers.first());
        checkView("the coordinates", numbers.second());
        const auto place = firstOwnRefused(numbers, [](auto value) { return std::isfinite(value); });
        if (place)
            throw InputError(
                fmt::format("instance {}, attribute {}: the coordinate is {}; expected a finite number",
                            place->row + 1, place->column + 1, numbers(place->row, place->column)));
    });
}

std::size_t defaultOverlap(Measure measure, MissingRule rule, std::size_t attributes) {
    constexpr std::size_t kEnoughToEstimate = 1000;
    const std::size_t half = attributes / 2 + attributes % 2;
    const bool isPlainCount =
        rule == MissingRule::Ignore && !isForCoordinates(measure) && !traitsOf(measure).isShare;
    return isPlainCount ? half : std::min(half, kEnoughToEstimate);
}

double summationTolerance(std::size_t attributes, Precision precision) {
    return static_cast<double>(attributes + 3) * (precision == Precision::Float32 ? 0x1p-24 : 2 * 0x1p-53);
}

namespace {

/// Bytes of planes read at once.
constexpr std::size_t kOverlapBytes = std::size_t{64} << 20;
constexpr std::size_t kWordBits = 64;

}  // namespace

std::vector<std::size_t> knownAttributes(const DiscreteSource& source, Progress& progress,
                                         ProcessTeam* team) {
    const DiscreteShape& shape = source.shape();
    if (!shape.hasMissing) return std::vector<std::size_t>(shape.instances, shape.attributes);
    std::vector<std::size_t> known = source.knownAttributes();
    if (!known.empty()) return known;
    // A row for each process.
    Matrix<std::size_t> counts(team != nullptr ? team->processes() : 1, shape.instances, 0);
    std::size_t* const ofProcess = counts.row(team != nullptr ? team->rank() : 0);
    const std::size_t bytesOfWord = shape.instances * shape.storedPlanes() * sizeof(std::uint64_t);
    const std::size_t words = std::max<std::size_t>(1, kOverlapBytes / bytesOfWord);
    const std::vector<Range> blocks = splitRange(shape.attributes, words * kWordBits);
    const Range own = team != nullptr ? ownPart(*team, blocks.size()) : Range{0, blocks.size()};
    progress.begin("counting known attributes", static_cast<double>(shape.attributes));
    for (std::size_t b = own.begin; b < own.end; ++b) {
        const Range attributes = blocks[b];
        const PlaneBlock block = source.readPlanes({0, shape.instances}, attributes);
        const std::size_t count = (attributes.size() + kWordBits - 1) / kWordBits;
        for (std::size_t i = 0; i < shape.instances; ++i) {
            const std::uint64_t* valid = block.plane(i, shape.planes);
            for (std::size_t w = 0; w < count; ++w)
                ofProcess[i] += static_cast<std::size_t>(std::popcount(valid[w]));
        }
        progress.advance(static_cast<double>(attributes.size()));
    }
    if (team != nullptr)
        completeParts(*team, std::as_writable_bytes(std::span(counts.data(), counts.size())), counts.rows());
    known.assign(shape.instances, 0);
    for (std::size_t process = 0; process < counts.rows(); ++process)
        for (std::size_t i = 0; i < shape.instances; ++i) known[i] += counts(process, i);
    return known;
}

namespace {

/// Whether some pair may have fewer than `least` of the M attributes in common: two instances with k and l
/// known attributes share at least k + l − M. Reads the source if entries may be missing.
bool mayOverlapLess(const DiscreteSource& source, std::size_t least, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    if (!shape.hasMissing || least == 0 || shape.instances < 2) return least > shape.attributes;
    // Processes of a team begin their runs together, before any of them takes tiles.
    std::vector<std::size_t> known = knownAttributes(source, progress, teamAtWork());
    std::partial_sort(known.begin(), known.begin() + 2, known.end());
    return known[0] + known[1] < least + shape.attributes;
}

CountNeeds needsOf(const DataView& data, const DistanceOptions& options) {
    if (data.isCoordinates()) return {};
    const DiscreteShape& shape = data.discrete->shape();
    CountNeeds needs = neededCounts(options.measure, options.missing, shape);
    // If the run finds that every pair has enough in common, it needs fewer counts.
    needs.valid = needs.valid || (shape.hasMissing && options.leastInCommon > 0);
    return needs;
}

/// The request for genotypes as the coordinates of Measure::Grm.
PairRequest summingRequest(const DiscreteShape& shape, const DistanceOptions& options, Precision precision) {
    return {.variant = options.variant,
            .isCoordinates = true,
            .shape = {.instances = shape.instances, .attributes = shape.attributes},
            .precision = precision};
}

PairRequest requestFor(const DistanceEngine& engine, const DataView& data, const DistanceOptions& options) {
    if (options.measure == Measure::Grm)
        return summingRequest(data.discrete->shape(), options, precisionOf(engine, data, options));
    return requestFor(data, needsOf(data, options), options.variant, precisionOf(engine, data, options));
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

/// The counts needed of MarkedSource.
constexpr CountNeeds kMarkedNeeds{.opposite = false, .valid = true};

/// The request for MarkedSource that accompanies a request for genotypes.
PairRequest markedRequest(PairRequest request) {
    request.shape = MarkedSource::shapeFor(request.shape);
    request.needs = kMarkedNeeds;
    return request;
}

class CountedValues final : public ValueRun {
  public:
    CountedValues(DistanceEngine& engine, const DiscreteSource& source, const DistanceOptions& options,
                  Progress& progress)
        : options_(options),
          engine_(engine),
          source_(source),
          attributes_(source.shape().attributes),
          needs_(neededCounts(options.measure, options.missing, source.shape())) {
        if (options.missing == MissingRule::Weighted && source.shape().hasMissing) {
            const Stopwatch watch;
            weights_.emplace(source, options.founders, progress, MissingWeights::kMaxMaskBytes,
                             options.weights);
            finishSeconds_ += watch.seconds();
        }
        if (options.leastInCommon > 0 && source.shape().hasMissing) {
            const Stopwatch watch;
            if (mayOverlapLess(source, options.leastInCommon, progress)) {
                leastInCommon_ = options.leastInCommon;
                needs_.valid = true;
            }
            finishSeconds_ += watch.seconds();
        }
        run_ = engine.startCounting(source, needs_, options.variant);
        const std::optional<Mark> mark = traitsOf(options.measure).mark;
        if (!mark) return;
        markedSource_.emplace(source, *mark);
        markedRun_ = engine.startCounting(*markedSource_, kMarkedNeeds, options.variant);
    }

    void beginShared(ProcessTeam& team, std::size_t side) override {
        run_->beginShared(team, side);
        if (markedRun_) markedRun_->beginShared(team, side);
    }

    void begin(const PairTile& tile, std::size_t set, MatrixView<double>, Progress& progress) override {
        Stopwatch watch;
        Memory& memory = memory_[set];
        memory.counts = {pairs::fitTile(memory.differing, tile), {}, {}};
        if (needs_.opposite) memory.counts.opposite = pairs::fitTile(memory.opposite, tile);
        if (needs_.valid) memory.counts.valid = pairs::fitTile(memory.valid, tile);
        finishSeconds_ += watch.seconds();
        if (markedSource_)
            countTwice(tile, memory, progress);
        else
            run_->count(tile, memory.counts, progress);
        if (!weights_) return;
        watch.restart();
        weights_->sumBothMissing(tile, pairs::fitTile(memory.bothMissing, tile), progress);
        finishSeconds_ += watch.seconds();
    }

    std::optional<pairs::TileDigest> digest(const PairTile& tile, const pairs::DigestRequest& digestRequest,
                                            Progress& progress) override {
        if (!isWhole()) return std::nullopt;
        std::optional<pairs::TileDigest> digest = run_->digest(tile, digestRequest, leastInCommon_, progress);
        if (!digest) return std::nullopt;
        std::size_t& undefined = undefinedPairs_[pairs::TileSteps::kOfDigest] = tile.pairs();
        for (const pairs::RowDigest& row : digest->rows) undefined -= row.known;
        return digest;
    }

    bool keep(const PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
              Progress& progress) override {
        return isWhole() && leastInCommon_ == 0 && run_->keep(tile, store, finish, progress);
    }

    std::optional<pairs::WholeTile> whole(const PairTile& tile, std::size_t set) override {
        if (!isWhole()) return std::nullopt;
        const PairCounts& counts = memory_[set].counts;
        undefinedPairs_[set] = leastInCommon_ > 0 ? pairsWithFewer(tile, counts.valid, leastInCommon_) : 0;
        return pairs::WholeTile{counts.differing, counts.valid, leastInCommon_};
    }

    void finish(const PairTile& tile, std::size_t set, MatrixView<double> values) override {
        Memory& memory = memory_[set];
        CountedTile& counted = memory.counted = {tile, memory.counts, {}};
        if (weights_) counted.bothMissing = pairs::fitTile(memory.bothMissing, tile);
        if (markedSource_) {
            counted.marked = pairs::fitTile(memory.marked, tile);
            counted.markedAlone = pairs::fitTile(memory.markedAlone, tile);
        }
        undefinedPairs_[set] = valuesFromCounts(counted, options_.measure, options_.missing, attributes_,
                                                weights_ ? &*weights_ : nullptr, values, leastInCommon_);
    }

    void passOn(std::size_t set) override {
        if (options_.kinships == nullptr) return;
        KinshipTable& table = *options_.kinships;
        const CountedTile& counted = memory_[set].counted;
        struct Row {
            std::vector<KinshipPair> kept;
            DegreeCounts degrees{};
        };
        std::vector<Row> rows(counted.tile.rows.size());
        const auto rowOf = [&](std::size_t r, std::vector<KinshipPair>& pairs) {
            Row row;
            pairs.clear();
            for (std::size_t c = 0; c < counted.tile.columnsOf(r); ++c) {
                const KinshipPair pair = kinshipPair(counted, attributes_, r, c);
                if (pair.inCommon < leastInCommon_) continue;
                pairs.push_back(pair);
                const double kinship = pair.kinship();
                ++row.degrees[static_cast<std::size_t>(degreeOf(kinship))];
                // As PLINK 2 does, this keeps pairs without a value.
                if (!(kinship < table.least)) row.kept.push_back(pair);
            }
            rows[r] = std::move(row);
        };
        if (table.take) {
            table.take(counted.tile, rowOf);
        } else {
            const int threads = omp_get_max_threads();
            std::vector<std::vector<KinshipPair>> pairs(static_cast<std::size_t>(threads));
            parallelFor(threads, rows.size(),
                        [&](std::size_t r, std::size_t thread) { rowOf(r, pairs[thread]); });
        }
        for (const Row& row : rows) {
            table.pairs.insert(table.pairs.end(), row.kept.begin(), row.kept.end());
            std::ranges::transform(row.degrees, table.degrees, table.degrees.begin(), std::plus());
        }
    }

  private:
    const pairs::PairRun& run() const override { return *run_; }
    const pairs::PairRun* secondRun() const override { return markedRun_.get(); }
    /// Whether values are the plain numbers of differing attributes, as counted.
    bool isWhole() const {
        constexpr std::size_t kMaxAttributes = std::numeric_limits<std::int32_t>::max();
        const bool isScaled = weights_ || (options_.missing == MissingRule::Flat && needs_.valid);
        return options_.measure == Measure::Mismatch && !isScaled && attributes_ <= kMaxAttributes;
    }
    struct Memory;
    /// For measures with a mark. If the device has no room for the data of both runs, each run restarts for
    /// every tile.
    void countTwice(const PairTile& tile, Memory& memory, Progress& progress) {
        const std::size_t instances = markedSource_->shape().instances / 2;
        const PairTile marked{{instances + tile.rows.begin, instances + tile.rows.end}, tile.columns};
        const PairCounts markedCounts{
            pairs::fitTile(memory.markedAlone, tile), {}, pairs::fitTile(memory.marked, tile)};
        if (!takesTurns_) {
            try {
                run_->count(tile, memory.counts, progress);
                markedRun_->count(marked, markedCounts, progress);
                return;
            } catch (const MemoryError&) {
                takesTurns_ = true;
            }
        }
        run_.reset();
        markedRun_.reset();
        markedRun_ = engine_.startCounting(*markedSource_, kMarkedNeeds, options_.variant);
        markedRun_->count(marked, markedCounts, progress);
        markedRun_.reset();
        run_ = engine_.startCounting(source_, needs_, options_.variant);
        run_->count(tile, memory.counts, progress);
    }

    const DistanceOptions options_;
    DistanceEngine& engine_;
    const DiscreteSource& source_;
    std::size_t attributes_;
    CountNeeds needs_;
    std::size_t leastInCommon_ = 0;  ///< 0: no pair has fewer
    bool takesTurns_ = false;
    std::optional<MissingWeights> weights_;
    struct Memory {
        Matrix<std::uint32_t> differing, opposite, valid, marked, markedAlone;
        Matrix<std::uint64_t> bothMissing;
        PairCounts counts;
        CountedTile counted;
    };
    Memory memory_[2];
    std::unique_ptr<CountingRun> run_;
    std::optional<MarkedSource> markedSource_;  ///< for measures with a mark
    std::unique_ptr<CountingRun> markedRun_;
};

class SummedValues final : public ValueRun {
  public:
    SummedValues(DistanceEngine& engine, const DataView& data, const DistanceOptions& options)
        : measure_(options.measure),
          coordinates_(data.coordinates, precisionOf(engine, data, options), traitsOf(measure_).preparation,
                       teamAtWork()) {
        rounding_ = coordinates_.rounding();
        if (traitsOf(measure_).divisor == Divisor::RowSums) findMargins(data.coordinates);
        if (traitsOf(measure_).divisor == Divisor::Attributes)
            margins_.assign(data.instances(), static_cast<double>(data.attributes()) / 2);
        finishSeconds_ += preparing_.seconds();
        run_ = engine.startSumming(coordinates_.view(), traitsOf(measure_).term, options.variant);
    }

    void begin(const PairTile& tile, std::size_t, MatrixView<double> values, Progress& progress) override {
        run_->sum(tile, values, progress);
    }
    void finish(const PairTile& tile, std::size_t, MatrixView<double> values) override {
        valuesFromSums(tile, measure_, values, coordinates_.unit(), margins_);
    }
    bool keep(const PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
              Progress& progress) override {
        finish.isRoot = measure_ == Measure::Euclidean;
        const bool isSum = finish.isRoot || traitsOf(measure_).fromSums == nullptr;
        return isSum && coordinates_.unit() == 1 && margins_.empty() &&
               run_->keep(tile, store, finish, progress);
    }

  private:
    /// Throws InputError for a negative number, and for a row of zeros.
    void findMargins(CoordinateView input) {
        const Range own = ownRows(input.rows());
        margins_.resize(input.rows());
        input.visit([&](const auto& numbers) {
            if (const auto place = firstOwnRefused(numbers, [](auto value) { return value >= 0; }))
                throw InputError(fmt::format(
                    "instance {}, attribute {}: {} is negative; '{}' compares amounts", place->row + 1,
                    place->column + 1, numbers(place->row, place->column), toString(measure_)));
            for (std::size_t i = own.begin; i < own.end; ++i) {
                margins_[i] = std::accumulate(numbers.row(i), numbers.row(i) + numbers.columns(), 0.0);
                if (margins_[i] == 0)
                    throw InputError(fmt::format("instance {}: all amounts are 0; '{}' divides by their sum",
                                                 i + 1, toString(measure_)));
            }
        });
        if (ProcessTeam* const team = teamAtWork())
            completeParts(*team, std::as_writable_bytes(std::span(margins_)), margins_.size());
        // The effect of rounding is divided by the sums of two rows.
        rounding_.manhattan /= 2 * *std::ranges::min_element(margins_);
    }
    const pairs::PairRun& run() const override { return *run_; }

    Stopwatch preparing_;
    Measure measure_;
    PreparedCoordinates coordinates_;
    std::vector<double> margins_;  ///< sums of rows, if values are divided by them
    std::unique_ptr<SummingRun> run_;
};

}  // namespace

void ValueRun::compute(const PairTile& tile, std::span<const MatrixView<double>> results,
                       Progress& progress) {
    begin(tile, 0, results.front(), progress);
    const Stopwatch watch;
    finish(tile, 0, results.front());
    finishSeconds_ += watch.seconds();
}

Precision precisionOn(Backend& backend, const DataView& data, const DistanceOptions& options) {
    return precisionOf(*createImplementation<DistanceEngine>(backend), data, options);
}

std::size_t tileSide(Backend& backend, const PairRequest& request) {
    const std::size_t instances = request.shape.instances;
    const std::size_t preferred = createImplementation<DistanceEngine>(backend)->preferredTile(request);
    std::size_t wanted = pairs::sharedSide(backend, instances, preferred);
    // Parts of packed instances begin at multiples of 4 (cpu bitplane), also in the quarters into which the
    // last tiles are cut. Of long sides, cpu cuts blocks of 64: a rest would load as much for fewer pairs.
    const std::size_t step = std::clamp<std::size_t>(std::bit_floor(wanted / 6), 8, 128);
    if (wanted >= step) wanted = std::min(preferred, roundUp(wanted, step));
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(instances, 1));
}

std::size_t tileSide(Backend& backend, const DataView& data, const DistanceOptions& options) {
    if (options.tile > 0)
        return std::clamp<std::size_t>(options.tile, 1, std::max<std::size_t>(data.instances(), 1));
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
    return tileSide(backend, requestFor(*engine, data, options));
}

Support supportsDistances(Backend& backend, const DataView& data, const DistanceOptions& options) {
    if (!data.isCoordinates() && options.measure == Measure::Grm) {
        if (findImplementation<DistanceEngine>(backend) == nullptr) return supportsRequest(backend, {});
        const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
        if (Support sums = engine->supports(requestFor(*engine, data, options)); !sums) return sums;
        return engine->supports(requestFor(data, needsOf(data, options), Variant::Default));
    }
    const Support support = supportsData(backend, data, needsOf(data, options), options);
    if (!support || !traitsOf(options.measure).mark || data.isCoordinates()) return support;
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
    return engine->supports(markedRequest(requestFor(*engine, data, options)));
}

double hostBytesForDistances(Backend& backend, const DataView& data, const DistanceOptions& options) {
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
    const PairRequest request = requestFor(*engine, data, options);
    const std::size_t side = tileSide(backend, data, options);
    // In a single tile, host code touches only the pairs below the diagonal.
    const bool isHalf = side >= data.instances() && dynamic_cast<const HostBackend*>(&backend) != nullptr;
    const double ofTile = static_cast<double>(side) * static_cast<double>(side) / (isHalf ? 2 : 1);
    const double atOnce = ofTile * static_cast<double>(pairs::tilesAtOnce(backend, data.instances(), side));
    const double values = atOnce * sizeof(double) + engine->hostBytes(request, side);
    if (data.isCoordinates())
        return values + PreparedCoordinates::bytes(data.coordinates, request.precision,
                                                   traitsOf(options.measure).preparation);
    if (options.measure == Measure::Grm)
        return values + bytesForRelationships(data.discrete->shape(), request.precision, side);
    const int counts = 1 + (request.needs.opposite ? 1 : 0) + (request.needs.valid ? 1 : 0);
    double bytes = values + counts * atOnce * sizeof(std::uint32_t);
    if (options.missing == MissingRule::Weighted && request.shape.hasMissing)
        bytes += MissingWeights::bytes(request.shape) + atOnce * sizeof(std::uint64_t);
    if (traitsOf(options.measure).mark)
        bytes += engine->hostBytes(markedRequest(request), side) + 2 * atOnce * sizeof(std::uint32_t);
    return bytes;
}

DistanceReport computeDistances(Backend& backend, const DataView& data, const DistanceOptions& options,
                                pairs::PairSink& sink, Progress& progress) {
    checkDistances(data, options);
    // Host work around the backend's runs uses no more threads than the backend may.
    const ThreadsOf threads(backend);
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
    if (const Support support = engine->supports(requestFor(*engine, data, options)); !support)
        throw UnavailableError(support.reason());
    if (!data.isCoordinates() && options.missing == MissingRule::Refuse && data.discrete->shape().hasMissing)
        refuseMissing(*data.discrete);

    const std::size_t side = tileSide(backend, data, options);
    std::shared_ptr<ValueRun> first;
    std::size_t undefinedPairs = 0;
    const auto stepsOn = [&](Backend& device) {
        const std::shared_ptr<DistanceEngine> own = createImplementation<DistanceEngine>(device);
        if (const Support support = own->supports(requestFor(*own, data, options)); !support)
            throw UnavailableError(support.reason());
        // One device reports its preparation.
        const std::shared_ptr<ValueRun> run =
            startValues(*own, data, options, &device == &backend ? progress : silentProgress());
        if (&device == &backend) {
            first = run;
            if (ProcessTeam* const team = teamAtWork()) run->beginShared(*team, side);
        }
        const auto undefined = std::make_shared<std::size_t>(0);  // of stored tiles
        return pairs::TileSteps{
            .compute =
                [own, run, &progress](const pairs::TileWork& work) {
                    run->begin(work.tile, work.set, work.values, progress);
                },
            .finish = [run](const pairs::TileWork& work) { run->finish(work.tile, work.set, work.values); },
            .whole = [run](const pairs::TileWork& work) { return run->whole(work.tile, work.set); },
            .digest =
                [run, &device, &progress](const pairs::PairTile& tile,
                                          const pairs::DigestRequest& digestRequest) {
                    return namingDevice(device, [&] { return run->digest(tile, digestRequest, progress); });
                },
            .keep = [run, &progress](
                        const pairs::PairTile& tile,
                        pairs::DeviceStore& store) { return run->keep(tile, store, {}, progress); },
            .stored =
                [run, undefined](std::size_t set) {
                    *undefined += run->undefinedPairs(set);
                    if (set != pairs::TileSteps::kOfDigest) run->passOn(set);
                },
            .end = [undefined, &undefinedPairs] { undefinedPairs += *undefined; }};
    };
    const pairs::TileCount count = pairs::computeTiles(
        {.instances = data.instances(),
         .side = side,
         .stage = isSummed(options.measure) ? "summing" : "counting",
         .workPerPair = static_cast<double>(data.attributes()) * (traitsOf(options.measure).mark ? 2 : 1),
         .sets = pairs::tileSets(backend, data.instances(), side),
         .references = options.references,
         .isExact = !isSummed(options.measure)},
        sink, progress, backend, stepsOn);
    return {{backend, *first, count}, data.instances(), data.attributes(),
            first->finishSeconds(),   undefinedPairs,   precisionOf(*engine, data, options),
            first->rounding()};
}

std::unique_ptr<ValueRun> startValues(DistanceEngine& engine, const DataView& data,
                                      const DistanceOptions& options, Progress& progress) {
    if (data.isCoordinates()) return std::make_unique<SummedValues>(engine, data, options);
    if (options.measure == Measure::Grm)
        return startRelationships(engine, *data.discrete, options, precisionOf(engine, data, options),
                                  progress);
    return std::make_unique<CountedValues>(engine, *data.discrete, options, progress);
}

}  // namespace glycine::distance
