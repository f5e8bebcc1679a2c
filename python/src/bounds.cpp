#include <cstring>

#include "app/bounds/recount_bounds.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoother.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/io/text/byte_source.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

using namespace bounds;

/// An array as an NPY file has it, so that its numbers are read, checked and rounded as those of files.
class ArraySource final : public io::ByteSource {
  public:
    ArraySource(std::string name, const py::array& given)
        : name_(std::move(name)), array_(py::array::ensure(given, py::array::c_style)) {
        if (!array_) throw py::error_already_set();
        const std::string shape = py::repr(array_.attr("shape"));
        const std::string type = py::repr(array_.dtype().attr("str"));
        const std::string text =
            fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}\n", type, shape);
        head_ = std::string("\x93NUMPY\x01\x00", 8);
        head_ += static_cast<char>(text.size() % 256);
        head_ += static_cast<char>(text.size() / 256);
        head_ += text;
        bytes_ = static_cast<const char*>(array_.data());
        size_ = static_cast<std::size_t>(array_.nbytes());
    }
    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return head_.size() + size_; }
    std::size_t read(std::span<std::byte> target) override {
        std::size_t count = 0;
        while (count < target.size() && at_ < size()) {
            const bool isHead = at_ < head_.size();
            const char* const from = isHead ? head_.data() + at_ : bytes_ + (at_ - head_.size());
            const std::size_t left = (isHead ? head_.size() : size()) - at_;
            const std::size_t piece = std::min(left, target.size() - count);
            std::memcpy(target.data() + count, from, piece);
            count += piece;
            at_ += piece;
        }
        return count;
    }

  private:
    std::string name_;
    py::array array_;
    std::string head_;
    const char* bytes_ = nullptr;
    std::size_t size_ = 0;
    std::size_t at_ = 0;
};

/// The matrix as files of bounds have it: Å, unknown upper bounds infinite.
template <class T>
py::array inAngstrom(Matrix<T> bounds) {
    using Stored = std::conditional_t<std::is_same_v<T, float>, float, double>;
    Matrix<Stored> matrix;
    if constexpr (std::is_same_v<T, Stored>)
        matrix = std::move(bounds);
    else
        matrix = Matrix<Stored>(bounds.rows(), bounds.columns());
    const T* source = bounds.data();
    if constexpr (std::is_same_v<T, Stored>) source = matrix.data();
    for (std::size_t k = 0; k < matrix.size(); ++k)
        matrix.data()[k] = static_cast<Stored>(angstromOrInfinity(source[k]));
    return arrayOf(std::move(matrix));
}

/// (upper, lower).
py::tuple arraysOf(BoundSet& set) {
    return std::visit(
        [](auto& owned) {
            return py::make_tuple(inAngstrom(std::move(owned.upper)), inAngstrom(std::move(owned.lower)));
        },
        set.bounds);
}

void readFormat(Keywords& keywords, BoundFileOptions& reading) {
    std::optional<Rounding> rounding;
    keywords.read("precision", reading.format, "rounding", rounding, "allow_inconsistent",
                  reading.allowInconsistent);
    reading.rounding = roundingOf(reading.format, rounding);
}

py::tuple smoothBounds(const py::array& upper, const py::object& lower, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, algorithm());
    BoundFileOptions reading;
    SmoothingOptions options;
    readFormat(keywords, reading);
    keywords.read("tolerance", options.tolerance, "max_violations", options.maxListedViolations);
    keywords.finish();
    options.variant = fromString<Variant>(request.variant);
    options.rounding = reading.rounding;
    requireNumbers("upper", upper, 2);
    ArraySource uppers("upper", upper);
    std::optional<ArraySource> lowers;
    if (!lower.is_none()) {
        requireNumbers("lower", lower.cast<py::array>(), 2);
        lowers.emplace("lower", lower.cast<py::array>());
    }
    BoundSet set;
    unlocked([&](Progress&) { set = loadBounds(uppers, lowers ? &*lowers : nullptr, reading); });
    const AnyBoundMatrices matrices = set.matrices();
    const SmoothingRequest wanted{options.variant, reading.format, atomCount(matrices), options.rounding,
                                  smallestBound(matrices)};
    SmoothingReport report;
    std::pair<std::optional<RecountReport>, std::optional<RecountReport>> counted;
    const std::string reason = compute(
        request, [&](Backend& backend) { return supportsRequest(backend, wanted); },
        [&](Backend& backend, Progress& progress) {
            std::optional<AnyOwnedBounds> input;
            if (dynamic_cast<HostBackend*>(&backend) == nullptr && !request.isUnchecked)
                input = cloneBounds(matrices);
            report = smooth(backend, matrices, options, progress);
            counted = recountBounds(backend, request, input ? viewBounds(*input) : matrices, matrices, report,
                                    report.times.total());
        });
    py::dict run = describe(report, reason, counted.first,
                            {{"upload", report.times.upload},
                             {"upper", report.times.upper},
                             {"lower", report.times.lower},
                             {"download", report.times.download}});
    tell(run, "note", report.note, "precision", report.format, "step", report.step, "known_pairs",
         set.knownPairs, "pair_recount", toPython(counted.second), "warnings", set.warnings,
         "violation_count", report.violationCount);
    py::list violations;
    for (const Violation& one : report.violations)
        violations.append(py::make_tuple(one.i, one.j, one.upper, one.lower));
    const py::tuple arrays = arraysOf(set);
    return py::make_tuple(arrays[0], arrays[1], violations, run);
}

/// (upper, lower, names, description).
py::tuple readBounds(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    InputFileOptions reading;
    readFormat(keywords, reading);
    MoleculeBoundsOptions& molecule = reading.molecule;
    keywords.read("model", reading.model, "atoms", molecule.atoms, "known", molecule.known, "cutoff",
                  molecule.cutoff, "tolerance", molecule.tolerance, "seed", molecule.seed, "diameter",
                  molecule.diameter, "hydrogen_diameter", molecule.hydrogenDiameter);
    keywords.finish();
    BoundSet set;
    unlocked([&](Progress& progress) { set = loadInputFile(path, reading, progress); });
    const py::tuple arrays = arraysOf(set);
    return py::make_tuple(arrays[0], arrays[1], set.atomNames, set.description);
}

}  // namespace

void addBounds(py::module_& module) {
    module.def("smooth_bounds", &smoothBounds);
    module.def("read_bounds", &readBounds);
}

}  // namespace glycine::python
