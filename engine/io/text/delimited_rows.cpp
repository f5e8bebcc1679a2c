#include "engine/io/text/delimited_rows.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

/// libcsv with C++ around it.
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

    /// Returns whether the text is well-formed so far.
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
    /// An exception must not pass through C code: it waits until libcsv has returned.
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

/// Of the line's text outside quotes, which begin fields.
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

/// Makes a quote that does not begin its field a letter of it in the form that libcsv reads: `a"b` becomes
/// `"a""b"`.
class InnerQuotes {
  public:
    explicit InnerQuotes(char delimiter) : delimiter_(delimiter) {}

    /// The line with such quotes doubled; valid until the next one.
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
    /// Up to what ends the field; where the line ends before its quotes do, they stay open.
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
        if (!isComment || !isComment(line)) check(rows.parse(quotes.apply(line)));
    check(rows.finish());
}

std::size_t TextTable::column(std::string_view title) const {
    const auto found = std::find_if(titles.begin(), titles.end(), [&](const std::string& candidate) {
        return lowerCase(candidate) == lowerCase(title);
    });
    return static_cast<std::size_t>(found - titles.begin());
}

TextTable readTextTable(TextStream& stream) {
    TextTable table;
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
