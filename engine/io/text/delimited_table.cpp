#include "engine/io/text/delimited_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
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
    if (field.size() > 4) return false;
    const std::string lower = lowerCase(field);
    return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null";
}

enum class EntryKind { Number, Missing, TooLarge, Rounded, Other };  // Rounded: isRoundedWholeNumber
template <class T>
struct Entry {
    EntryKind kind = EntryKind::Other;
    T value = kMissing<T>;
};

/// Parses a number beyond the range of T: too large, or so small that it becomes denormal or zero.
template <class T>
Entry<T> parseBeyondRange(std::string_view field) {
    if constexpr (std::is_same_v<T, float>) {
        double wide = 0;
        if (std::from_chars(field.data(), field.data() + field.size(), wide).ec == std::errc{})
            return std::abs(wide) > 1 ? Entry<T>{EntryKind::TooLarge}
                                      : Entry<T>{EntryKind::Number, static_cast<T>(wide)};
    }
    // from_chars does not distinguish the two cases; strtod returns a denormal number or zero in one,
    // infinity in the other.
    const double wide = std::strtod(std::string(field).c_str(), nullptr);
    if (std::abs(wide) > 1) return {EntryKind::TooLarge};
    return {EntryKind::Number, static_cast<T>(wide)};
}

/// Parses a number with a decimal point.
template <class T>
Entry<T> parsePointed(std::string_view field) {
    if (isMissing(field)) return {EntryKind::Missing};
    if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
    const char* const end = field.data() + field.size();
    T value = 0;
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) return parseBeyondRange<T>(field);
    return {isRoundedWholeNumber(field, value) ? EntryKind::Rounded : EntryKind::Number, value};
}

/// Whether the header marks the first column as names. `more`: TableForm::nameTitles.
bool namesFirstColumn(std::string_view title, const std::vector<std::string_view>& more) {
    std::string word;
    for (const char c : lowerCase(title))
        if (c >= 'a' && c <= 'z') word += c;
    if (title.empty()) return true;
    constexpr std::string_view kWords[] = {"id",       "iid",        "name",     "names", "sample",
                                           "sampleid", "individual", "instance", "label", "index",
                                           "taxon",    "strain",     "isolate"};
    return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords) ||
           std::find(more.begin(), more.end(), word) != more.end();
}

/// Parses fields and requires one decimal mark in all of them.
template <class T>
class EntryParser {
  public:
    explicit EntryParser(const std::string& name) : name_(name) {}

    /// A number may have a decimal comma if commas do not separate columns.
    Entry<T> parse(const DelimitedRow& row, std::size_t k) const {
        const Entry<T> pointed = parsePointed<T>(row[k]);
        if (pointed.kind != EntryKind::Other || !hasComma(row, k)) return pointed;
        std::string field(row[k]);
        field[field.find(',')] = '.';
        return parsePointed<T>(field);
    }
    bool isEntry(const DelimitedRow& row, std::size_t k) const {
        return parse(row, k).kind != EntryKind::Other;
    }
    bool isNumber(const DelimitedRow& row, std::size_t k) const {
        const EntryKind kind = parse(row, k).kind;
        return kind == EntryKind::Number || kind == EntryKind::Rounded;
    }

    /// Records the decimal mark of a field that is a number.
    void noteMark(const DelimitedRow& row, std::size_t k) {
        if (comma_.empty() && hasComma(row, k)) comma_ = place(row, k);
        if (point_.empty() && row[k].find('.') != std::string_view::npos) point_ = place(row, k);
        if (!comma_.empty() && !point_.empty())
            throw InputError(
                fmt::format("{}: a decimal comma at {} and a decimal point at {}; expected one "
                            "of them in all numbers",
                            name_, comma_, point_));
    }
    bool hasDecimalCommas() const { return !comma_.empty(); }

  private:
    static bool hasComma(const DelimitedRow& row, std::size_t k) {
        return row.separator() != ',' && row[k].find(',') != std::string_view::npos &&
               row[k].find('.') == std::string_view::npos;
    }
    static std::string place(const DelimitedRow& row, std::size_t k) {
        return fmt::format("line {}, column {} ('{}')", row.line(), k + 1, row[k]);
    }

    const std::string& name_;
    std::string comma_;  ///< where the first one was found
    std::string point_;
};

