#include "engine/pairs/files/matrix_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/short_number.hpp"

namespace glycine::pairs {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPhylipEndings[] = {".phy", ".phylip", ".dst", ".dist"};
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool hasEnding(const fs::path& path, std::string_view ending) {
    return withoutPacking(lowerCase(path.filename().string())).ends_with(ending);
}

bool hasPhylipEnding(const fs::path& path) {
    return std::ranges::any_of(kPhylipEndings,
                               [&](std::string_view ending) { return hasEnding(path, ending); });
}

/// Opens the values of an array file; `archive` must outlive them.
std::unique_ptr<io::ByteSource> openValues(const fs::path& path, std::unique_ptr<io::NpzReader>& archive) {
    if (hasEnding(path, ".npy")) return io::openFile(path);
    archive = std::make_unique<io::NpzReader>(path);
    return archive->open("values");
}

std::vector<std::string> namesOfArray(const fs::path& path, std::size_t instances, const MatrixWords& words) {
    std::vector<std::string> names;
    if (hasEnding(path, ".npz")) {
        const io::NpzReader archive(path);
        if (archive.contains("names")) names = io::readNpyStrings(*archive.open("names"));
    } else if (fs::exists(io::npyNamesFile(path))) {
        std::ifstream file(io::npyNamesFile(path));
        for (std::string line; std::getline(file, line) && !line.empty();) names.push_back(line);
    } else {
        for (std::size_t g = 0; g < instances; ++g) names.push_back(fmt::to_string(g + 1));
    }
    if (names.size() != instances)
        throw InputError(fmt::format("{}: has {} and names of {}; expected as many", path.string(),
                                     formatCount(instances, words.instance), names.size()));
    return names;
}

/// Passes the rows of a symmetric matrix on as tiles on and below its diagonal.
class RowBands {
  public:
    RowBands(const fs::path& path, const MatrixWords& words, const std::vector<std::string>& names,
             std::size_t side, PairSink& sink, Progress& progress)
        : path_(path),
          words_(words),
          names_(names),
          side_(side),
          sink_(sink),
          progress_(progress),
          band_(std::min(side, names.size()), names.size()),
          below_(names.size()),
          above_(names.size()) {
        for (std::size_t k = 0; k < names.size(); ++k) weights_.push_back(0.5 + unitInterval(mixBits(k + 1)));
    }

    /// Call in row order.
    template <class T>
    void add(std::span<const T> row) {
        const std::size_t n = names_.size();
        double* target = band_.row(row_ % side_);
        for (std::size_t column = 0; column < n; ++column) {
            const auto value = static_cast<double>(row[column]);
            if constexpr (std::is_integral_v<T>)
                if (!holdsExactly<double>(row[column]))
                    throw InputError(fmt::format("{}: ({}, {}) is {}; expected {}", path_.string(), row_,
                                                 column, row[column], kExactWholeNumber<double>));
            if (column != row_ && (value < 0 || std::isinf(value)))
                throw InputError(fmt::format("{}: ({}, {}) is {}; expected {}, which is not negative, or nan",
                                             path_.string(), row_, column, value, words_.quantity));
            target[column] = value;
            // Values above the diagonal are gone when their mirror images arrive, so weighted sums are
            // compared.
            const double counted = std::isnan(value) ? -1 : value;
            if (column < row_) below_[row_] += weights_[column] * counted;
            if (column > row_) above_[column] += weights_[row_] * counted;
        }
        if (std::abs(below_[row_] - above_[row_]) >
            1e-9 * static_cast<double>(n) + 1e-6 * std::abs(below_[row_]))
            throw InputError(
                fmt::format("{}: row {} ('{}') and the column of the same {} differ; expected a "
                            "symmetric matrix",
                            path_.string(), row_, excerpt(names_[row_]), words_.instance));
        ++row_;
        if (row_ % side_ == 0 || row_ == n) store();
    }

  private:
    void store() {
        const Range rows{(row_ - 1) / side_ * side_, row_};
        for (const Range& columns : splitRange(row_, side_))
            if (!sink_.has({rows, columns}))
                sink_.store({rows, columns},
                            std::as_const(band_).view().block(0, columns.begin, rows.size(), columns.size()));
        progress_.advance(static_cast<double>(rows.size()));
    }

    const fs::path& path_;
    const MatrixWords& words_;
    const std::vector<std::string>& names_;
    std::size_t side_;
    PairSink& sink_;
    Progress& progress_;
    Matrix<double> band_;
    std::vector<double> weights_;
    std::vector<double> below_;
    std::vector<double> above_;
    std::size_t row_ = 0;
};

}  // namespace

