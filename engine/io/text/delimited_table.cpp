#include "engine/io/text/delimited_table.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/number_rows.hpp"
#include "engine/io/text/row_piece.hpp"
#include "engine/io/text/table_entry.hpp"

namespace glycine::io {

namespace {

template <class T>
constexpr std::string_view kRange = std::is_same_v<T, float> ? "a number within the range of float32"
                                                             : "a number within the range of float64";

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

/// Builds the table row by row, or from pieces.
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

    /// Whether a row has determined the shape of the others.
    bool hasShape() const { return rows_.has_value(); }
    const RowShape& shape() const { return shape_; }

    /// Text that was added.
    struct Added {
        std::size_t bytes = 0;
        std::size_t lines = 0;
    };
    /// Adds the rows of consecutive pieces, up to the first line that was not taken. The first piece begins
    /// after line number `linesBefore`.
    Added addPieces(std::span<RowPiece<T>> pieces, std::size_t linesBefore) {
        std::vector<const T*> rows;
        Added added;
        std::size_t used = 0;
        for (bool isWhole = true; isWhole && used < pieces.size(); ++used) {
            RowPiece<T>& piece = pieces[used];
            const std::size_t before = linesBefore + added.lines;
            if ((piece.comma() && entries_.hasDecimalPoints()) ||
                (piece.point() && entries_.hasDecimalCommas()))
                break;
            for (const auto* mark : {&piece.comma(), &piece.point()})
                if (*mark)
                    entries_.noteMark(before + (*mark)->line + 1, (*mark)->column, (*mark)->field,
                                      mark == &piece.comma());
            for (std::size_t i = 0; i < piece.rows(); ++i) {
                table_.lines.push_back(before + piece.lines()[i] + 1);
                rows.push_back(piece.row(i));
            }
            std::move(piece.names().begin(), piece.names().end(), std::back_inserter(table_.rowNames));
            for (std::size_t k = 0; k < piece.holdsText().size(); ++k)
                table_.holdsText[k] = static_cast<char>(table_.holdsText[k] | piece.holdsText()[k]);
            added.bytes += piece.bytes();
            added.lines += piece.lineCount();
            isWhole = piece.isWhole();
        }
        append(rows);
        return added;
    }

    NumberTable<T> take() {
        if (!rows_) throw InputError(fmt::format("{}: has no rows of values", name_));
        table_.small = rows_->takeSmall();
        table_.values = rows_->take();
        table_.hasDecimalCommas = entries_.hasDecimalCommas();
        // Use the last titles: the first one may belong to the names.
        if (!titles_.empty())
            table_.columnNames.assign(titles_.end() - static_cast<std::ptrdiff_t>(rows_->columns()),
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
            throw InputError(
                fmt::format("{}: line {} holds text ('{}' in column {}) and numbers ('{}' in column {}); "
                            "expected one kind, or --header yes or --header no to say whether it is a header",
                            name_, row.line(), row[*text], *text + 1, row[*number], *number + 1));
    }

    /// Sets what the first row determines for all rows.
    void startRows(const DelimitedRow& row) {
        shape_.width = row.size();
        firstLine_ = row.line();
        const bool mayHaveNames = form_.names != Names::None;
        const bool isShorter = mayHaveNames && !titles_.empty() && titles_.size() + 1 == shape_.width;
        if (!titles_.empty() && titles_.size() != shape_.width && !isShorter)
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as the header has{}{}",
                                         name_, firstLine_, shape_.width, titles_.size(),
                                         mayHaveNames ? ", or one more" : "",
                                         causeOfMore(row, titles_.size())));
        const bool isNamed =
            form_.annotations > 0 || isShorter ||
            (shape_.width > 1 && !titles_.empty() && namesFirstColumn(titles_.front(), form_.nameTitles));
        shape_.hasNames = mayHaveNames && (isNamed || !entries_.isEntry(row, 0));
        shape_.namesAreText = form_.names == Names::AllOrNone && shape_.hasNames && !isNamed;
        shape_.firstValue = shape_.hasNames ? 1 + form_.annotations : 0;
        if (shape_.width <= shape_.firstValue)
            throw InputError(
                fmt::format("{}: line {}: '{}' was found; expected fields with numbers, separated by "
                            "tab, comma or semicolon",
                            name_, firstLine_, excerpt(row[0])));
        table_.annotations = form_.annotations;
        rows_.emplace(shape_.width - shape_.firstValue, form_.keepsSmall);
        values_.resize(rows_->columns());
        if (!form_.mayHoldText) return;
        table_.holdsText.assign(shape_.width, 0);
        shape_.mayHoldText.assign(shape_.width, 0);
        for (std::size_t k = 0; k < titles_.size(); ++k)
            shape_.mayHoldText[k] = form_.mayHoldText(titles_[k]);
    }

