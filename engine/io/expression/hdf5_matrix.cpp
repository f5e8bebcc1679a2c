#include "engine/io/expression/hdf5_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

/// Elements read at once.
constexpr std::size_t kMatrixBlock = std::size_t{1} << 21;

/// A group's declared encoding: "csr_matrix". AnnData before 0.7 wrote "csr", under another name.
std::string encodingOf(const Hdf5File& file, const std::string& name) {
    if (const auto encoding = file.text(name, "encoding-type")) return *encoding;
    if (const auto format = file.text(name, "h5sparse_format")) return *format + "_matrix";
    return {};
}

bool isSparse(const std::string& encoding) {
    return encoding == "csr_matrix" || encoding == "csc_matrix";
}

/// Rows and columns of a block of at most kMatrixBlock elements, but at least one chunk. Blocks begin at
/// chunk boundaries.
struct BlockShape {
    std::size_t rows;
    std::size_t columns;
};
BlockShape blockShape(std::size_t rows, std::size_t columns, const std::vector<std::size_t>& pieces) {
    const std::size_t pieceRows = std::min(pieces[0], rows);
    const std::size_t pieceColumns = std::min(pieces[1], columns);
    const std::size_t wide = std::max<std::size_t>(1, kMatrixBlock / pieceRows / pieceColumns) * pieceColumns;
    if (wide < columns) return {pieceRows, wide};
    return {std::min(rows, std::max<std::size_t>(1, kMatrixBlock / columns / pieceRows) * pieceRows),
            columns};
}

}  // namespace

/// The matrix that is filled block by block.
class Hdf5Matrix::Target {
  public:
    /// `extraElements`: further elements of 8 bytes held at the same time.
    Target(const Hdf5Matrix& source, bool isTransposed, std::size_t extraElements)
        : source_(source),
          isTransposed_(isTransposed),
          work_("reading " + source.place_,
                static_cast<double>(source.rows_) * static_cast<double>(source.columns_)) {
        requireHostMemory(
            fmt::format("reading {} × {} values of {}", source.rows_, source.columns_, source.place_),
            (static_cast<double>(source.rows_) * static_cast<double>(source.columns_) +
             static_cast<double>(extraElements)) *
                sizeof(double));
        values_ = isTransposed ? Matrix<double>(source.columns_, source.rows_)
                               : Matrix<double>(source.rows_, source.columns_);
    }

    /// Stores the elements from (row, column) on. `isTurned`: a row of `block` is a column of the matrix.
    void put(std::size_t row, std::size_t column, MatrixView<const double> block, bool isTurned = false) {
        for (std::size_t i = 0; i < block.rows(); ++i)
            for (std::size_t k = 0; k < block.columns(); ++k)
                if (std::isinf(block(i, k)))
                    throw InputError(fmt::format(
                        "{}: element ({}, {}) is {}; expected a finite number, or NaN for missing",
                        source_.place_, row + (isTurned ? k : i), column + (isTurned ? i : k), block(i, k)));
        if (isTransposed_) std::swap(row, column);
        if (isTransposed_ != isTurned)
            transpose<double>(block, values_.view().block(row, column, block.columns(), block.rows()));
        else
            for (std::size_t i = 0; i < block.rows(); ++i)
                std::copy_n(block.row(i), block.columns(), &values_(row + i, column));
        work_.advance(static_cast<double>(block.rows()) * static_cast<double>(block.columns()));
    }
    Matrix<double> take() { return std::move(values_); }

  private:
    const Hdf5Matrix& source_;
    bool isTransposed_;
    BackgroundWork work_;
    Matrix<double> values_;
};

