#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/io/arrays/npy.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_rows.hpp"

namespace glycine::pairs {

namespace {

template <class T>
void writeTyped(const std::filesystem::path& path, const PairFile& pairs, FilePart part) {
    const std::size_t n = pairs.store.instances();
    const bool isCondensed = part == FilePart::Triangle;
    storage::AtomicFile file(path);
    file.write(
        npyHeader({n, isCondensed ? StoreLayout::Condensed : StoreLayout::Square}, pairs.store.valueType()));
    writeRows(file, pairs.store, isCondensed ? RowPart::Above : RowPart::Whole, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  const std::size_t first = isCondensed ? row + 1 : 0;
                  const std::vector<T> converted(values + first, values + n);
                  text.append(reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(T));
              });
    file.commit();
}

}  // namespace

std::string npyHeader(const PairLayout& layout, ValueType type) {
    const char* dtype = type == ValueType::Int32 ? "<i4" : type == ValueType::Float32 ? "<f4" : "<f8";
    const std::size_t square[] = {layout.instances, layout.instances};
    const std::size_t condensed[] = {layout.elements()};
    switch (layout.layout) {
        case StoreLayout::Square:
            return io::npyHeaderText(dtype, square);
        case StoreLayout::Condensed:
            return io::npyHeaderText(dtype, condensed);
        case StoreLayout::Triangle:
            break;
    }
    throw std::invalid_argument("an .npy file holds a square or the condensed form");
}

void writeNpy(const std::filesystem::path& path, const PairFile& file, FilePart part) {
    switch (file.store.valueType()) {
        case ValueType::Int32:
            return writeTyped<std::int32_t>(path, file, part);
        case ValueType::Float32:
            return writeTyped<float>(path, file, part);
        case ValueType::Float64:
            return writeTyped<double>(path, file, part);
    }
}

}  // namespace glycine::pairs
