#include <omp.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "app/bounds/bounds_options.hpp"
#include "app/bounds/recount_bounds.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/device_arrays.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/io/arrays/npy_memory.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

/// An array as an NPY file, so that its numbers are read, checked and rounded like those of files.
struct ArrayFile {
    py::array array;  ///< row by row
    std::unique_ptr<io::ByteSource> file;

    ArrayFile(const char* name, const py::array& given) : array(given) {
        // Types that files of bounds do not hold.
        const char kind = given.dtype().kind();
        if (kind == 'b' || given.itemsize() == 2) array = given.attr("astype")(kind == 'f' ? "f4" : "i4");
        array = py::array::ensure(array, py::array::c_style);
        if (!array) throw py::error_already_set();
        const auto shape = array.attr("shape").cast<std::vector<std::size_t>>();
        const std::span elements(static_cast<const std::byte*>(array.data()),
                                 static_cast<std::size_t>(array.nbytes()));
        file = io::openNpyMemory(array.dtype().attr("str").cast<std::string>(), shape, elements, name);
    }
};

/// The matrix as files of bounds have it: in Å, unknown upper bounds infinite. Lower bounds are always known.
template <class T>
py::array inAngstrom(Matrix<T> bounds, bool areUpper) {
    constexpr std::size_t kWorthThreads = 100000;
    const int threads = bounds.size() > kWorthThreads ? omp_get_max_threads() : 1;
    const auto convert = [&](auto& target) {
        parallelFor(threads, bounds.rows(), [&](std::size_t row, std::size_t) {
            using Number = std::decay_t<decltype(*target.row(row))>;
            std::transform(bounds.row(row), bounds.row(row) + bounds.columns(), target.row(row),
                           [](T bound) { return static_cast<Number>(bounds::angstromOrInfinity(bound)); });
        });
    };
    if constexpr (std::is_integral_v<T>) {
        Matrix<double> matrix(bounds.rows(), bounds.columns());
        convert(matrix);
        return arrayOf(std::move(matrix));
    } else {
        // Most results know all bounds and stay as they are. A plain loop: -O1, with which this file is
        // compiled, calls the predicate of std::any_of once per bound.
        const T* bound = bounds.data();
        const T* const end = bound + (areUpper ? bounds.size() : 0);
        while (bound != end && *bound < bounds::kUnknownUpper<T>) ++bound;
        if (bound != end) convert(bounds);
        return arrayOf(std::move(bounds));
    }
}

/// Returns (upper, lower).
py::tuple arraysOf(bounds::BoundSet& set) {
    return std::visit(
        [](auto& owned) {
            return py::make_tuple(inAngstrom(std::move(owned.upper), true),
                                  inAngstrom(std::move(owned.lower), false));
        },
        set.bounds);
}

void readFormat(Keywords& keywords, bounds::BoundFileOptions& reading) {
    std::optional<bounds::Rounding> rounding;
    keywords.read("precision", reading.format, "rounding", rounding, "allow_inconsistent",
                  reading.allowInconsistent);
    reading.rounding = bounds::roundingOf(reading.format, rounding);
}

/// Returns (arrays, violations, facts about the run). `arrays`: upper and lower bounds, or the device arrays
/// that received them.
py::tuple resultOf(const bounds::SmoothingReport& report, const Computed& computed, std::size_t knownPairs,
                   const std::vector<std::string>& warnings,
                   const std::pair<std::optional<RecountReport>, std::optional<RecountReport>>& counted,
                   const py::object& arrays) {
    py::dict run = describe(report, computed, counted.first,
                            {{"upload", report.times.upload},
                             {"upper", report.times.upper},
                             {"lower", report.times.lower},
                             {"download", report.times.download}});
    addItems(run, "note", report.note, "precision", report.format, "step", report.step, "known_pairs",
             knownPairs, "pair_recount", toPython(counted.second), "warnings", warnings, "violation_count",
             report.violationCount);
    py::list violations;
    for (const bounds::Violation& one : report.violations)
        violations.append(py::make_tuple(one.i, one.j, one.upper, one.lower));
    return py::make_tuple(arrays, violations, run);
}

