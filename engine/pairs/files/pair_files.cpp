#include "engine/pairs/files/pair_files.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <parallel/algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/pairs/nearest.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace {

/// The names as tab-separated fields.
std::vector<std::string> tsvNames(std::span<const std::string> names, const std::filesystem::path& path) {
    std::vector<std::string> fields = namesWithout("\t\r\n", names, path);
    for (std::string& field : fields) {
        std::string quoted;
        io::appendTsvField(quoted, field);
        field = std::move(quoted);
    }
    return fields;
}

template <class T>
void copyAs(std::span<const double> values, void* target) {
    for (const double value : values) {
        T stored{};
        toStored(value, stored);
        target = static_cast<std::byte*>(std::memcpy(target, &stored, sizeof(T))) + sizeof(T);
    }
}

/// The columns of row `row` in an array: all of them, or in the condensed form those after the diagonal.
Range columnsOf(std::size_t row, std::size_t instances, StoreLayout part) {
    return {part == StoreLayout::Condensed ? row + 1 : 0, instances};
}

/// Writes the columns as numbers of `type`; `target` may be unaligned. `values` begins with column 0.
void copyRow(const double* values, Range columns, ValueType type, void* target) {
    const std::span<const double> copied(values + columns.begin, columns.size());
    switch (type) {
        case ValueType::Int32:
            return copyAs<std::int32_t>(copied, target);
        case ValueType::Float32:
            return copyAs<float>(copied, target);
        case ValueType::Float64:
            return copyAs<double>(copied, target);
    }
}

/// Writes a matrix as text: `head`, then a line per instance with its entry of `names` and its values, each
/// after `separator`. `hasDiagonal`: whether a triangle includes it. `undefined`: written for NaN.
void writeLines(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part,
                const std::string& head, const std::vector<std::string>& names, char separator,
                bool hasDiagonal, double undefined) {
    const ValueType type = pairs.store.valueType();
    storage::AtomicFile file(path);
    file.write(packedFor(path, head));
    writeRows(file, pairs.store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  text.append(names[row]);
                  const std::size_t count =
                      part == StoreLayout::Square ? names.size() : row + (hasDiagonal ? 1 : 0);
                  // Appending each value would take longer than writing its digits.
                  std::array<char, 4096> gathered;
                  char* place = gathered.data();
                  const char* const last = gathered.data() + gathered.size() - (2 + io::kNumberChars);
                  for (std::size_t j = 0; j < count; ++j) {
                      if (place > last) text.append(gathered.data(), std::exchange(place, gathered.data()));
                      *place++ = separator;
                      place = writeValue(place, std::isnan(values[j]) ? undefined : values[j], type);
                  }
                  *place++ = '\n';
                  text.append(gathered.data(), place);
              });
    file.commit();
}

const char* dtypeOf(ValueType type) {
    return type == ValueType::Int32 ? "<i4" : type == ValueType::Float32 ? "<f4" : "<f8";
}

/// Reads rows of the result in array order; starts again at the first row if the writer does.
class RowsInOrder {
  public:
    RowsInOrder(const PairFile& file, StoreLayout part)
        : file_(file), part_(part), blocks_(file.store.instances(), 0) {}

    /// Writes the values of row `row` that belong to the array.
    void copy(std::size_t row, std::byte* target) {
        const PairStore& store = file_.store;
        if (row < rows_.begin || row >= rows_.end) {
            const std::size_t block = row / blocks_[0].size();
            rows_ = blocks_[block];
            values_ = blocks_.read(store, part_, block, buffer_);
        }
        copyRow(values_.row(row - rows_.begin), columnsOf(row, store.instances(), part_), store.valueType(),
                target);
        file_.progress.advance(1);
    }

  private:
    PairFile file_;
    StoreLayout part_;
    RowBlocks blocks_;
    Range rows_;
    MatrixView<const double> values_;
    std::vector<double> buffer_;
};

