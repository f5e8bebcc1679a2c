#include "python/src/arrays.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/host_memory.hpp"
#include "engine/core/pair_squares.hpp"

namespace glycine::python {

DeviceMatrix deviceMatrix(const py::object& given, std::size_t dimensions) {
    if (!py::hasattr(given, "pointer")) return {};
    const py::dtype type = given.attr("dtype");
    auto shape = given.attr("shape").cast<std::vector<std::size_t>>();
    auto steps = given.attr("strides").cast<std::vector<std::ptrdiff_t>>();
    const auto place = given.attr("pointer").cast<std::uintptr_t>();
    const auto bytes = static_cast<std::size_t>(type.itemsize());
    const char kind = type.kind() == 'b' ? 'u' : type.kind();
    const bool isNumber = kind == 'i' || kind == 'u' || (kind == 'f' && (bytes == 4 || bytes == 8));
    if (shape.size() != dimensions || std::ranges::count(shape, 0U) > 0 || !isNumber || place % bytes != 0 ||
        std::ranges::any_of(steps, [&](std::ptrdiff_t step) { return step % type.itemsize() != 0; }))
        return {};
    shape.erase(shape.begin(), shape.end() - 2);
    steps.erase(steps.begin(), steps.end() - 2);
    return {reinterpret_cast<const void*>(place), shape[0], shape[1], steps[0], steps[1], kind, bytes, 0};
}

py::array onHost(const py::object& given) {
    return py::array(py::hasattr(given, "pointer") ? py::object(given.attr("array")()) : given);
}

std::unique_ptr<DeviceArrays> deviceArraysOf(Backend& backend) {
    return createImplementation<DeviceArrays>(backend);
}

Matrix<double> rowsOnHost(const DeviceArrays& arrays, const DeviceMatrix& numbers,
                          std::span<const std::size_t> rows) {
    Matrix<double> found(rows.size(), numbers.columns);
    if (numbers.itemBytes == sizeof(double)) {
        arrays.copyRows(numbers, rows, found.data());
        return found;
    }
    Matrix<float> narrow(rows.size(), numbers.columns);
    arrays.copyRows(numbers, rows, narrow.data());
    std::copy_n(narrow.data(), narrow.size(), found.data());
    return found;
}

bool isAligned(const py::array& array) {
    return (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

std::string typeName(const py::object& array) {
    return py::str(array.attr("dtype"));
}

void requireNumbers(const char* name, const py::array& array, int dimensions) {
    const char kind = array.dtype().kind();
    const bool isNumber = kind == 'b' || kind == 'i' || kind == 'u' || (kind == 'f' && array.itemsize() <= 8);
    if (!isNumber)
        throw UsageError(fmt::format("{} holds {}; expected whole numbers, float16, float32 or float64", name,
                                     typeName(array)));
    if (array.ndim() != dimensions)
        throw UsageError(fmt::format("{} has {} dimensions; expected {}", name, array.ndim(), dimensions));
}

template <class T>
NumpyMatrix<T> matrixOf(const char* name, const py::array& given) {
    requireNumbers(name, given, 2);
    const auto rows = static_cast<std::size_t>(given.shape(0));
    const auto columns = static_cast<std::size_t>(given.shape(1));
    constexpr auto kSize = static_cast<py::ssize_t>(sizeof(T));
    const bool isWhole = isAligned(given) && py::isinstance<py::array_t<T>>(given);
    const bool isInPlace =
        isWhole && (columns <= 1 || given.strides(1) == kSize) &&
        (rows <= 1 || (given.strides(0) >= given.shape(1) * kSize && given.strides(0) % kSize == 0));
    if (!isInPlace)
        requireHostMemory(fmt::format("a copy of {}", name),
                          static_cast<double>(rows) * static_cast<double>(columns) * sizeof(T));
    NumpyMatrix<T> matrix;
    matrix.held =
        isInPlace ? given : py::array(py::array_t<T, py::array::c_style | py::array::forcecast>(given));
    const std::size_t stride = rows <= 1 ? columns : static_cast<std::size_t>(matrix.held.strides(0) / kSize);
    matrix.view = {static_cast<const T*>(matrix.held.data()), rows, columns, stride};
    return matrix;
}
template NumpyMatrix<float> matrixOf(const char* name, const py::array& given);
template NumpyMatrix<double> matrixOf(const char* name, const py::array& given);
template NumpyMatrix<std::int32_t> matrixOf(const char* name, const py::array& given);

template <class T>
void requireAllPairs(const char* name, MatrixView<const T> values) {
    if (values.rows() != values.columns())
        throw UsageError(fmt::format("{} are {} × {}; expected a square, those of all pairs", name,
                                     values.rows(), values.columns()));
    const auto differ = [](double a, double b) {
        return !(std::abs(a - b) <= 1e-9 + 1e-6 * std::abs(a)) && !(std::isnan(a) && std::isnan(b)) && a != b;
    };
    unlocked([&](Progress&) {
        const auto place = findAsymmetry(values, omp_get_max_threads(), differ);
        if (!place) return;
        const std::size_t i = place->row, j = place->column;
        throw UsageError(
            fmt::format("{} are not symmetric: ({}, {}) is {}, ({}, {}) is {}; expected those of all pairs, "
                        "square or condensed",
                        name, i, j, values(i, j), j, i, values(j, i)));
    });
}
template void requireAllPairs(const char* name, MatrixView<const float> values);
template void requireAllPairs(const char* name, MatrixView<const double> values);
template void requireAllPairs(const char* name, MatrixView<const std::int32_t> values);

PairTarget::PairTarget(Keywords& keywords, std::size_t references) {
    if (keywords.flag("condensed")) layout_.layout = pairs::StoreLayout::Condensed;
    if (references > 0) {
        if (layout_.layout == pairs::StoreLayout::Condensed)
            throw UsageError("condensed gives each pair of a square once; cross_distances has a rectangle");
        layout_ = {0, pairs::StoreLayout::Rectangle, references};
    }
    if (const py::object type = keywords.object("dtype"); !type.is_none())
        type_ = fromString<pairs::ValueType>(std::string(py::str(py::dtype::from_args(type))));
    out_ = keywords.object("out");
    if (out_.is_none()) return;
    if (py::hasattr(out_, "pointer"))
        place_ = out_.attr("pointer").cast<std::uintptr_t>();
    else if (!py::isinstance<py::array>(out_))
        throw UsageError("out is no array");
    if (!type_) type_ = fromString<pairs::ValueType>(std::string(py::str(out_.attr("dtype"))));
}

py::tuple PairTarget::shape() const {
    const std::size_t n = layout_.instances, references = layout_.references;
    if (layout_.layout == pairs::StoreLayout::Square) return py::make_tuple(n, n);
    if (layout_.layout == pairs::StoreLayout::Rectangle) return py::make_tuple(n - references, references);
    return py::make_tuple(layout_.elements());
}

void PairTarget::settle(std::size_t instances, pairs::ValueType usual) {
    const py::gil_scoped_acquire hasLock;
    layout_.instances = instances;
    if (!type_) type_ = usual;
    if (out_.is_none()) return;
    const std::string type(toString(*type_));
    bool fits = py::object(out_.attr("shape")).equal(shape()) && typeName(out_) == type &&
                place_ % pairs::bytesOf(*type_) == 0;
    if (place_ == 0) {
        const py::array out = out_;
        fits = fits && (out.flags() & py::array::c_style) != 0 && out.writeable() && isAligned(out);
    } else {
        std::size_t step = pairs::bytesOf(*type_);
        for (std::size_t axis = fits ? py::len(shape()) : 0; axis-- > 0;) {
            const auto length = shape()[axis].cast<std::size_t>();
            fits = fits && (length <= 1 || out_.attr("strides")[py::int_(axis)].cast<std::ptrdiff_t>() ==
                                               static_cast<std::ptrdiff_t>(step));
            step *= length;
        }
    }
    if (!fits)
        throw UsageError(fmt::format(
            "out is {} of {}; expected a writeable, contiguous array of {} of the shape {}", typeName(out_),
            std::string(py::repr(out_.attr("shape"))), type, std::string(py::repr(shape()))));
}

std::size_t PairTarget::bytesToAllocate(const Backend& backend) const {
    return out_.is_none() || (place_ != 0 && !staysOnDevice(backend)) ? bytes() : 0;
}

pairs::PairSink& PairTarget::open(Backend& backend, double diagonal, std::vector<double> diagonals) {
    if (!staysOnDevice(backend)) return openOnHost(diagonal, std::move(diagonals));
    deviceStore_ = createImplementation<pairs::DeviceStores>(backend)->open(
        {layout_, *type_, diagonal, std::move(diagonals)}, reinterpret_cast<void*>(place_));
    return *deviceStore_;
}

pairs::PairStore& PairTarget::openOnHost(double diagonal, std::vector<double> diagonals) {
    std::byte* memory = nullptr;
    {
        const py::gil_scoped_acquire hasLock;
        if (out_.is_none() || place_ != 0) {
            requireHostMemory("the result", static_cast<double>(bytes()));
            array_ =
                py::array(py::dtype(std::string(toString(*type_))), shape().cast<std::vector<py::ssize_t>>());
        } else {
            array_ = out_;
        }
        memory = static_cast<std::byte*>(py::array(array_).mutable_data());
    }
    store_ = std::make_unique<pairs::PairStore>(
        pairs::PairFormat{layout_, *type_, diagonal, std::move(diagonals)}, memory);
    return *store_;
}

FoundValues PairTarget::found() const {
    return {layout_, *type_, [this](std::size_t i, std::size_t j) {
                return store_ ? store_->value(i, j) : deviceStore_->value(i, j);
            }};
}

// ---- arrays of other packages on a device

namespace {

/// DLPack's DLTensor, unchanged since version 0.3 of dlpack.h; DLManagedTensor begins with it.
struct Tensor {
    void* data;
    std::int32_t deviceType, device;
    std::int32_t dimensions;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    const std::int64_t* shape;
    const std::int64_t* strides;  ///< in elements; null: C order
    std::uint64_t offset;         ///< in bytes
};

/// Describes the tensor of a DLPack capsule in terms of __cuda_array_interface__. The capsule owns the
/// memory.
py::dict describeDlpack(const py::capsule& capsule) {
    const auto* const tensor = static_cast<const Tensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (tensor == nullptr) throw py::error_already_set();
    constexpr std::string_view kKinds = "iuf___b";  // indexed by DLPack's type code
    const char kind = tensor->code < kKinds.size() ? kKinds[tensor->code] : '_';
    if (kind == '_' || tensor->lanes != 1 || tensor->bits % 8 != 0)
        throw UsageError(
            fmt::format("DLPack's type {} of {} bits is not taken; expected whole or real numbers",
                        tensor->code, tensor->bits));
    py::list shape, strides;
    for (int axis = 0; axis < tensor->dimensions; ++axis) {
        shape.append(tensor->shape[axis]);
        if (tensor->strides != nullptr) strides.append(tensor->strides[axis] * (tensor->bits / 8));
    }
    py::dict described;
    addItems(described, "shape", py::tuple(shape), "typestr", fmt::format("<{}{}", kind, tensor->bits / 8),
             "strides", tensor->strides != nullptr ? py::object(py::tuple(strides)) : py::object(py::none()),
             "data", py::make_tuple(reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->offset, true));
    return described;
}

void withDeviceArrays(const std::function<void(const DeviceArrays&)>& work) {
    onBackend("cuda", nullptr, [&](Backend& backend) { work(*deviceArraysOf(backend)); });
}

/// Fills `target` with the bytes at a CUDA address.
void copyToHost(std::uintptr_t source, py::array_t<std::uint8_t> target) {
    std::uint8_t* const bytes = target.mutable_data();
    withDeviceArrays([&, size = static_cast<std::size_t>(target.size())](const DeviceArrays& arrays) {
        arrays.copyToHost(reinterpret_cast<const void*>(source), size, bytes);
    });
}

/// Copies a contiguous array to a CUDA address.
void copyToDevice(const py::array& source, std::uintptr_t target) {
    withDeviceArrays([bytes = source.data(), size = static_cast<std::size_t>(source.nbytes()),
                      target](const DeviceArrays& arrays) {
        arrays.copyToDevice(bytes, size, reinterpret_cast<void*>(target));
    });
}

/// Concatenates the rows of two matrices on a device; returns (address, owner).
py::tuple joinOnDevice(const py::object& first, const py::object& second) {
    DeviceMatrix matrices[] = {deviceMatrix(first), deviceMatrix(second)};
    std::shared_ptr<void> joined;
    withDeviceArrays([&](const DeviceArrays& arrays) {
        for (DeviceMatrix& one : matrices) one.device = arrays.deviceOf(one.data);
        joined = arrays.join(matrices[0], matrices[1]);
    });
    auto* const kept = new std::shared_ptr<void>(joined);
    return py::make_tuple(
        reinterpret_cast<std::uintptr_t>(joined.get()),
        py::capsule(kept, [](void* pointer) { delete static_cast<std::shared_ptr<void>*>(pointer); }));
}

const Function arrayFunctions[] = {{"describe_dlpack", &describeDlpack},
                                   {"copy_to_host", &copyToHost},
                                   {"join_on_device", &joinOnDevice},
                                   {"copy_to_device", &copyToDevice}};
}  // namespace

}  // namespace glycine::python