    /// A likely reason why the line has too many fields.
    std::string causeOfMore(const DelimitedRow& row, std::size_t expected) const {
        if (row.size() <= expected) return "";
        if (row.separator() == ',')
            return " (decimal commas can only be read where semicolons or tabs separate the columns)";
        return form_.names == Names::None ? " (a column of row names has no place here)" : "";
    }

    void addRow(const DelimitedRow& row) {
        if (!rows_) startRows(row);
        if (row.size() != shape_.width)
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as line {} has{}", name_,
                                         row.line(), row.size(), shape_.width, firstLine_,
                                         causeOfMore(row, shape_.width)));
        table_.lines.push_back(row.line());
        if (shape_.hasNames) addName(row);
        for (std::size_t k = shape_.firstValue; k < shape_.width; ++k) {
            const Entry<T> entry = entries_.parse(row, k);
            if (entry.kind == EntryKind::Number) entries_.noteMark(row, k);
            if (entry.kind != EntryKind::Number && entry.kind != EntryKind::Missing) {
                if (shape_.mayHoldText.empty() || shape_.mayHoldText[k] == 0) refuseField(row, k, entry.kind);
                if (entry.kind != EntryKind::Rounded) table_.holdsText[k] = 1;
            }
            values_[k - shape_.firstValue] = entry.value;
        }
        const T* const values = values_.data();
        append({&values, 1});
    }

    void append(std::span<const T* const> rows) {
        for (std::size_t row = rows_->rows(); form_.grows && row < rows_->rows() + rows.size(); ++row) {
            if (row < nextReportRow_) continue;
            form_.grows(row + 1, rows_->columns());
            nextReportRow_ = row + row / 4 + 1;
        }
        rows_->append(rows);
    }

    void addName(const DelimitedRow& row) {
        if (shape_.namesAreText && entries_.isEntry(row, 0))
            throw InputError(
                fmt::format("{}: line {} begins with '{}', line {} with '{}'; expected a name at the "
                            "beginning of every line, or a number at that of every line",
                            name_, row.line(), row[0], firstLine_, table_.rowNames.front()));
        table_.rowNames.emplace_back(row[0]);
    }

    [[noreturn]] void refuseField(const DelimitedRow& row, std::size_t k, EntryKind kind) {
        // Without any number, the first row is hardly one of a table.
        bool mayBeTable = row.line() != firstLine_;
        for (std::size_t other = 0; other < row.size(); ++other) mayBeTable |= entries_.isEntry(row, other);
        throw InputError(
            fmt::format("{}: line {}, column {}: '{}' was found; expected {}{}", name_, row.line(), k + 1,
                        excerpt(row[k]),
                        kind == EntryKind::TooLarge  ? kRange<T>
                        : kind == EntryKind::Rounded ? kExactWholeNumber<T>
                        : k == 0 && form_.names == Names::FindOut
                            ? "a number, as in the rows before (a column of names begins with a name, "
                              "or the header calls it 'id')"
                            : "a number, or NA for missing",
                        mayBeTable ? "" : inspectAdvice(name_)));
    }

    const std::string& name_;
    const TableForm& form_;
    EntryParser<T> entries_;
    bool isFirstLine_ = true;
    std::vector<std::string> titles_;
    RowShape shape_;
    std::size_t firstLine_ = 0;
    std::optional<NumberRows<T>> rows_;
    std::vector<T> values_;          ///< of a row that is parsed by itself
    std::size_t nextReportRow_ = 0;  ///< row count of the next call of `grows`
    NumberTable<T> table_;
};

}  // namespace

template <class T>
void NumberTable<T>::widen() {
    if (small.empty()) return;
    values = Matrix<T>(small.rows(), small.columns());
    const std::size_t columns = small.columns();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < small.rows(); ++i)
        std::transform(small.row(i), small.row(i) + columns, values.row(i), fromSmall<T>);
    small = {};
}

template <class T>
std::string NumberTable<T>::place(std::size_t row, std::size_t column) const {
    const std::string title = columnNames.empty() ? "" : fmt::format(" ('{}')", excerpt(columnNames[column]));
    return fmt::format("line {}, column {}{}", lines[row], column + (rowNames.empty() ? 1 : 2) + annotations,
                       title);
}

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