/// Copies a matrix from a device, in the form in which loadBounds loads a symmetric matrix of bounds.
template <class T>
Matrix<T> boundsOnHost(const DeviceArrays& arrays, const DeviceMatrix& matrix, std::size_t atoms) {
    if (matrix.data == nullptr) return Matrix<T>(atoms, atoms, T(0));
    std::vector<std::size_t> rows(atoms);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const Matrix<double> numbers = rowsOnHost(arrays, matrix, rows);
    Matrix<T> bounds(atoms, atoms);
    std::transform(numbers.data(), numbers.data() + numbers.size(), bounds.data(),
                   [](double number) { return bounds::upperFromAngstrom<T>(number) + T(0); });
    return bounds;
}

/// smoothBounds for matrices on a device, if they are simple enough to be checked there. Only data for
/// recounts is copied to the host. `out`: None, or the two device matrices for the result. Returns None if
/// the host has to do it.
template <class T>
py::object smoothOnDevice(bounds::DeviceBoundRequest wanted, const Request& request,
                          const bounds::SmoothingOptions& options, const py::object& out) {
    const std::size_t atoms = wanted.upper.rows;
    bounds::OwnedBounds<T> result;
    const bool staysOnDevice = wanted.smoothedUpper.data != nullptr;
    std::optional<bounds::DeviceSmoothing> found;
    std::pair<std::optional<RecountReport>, std::optional<RecountReport>> counted;
    const bounds::SmoothingRequest known{options.variant, wanted.format, atoms, options.rounding};
    const Computed computed = compute(
        request, [&](Backend& backend) { return bounds::supportsRequest(backend, known); },
        [&](Backend& backend, Progress& progress) {
            if (backend.name() != "cuda") return;
            const std::unique_ptr<DeviceArrays> arrays = deviceArraysOf(backend);
            for (DeviceMatrix* matrix :
                 {&wanted.upper, &wanted.lower, &wanted.smoothedUpper, &wanted.smoothedLower})
                if (matrix->data != nullptr) matrix->device = arrays->deviceOf(matrix->data);
            if (!staysOnDevice) result = {Matrix<T>(atoms, atoms), Matrix<T>(atoms, atoms)};
            const bool isCounted = !request.isUnchecked;
            bounds::OwnedBounds<T> input;
            const auto fetchInput = [&] {
                input = {boundsOnHost<T>(*arrays, wanted.upper, atoms),
                         boundsOnHost<T>(*arrays, wanted.lower, atoms)};
            };
            // The output may overwrite the input.
            if (isCounted && staysOnDevice) fetchInput();
            found = bounds::smoothOnDevice(backend, wanted, result.matrices(), options, progress);
            if (!found) return;
            bounds::SmoothingReport& report = found->report;
            if (staysOnDevice && (isCounted || report.violationCount > 0)) {
                result = {boundsOnHost<T>(*arrays, wanted.smoothedUpper, atoms),
                          boundsOnHost<T>(*arrays, wanted.smoothedLower, atoms)};
                bounds::findViolations(result.matrices(), options.tolerance, options.maxListedViolations,
                                       report.violations);
            }
            if (isCounted && !staysOnDevice) fetchInput();
            if (isCounted) {
                bounds::RunInput before{bounds::AnyOwnedBounds(std::move(input))};
                counted = bounds::recountBounds(backend, request, before, result.matrices(), report,
                                                report.times.total());
            }
        });
    if (!found) return py::none();
    const py::object arrays = staysOnDevice
                                  ? out
                                  : py::object(py::make_tuple(inAngstrom(std::move(result.upper), true),
                                                              inAngstrom(std::move(result.lower), false)));
    return resultOf(found->report, computed, found->knownPairs, {}, counted, arrays);
}

/// The two device matrices for the result. Throws UsageError for anything else.
std::pair<DeviceMatrix, DeviceMatrix> targetsOf(const py::object& out, bounds::NumberFormat format,
                                                const DeviceMatrix& like) {
    const auto one = [&](std::size_t which) {
        const DeviceMatrix matrix = deviceMatrix(out[py::int_(which)]);
        const std::size_t bytes = format == bounds::NumberFormat::Float32 ? sizeof(float) : sizeof(double);
        if (matrix.data == nullptr || matrix.kind != 'f' || matrix.itemBytes != bytes ||
            matrix.rows != like.rows || matrix.columns != like.rows)
            throw UsageError(fmt::format(
                "out: expected two matrices on the device, {} × {} of {}, for upper and lower bounds",
                like.rows, like.rows, toString(format)));
        return matrix;
    };
    return {one(0), one(1)};
}

