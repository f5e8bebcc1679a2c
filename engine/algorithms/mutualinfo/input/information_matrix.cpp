#include "engine/algorithms/mutualinfo/input/information_matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/delimited_rows.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool hasEnding(const fs::path& path, std::string_view ending) {
    return withoutPacking(lowerCase(path.filename().string())).ends_with(ending);
}

/// Opens the values of an array file; `archive` must outlive them.
std::unique_ptr<io::ByteSource> openValues(const fs::path& path, std::unique_ptr<io::NpzReader>& archive) {
    if (hasEnding(path, ".npy")) return io::openFile(path);
    archive = std::make_unique<io::NpzReader>(path);
    return archive->open("values");
}

std::vector<std::string> namesOfArray(const fs::path& path, std::size_t genes) {
    std::vector<std::string> names;
    if (hasEnding(path, ".npz")) {
        const io::NpzReader archive(path);
        if (archive.contains("names")) names = io::readNpyStrings(*archive.open("names"));
    } else if (fs::exists(io::npyNamesFile(path))) {
        std::ifstream file(io::npyNamesFile(path));
        for (std::string line; std::getline(file, line) && !line.empty();) names.push_back(line);
    } else {
        for (std::size_t g = 0; g < genes; ++g) names.push_back(fmt::to_string(g + 1));
    }
    if (names.size() != genes)
        throw InputError(fmt::format("{}: has {} and names of {}; expected as many", path.string(),
                                     formatCount(genes, "gene"), names.size()));
    return names;
}

/// Passes rows of a symmetric matrix on as tiles below its diagonal.
class RowBands {
  public:
    RowBands(const fs::path& path, const std::vector<std::string>& names, std::size_t side,
             pairs::PairSink& sink, Progress& progress)
        : path_(path),
          names_(names),
          side_(side),
          sink_(sink),
          progress_(progress),
          band_(std::min(side, names.size()), names.size()),
          below_(names.size()),
          above_(names.size()) {}

    /// Rows in their order.
    template <class T>
    void add(std::span<const T> row) {
        const std::size_t n = names_.size();
        double* target = band_.row(row_ % side_);
        for (std::size_t column = 0; column < n; ++column) {
            const auto value = static_cast<double>(row[column]);
            if (column != row_ && (value < 0 || std::isinf(value)))
                throw InputError(
                    fmt::format("{}: ({}, {}) is {}; expected mutual information, which is not "
                                "negative, or nan",
                                path_.string(), row_, column, value));
            target[column] = value;
            // Values above the diagonal are gone when their mirror images come: sums with weights tell.
            const double counted = std::isnan(value) ? -1 : value;
            if (column < row_) below_[row_] += weight(column) * counted;
            if (column > row_) above_[column] += weight(row_) * counted;
        }
        if (std::abs(below_[row_] - above_[row_]) >
            1e-9 * static_cast<double>(n) + 1e-6 * std::abs(below_[row_]))
            throw InputError(
                fmt::format("{}: row {} ('{}') and the column of the same gene differ; expected a "
                            "symmetric matrix",
                            path_.string(), row_, excerpt(names_[row_])));
        ++row_;
        if (row_ % side_ == 0 || row_ == n) store();
    }

  private:
    static double weight(std::size_t gene) { return 0.5 + unitInterval(mixBits(gene + 1)); }

    void store() {
        const Range rows{(row_ - 1) / side_ * side_, row_};
        for (const Range& columns : splitRange(row_, side_))
            if (!sink_.has({rows, columns}))
                sink_.store({rows, columns},
                            std::as_const(band_).view().block(0, columns.begin, rows.size(), columns.size()));
        progress_.advance(static_cast<double>(rows.size()));
    }

    const fs::path& path_;
    const std::vector<std::string>& names_;
    std::size_t side_;
    pairs::PairSink& sink_;
    Progress& progress_;
    Matrix<double> band_;
    std::vector<double> below_;
    std::vector<double> above_;
    std::size_t row_ = 0;
};

}  // namespace