void requireDistinctNames(std::string_view source, std::string_view instance,
                          std::span<const std::string> names) {
    if (const auto empty = std::ranges::find(names, ""); empty != names.end())
        throw InputError(fmt::format("{}: {} {} has no name", source, instance, empty - names.begin() + 1));
    if (const auto repeated = firstRepeated(names))
        throw InputError(fmt::format("{}: {}s {} and {} are both named '{}'; expected each once", source,
                                     instance, repeated->first + 1, repeated->second + 1,
                                     names[repeated->first]));
}

MatrixReader::MatrixReader(fs::path path, MatrixWords words)
    : path_(std::move(path)), words_(std::move(words)) {
    if (hasEnding(path_, ".tsv") || hasEnding(path_, ".csv")) {
        isText_ = true;
        readText();
    } else if (words_.areDistances && hasPhylipEnding(path_)) {
        isText_ = true;
        readPhylip();
    } else if (hasEnding(path_, ".npy") || hasEnding(path_, ".npz")) {
        std::unique_ptr<io::NpzReader> archive;
        const io::NpyHeader header = io::readNpyHeader(*openValues(path_, archive));
        if (header.shape.size() != 2 || header.shape[0] != header.shape[1] || header.shape[0] == 0 ||
            header.kind == io::NpyKind::Text)
            throw InputError(fmt::format(
                "{}: holds {} values; expected N × N numbers, as {} writes them with --shape square",
                path_.string(), fmt::join(header.shape, " × "), words_.command));
        head_.instances = header.shape[0];
        head_.names = namesOfArray(path_, head_.instances, words_);
    } else {
        throw UsageError(fmt::format(
            "{}: the ending stands for no matrix of {}{}; known: .npy, .npz, .csv, .tsv{}{}", path_.string(),
            words_.quantity, words_.areDistances ? "s" : "", words_.areDistances ? ", and PHYLIP's " : "",
            words_.areDistances ? fmt::to_string(fmt::join(kPhylipEndings, ", ")) : ""));
    }
    requireDistinctNames(path_.string(), words_.instance, head_.names);
    head_.description = fmt::format("{}{} of {} in {}", words_.quantity, words_.areDistances ? "s" : "",
                                    formatCount(head_.instances, words_.instance), path_.filename().string());
}

bool MatrixReader::isMatrixFile(const fs::path& path) {
    constexpr std::string_view kOthers[] = {".npy", ".npz", ".csv", ".tsv"};
    return hasPhylipEnding(path) ||
           std::ranges::any_of(kOthers, [&](std::string_view ending) { return hasEnding(path, ending); });
}

void MatrixReader::readText() {
    std::size_t row = 0;
    bool isTriangle = false;
    const auto fail = [&](const io::DelimitedRow& fields, std::size_t column, std::string_view expected) {
        throw InputError(fmt::format("{}: line {}, column {}: '{}'; expected {}", path_.string(),
                                     fields.line(), column + 1, excerpt(fields[column]), expected));
    };
    io::visitDelimitedRows(*io::openText(path_), [&](const io::DelimitedRow& fields) {
        if (head_.names.empty()) {
            for (std::size_t k = 1; k < fields.size(); ++k) head_.names.emplace_back(fields[k]);
            head_.instances = head_.names.size();
            if (head_.instances == 0)
                fail(fields, 0, fmt::format("an empty field and the names of {}s", words_.instance));
            text_ = Matrix<double>(head_.instances, head_.instances, kUnknown);
            return;
        }
        if (row == head_.instances)
            throw InputError(fmt::format("{}: line {}: expected {} of values, as many as there are columns",
                                         path_.string(), fields.line(), formatCount(head_.instances, "row")));
        if (fields[0] != head_.names[row])
            fail(fields, 0,
                 fmt::format("'{}', as column {} is called: in a matrix, rows have the names of the columns",
                             excerpt(head_.names[row]), row + 2));
        // The first row shows whether rows are complete or end at the diagonal.
        if (row == 0) isTriangle = fields.size() == 2;
        const std::size_t expected = isTriangle ? row + 1 : head_.instances;
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
                if (isRoundedWholeNumber(text, value)) fail(fields, column + 1, kExactWholeNumber<double>);
            }
            if (column != row && (value < 0 || std::isinf(value)))
                fail(fields, column + 1, fmt::format("{}, which is not negative, or nan", words_.quantity));
            text_(row, column) = value;
            if (isTriangle) text_(column, row) = value;
        }
        ++row;
    });
    if (row < head_.instances)
        throw InputError(fmt::format("{}: holds {} of values and names of {}; expected as many",
                                     path_.string(), formatCount(row, "row"),
                                     formatCount(head_.instances, "column")));
}

