#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "app/distance/run_options.hpp"
#include "engine/core/device_arrays.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/distance_request.hpp"
#include "engine/distance/input/joined_data.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/recount_distances.hpp"
#include "engine/distance/relationship.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/pairs/few_instances.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

/// The data of a call, and the object that owns them.
struct Input {
    py::object held;
    distance::CoordinateMatrix joined;
    std::unique_ptr<distance::DiscreteSource> genotypes;
    std::unique_ptr<distance::DeviceCoordinates> onDevice;
    distance::DataView view;
    bool isOnDevice = false;
    double bytes = 0;    ///< of the arrays
    double seconds = 0;  ///< time in which the library reads and checks the data
};

/// Reads genotypes whose elements are of one of the types `Numbers`.
template <class... Numbers>
void readGenotypes(const char* name, const py::array& array, Input& input) {
    const auto readAs = [&]<class Number>(Number) {
        if (!py::isinstance<py::array_t<Number>>(array)) return false;
        const distance::StridedNumbers<Number> numbers{
            static_cast<const Number*>(array.data()), static_cast<std::size_t>(array.shape(0)),
            static_cast<std::size_t>(array.shape(1)), array.strides(0), array.strides(1)};
        input.seconds = unlocked([&](Progress&) { input.genotypes = distance::genotypesOf(numbers, name); });
        return true;
    };
    static_cast<void>((readAs(Numbers()) || ...));
}

Input inputOf(const char* name, const py::array& given, distance::DataKind kind) {
    requireNumbers(name, given, 2);
    const char type = given.dtype().kind();
    if (kind == distance::DataKind::Automatic)
        kind = type == 'f' ? distance::DataKind::Coordinates : distance::DataKind::Genotypes;
    if (kind != distance::DataKind::Coordinates && kind != distance::DataKind::Genotypes)
        throw UsageError(fmt::format("an array holds genotypes or coordinates, not {}", toString(kind)));
    Input input;
    input.bytes = static_cast<double>(given.nbytes());
    const bool isSingle = given.itemsize() <= (type == 'f' ? 4 : 2);
    if (kind == distance::DataKind::Coordinates) {
        const auto use = [&](auto matrix) {
            input.held = matrix.held;
            input.view.coordinates = matrix.view;
        };
        if (isSingle)
            use(matrixOf<float>(name, given));
        else
            use(matrixOf<double>(name, given));
        return input;
    }
    // Half precision, foreign byte order and misaligned data require a copy.
    const bool isPlain = isAligned(given) && given.dtype().attr("isnative").cast<bool>() && type != 'b' &&
                         !(type == 'f' && given.itemsize() == 2);
    const std::string plain =
        fmt::format("{}{}", type == 'b' ? 'u' : type, type == 'f' ? 8 : given.itemsize());
    const py::array array = isPlain ? given : py::array(given.attr("astype")(plain));
    input.held = array;
    readGenotypes<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                  std::int64_t, std::uint64_t, float, double>(name, array, input);
    input.view.discrete = input.genotypes.get();
    return input;
}

/// The rows of references and then of queries; copied only if they are coordinates of both precisions.
/// Numbers of both kinds are coordinates, unless the call says otherwise.
Input inputOfBoth(const py::array& references, const py::array& queries, distance::DataKind kind) {
    if (kind == distance::DataKind::Automatic &&
        (references.dtype().kind() == 'f' || queries.dtype().kind() == 'f'))
        kind = distance::DataKind::Coordinates;
    Input input = inputOf("B", references, kind), second = inputOf("A", queries, kind);
    input.held = py::make_tuple(input.held, second.held);
    input.bytes += second.bytes;
    input.seconds += second.seconds;
    if (input.view.isCoordinates()) {
        const distance::CoordinateView first = input.view.coordinates, other = second.view.coordinates;
        if (first.precision() == other.precision()) {
            first.visit([&]<class Number>(distance::CoordinateRows<Number> rows) {
                input.view.coordinates =
                    distance::CoordinateRows<Number>(rows.first(), other.as<Number>().first());
            });
        } else {
            input.seconds += unlocked([&](Progress&) { input.joined = distance::joinRows(first, other); });
            input.view.coordinates = distance::viewOf(input.joined);
        }
    } else {
        input.genotypes = distance::joinSources(std::move(input.genotypes), std::move(second.genotypes));
        input.view.discrete = input.genotypes.get();
    }
    return input;
}