InformationMatrixReader::InformationMatrixReader(fs::path path) : path_(std::move(path)) {
    if (hasEnding(path_, ".tsv") || hasEnding(path_, ".csv")) {
        isText_ = true;
        readText();
    } else if (hasEnding(path_, ".npy") || hasEnding(path_, ".npz")) {
        std::unique_ptr<io::NpzReader> archive;
        const io::NpyHeader header = io::readNpyHeader(*openValues(path_, archive));
        if (header.shape.size() != 2 || header.shape[0] != header.shape[1] || header.shape[0] == 0 ||
            header.kind == io::NpyKind::Text)
            throw InputError(
                fmt::format("{}: holds {} values; expected N × N numbers, as glycine mutualinfo "
                            "writes them with --shape square",
                            path_.string(), fmt::join(header.shape, " × ")));
        head_.genes = header.shape[0];
        head_.names = namesOfArray(path_, head_.genes);
    } else {
        throw UsageError(
            fmt::format("{}: the ending stands for no matrix of mutual information; known: .npy, "
                        ".npz, .csv, .tsv",
                        path_.string()));
    }
    if (const auto empty = std::ranges::find(head_.names, ""); empty != head_.names.end())
        throw InputError(
            fmt::format("{}: gene {} has no name", path_.string(), empty - head_.names.begin() + 1));
    if (const auto repeated = firstRepeated(head_.names))
        throw InputError(fmt::format("{}: genes {} and {} are both named '{}'; expected each once",
                                     path_.string(), repeated->first + 1, repeated->second + 1,
                                     head_.names[repeated->first]));
    head_.description = fmt::format("mutual information of {} in {}", formatCount(head_.genes, "gene"),
                                    path_.filename().string());
}

void InformationMatrixReader::readText() {
    std::size_t row = 0;
    bool isTriangle = false;
    const auto fail = [&](const io::DelimitedRow& fields, std::size_t column, std::string_view expected) {
        throw InputError(fmt::format("{}: line {}, column {}: '{}'; expected {}", path_.string(),
                                     fields.line(), column + 1, excerpt(fields[column]), expected));
    };
    io::visitDelimitedRows(*io::openText(path_), [&](const io::DelimitedRow& fields) {
        if (head_.names.empty()) {
            for (std::size_t k = 1; k < fields.size(); ++k) head_.names.emplace_back(fields[k]);
            head_.genes = head_.names.size();
            if (head_.genes == 0) fail(fields, 0, "an empty field and the names of genes");
            text_ = Matrix<double>(head_.genes, head_.genes, kUnknown);
            return;
        }
        if (row == head_.genes)
            throw InputError(fmt::format("{}: line {}: expected {} of values, as many as there are columns",
                                         path_.string(), fields.line(), formatCount(head_.genes, "row")));
        if (fields[0] != head_.names[row])
            fail(fields, 0, fmt::format("'{}', as column {} is called", excerpt(head_.names[row]), row + 2));
        // The first row tells whether they are whole or end at the diagonal.
        if (row == 0) isTriangle = fields.size() == 2;
        const std::size_t expected = isTriangle ? row + 1 : head_.genes;
        if (fields.size() != expected + 1)
            throw InputError(fmt::format("{}: line {} holds {} values; expected {}{}", path_.string(),
                                         fields.line(), fields.size() - 1, expected,
                                         isTriangle ? ", up to the diagonal as in the first row"
                                         : row == 0 ? ", or 1 up to the diagonal"
                                                    : ""));
        for (std::size_t column = 0; column + 1 < fields.size(); ++column) {
            const std::string_view text = fields[column + 1];
            const std::string lower = lowerCase(text);
            double value = kUnknown;
            if (!lower.empty() && lower != "na" && lower != "nan") {
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                if (error != std::errc() || end != text.data() + text.size())
                    fail(fields, column + 1, "a number");
            }
            if (column != row && (value < 0 || std::isinf(value)))
                fail(fields, column + 1, "mutual information, which is not negative, or nan");
            text_(row, column) = value;
            if (isTriangle) text_(column, row) = value;
        }
        ++row;
    });
    if (row < head_.genes)
        throw InputError(fmt::format("{}: holds {} of values and names of {}; expected as many",
                                     path_.string(), formatCount(row, "row"),
                                     formatCount(head_.genes, "column")));
}

void InformationMatrixReader::read(std::size_t side, pairs::PairSink& sink, Progress& progress) {
    progress.begin("reading mutual information", static_cast<double>(head_.genes));
    RowBands bands(path_, head_.names, side, sink, progress);
    if (isText_) {
        for (std::size_t row = 0; row < head_.genes; ++row)
            bands.add(std::span<const double>(text_.row(row), head_.genes));
        text_ = {};
        return;
    }
    std::unique_ptr<io::NpzReader> archive;
    const std::unique_ptr<io::ByteSource> source = openValues(path_, archive);
    const io::NpyHeader header = io::readNpyHeader(*source);
    // Of a symmetric matrix columns are rows.
    io::visitNpyMatrix(*source, header, [&](const io::NpyBlock& block) {
        std::visit(
            [&](auto values) {
                for (std::size_t line = 0; line < block.lines; ++line)
                    bands.add(values.subspan(line * block.lineLength, block.lineLength));
            },
            block.values);
    });
}

}  // namespace glycine::mutualinfo
