#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/distance/results/result_formats.hpp"
#include "engine/algorithms/distance/results/result_rows.hpp"
#include "engine/io/arrays/npy.hpp"

namespace glycine::distance {

namespace {

template <class T>
void writeTyped(const std::filesystem::path& path, const ResultParts& result, Shape shape,
                std::string_view dtype) {
    const std::size_t n = result.store.instances();
    const bool isCondensed = shape == Shape::Triangle;
    io::AtomicFile file(path);
    file.write(io::npyHeaderText(
        dtype, isCondensed ? std::vector<std::size_t>{n * (n - 1) / 2} : std::vector<std::size_t>{n, n}));
    writeRows(file, result.store, isCondensed ? RowPart::Above : RowPart::Whole, result.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  const std::size_t first = isCondensed ? row + 1 : 0;
                  const std::vector<T> converted(values + first, values + n);
                  text.append(reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(T));
              });
    file.commit();
}

}  // namespace

void writeNpyResult(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    switch (result.store.valueType()) {
        case ValueType::Int32:
            return writeTyped<std::int32_t>(path, result, shape, "<i4");
        case ValueType::Float32:
            return writeTyped<float>(path, result, shape, "<f4");
        case ValueType::Float64:
            return writeTyped<double>(path, result, shape, "<f8");
    }
}

}  // namespace glycine::distance
