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

/// Of the line's text outside quotes.
char findDelimiter(std::string_view line) {
    char found = ',';
    bool isQuoted = false;
    for (const char c : line) {
        if (c == '"') isQuoted = !isQuoted;
        if (isQuoted) continue;
        if (c == '\t') return c;
        if (c == ';') found = c;
    }
    return found;
}

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

    RowVisitor rows(findDelimiter(line), lines, visit);
    const auto check = [&](bool isGood) {
        if (!isGood)
            throw InputError(
                fmt::format("{}: line {}: double quotes do not pair", stream.name(), lines.number()));
    };
    for (; !line.empty(); line = lines.next())
        if (!isComment || !isComment(line)) check(rows.parse(line));
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