namespace {

/// Words of a text, with their line numbers.
class PhylipWords {
  public:
    PhylipWords(std::string text, std::string source) : text_(std::move(text)), source_(std::move(source)) {}

    /// The next word. At the end, throws InputError that states what was expected.
    std::string_view next(std::string_view expected) {
        skipBlanks();
        if (position_ == text_.size())
            throw InputError(fmt::format("{}: ends after line {}; expected {}", source_, line_, expected));
        const std::size_t begin = position_;
        while (position_ < text_.size() && !isBlank(text_[position_])) ++position_;
        return std::string_view(text_).substr(begin, position_ - begin);
    }
    /// Whether the rest of the line is blank.
    bool isAtLineEnd() const {
        const std::size_t next = text_.find_first_not_of(" \t\r", position_);
        return next == text_.npos || text_[next] == '\n';
    }
    bool isAtEnd() {
        skipBlanks();
        return position_ == text_.size();
    }
    [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
        throw InputError(
            fmt::format("{}: line {}: '{}'; expected {}", source_, line_, excerpt(found), expected));
    }

  private:
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    void skipBlanks() {
        for (; position_ < text_.size() && isBlank(text_[position_]); ++position_)
            line_ += text_[position_] == '\n' ? 1 : 0;
    }

    std::string text_;
    std::string source_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

void MatrixReader::readPhylip() {
    std::string text = io::readText(path_);
    const double bytes = static_cast<double>(text.size());
    PhylipWords words(std::move(text), path_.string());
    const std::string expectedCount = fmt::format("the number of {}s", words_.instance);
    const std::string_view count = words.next(expectedCount);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), head_.instances);
    if (!isDigits(count) || error != std::errc() || end != count.data() + count.size() ||
        head_.instances == 0 || !words.isAtLineEnd())
        words.fail(count, expectedCount + ", alone on its line");
    const std::size_t n = head_.instances;
    // Each name and each value of a triangle takes a character and a blank, so an impossible count is refused
    // before allocating.
    if (static_cast<double>(n) * static_cast<double>(n) > bytes)
        words.fail(count, fmt::format("fewer {}s: the file has no room for as many rows", words_.instance));
    requireHostMemory(
        fmt::format("{}: {} of all pairs of {} {}s", path_.string(), words_.quantity, n, words_.instance),
        static_cast<double>(n) * static_cast<double>(n) * sizeof(double));
    bool isTriangle = false;
    for (std::size_t row = 0; row < n; ++row) {
        head_.names.emplace_back(words.next(fmt::format("{} {}s", n, words_.instance)));
        if (row == 0) {
            isTriangle = words.isAtLineEnd();
            text_ = Matrix<double>(n, n, kUnknown);
        }
        for (std::size_t column = 0; column < (isTriangle ? row : n); ++column) {
            const std::string_view word = words.next("its values");
            double value = kUnknown;
            const char* const wordEnd = word.data() + word.size();
            bool isRead = false, isRounded = false, hasPoint = false;
            if (io::parseShortNumber(word.data(), wordEnd, value, hasPoint) == wordEnd) {
                isRead = true;
            } else {
                const auto [last, failure] = std::from_chars(word.data(), wordEnd, value);
                isRead = failure == std::errc() && last == wordEnd && std::isfinite(value);
                isRounded = isRead && isRoundedWholeNumber(word, value);
            }
            if (!isRead || value < 0)
                words.fail(word, fmt::format("{}, which is not negative", words_.quantity));
            if (isRounded) words.fail(word, kExactWholeNumber<double>);
            text_(row, column) = value;
            if (isTriangle) text_(column, row) = value;
        }
    }
    if (!words.isAtEnd()) words.fail(words.next(""), fmt::format("nothing after {} rows", n));
}

void MatrixReader::read(std::size_t side, PairSink& sink, Progress& progress) {
    progress.begin(fmt::format("reading {}", path_.filename().string()),
                   static_cast<double>(head_.instances));
    RowBands bands(path_, words_, head_.names, side, sink, progress);
    if (isText_) {
        for (std::size_t row = 0; row < head_.instances; ++row)
            bands.add(std::span<const double>(text_.row(row), head_.instances));
        text_ = {};
        return;
    }
    std::unique_ptr<io::NpzReader> archive;
    const std::unique_ptr<io::ByteSource> source = openValues(path_, archive);
    const io::NpyHeader header = io::readNpyHeader(*source);
    // The matrix is symmetric, so columns are rows.
    io::visitNpyMatrix(*source, header, [&](const io::NpyBlock& block) {
        std::visit(
            [&](auto values) {
                for (std::size_t line = 0; line < block.lines; ++line)
                    bands.add(values.subspan(line * block.lineLength, block.lineLength));
            },
            block.values);
    });
}

}  // namespace glycine::pairs