/// Builds the table row by row.
template <class T>
class TableBuilder {
  public:
    TableBuilder(const std::string& name, const TableForm& form) : name_(name), form_(form), entries_(name) {}

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
        table_.hasDecimalCommas = entries_.hasDecimalCommas();
        // Use the last titles: the first one may belong to the names.
        if (!titles_.empty())
            table_.columnNames.assign(titles_.end() - static_cast<std::ptrdiff_t>(table_.values.columns()),
                                      titles_.end());
        return std::move(table_);
    }

  private:
    using Names = TableForm::Names;

    bool isHeader(const DelimitedRow& row) const {
        if (form_.header) return *form_.header;
        if (form_.names != Names::FindOut) refuseMixture(row);
        if (row.size() == 1) return !entries_.isEntry(row, 0);
        if (row[0].empty()) return true;
        if (!form_.nameTitles.empty() && namesFirstColumn(row[0], form_.nameTitles)) return true;
        for (std::size_t k = 1 + form_.annotations; k < row.size(); ++k)
            if (!entries_.isEntry(row, k)) return true;
        return false;
    }

    /// A line of names has no numbers, and a line of numbers has no names.
    void refuseMixture(const DelimitedRow& row) const {
        std::optional<std::size_t> text, number;
        for (std::size_t k = form_.names == Names::AllOrNone ? 1 : 0; k < row.size(); ++k) {
            if (!text && !entries_.isEntry(row, k)) text = k;
            if (!number && entries_.isNumber(row, k)) number = k;
        }
        if (text && number)
            throw InputError(fmt::format(
                "{}: line {} holds text ('{}' in column {}) and numbers ('{}' in column {}); expected the "
                "one or the other, or to be told whether it is a header (--header yes, --header no)",
                name_, row.line(), row[*text], *text + 1, row[*number], *number + 1));
    }

    /// Sets what the first row determines for all rows.
    void startRows(const DelimitedRow& row) {
        width_ = row.size();
        firstLine_ = row.line();
        const bool mayHaveNames = form_.names != Names::None;
        const bool isShorter = mayHaveNames && !titles_.empty() && titles_.size() + 1 == width_;
        if (!titles_.empty() && titles_.size() != width_ && !isShorter)
            throw InputError(fmt::format(
                "{}: line {} has {} fields; expected {}, as the header has{}{}", name_, firstLine_, width_,
                titles_.size(), mayHaveNames ? ", or one more" : "", causeOfMore(row, titles_.size())));
        const bool isNamed =
            form_.annotations > 0 || isShorter ||
            (width_ > 1 && !titles_.empty() && namesFirstColumn(titles_.front(), form_.nameTitles));
        hasNames_ = mayHaveNames && (isNamed || !entries_.isEntry(row, 0));
        namesAreText_ = form_.names == Names::AllOrNone && hasNames_ && !isNamed;
        firstValue_ = hasNames_ ? 1 + form_.annotations : 0;
        if (width_ <= firstValue_)
            throw InputError(
                fmt::format("{}: line {}: '{}' was found; expected fields with numbers, separated by "
                            "tab, comma or semicolon",
                            name_, firstLine_, excerpt(row[0])));
        table_.annotations = form_.annotations;
        rows_.emplace(width_ - firstValue_);
        if (!form_.mayHoldText) return;
        table_.holdsText.assign(width_, 0);
        mayHoldText_.assign(width_, 0);
        for (std::size_t k = 0; k < titles_.size(); ++k) mayHoldText_[k] = form_.mayHoldText(titles_[k]);
    }

    /// Explains why a line may have too many fields.
    std::string causeOfMore(const DelimitedRow& row, std::size_t expected) const {
        if (row.size() <= expected) return "";
        if (row.separator() == ',')
            return " (decimal commas can only be read where semicolons or tabs separate the columns)";
        return form_.names == Names::None ? " (a column of row names has no place here)" : "";
    }

    void addRow(const DelimitedRow& row) {
        if (!rows_) startRows(row);
        if (row.size() != width_)
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as line {} has{}", name_,
                                         row.line(), row.size(), width_, firstLine_,
                                         causeOfMore(row, width_)));
        table_.lines.push_back(row.line());
        if (hasNames_) addName(row);
        if (form_.grows && rows_->rows() >= nextReportRow_) {
            form_.grows(rows_->rows() + 1, rows_->columns());
            nextReportRow_ = rows_->rows() + rows_->rows() / 4 + 1;
        }
        T* const values = rows_->append();
        for (std::size_t k = firstValue_; k < width_; ++k) {
            const Entry<T> entry = entries_.parse(row, k);
            if (entry.kind == EntryKind::Number) entries_.noteMark(row, k);
            if (entry.kind != EntryKind::Number && entry.kind != EntryKind::Missing) {
                if (mayHoldText_.empty() || mayHoldText_[k] == 0) refuseField(row, k, entry.kind);
                if (entry.kind != EntryKind::Rounded) table_.holdsText[k] = 1;
            }
            values[k - firstValue_] = entry.value;
        }
    }

    void addName(const DelimitedRow& row) {
        if (namesAreText_ && entries_.isEntry(row, 0))
            throw InputError(
                fmt::format("{}: line {} begins with '{}', line {} with '{}'; expected a name at the "
                            "beginning of every line, or a number at that of every line",
                            name_, row.line(), row[0], firstLine_, table_.rowNames.front()));
        table_.rowNames.emplace_back(row[0]);
    }

    [[noreturn]] void refuseField(const DelimitedRow& row, std::size_t k, EntryKind kind) const {
        throw InputError(fmt::format(
            "{}: line {}, column {}: '{}' was found; expected {}", name_, row.line(), k + 1, excerpt(row[k]),
            kind == EntryKind::TooLarge  ? kRange<T>
            : kind == EntryKind::Rounded ? kExactWholeNumber<T>
            : k == 0 && form_.names == Names::FindOut
                ? "a number, as in the rows before (a column of names begins with a name, "
                  "or the header calls it 'id')"
                : "a number, or NA for missing"));
    }

    const std::string& name_;
    const TableForm& form_;
    EntryParser<T> entries_;
    bool isFirstLine_ = true;
    std::vector<std::string> titles_;
    std::size_t width_ = 0;  ///< fields per row
    std::size_t firstLine_ = 0;
    bool hasNames_ = false;
    std::size_t firstValue_ = 0;  ///< its column
    bool namesAreText_ = false;
    std::vector<char> mayHoldText_;
    std::optional<RowCollector<T>> rows_;
    std::size_t nextReportRow_ = 0;  ///< row count of the next call of `grows`
    NumberTable<T> table_;
};

}  // namespace