py::object smoothBounds(const py::object& upper, const py::object& lower, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, bounds::algorithm());
    bounds::BoundFileOptions reading;
    bounds::SmoothingOptions options;
    readFormat(keywords, reading);
    keywords.read("tolerance", options.tolerance, "max_violations", options.maxListedViolations);
    const py::object out = keywords.object("out");
    keywords.finish();
    options.variant = fromString<bounds::Variant>(request.variant);
    options.rounding = reading.rounding;
    bounds::DeviceBoundRequest there{.variant = options.variant,
                                     .format = reading.format,
                                     .upper = deviceMatrix(upper),
                                     .lower = deviceMatrix(lower),
                                     .smoothedUpper = {},
                                     .smoothedLower = {},
                                     .tolerance = options.tolerance};
    const bool isOnDevice = there.upper.data != nullptr && there.upper.rows == there.upper.columns &&
                            (lower.is_none() || there.lower.data != nullptr);
    if (isOnDevice && request.mayRunOnCuda() && reading.rounding == bounds::Rounding::Nearest) {
        if (!out.is_none())
            std::tie(there.smoothedUpper, there.smoothedLower) = targetsOf(out, there.format, there.upper);
        const py::object found = there.format == bounds::NumberFormat::Float64
                                     ? smoothOnDevice<double>(there, request, options, out)
                                     : smoothOnDevice<float>(there, request, options, out);
        if (!found.is_none()) return found;
    }
    const py::array uppersOnHost = onHost(upper);
    requireNumbers("upper", uppersOnHost, 2);
    // loadBounds checks the memory too, but after the array may have been copied.
    if ((uppersOnHost.flags() & py::array::c_style) == 0)
        bounds::requireSmoothingMemory(
            "upper", reading,
            static_cast<std::size_t>(std::min(uppersOnHost.shape(0), uppersOnHost.shape(1))));
    const ArrayFile uppers("upper", uppersOnHost);
    std::optional<ArrayFile> lowers;
    if (!lower.is_none()) {
        const py::array array = onHost(lower);
        requireNumbers("lower", array, 2);
        lowers.emplace("lower", array);
    }
    bounds::BoundSet set;
    const double readSeconds = unlocked([&](Progress&) {
        set = bounds::loadBounds(*uppers.file, lowers ? lowers->file.get() : nullptr, reading);
    });
    const bounds::AnyBoundMatrices matrices = set.matrices();
    const bounds::SmoothingRequest wanted{options.variant, reading.format, bounds::atomCount(matrices),
                                          options.rounding, [&] { return bounds::smallestBound(matrices); }};
    bounds::SmoothingReport report;
    std::pair<std::optional<RecountReport>, std::optional<RecountReport>> counted;
    Computed computed = compute(
        request, [&](Backend& backend) { return bounds::supportsRequest(backend, wanted); },
        [&](Backend& backend, Progress& progress) {
            const bool isCounted = dynamic_cast<HostBackend*>(&backend) == nullptr && !request.isUnchecked;
            bounds::RunInput before =
                isCounted ? bounds::RunInput(bounds::cloneBounds(matrices)) : bounds::RunInput(matrices);
            report = bounds::smooth(backend, matrices, options, progress);
            counted = bounds::recountBounds(backend, request, before, matrices, report, report.times.total());
        });
    computed.seconds += readSeconds;
    return resultOf(report, computed, set.knownPairs, set.warnings, counted, arraysOf(set));
}

/// Returns (upper, lower, names, description).
py::tuple readBounds(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    bounds::InputFileOptions reading;
    readFormat(keywords, reading);
    Options declared;
    bounds::declareStructureOptions(declared, reading);
    keywords.parse(declared, {"model", "atoms", "known", "cutoff", "tolerance", "seed", "diameter",
                              "hydrogen_diameter"});
    keywords.finish();
    declared.requireReaders(bounds::facetOf(path));
    bounds::BoundSet set;
    unlocked([&](Progress& progress) { set = bounds::loadInputFile(path, reading, progress); });
    const py::tuple arrays = arraysOf(set);
    return py::make_tuple(arrays[0], arrays[1], set.atomNames, set.description);
}

const Function boundsFunctions[] = {{"smooth_bounds", &smoothBounds}, {"read_bounds", &readBounds}};

}  // namespace

}  // namespace glycine::python