/// The values as an array, row by row.
io::NpyMatrixSource pairValues(const PairFile& file, StoreLayout part) {
    const std::size_t n = file.store.instances();
    const auto rows = std::make_shared<RowsInOrder>(file, part);
    io::NpyMatrixSource source;
    source.dtype = dtypeOf(file.store.valueType());
    source.itemBytes = bytesOf(file.store.valueType());
    source.rows = n;
    source.columns = n;
    source.copyRow = [rows](std::size_t row, std::byte* target) { rows->copy(row, target); };
    if (part == StoreLayout::Condensed) {
        source.shape = {PairLayout{n, part}.elements()};
        source.rowLength = [n](std::size_t row) { return n - 1 - row; };
    }
    return source;
}

/// The names, padded up to the first value of a PHYLIP line.
std::vector<std::string> phylipNames(std::span<const std::string> names, const std::filesystem::path& path) {
    constexpr std::size_t kStrictLength = 10;
    std::vector<std::string> fields = namesWithout(" \t\r\n\v\f", names, path);
    const bool isStrict = std::all_of(fields.begin(), fields.end(),
                                      [](const std::string& name) { return name.size() <= kStrictLength; });
    for (std::string& name : fields) name.append(isStrict ? kStrictLength - name.size() : 1, ' ');
    return fields;
}

/// A line of a molten file.
void writePair(std::string& text, const std::string& row, const std::string& column, double value,
               ValueType type) {
    char end[io::kNumberChars + 1];
    char* const stop = writeValue(end, value, type);
    *stop = '\n';
    text.append(row).push_back('\t');
    text.append(column).push_back('\t');
    text.append(end, stop + 1);
}

/// Where each instance's pairs begin, when ordered by this end; the last entry is the number of pairs.
std::vector<std::size_t> beginsOf(const std::vector<ClosePair>& pairs, std::size_t instances,
                                  std::uint32_t ClosePair::*end) {
    std::vector<std::size_t> begins(instances + 1, 0);
    for (const ClosePair& pair : pairs) ++begins[pair.*end + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return begins;
}

/// Indices of the pairs by column; the pairs are ordered by row. Those of column j are
/// result.second[result.first[j]] … [result.first[j + 1] − 1], ascending by row.
using Places = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;
Places byColumn(const std::vector<ClosePair>& pairs, std::size_t instances) {
    std::vector<std::size_t> begins = beginsOf(pairs, instances, &ClosePair::column);
    std::vector<std::size_t> places(pairs.size());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t k = 0; k < pairs.size(); ++k) places[next[pairs[k].column]++] = k;
    return {std::move(begins), std::move(places)};
}

/// Lines that one thread formats at a time.
constexpr std::size_t kLinesAtOnce = std::size_t{1} << 15;

std::string headerOf(const MoltenOptions& options) {
    return options.hasHeader ? fmt::format("id1\tid2\t{}\n", options.quantity) : "";
}