template <class T>
std::string NumberTable<T>::place(std::size_t row, std::size_t column) const {
    const std::string title = columnNames.empty() ? "" : fmt::format(" ('{}')", excerpt(columnNames[column]));
    return fmt::format("line {}, column {}{}", lines[row], column + (rowNames.empty() ? 1 : 2) + annotations,
                       title);
}

template <class T>
NumberTable<T> readDelimitedTable(TextStream& stream, const TableForm& form) {
    TableBuilder<T> table(stream.name(), form);
    visitDelimitedRows(
        stream, [&](const DelimitedRow& row) { table.add(row); }, form.isComment);
    return table.take();
}

template struct NumberTable<float>;
template struct NumberTable<double>;
template NumberTable<float> readDelimitedTable(TextStream&, const TableForm&);
template NumberTable<double> readDelimitedTable(TextStream&, const TableForm&);

/// C++ wrapper of libcsv.
class RowVisitor {
  public:
    RowVisitor(char delimiter, const LineReader& lines, const std::function<void(const DelimitedRow&)>& visit)
        : lines_(lines), visit_(visit) {
        if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw Error("libcsv does not start");
        csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
        row_.separator_ = delimiter;
    }
    RowVisitor(const RowVisitor&) = delete;
    RowVisitor& operator=(const RowVisitor&) = delete;
    ~RowVisitor() { csv_free(&parser_); }

    /// Returns whether the text has been well-formed so far.
    bool parse(std::string_view text) {
        const std::size_t used = csv_parse(&parser_, text.data(), text.size(), &onField, &onRow, this);
        if (failure_) std::rethrow_exception(failure_);
        return used == text.size();
    }
    bool finish() {
        const int status = csv_fini(&parser_, &onField, &onRow, this);
        if (failure_) std::rethrow_exception(failure_);
        return status == 0;
    }

