#include "engine/io/delimited_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/row_collector.hpp"

namespace glycine::io {

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

bool isMissing(std::string_view field) {
    if (field.empty() || field == ".") return true;
    if (field.size() > 3) return false;
    const std::string lower = lowerCase(field);
    return lower == "na" || lower == "n/a" || lower == "nan";
}

enum class EntryKind { Number, Missing, TooLarge, Other };
struct Entry {
    EntryKind kind = EntryKind::Other;
    float value = kMissing;
};

Entry parseEntry(std::string_view field) {
    if (isMissing(field)) return {EntryKind::Missing, kMissing};
    if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
    const char* const end = field.data() + field.size();
    float value = 0;
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) {
        // Too large, or so small that it rounds to a denormal number or to zero.
        double wide = 0;
        if (std::from_chars(field.data(), end, wide).ec != std::errc{} || std::abs(wide) > 1)
            return {EntryKind::TooLarge, kMissing};
        value = static_cast<float>(wide);
    }
    return {EntryKind::Number, value};
}

bool isEntry(std::string_view field) {
    return parseEntry(field).kind != EntryKind::Other;
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

/// libcsv with C++ around it.
class CsvParser {
  public:
    explicit CsvParser(char delimiter) {
        if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw Error("libcsv does not start");
        csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
    }
    CsvParser(const CsvParser&) = delete;
    CsvParser& operator=(const CsvParser&) = delete;
    ~CsvParser() { csv_free(&parser_); }

    /// `Target` has addField(std::string_view) and endRow(). An exception of theirs must not pass through C
    /// code: it waits until libcsv has returned. Returns whether the text is well-formed so far.
    template <class Target>
    bool parse(std::string_view text, Target& target) {
        const std::size_t used =
            csv_parse(&parser_, text.data(), text.size(), &onField<Target>, &onRow<Target>, &target);
        if (target.failure) std::rethrow_exception(target.failure);
        return used == text.size();
    }
    template <class Target>
    bool finish(Target& target) {
        const int status = csv_fini(&parser_, &onField<Target>, &onRow<Target>, &target);
        if (target.failure) std::rethrow_exception(target.failure);
        return status == 0;
    }

  private:
    template <class Target, class Action>
    static void guard(Target& target, const Action& action) {
        if (target.failure) return;
        try {
            action();
        } catch (...) {
            target.failure = std::current_exception();
        }
    }
    template <class Target>
    static void onField(void* text, std::size_t length, void* target) {
        auto& to = *static_cast<Target*>(target);
        guard(to, [&] { to.addField({static_cast<const char*>(text), length}); });
    }
    template <class Target>
    static void onRow(int, void* target) {
        auto& to = *static_cast<Target*>(target);
        guard(to, [&] { to.endRow(); });
    }

    csv_parser parser_{};
};

/// Takes the fields of the table one after another.
class TableBuilder {
  public:
    TableBuilder(const std::string& name, const LineReader& lines, std::optional<bool> header)
        : name_(name), lines_(lines), header_(header) {}

    std::exception_ptr failure;

    void addField(std::string_view field) {
        text_ += field;
        ends_.push_back(text_.size());
    }

    void endRow() {
        if (isFirstLine_ && isHeader()) {
            for (std::size_t k = 0; k < ends_.size(); ++k) titles_.emplace_back(field(k));
        } else {
            addRow();
        }
        isFirstLine_ = false;
        text_.clear();
        ends_.clear();
    }

    DelimitedTable take() {
        if (!rows_) throw InputError(fmt::format("{}: has no rows of values", name_));
        table_.values = rows_->take();
        // The last titles: the first may stand above the names.
        if (!titles_.empty())
            table_.columnNames.assign(titles_.end() - static_cast<std::ptrdiff_t>(table_.values.columns()),
                                      titles_.end());
        return std::move(table_);
    }

  private:
    std::string_view field(std::size_t k) const {
        const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
        return std::string_view(text_).substr(begin, ends_[k] - begin);
    }

    bool isHeader() const {
        if (header_) return *header_;
        const std::size_t width = ends_.size();
        if (width == 1) return !isEntry(field(0));
        if (field(0).empty()) return true;
        for (std::size_t k = 1; k < width; ++k)
            if (!isEntry(field(k))) return true;
        return false;
    }

    /// What the first row tells about all.
    void startRows() {
        width_ = ends_.size();
        firstLine_ = lines_.number();
        const bool isShorter = !titles_.empty() && titles_.size() + 1 == width_;
        if (!titles_.empty() && titles_.size() != width_ && !isShorter)
            throw InputError(
                fmt::format("{}: line {} has {} fields; expected {}, as the header has, or one more", name_,
                            firstLine_, width_, titles_.size()));
        hasNames_ = isShorter || !isEntry(field(0)) ||
                    (width_ > 1 && !titles_.empty() && namesFirstColumn(titles_.front()));
        if (hasNames_ && width_ == 1)
            throw InputError(
                fmt::format("{}: line {}: '{}' was found; expected fields with numbers, separated by "
                            "tab, comma or semicolon",
                            name_, firstLine_, field(0)));
        rows_.emplace(width_ - (hasNames_ ? 1 : 0));
    }

    void addRow() {
        if (!rows_) startRows();
        if (ends_.size() != width_)
            throw InputError(fmt::format("{}: line {} has {} fields; expected {}, as line {} has", name_,
                                         lines_.number(), ends_.size(), width_, firstLine_));
        table_.lines.push_back(lines_.number());
        if (hasNames_) table_.rowNames.emplace_back(field(0));
        float* const row = rows_->append();
        const std::size_t first = hasNames_ ? 1 : 0;
        for (std::size_t k = first; k < width_; ++k) {
            const Entry entry = parseEntry(field(k));
            if (entry.kind == EntryKind::Other || entry.kind == EntryKind::TooLarge)
                refuseField(k, entry.kind);
            row[k - first] = entry.value;
        }
    }

    [[noreturn]] void refuseField(std::size_t k, EntryKind kind) const {
        throw InputError(fmt::format(
            "{}: line {}, column {}: '{}' was found; expected {}", name_, lines_.number(), k + 1, field(k),
            kind == EntryKind::TooLarge ? "a number within the range of float32"
            : k == 0 ? "a number, as in the rows before (a column of names begins with a name, "
                       "or the header calls it 'id')"
                     : "a number, or NA for missing"));
    }

    const std::string& name_;
    const LineReader& lines_;
    std::optional<bool> header_;
    bool isFirstLine_ = true;
    std::vector<std::string> titles_;
    std::string text_;               ///< the fields of the row one behind another
    std::vector<std::size_t> ends_;  ///< where each of them ends
    std::size_t width_ = 0;          ///< fields a row
    std::size_t firstLine_ = 0;
    bool hasNames_ = false;
    std::optional<RowCollector<float>> rows_;
    DelimitedTable table_;
};

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

std::string DelimitedTable::place(std::size_t row, std::size_t column) const {
    const std::string title = columnNames.empty() ? "" : fmt::format(" ('{}')", columnNames[column]);
    return fmt::format("line {}, column {}{}", lines[row], column + (rowNames.empty() ? 1 : 2), title);
}

DelimitedTable readDelimitedTable(TextStream& stream, std::optional<bool> header) {
    LineReader lines(stream);
    std::string_view line = lines.next();
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    while (!line.empty() && isEmptyLine(line)) line = lines.next();
    if (line.empty()) throw InputError(fmt::format("{}: is empty; expected a table", stream.name()));

    CsvParser parser(findDelimiter(line));
    TableBuilder table(stream.name(), lines, header);
    const auto check = [&](bool isGood) {
        if (!isGood)
            throw InputError(
                fmt::format("{}: line {}: double quotes do not pair", stream.name(), lines.number()));
    };
    for (; !line.empty(); line = lines.next()) check(parser.parse(line, table));
    check(parser.finish(table));
    return table.take();
}

}  // namespace glycine::io