/// Reads separated text line by line.
class LineParser {
  public:
    /// Finds the first line that is no comment. Throws InputError if there is none.
    LineParser(TextStream& stream, const std::function<void(const DelimitedRow&)>& visit,
               const std::function<bool(std::string_view)>& isComment)
        : name_(stream.name()),
          isComment_(isComment),
          lines_(stream),
          first_(findFirst()),
          separator_(findDelimiter(first_)),
          rows_(separator_, lines_, visit),
          quotes_(separator_) {}

    /// Parses the next line and returns its bytes; 0 after the last one.
    std::size_t next() {
        const std::string_view line = first_.empty() ? lines_.next() : std::exchange(first_, {});
        if (line.empty())
            check(rows_.finish());
        else if (quotes_.areOpen() || !isComment_ || !isComment_(line))
            check(rows_.parse(quotes_.apply(line)));
        return line.size();
    }
    /// Whether the next line begins a row.
    bool isBetweenRows() const { return !quotes_.areOpen(); }
    char separator() const { return separator_; }
    LineReader& lines() { return lines_; }

  private:
    std::string_view findFirst() {
        std::string_view line = lines_.next();
        while (!line.empty() && (isEmptyLine(line) || (isComment_ && isComment_(line)))) line = lines_.next();
        if (line.empty()) throw InputError(fmt::format("{}: is empty; expected a table", name_));
        return line;
    }
    void check(bool isGood) const {
        if (!isGood)
            throw InputError(fmt::format("{}: line {}: double quotes do not pair", name_, lines_.number()));
    }

    const std::string& name_;
    const std::function<bool(std::string_view)>& isComment_;
    LineReader lines_;
    std::string_view first_;
    char separator_;
    RowVisitor rows_;
    InnerQuotes quotes_;
};

/// Parses the next lines on all threads, up to the end or the first line that needs LineParser. Returns how
/// many bytes LineParser should parse before the next attempt.
template <class T>
std::size_t addPieces(LineParser& parser, TableBuilder<T>& table, const TableForm& form) {
    constexpr std::size_t kPiece = std::size_t{256} << 10, kLeastBlock = std::size_t{4} << 20;
    // Several pieces for each thread, and little enough to stay in caches.
    const int threads = omp_get_max_threads();
    const std::size_t blockBytes = std::max(kLeastBlock, 4 * kPiece * static_cast<std::size_t>(threads));
    std::vector<RowPiece<T>> pieces;
    LineReader& lines = parser.lines();
    for (;;) {
        const std::string_view block = lines.peek(blockBytes);
        if (block.empty()) return 0;
        std::vector<std::string_view> texts;
        for (std::string_view rest = block; !rest.empty(); rest.remove_prefix(texts.back().size())) {
            const std::size_t end =
                rest.size() <= kPiece ? std::string_view::npos : rest.find(lines.lineEnd(), kPiece - 1);
            texts.push_back(rest.substr(0, end == std::string_view::npos ? end : end + 1));
        }
        while (pieces.size() < texts.size())
            pieces.emplace_back(table.shape(), parser.separator(), lines.lineEnd(), form.isComment);
        parallelFor(threads, texts.size(),
                    [&](std::size_t index, std::size_t) { pieces[index].parse(texts[index]); });
        const auto added = table.addPieces(std::span(pieces).first(texts.size()), lines.number());
        lines.skip(added.lines, added.bytes);
        if (added.bytes < block.size()) return block.size() - added.bytes;
    }
}

}  // namespace

void visitDelimitedRows(TextStream& stream, const std::function<void(const DelimitedRow&)>& visit,
                        const std::function<bool(std::string_view)>& isComment) {
    LineParser parser(stream, visit, isComment);
    while (parser.next() > 0) continue;
}

template <class T>
NumberTable<T> readDelimitedTable(TextStream& stream, const TableForm& form) {
    TableBuilder<T> table(stream.name(), form);
    const std::function<void(const DelimitedRow&)> add = [&](const DelimitedRow& row) { table.add(row); };
    LineParser parser(stream, add, form.isComment);
    std::size_t singly = 0;
    while (const std::size_t bytes = parser.next()) {
        singly -= std::min(singly, bytes);
        if (singly == 0 && table.hasShape() && parser.isBetweenRows())
            singly = addPieces<T>(parser, table, form);
    }
    return table.take();
}

template struct NumberTable<float>;
template struct NumberTable<double>;
template NumberTable<float> readDelimitedTable(TextStream&, const TableForm&);
template NumberTable<double> readDelimitedTable(TextStream&, const TableForm&);

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
    if (table.rows.empty()) throw InputError(fmt::format("{}: has no rows after its header", table.name));
    return table;
}

}  // namespace glycine::io