  private:
    /// An exception must not pass through C code: it is kept until libcsv returns.
    template <class Action>
    void guard(const Action& action) {
        if (failure_) return;
        try {
            action();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    static void onField(void* text, std::size_t length, void* self) {
        auto& to = *static_cast<RowVisitor*>(self);
        to.guard([&] {
            to.row_.text_.append(static_cast<const char*>(text), length);
            to.row_.ends_.push_back(to.row_.text_.size());
        });
    }
    static void onRow(int, void* self) {
        auto& to = *static_cast<RowVisitor*>(self);
        to.guard([&] {
            to.row_.line_ = to.lines_.number();
            to.visit_(to.row_);
            to.row_.text_.clear();
            to.row_.ends_.clear();
        });
    }

    csv_parser parser_{};
    const LineReader& lines_;
    const std::function<void(const DelimitedRow&)>& visit_;
    DelimitedRow row_;
    std::exception_ptr failure_;
};

namespace {

/// Finds the separator in the text outside quotes, which only count at the start of a field.
char findDelimiter(std::string_view line) {
    char found = ',';
    bool isInside = false, isQuotedField = false, isAtBeginning = true;
    for (const char c : line) {
        if (c == '"' && (isAtBeginning || isQuotedField)) {
            isInside = !isInside;
            isQuotedField = true;
        }
        const bool separates = !isInside && (c == '\t' || c == ';' || c == ',');
        if (separates) isQuotedField = false;
        isAtBeginning = separates || (isAtBeginning && c == ' ');
        if (separates && c == '\t') return c;
        if (separates && c == ';') found = c;
    }
    return found;
}

/// Escapes quotes inside an unquoted field in the form that libcsv reads: `a"b` becomes `"a""b"`.
class InnerQuotes {
  public:
    explicit InnerQuotes(char delimiter) : delimiter_(delimiter) {}

    /// Whether the next line continues a field of the last one.
    bool areOpen() const { return isInside_; }
    /// The line with such quotes doubled; valid until the next call.
    std::string_view apply(std::string_view line) {
        if (!isInside_ && line.find('"') == std::string_view::npos) return line;
        text_.clear();
        for (std::size_t position = 0; position < line.size();) {
            if (!isInside_) appendBlanks(line, position);
            if (isInside_ || (position < line.size() && line[position] == '"'))
                appendQuoted(line, position);
            else
                appendPlain(line, position);
            if (position < line.size()) text_ += line[position++];
        }
        return text_;
    }

  private:
    bool endsField(char c) const { return c == delimiter_ || c == '\r' || c == '\n'; }
    void appendBlanks(std::string_view line, std::size_t& position) {
        while (position < line.size() && !endsField(line[position]) &&
               (line[position] == ' ' || line[position] == '\t'))
            text_ += line[position++];
    }
    /// Copies up to the end of the field. Quotes still open at the end of the line stay open.
    void appendQuoted(std::string_view line, std::size_t& position) {
        for (; position < line.size() && (isInside_ || !endsField(line[position])); ++position) {
            if (line[position] == '"') isInside_ = !isInside_;
            text_ += line[position];
        }
    }
    void appendPlain(std::string_view line, std::size_t& position) {
        const std::size_t begin = position;
        while (position < line.size() && !endsField(line[position])) ++position;
        std::string_view field = line.substr(begin, position - begin);
        if (field.find('"') == std::string_view::npos) {
            text_ += field;
            return;
        }
        field = field.substr(0, field.find_last_not_of(" \t") + 1);
        text_ += '"';
        for (const char c : field) text_.append(c == '"' ? 2 : 1, c);
        text_ += '"';
    }

    char delimiter_;
    bool isInside_ = false;
    std::string text_;
};

bool isEmptyLine(std::string_view line) {
    return line.find_first_not_of(" \r\n") == std::string_view::npos;
}

}  // namespace

void visitDelimitedRows(TextStream& stream, const std::function<void(const DelimitedRow&)>& visit,
                        const std::function<bool(std::string_view)>& isComment) {
    LineReader lines(stream);
    std::string_view line = lines.next();
    const auto isPassedOver = [&](std::string_view text) {
        return isEmptyLine(text) || (isComment && isComment(text));
    };
    while (!line.empty() && isPassedOver(line)) line = lines.next();
    if (line.empty()) throw InputError(fmt::format("{}: is empty; expected a table", stream.name()));

    const char delimiter = findDelimiter(line);
    RowVisitor rows(delimiter, lines, visit);
    InnerQuotes quotes(delimiter);
    const auto check = [&](bool isGood) {
        if (!isGood)
            throw InputError(
                fmt::format("{}: line {}: double quotes do not pair", stream.name(), lines.number()));
    };
    for (; !line.empty(); line = lines.next())
        if (quotes.areOpen() || !isComment || !isComment(line)) check(rows.parse(quotes.apply(line)));
    check(rows.finish());
}

std::size_t ColumnTable::column(std::string_view title) const {
    const auto found = std::find_if(titles.begin(), titles.end(), [&](const std::string& candidate) {
        return lowerCase(candidate) == lowerCase(title);
    });
    return static_cast<std::size_t>(found - titles.begin());
}

ColumnTable readColumnTable(TextStream& stream) {
    ColumnTable table;
    table.name = stream.name();
    visitDelimitedRows(stream, [&](const DelimitedRow& row) {
        std::vector<std::string> fields;
        for (std::size_t k = 0; k < row.size(); ++k) fields.emplace_back(row[k]);
        if (table.titles.empty()) {
            for (const std::string& title : fields) {
                if (table.column(title) < table.titles.size())
                    throw InputError(
                        fmt::format("{}: line {}: two columns are called '{}'; expected each once",
                                    table.name, row.line(), excerpt(title)));
                table.titles.push_back(title);
            }
            return;
        }
        if (fields.size() != table.titles.size())
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as the header has",
                                         table.name, row.line(), fields.size(), table.titles.size()));
        table.rows.push_back(std::move(fields));
        table.lines.push_back(row.line());
    });
    if (table.rows.empty()) throw InputError(fmt::format("{}: has no rows behind its header", table.name));
    return table;
}

}  // namespace glycine::io