/// Writes each pair once, nearest first, ties by instance numbers.
void writeSorted(const std::filesystem::path& path, std::vector<ClosePair> pairs,
                 const std::vector<std::string>& names, ValueType type, const MoltenOptions& options,
                 Progress& progress) {
    __gnu_parallel::sort(pairs.begin(), pairs.end(), [&](const ClosePair& a, const ClosePair& b) {
        if (a.value != b.value) return (a.value < b.value) != options.isSimilarity;
        return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
    storage::AtomicFile file(path);
    file.write(packedFor(path, headerOf(options)));
    const std::vector<Range> pieces = splitRange(pairs.size(), kLinesAtOnce);
    progress.begin(fmt::format("writing {}", path.filename().string()), static_cast<double>(pairs.size()));
    writeInOrder(
        file, pieces.size(),
        [&](std::size_t piece, std::size_t, std::string& text) {
            for (std::size_t k = pieces[piece].begin; k < pieces[piece].end; ++k)
                writePair(text, names[pairs[k].row], names[pairs[k].column], pairs[k].value, type);
        },
        [&](std::size_t piece) { progress.advance(static_cast<double>(pieces[piece].size())); });
    file.commit();
}

/// The names as tab-separated fields; a name may occur both as a row and as a column.
std::vector<std::string> rectangleNames(std::span<const std::string> all, std::size_t references,
                                        const std::filesystem::path& path) {
    std::vector<std::string> names = tsvNames(all.first(references), path);
    for (std::string& name : tsvNames(all.subspan(references), path)) names.push_back(std::move(name));
    return names;
}

/// The names of a file of pairs: in a rectangle those of references and of the others, else of all.
std::vector<std::string> pairNames(std::span<const std::string> all, std::size_t references,
                                   const std::filesystem::path& path) {
    return references > 0 ? rectangleNames(all, references, path) : tsvNames(all, path);
}

/// Number of columns of row `row` in a list of pairs.
std::size_t listedColumns(std::size_t row, const PairStore& store, StoreLayout part) {
    if (part == StoreLayout::Rectangle) return store.references();
    return part == StoreLayout::Square ? store.instances() : row;
}

/// Reads all pairs that have a value, up to `largest`, each once.
std::vector<ClosePair> pairsUpTo(const PairStore& store, std::optional<double> largest, Progress& progress) {
    const bool isRectangle = store.layout() == StoreLayout::Rectangle;
    const StoreLayout part = isRectangle ? StoreLayout::Rectangle : StoreLayout::Triangle;
    const RowBlocks blocks(store.instances(), store.references());
    const int threads = omp_get_max_threads();
    std::vector<std::vector<double>> buffers(static_cast<std::size_t>(threads));
    std::vector<std::vector<ClosePair>> found(blocks.count());
    progress.begin("reading pairs", static_cast<double>(blocks.rows()));
    parallelFor(threads, blocks.count(), [&](std::size_t block, std::size_t thread) {
        const MatrixView<const double> values = blocks.read(store, part, block, buffers[thread]);
        const Range rows = blocks[block];
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            for (std::size_t j = 0; j < listedColumns(row, store, part); ++j) {
                const double value = values(row - rows.begin, j);
                if (!std::isnan(value) && !(largest && value > *largest))
                    found[block].push_back(
                        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(j), value});
            }
        progress.advance(static_cast<double>(rows.size()));
    });
    std::vector<ClosePair> all;
    for (std::vector<ClosePair>& some : found) {
        all.insert(all.end(), some.begin(), some.end());
        some = {};
    }
    return all;
}

}  // namespace

void checkTsvNames(const std::filesystem::path& path, std::span<const std::string> names) {
    static_cast<void>(tsvNames(names, path));
}

void checkPhylipNames(const std::filesystem::path& path, std::span<const std::string> names) {
    static_cast<void>(phylipNames(names, path));
}

std::string npyHeader(const PairLayout& layout, ValueType type) {
    const char* dtype = dtypeOf(type);
    const std::size_t square[] = {layout.instances, layout.instances};
    const std::size_t condensed[] = {layout.elements()};
    switch (layout.layout) {
        case StoreLayout::Square:
            return io::npyHeaderText(dtype, square);
        case StoreLayout::Condensed:
            return io::npyHeaderText(dtype, condensed);
        case StoreLayout::Rectangle:
            return io::npyHeaderText(dtype,
                                     std::array{layout.instances - layout.references, layout.references});
        case StoreLayout::Triangle:
            break;
    }
    throw std::invalid_argument("an .npy file holds a square, a rectangle or the condensed form");
}

void writeNpy(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part) {
    const std::size_t n = pairs.store.instances();
    const ValueType type = pairs.store.valueType();
    storage::AtomicFile file(path);
    file.write(npyHeader({n, part}, type));
    writeRows(file, pairs.store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  const Range columns = columnsOf(row, n, part);
                  const std::size_t begin = text.size();
                  text.resize(begin + columns.size() * bytesOf(type));
                  copyRow(values, columns, type, text.data() + begin);
              });
    io::commitWithNames(file, path, pairs.names);
}

void writeTsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    const std::vector<std::string> names = tsvNames(file.names, path);
    std::string header;
    for (const std::string& name : names) header.append("\t").append(name);
    writeLines(path, file, part, header + '\n', names, '\t', true, std::nan(""));
}

void writeCsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    std::vector<std::string> names(file.names.size());
    std::string header;
    for (std::size_t i = 0; i < names.size(); ++i) {
        io::appendCsvField(names[i], file.names[i]);
        header.append(",").append(names[i]);
    }
    writeLines(path, file, part, header + '\n', names, ',', true, std::nan(""));
}

void writeNpz(const std::filesystem::path& path, const PairFile& file, StoreLayout part,
              const std::vector<std::pair<std::string, std::string>>& more) {
    io::NpzWriter archive;
    archive.add("values", pairValues(file, part));
    archive.add("names", std::vector<std::string>(file.names.begin(), file.names.end()));
    for (const auto& [name, text] : more) archive.add(name, std::vector<std::string>{text});
    file.progress.begin(fmt::format("writing {}", path.filename().string()),
                        static_cast<double>(file.store.instances()));
    archive.write(path);
}

void writePhylip(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    const std::vector<std::string> names = phylipNames(file.names, path);
    writeLines(path, file, part, fmt::format("{}\n", names.size()), names, ' ', false, -1);
}

void writeMolten(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part,
                 const MoltenOptions& options) {
    const PairStore& store = pairs.store;
    const std::vector<std::string> names = pairNames(pairs.names, store.references(), path);
    const ValueType type = store.valueType();
    if (options.isSorted)
        return writeSorted(path, pairsUpTo(store, options.largest, pairs.progress), names, type, options,
                           pairs.progress);
    storage::AtomicFile file(path);
    file.write(packedFor(path, headerOf(options)));
    writeRows(file, store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  for (std::size_t j = 0; j < listedColumns(row, store, part); ++j) {
                      if (options.largest && !(values[j] <= *options.largest)) continue;
                      writePair(text, names[row], names[j], values[j], type);
                  }
              });
    file.commit();
}

void writeNearest(const std::filesystem::path& path, const PairFile& pairs, std::size_t count,
                  const MoltenOptions& options) {
    const PairStore& store = pairs.store;
    const bool isRectangle = store.layout() == StoreLayout::Rectangle;
    const std::vector<std::string> names = pairNames(pairs.names, store.references(), path);
    const std::size_t columns = isRectangle ? store.references() : names.size();
    storage::AtomicFile file(path);
    file.write(packedFor(path, headerOf(options)));
    writeRows(
        file, store, isRectangle ? StoreLayout::Rectangle : StoreLayout::Square, pairs.progress,
        [&](std::size_t row, const double* values, std::string& text) {
            for (const std::size_t other : nearestOthers({values, columns}, row, count, options.isSimilarity))
                writePair(text, names[row], names[other], values[other], store.valueType());
        });
    file.commit();
}

void writeNearest(const std::filesystem::path& path, const NearestPairs& nearest,
                  std::span<const std::string> allNames, const MoltenOptions& options, Progress& progress) {
    const std::vector<std::string> names = pairNames(allNames, nearest.references(), path);
    storage::AtomicFile file(path);
    file.write(packedFor(path, headerOf(options)));
    // In the blocks of writeRows, each of which is packed by itself.
    writeRowTexts(file, RowBlocks(nearest.instances(), nearest.references()), progress,
                  [&](std::size_t row, std::string& text) {
                      for (const Neighbour& neighbour : nearest.neighboursOf(row))
                          writePair(text, names[row], names[neighbour.other], neighbour.value,
                                    nearest.valueType());
                  });
    file.commit();
}

