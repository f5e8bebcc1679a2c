#include "python/src/arrays.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/core/host_memory.hpp"

namespace glycine::python {

DeviceMatrix deviceMatrix(const py::object& given) {
    if (!py::hasattr(given, "pointer")) return {};
    const py::dtype type = given.attr("dtype");
    const auto shape = given.attr("shape").cast<std::vector<std::size_t>>();
    const auto steps = given.attr("strides").cast<std::vector<std::ptrdiff_t>>();
    const auto place = given.attr("pointer").cast<std::uintptr_t>();
    const auto bytes = static_cast<std::size_t>(type.itemsize());
    const char kind = type.kind() == 'b' ? 'u' : type.kind();
    const bool isNumber = kind == 'i' || kind == 'u' || (kind == 'f' && (bytes == 4 || bytes == 8));
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || !isNumber || place % bytes != 0 ||
        std::ranges::any_of(steps, [&](std::ptrdiff_t step) { return step % type.itemsize() != 0; }))
        return {};
    return {reinterpret_cast<const void*>(place), shape[0], shape[1], steps[0], steps[1], kind, bytes, 0};
}

py::array onHost(const py::object& given) {
    return py::array(py::hasattr(given, "pointer") ? py::object(given.attr("array")()) : given);
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

std::string typeName(const py::array& array) {
    return py::str(array.dtype());
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
HeldMatrix<T> matrixOf(const char* name, const py::array& given) {
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
    HeldMatrix<T> matrix;
    matrix.held =
        isInPlace ? given : py::array(py::array_t<T, py::array::c_style | py::array::forcecast>(given));
    const std::size_t stride = rows <= 1 ? columns : static_cast<std::size_t>(matrix.held.strides(0) / kSize);
    matrix.view = {static_cast<const T*>(matrix.held.data()), rows, columns, stride};
    return matrix;
}
template HeldMatrix<float> matrixOf(const char* name, const py::array& given);
template HeldMatrix<double> matrixOf(const char* name, const py::array& given);
template HeldMatrix<std::int32_t> matrixOf(const char* name, const py::array& given);

PairResult::PairResult(Keywords& keywords, std::size_t references) {
    if (keywords.flag("condensed")) layout_.layout = pairs::StoreLayout::Condensed;
    if (references > 0) layout_ = {0, pairs::StoreLayout::Rectangle, references};
    if (const py::object type = keywords.object("dtype"); !type.is_none())
        type_ = fromString<pairs::ValueType>(std::string(py::str(py::dtype::from_args(type))));
    out_ = keywords.object("out");
    if (out_.is_none()) return;
    if (!py::isinstance<py::array>(out_)) throw UsageError("out is no array");
    if (!type_) type_ = fromString<pairs::ValueType>(typeName(py::array(out_)));
}

void PairResult::settle(std::size_t instances, pairs::ValueType usual) {
    layout_.instances = instances;
    if (!type_) type_ = usual;
}

py::array PairResult::array() {
    const auto n = static_cast<py::ssize_t>(layout_.instances),
               references = static_cast<py::ssize_t>(layout_.references);
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(layout_.elements())};
    if (layout_.layout == pairs::StoreLayout::Square) shape = {n, n};
    if (layout_.layout == pairs::StoreLayout::Rectangle) shape = {n - references, references};
    const py::dtype type(std::string(toString(*type_)));
    if (out_.is_none()) {
        requireHostMemory("the result", static_cast<double>(bytes()));
        return py::array(type, shape);
    }
    py::array out = out_;
    const bool isShaped = std::vector<py::ssize_t>(out.shape(), out.shape() + out.ndim()) == shape;
    if (!isShaped || !out.dtype().equal(type) || (out.flags() & py::array::c_style) == 0 ||
        !out.writeable() || !isAligned(out))
        throw UsageError(
            fmt::format("out is {} of {}; expected a writeable, contiguous array of {} of the shape {}",
                        typeName(out), std::string(py::repr(out.attr("shape"))), toString(*type_),
                        std::string(py::repr(py::tuple(py::cast(shape))))));
    return out;
}

void countAmongFew(std::span<const std::size_t> pairs, std::size_t bytesOfInstance, const TakePair& take,
                   const std::function<void(const FewInstances&, const TakePair&)>& count) {
    constexpr std::size_t kBytesAtOnce = std::size_t{256} << 20;
    bool goesOn = true;
    for (const Range& part :
         splitRange(pairs.size(), std::max<std::size_t>(1, kBytesAtOnce / (2 * bytesOfInstance)))) {
        FewInstances few;
        std::vector<std::size_t>& rows = few.rows;
        const std::span<const std::size_t> some = pairs.subspan(part.begin, part.size());
        for (const std::size_t pair : some) {
            const pairs::PairTile tile = pairs::pairNumber(pair);
            rows.insert(rows.end(), {tile.rows.begin, tile.columns.begin});
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        const auto placeOf = [&rows](std::size_t row) {
            return static_cast<std::size_t>(std::ranges::lower_bound(rows, row) - rows.begin());
        };
        for (const std::size_t pair : some) {
            const pairs::PairTile tile = pairs::pairNumber(pair);
            const std::size_t row = placeOf(tile.rows.begin);
            few.pairs.push_back(row * (row - 1) / 2 + placeOf(tile.columns.begin));
        }
        count(few, [&](const pairs::RecountedPair& found) {
            return goesOn = take({rows[found.row], rows[found.column], found.value, found.allowed});
        });
        if (!goesOn) return;
    }
}

std::byte* memoryOf(py::array& array) {
    return static_cast<std::byte*>(array.mutable_data());
}

}  // namespace glycine::python