/// A matrix on a CUDA device, used in place. Nothing if it has to be copied to the host.
std::optional<Input> inputOnDevice(const py::object& given, distance::DataKind kind, const Request& request) {
    DeviceMatrix matrix = deviceMatrix(given);
    if (kind == distance::DataKind::Automatic)
        kind = matrix.kind == 'f' ? distance::DataKind::Coordinates : distance::DataKind::Genotypes;
    const bool isTaken = kind == distance::DataKind::Genotypes ||
                         (kind == distance::DataKind::Coordinates && matrix.kind == 'f');
    if (matrix.data == nullptr || !isTaken) return std::nullopt;
    Input input;
    input.held = given;
    input.isOnDevice = true;
    onBackend("cuda", &request, [&](Backend& cuda) {
        std::shared_ptr<const DeviceArrays> arrays = deviceArraysOf(cuda);
        matrix.device = arrays->deviceOf(matrix.data);
        if (kind == distance::DataKind::Coordinates) {
            input.onDevice = std::make_unique<distance::DeviceCoordinates>(std::move(arrays), matrix);
            input.view.coordinates = input.onDevice->view();
        } else {
            input.genotypes = createImplementation<distance::DistanceEngine>(cuda)->genotypesOnDevice(matrix);
            input.view.discrete = input.genotypes.get();
        }
    });
    if (!input.genotypes && !input.onDevice) return std::nullopt;
    return input;
}

/// Pairs with their counts, the most related first, as arrays named like the columns of files of relatives.
py::dict relativesIn(distance::KinshipTable table) {
    const std::vector<distance::KinshipPair> pairs = distance::closestFirst(std::move(table.pairs));
    py::dict columns;
    const auto add = [&](const char* name, const auto& of) {
        std::vector<std::decay_t<decltype(of(pairs[0]))>> values;
        for (const distance::KinshipPair& pair : pairs) values.push_back(of(pair));
        columns[name] = arrayOf(std::move(values));
    };
    add("first", [](const distance::KinshipPair& pair) { return pair.column; });
    add("second", [](const distance::KinshipPair& pair) { return pair.row; });
    add("in_common", [](const distance::KinshipPair& pair) { return pair.inCommon; });
    add("ibs0", [](const distance::KinshipPair& pair) { return pair.ibs0; });
    add("ibs1", [](const distance::KinshipPair& pair) { return pair.ibs1; });
    add("ibs2", [](const distance::KinshipPair& pair) { return pair.ibs2(); });
    add("het_het", [](const distance::KinshipPair& pair) { return pair.hetHet; });
    add("kinship", [](const distance::KinshipPair& pair) { return pair.kinship(); });
    py::list degrees;
    for (const distance::KinshipPair& pair : pairs)
        degrees.append(std::string(toString(distance::degreeOf(pair.kinship()))));
    columns["degree"] = degrees;
    return columns;
}

/// Reduces the tile size until the additional host memory is at most a tenth of input and result, or 32 MiB.
void shrinkTiles(Backend& backend, const distance::DataView& view, distance::DistanceOptions& options,
                 double held) {
    constexpr std::size_t kLeastSide = 512;
    constexpr double kLittle = 32 << 20;
    if (options.tile > 0) return;
    for (std::size_t side = distance::tileSide(backend, view, options);
         side > kLeastSide &&
         distance::hostBytesForDistances(backend, view, options) > std::max(held / 10, kLittle);)
        options.tile = side = (side + 1) / 2;
}