Hdf5Matrix::Hdf5Matrix(const Hdf5File& file, const std::string& name)
    : place_(fmt::format("{}: '{}'", file.path().string(), name)) {
    if (!file.isGroup(name)) {
        dense_ = file.dataset(name);
        if (dense_->kind() != Hdf5Kind::Numbers)
            throw InputError(
                fmt::format("{} holds {}; expected numbers of at most 64 bits", place_, dense_->words()));
        if (dense_->shape().size() != 2)
            throw InputError(fmt::format("{} has {} dimensions; expected a matrix, which has 2", place_,
                                         dense_->shape().size()));
        rows_ = dense_->shape()[0];
        columns_ = dense_->shape()[1];
        return;
    }
    const std::string encoding = encodingOf(file, name);
    if (!isSparse(encoding))
        throw InputError(fmt::format(
            "{} is a group{}; expected a dataset, or a sparse matrix of encoding csr_matrix or csc_matrix",
            place_, encoding.empty() ? "" : fmt::format(" of encoding '{}'", excerpt(encoding))));
    auto shape = file.wholeNumbers(name, "shape");
    if (!shape) shape = file.wholeNumbers(name, "h5sparse_shape");
    if (!shape || shape->size() != 2 || (*shape)[0] < 0 || (*shape)[1] < 0)
        throw InputError(fmt::format(
            "{} has no attribute 'shape' of two whole numbers, which a sparse matrix has", place_));
    rows_ = static_cast<std::size_t>((*shape)[0]);
    columns_ = static_cast<std::size_t>((*shape)[1]);
    const bool isByColumns = encoding == "csc_matrix";
    sparse_.emplace(openSparse(file, name, isByColumns, isByColumns ? columns_ : rows_));
}

Hdf5Matrix::Sparse Hdf5Matrix::openSparse(const Hdf5File& file, const std::string& name, bool isByColumns,
                                          std::size_t lines) {
    std::unique_ptr<Hdf5Dataset> values = file.dataset(name + "/data");
    std::unique_ptr<Hdf5Dataset> indices = file.dataset(name + "/indices");
    const std::unique_ptr<Hdf5Dataset> begins = file.dataset(name + "/indptr");
    for (const Hdf5Dataset* part : {values.get(), indices.get(), begins.get()})
        if (part->shape().size() != 1)
            throw InputError(
                fmt::format("{} has {} dimensions; expected 1", part->place(), part->shape().size()));
    if (values->kind() != Hdf5Kind::Numbers)
        throw InputError(fmt::format("{} holds {}; expected numbers of at most 64 bits", values->place(),
                                     values->words()));
    if (!indices->isWhole())
        throw InputError(
            fmt::format("{} holds {}; expected whole numbers", indices->place(), indices->words()));
    const std::size_t entries = values->shape()[0];
    if (indices->shape()[0] != entries)
        throw InputError(fmt::format("{} holds {} and 'data' {}; expected one for each value",
                                     indices->place(), indices->shape()[0], formatCount(entries, "value")));
    if (begins->shape()[0] == 0 || begins->shape()[0] - 1 != lines)
        throw InputError(fmt::format("{} holds {} numbers; expected {}, one more than the matrix has {}",
                                     begins->place(), begins->shape()[0], lines + 1,
                                     isByColumns ? "columns" : "rows"));
    requireHostMemory("reading " + begins->place(), static_cast<double>(lines + 1) * sizeof(std::int64_t));
    Sparse sparse{isByColumns, std::move(values), std::move(indices), std::vector<std::int64_t>(lines + 1)};
    const Range all{0, lines + 1};
    begins->readWholeNumbers({&all, 1}, sparse.begins.data());
    if (sparse.begins.front() != 0 || sparse.begins.back() != static_cast<std::int64_t>(entries))
        throw InputError(fmt::format("{} goes from {} to {}; expected 0 to {}, the number of entries",
                                     begins->place(), sparse.begins.front(), sparse.begins.back(), entries));
    const auto fall = std::is_sorted_until(sparse.begins.begin(), sparse.begins.end());
    if (fall != sparse.begins.end())
        throw InputError(fmt::format("{}: element {} is {} after {}; expected ascending numbers",
                                     begins->place(), fall - sparse.begins.begin(), *fall, *(fall - 1)));
    return sparse;
}

std::string Hdf5Matrix::form() const {
    if (!sparse_) return "dense";
    return fmt::format("{}, {}", sparse_->isByColumns ? "CSC" : "CSR",
                       formatCount(sparse_->values->shape()[0], "stored value"));
}

Matrix<double> Hdf5Matrix::read(bool isTransposed) const {
    if (rows_ == 0 || columns_ == 0) return {};
    std::size_t extraElements = 0;
    if (dense_) {
        const BlockShape shape = blockShape(rows_, columns_, dense_->pieces());
        // The library unpacks a whole chunk before converting it.
        extraElements = shape.rows * shape.columns + dense_->pieces()[0] * dense_->pieces()[1];
    } else {
        const std::size_t length = sparse_->isByColumns ? rows_ : columns_;
        extraElements =
            4 * std::max(kMatrixBlock, length) + sparse_->values->pieces()[0] + sparse_->indices->pieces()[0];
    }
    Target target(*this, isTransposed, extraElements);
    if (dense_)
        readDense(target);
    else
        readSparse(target);
    return target.take();
}