void writeRectangle(const std::filesystem::path& path, const PairFile& pairs, char separator) {
    const std::size_t references = pairs.store.references();
    std::vector<std::string> names = rectangleNames(pairs.names, pairs.store.references(), path);
    if (separator == ',')
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i].clear();
            io::appendCsvField(names[i], pairs.names[i]);
        }
    std::string head;
    for (std::size_t j = 0; j < references; ++j) head.append(1, separator).append(names[j]);
    storage::AtomicFile file(path);
    file.write(packedFor(path, head + '\n'));
    writeRows(file, pairs.store, StoreLayout::Rectangle, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + io::kNumberChars] = {separator};
                  text.append(names[row]);
                  for (std::size_t j = 0; j < references; ++j)
                      text.append(number, writeValue(number + 1, values[j], pairs.store.valueType()));
                  text.push_back('\n');
              });
    file.commit();
}

void writeRectangleNpy(const std::filesystem::path& path, const PairFile& pairs) {
    const PairStore& store = pairs.store;
    const ValueType type = store.valueType();
    const Range columns{0, store.references()};
    storage::AtomicFile file(path);
    file.write(npyHeader({store.instances(), StoreLayout::Rectangle, store.references()}, type));
    writeRows(file, store, StoreLayout::Rectangle, pairs.progress,
              [&](std::size_t, const double* values, std::string& text) {
                  const std::size_t begin = text.size();
                  text.resize(begin + columns.size() * bytesOf(type));
                  copyRow(values, columns, type, text.data() + begin);
              });
    io::commitWithNames(file, path, pairs.names);
}

void writeMolten(const std::filesystem::path& path, ClosePairs& close, std::span<const std::string> allNames,
                 double diagonal, StoreLayout part, const MoltenOptions& options, Progress& progress) {
    const std::vector<std::string> names = pairNames(allNames, close.references(), path);
    const ValueType type = close.valueType();
    const std::vector<ClosePair>& pairs = close.sorted();
    if (options.isSorted) return writeSorted(path, pairs, names, type, options, progress);
    const bool isSquare = part == StoreLayout::Square;
    const std::vector<std::size_t> rowBegins = beginsOf(pairs, names.size(), &ClosePair::row);
    const Places byColumns = isSquare ? byColumn(pairs, names.size()) : Places();
    const auto& begins = byColumns.first;
    const auto& places = byColumns.second;
    const auto writeRow = [&](std::size_t row, std::string& text) {
        for (std::size_t k = rowBegins[row]; k < rowBegins[row + 1]; ++k)
            writePair(text, names[row], names[pairs[k].column], pairs[k].value, type);
        if (!isSquare) return;
        if (diagonal <= close.largest()) writePair(text, names[row], names[row], diagonal, type);
        for (std::size_t k = begins[row]; k < begins[row + 1]; ++k)
            writePair(text, names[row], names[pairs[places[k]].row], pairs[places[k]].value, type);
    };
    const auto linesBefore = [&](std::size_t row) {
        return rowBegins[row] + (isSquare ? begins[row] + row : 0);
    };

    storage::AtomicFile file(path);
    file.write(packedFor(path, headerOf(options)));
    progress.begin(fmt::format("writing {}", path.filename().string()), static_cast<double>(names.size()));
    // Threads format pieces of about equally many lines, which are then written in order.
    std::vector<Range> pieces;
    for (std::size_t row = 0; row < names.size(); row = pieces.back().end) {
        std::size_t end = row + 1;
        while (end < names.size() && linesBefore(end) - linesBefore(row) < kLinesAtOnce) ++end;
        pieces.push_back({row, end});
    }
    writeInOrder(
        file, pieces.size(),
        [&](std::size_t piece, std::size_t, std::string& text) {
            for (std::size_t r = pieces[piece].begin; r < pieces[piece].end; ++r) writeRow(r, text);
        },
        [&](std::size_t piece) { progress.advance(static_cast<double>(pieces[piece].size())); });
    file.commit();
}

}  // namespace glycine::pairs
