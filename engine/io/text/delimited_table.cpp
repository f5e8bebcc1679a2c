#include "engine/io/text/delimited_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/delimited_rows.hpp"
#include "engine/io/text/row_collector.hpp"

namespace glycine::io {

namespace {

template <class T>
constexpr T kMissing = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr std::string_view kRange = std::is_same_v<T, float> ? "a number within the range of float32"
                                                             : "a number within the range of float64";

bool isMissing(std::string_view field) {
    if (field.empty() || field == ".") return true;
    if (field.size() > 3) return false;
    const std::string lower = lowerCase(field);
    return lower == "na" || lower == "n/a" || lower == "nan";
}

enum class EntryKind { Number, Missing, TooLarge, Other };
template <class T>
struct Entry {
    EntryKind kind = EntryKind::Other;
    T value = kMissing<T>;
};

/// A number beyond the range of T: too large, or so small that it rounds to a denormal number or to zero.
template <class T>
Entry<T> parseBeyondRange(std::string_view field) {
    if constexpr (std::is_same_v<T, float>) {
        double wide = 0;
        if (std::from_chars(field.data(), field.data() + field.size(), wide).ec == std::errc{})
            return std::abs(wide) > 1 ? Entry<T>{EntryKind::TooLarge}
                                      : Entry<T>{EntryKind::Number, static_cast<T>(wide)};
    }
    // from_chars does not tell the two apart; strtod, which does, gives a denormal number or zero at one end
    // and an infinity at the other.
    const double wide = std::strtod(std::string(field).c_str(), nullptr);
    if (std::abs(wide) > 1) return {EntryKind::TooLarge};
    return {EntryKind::Number, static_cast<T>(wide)};
}

template <class T>
Entry<T> parseEntry(std::string_view field) {
    if (isMissing(field)) return {EntryKind::Missing};
    if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
    const char* const end = field.data() + field.size();
    T value = 0;
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) return parseBeyondRange<T>(field);
    return {EntryKind::Number, value};
}

template <class T>
bool isEntry(std::string_view field) {
    return parseEntry<T>(field).kind != EntryKind::Other;
}

/// Whether the header calls the first column one of names.
bool namesFirstColumn(std::string_view title) {
    std::string word;
    for (const char c : lowerCase(title))
        if (c >= 'a' && c <= 'z') word += c;
    if (title.empty()) return true;
    constexpr std::string_view kWords[] = {"id",       "iid",        "name",     "names", "sample",
                                           "sampleid", "individual", "instance", "label", "index",
                                           "taxon",    "strain",     "isolate"};
    return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

/// Takes the rows of the table one after another.
template <class T>
class TableBuilder {
  public:
    TableBuilder(const std::string& name, std::optional<bool> header) : name_(name), header_(header) {}

    void add(const DelimitedRow& row) {
        if (isFirstLine_ && isHeader(row))
            for (std::size_t k = 0; k < row.size(); ++k) titles_.emplace_back(row[k]);
        else
            addRow(row);
        isFirstLine_ = false;
    }

    NumberTable<T> take() {
        if (!rows_) throw InputError(fmt::format("{}: has no rows of values", name_));
        table_.values = rows_->take();
        // The last titles: the first may stand above the names.
        if (!titles_.empty())
            table_.columnNames.assign(titles_.end() - static_cast<std::ptrdiff_t>(table_.values.columns()),
                                      titles_.end());
        return std::move(table_);
    }

  private:
    bool isHeader(const DelimitedRow& row) const {
        if (header_) return *header_;
        if (row.size() == 1) return !isEntry<T>(row[0]);
        if (row[0].empty()) return true;
        for (std::size_t k = 1; k < row.size(); ++k)
            if (!isEntry<T>(row[k])) return true;
        return false;
    }

    /// What the first row tells about all.
    void startRows(const DelimitedRow& row) {
        width_ = row.size();
        firstLine_ = row.line();
        const bool isShorter = !titles_.empty() && titles_.size() + 1 == width_;
        if (!titles_.empty() && titles_.size() != width_ && !isShorter)
            throw InputError(
                fmt::format("{}: line {} has {} fields; expected {}, as the header has, or one more", name_,
                            firstLine_, width_, titles_.size()));
        hasNames_ = isShorter || !isEntry<T>(row[0]) ||
                    (width_ > 1 && !titles_.empty() && namesFirstColumn(titles_.front()));
        if (hasNames_ && width_ == 1)
            throw InputError(
                fmt::format("{}: line {}: '{}' was found; expected fields with numbers, separated by "
                            "tab, comma or semicolon",
                            name_, firstLine_, excerpt(row[0])));
        rows_.emplace(width_ - (hasNames_ ? 1 : 0));
    }

    void addRow(const DelimitedRow& row) {
        if (!rows_) startRows(row);
        if (row.size() != width_)
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as line {} has", name_,
                                         row.line(), row.size(), width_, firstLine_));
        table_.lines.push_back(row.line());
        if (hasNames_) table_.rowNames.emplace_back(row[0]);
        T* const values = rows_->append();
        const std::size_t first = hasNames_ ? 1 : 0;
        for (std::size_t k = first; k < width_; ++k) {
            const Entry<T> entry = parseEntry<T>(row[k]);
            if (entry.kind == EntryKind::Other || entry.kind == EntryKind::TooLarge)
                refuseField(row, k, entry.kind);
            values[k - first] = entry.value;
        }
    }

    [[noreturn]] void refuseField(const DelimitedRow& row, std::size_t k, EntryKind kind) const {
        throw InputError(fmt::format(
            "{}: line {}, column {}: '{}' was found; expected {}", name_, row.line(), k + 1, excerpt(row[k]),
            kind == EntryKind::TooLarge ? kRange<T>
            : k == 0 ? "a number, as in the rows before (a column of names begins with a name, "
                       "or the header calls it 'id')"
                     : "a number, or NA for missing"));
    }

    const std::string& name_;
    std::optional<bool> header_;
    bool isFirstLine_ = true;
    std::vector<std::string> titles_;
    std::size_t width_ = 0;  ///< fields a row
    std::size_t firstLine_ = 0;
    bool hasNames_ = false;
    std::optional<RowCollector<T>> rows_;
    NumberTable<T> table_;
};

}  // namespace

template <class T>
std::string NumberTable<T>::place(std::size_t row, std::size_t column) const {
    const std::string title = columnNames.empty() ? "" : fmt::format(" ('{}')", excerpt(columnNames[column]));
    return fmt::format("line {}, column {}{}", lines[row], column + (rowNames.empty() ? 1 : 2), title);
}

template <class T>
NumberTable<T> readDelimitedTable(TextStream& stream, std::optional<bool> header) {
    TableBuilder<T> table(stream.name(), header);
    visitDelimitedRows(stream, [&](const DelimitedRow& row) { table.add(row); });
    return table.take();
}

template struct NumberTable<float>;
template struct NumberTable<double>;
template NumberTable<float> readDelimitedTable(TextStream&, std::optional<bool>);
template NumberTable<double> readDelimitedTable(TextStream&, std::optional<bool>);

}  // namespace glycine::io