void Hdf5Matrix::readDense(Target& target) const {
    const BlockShape shape = blockShape(rows_, columns_, dense_->pieces());
    Matrix<double> block(shape.rows, shape.columns);
    for (const Range rows : splitRange(rows_, shape.rows))
        for (const Range columns : splitRange(columns_, shape.columns)) {
            const Range part[] = {rows, columns};
            dense_->readNumbers(part, block.data());
            target.put(rows.begin, columns.begin, {block.data(), rows.size(), columns.size()});
        }
}

void Hdf5Matrix::readSparse(Target& target) const {
    const std::size_t lines = sparse_->begins.size() - 1;
    const std::size_t length = sparse_->isByColumns ? rows_ : columns_;
    const std::string_view line = sparse_->isByColumns ? "column" : "row";
    const std::string_view across = sparse_->isByColumns ? "row" : "column";
    const auto beginOf = [&](std::size_t index) { return static_cast<std::size_t>(sparse_->begins[index]); };
    std::vector<double> values;
    std::vector<std::int64_t> indices;
    std::vector<std::size_t> lastLine(length, lines);  // last line with an entry at that position
    Matrix<double> block;
    for (std::size_t first = 0; first < lines;) {
        std::size_t end = first + 1;
        const std::size_t most = std::max<std::size_t>(1, kMatrixBlock / length);
        while (end < lines && end - first < most && beginOf(end + 1) - beginOf(first) <= kMatrixBlock) ++end;
        const Range part{beginOf(first), beginOf(end)};
        if (end == first + 1 && part.size() > length)
            throw InputError(fmt::format("{}: {} {} has {} entries; expected at most {}", place_, line, first,
                                         part.size(), length));
        values.resize(part.size());
        indices.resize(part.size());
        sparse_->values->readNumbers({&part, 1}, values.data());
        sparse_->indices->readWholeNumbers({&part, 1}, indices.data());
        if (block.rows() < end - first) block = Matrix<double>(end - first, length);
        std::fill_n(block.data(), (end - first) * length, 0.0);
        for (std::size_t i = first; i < end; ++i)
            for (std::size_t e = beginOf(i) - part.begin; e < beginOf(i + 1) - part.begin; ++e) {
                if (indices[e] < 0 || indices[e] >= static_cast<std::int64_t>(length))
                    throw InputError(fmt::format("{}: element {} is {}; expected a {} below {}",
                                                 sparse_->indices->place(), part.begin + e, indices[e],
                                                 across, length));
                const auto at = static_cast<std::size_t>(indices[e]);
                if (std::exchange(lastLine[at], i) == i)
                    throw InputError(fmt::format("{}: {} {} has {} {} twice; expected each entry once",
                                                 place_, line, i, across, at));
                block(i - first, at) = values[e];
            }
        const MatrixView<const double> filled(block.data(), end - first, length);
        const bool isTurned = sparse_->isByColumns;
        target.put(isTurned ? 0 : first, isTurned ? first : 0, filled, isTurned);
        first = end;
    }
}

std::vector<std::string> matricesOf(const Hdf5File& file) {
    std::vector<std::string> found;
    std::vector<std::string> groups{"/"};
    // Links may form cycles, so limit the number of groups.
    constexpr std::size_t kMax = 1000;
    for (std::size_t g = 0; g < groups.size() && groups.size() < kMax; ++g) {
        const std::string group = groups[g];
        for (const std::string& child : file.children(group)) {
            const std::string name = group == "/" ? child : group + "/" + child;
            if (file.isGroup(name)) {
                if (isSparse(encodingOf(file, name)))
                    found.push_back(name);
                else
                    groups.push_back(name);
                continue;
            }
            try {
                const std::unique_ptr<Hdf5Dataset> dataset = file.dataset(name);
                if (dataset->kind() == Hdf5Kind::Numbers && dataset->shape().size() == 2)
                    found.push_back(name);
            } catch (const InputError&) {  // another object than a dataset
            }
        }
    }
    return found;
}

}  // namespace glycine::io