/// `data`: an array, a DataSet, or a tuple of references and queries.
py::tuple distances(const py::object& data, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, distance::algorithm());
    distance::DistanceRequest wanted;
    distance::DistanceOptions options;
    distance::DataKind kind = distance::DataKind::Automatic;
    Options declared;
    distance::declareMeasureOptions(declared, wanted);
    distance::declarePrecisionOption(declared, options);
    declareTileOption(declared, options.tile);
    keywords.parse(declared, {"measure", "missing", "min_overlap", "precision", "tile"});
    keywords.read("kind", kind, "founders", options.founders, "references", options.references);
    // As in the command, arrays hold numbers that are compared as such.
    if (kind == distance::DataKind::Automatic && wanted.measure &&
        distance::isForCoordinates(*wanted.measure))
        kind = distance::DataKind::Coordinates;
    PairTarget result(keywords, options.references);
    distance::KinshipTable table;
    if (keywords.flag("relatives")) {
        table.least = distance::kLeastKinshipOfRelatives;
        keywords.read("min_kinship", table.least);
        options.kinships = &table;
    }
    keywords.finish();

    Input input;
    if (py::isinstance<distance::DataSet>(data)) {
        const auto& set = data.cast<const distance::DataSet&>();
        input.view = set.view();
        kind = set.kind;
        if (options.founders.empty()) options.founders = set.founders;
    } else {
        std::optional<Input> there;
        if (py::isinstance<py::tuple>(data))
            there = inputOfBoth(onHost(data[py::int_(0)]), onHost(data[py::int_(1)]), kind);
        else if (request.mayRunOnCuda())
            there = inputOnDevice(data, kind, request);
        input = there ? std::move(*there) : inputOf("X", onHost(data), kind);
        kind = input.view.isCoordinates() ? distance::DataKind::Coordinates : distance::DataKind::Genotypes;
    }
    distance::requireReadersOf(declared, kind);
    const bool areFoundersGiven = keywords.has("founders");
    input.seconds += unlocked([&](Progress&) {
        distance::applyDefaults(wanted, options, input.view);
        if (areFoundersGiven && options.missing != distance::MissingRule::Weighted &&
            options.measure != distance::Measure::Grm)
            throw UsageError(
                fmt::format("founders are for relationships (measure=\"grm\") and missing=\"weighted\", but "
                            "this computes {} with missing=\"{}\"",
                            toString(options.measure), toString(options.missing)));
        distance::checkDistances(input.view, options);
    });
    options.variant = fromString<distance::Variant>(request.variant);
    options.weights = wanted.isPlink ? distance::WeightScale::Plink : distance::WeightScale::Fine;
    result.settle(input.view.instances(), distance::areCounts(input.view, options)
                                              ? pairs::ValueType::Int32
                                              : pairs::ValueType::Float64);
    distance::DistanceReport report;
    std::optional<RecountReport> recount;
    const distance::RecountCost cost = distance::costOfRecount(input.view, options);
    const auto recountSomeOf = [&](Backend& reference, std::span<const std::size_t> numbers,
                                   Progress& progress, const pairs::TakePair& take) {
        if (!input.isOnDevice || cost.fixed > 0)
            return distance::recountByReference(reference, input.view, options, report, numbers, progress,
                                                take);
        // Only the sampled instances are copied to the host.
        pairs::countAmongFew(numbers, input.view.attributes() * sizeof(double), take,
                             [&](const pairs::FewInstances& few, const pairs::TakePair& takeOne) {
                                 const distance::DataSet read =
                                     distance::selectInstances(input.view, few.rows);
                                 distance::recountByReference(reference, read.view(), options, report,
                                                              few.pairs, progress, takeOne);
                             });
    };
    const PairRecount again{
        std::string(toString(options.measure)), {.each = cost.each, .fixed = cost.fixed}, recountSomeOf};
    Computed computed = compute(
        request, [&](Backend& backend) { return distance::supportsDistances(backend, input.view, options); },
        [&](Backend& backend, Progress& progress) {
            shrinkTiles(backend, input.view, options, input.bytes + static_cast<double>(result.bytes()));
            requireHostMemory(fmt::format("computing distances of {} instances", input.view.instances()),
                              static_cast<double>(result.bytesToAllocate(backend)) +
                                  distance::hostBytesForDistances(backend, input.view, options));
            pairs::PairSink& store = result.open(backend, distance::diagonalValue(options.measure),
                                                 distance::diagonalsOf(input.view, options, progress));
            report = distance::computeDistances(backend, input.view, options, store, progress);
            recount = recountSome(backend, request, result.found(), report, again, progress);
        });
    computed.seconds += input.seconds;
    py::dict run = describe(report, computed, recount);
    if (options.kinships != nullptr) run["relatives"] = relativesIn(std::move(table));
    addItems(run, "measure", options.measure, "undefined", report.undefinedPairs, "references",
             options.references, "is_similarity", distance::traitsOf(options.measure).isSimilarity);
    if (input.view.isCoordinates()) {
        addItems(run, "precision", report.precision, "largest_rounding", report.rounding.largest);
    } else {
        addItems(run, "missing", options.missing, "min_overlap", options.leastInCommon);
    }
    return py::make_tuple(result.array(), run);
}

const Function distanceFunctions[] = {{"distances", &distances}};

}  // namespace

}  // namespace glycine::python
