#include "engine/io/structures/pdb_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "engine/core/error.hpp"

namespace glycine::io {

namespace {

constexpr std::size_t kRecordColumns = 80;
constexpr double kLargestCoordinate = 1e5;

std::string_view trimmed(std::string_view field) {
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    return field;
}

/// One line, with its position for messages.
class Record {
  public:
    Record(std::string_view line, std::size_t number, const std::string& file)
        : line_(line), number_(number), file_(file) {}

    bool is(std::string_view record) const {
        return line_.size() >= record.size() &&
               std::equal(record.begin(), record.end(), line_.begin(),
                          [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); }) &&
               (line_.size() == record.size() ||
                std::isalpha(static_cast<unsigned char>(line_[record.size()])) == 0);
    }
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("{}: line {}: {}", file_, number_, what));
    }
    /// Columns first … last, counted from 1 as in the guide.
    std::string_view columns(std::size_t first, std::size_t last) const {
        return first > line_.size() ? std::string_view() : line_.substr(first - 1, last - first + 1);
    }
    void checkPrintable() const {
        for (std::size_t i = 0; i < line_.size(); ++i)
            if (line_[i] < ' ' || line_[i] > '~')
                fail(fmt::format("column {} holds the byte {:#04x}; expected printable ASCII", i + 1,
                                 static_cast<unsigned char>(line_[i])));
    }
    void checkAtom() const {
        constexpr std::size_t kLastCoordinateColumn = 54;
        if (line_.size() < kLastCoordinateColumn)
            fail(fmt::format("an atom record of {} columns; the coordinates end in column {}", line_.size(),
                             kLastCoordinateColumn));
        for (std::size_t axis = 0; axis < 3; ++axis) checkCoordinate("xyz"[axis], 31 + 8 * axis);
        const std::string_view residue = columns(23, 26);
        if (!isInteger(trimmed(residue)) && !isHybrid36(residue))
            fail(
                fmt::format("columns 23-26 are '{}'; expected a residue number, of 10000 and above in "
                            "hybrid-36 (A000 to ZZZZ)",
                            residue));
        // Some programs write a fifth digit in the column of insertion codes. A sixth is in no column.
        if (isDigit(27) && isDigit(28))
            fail(
                fmt::format("columns 23-28 are '{}'; expected a residue number of four digits, and an "
                            "insertion code",
                            columns(23, 28)));
    }
    void checkModel() const {
        const std::string_view model = trimmed(columns(11, 14));
        if (!isInteger(model)) fail(fmt::format("columns 11-14 are '{}'; expected a model number", model));
        if (isDigit(10) || isDigit(15))
            fail(
                fmt::format("columns 10-15 are '{}'; expected a model number of four digits in columns 11-14",
                            columns(10, 15)));
    }
    void appendTo(std::string& records) const {
        records += line_.substr(0, kRecordColumns);
        records.append(kRecordColumns - std::min(line_.size(), kRecordColumns), ' ');
        records += '\n';
    }

  private:
    static bool isInteger(std::string_view field) {
        int value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        return error == std::errc() && end == field.data() + field.size();
    }
    /// Numbers past 9999 as A000 … ZZZZ. Beyond these come lower-case letters, which gemmi reads as capitals.
    static bool isHybrid36(std::string_view field) {
        const auto isCapital = [](char c) { return c >= 'A' && c <= 'Z'; };
        return isCapital(field[0]) && std::all_of(field.begin(), field.end(), [&](char c) {
                   return isCapital(c) || (c >= '0' && c <= '9');
               });
    }
    bool isDigit(std::size_t column) const {
        return column <= line_.size() && line_[column - 1] >= '0' && line_[column - 1] <= '9';
    }
    void checkCoordinate(char axis, std::size_t firstColumn) const {
        std::string_view field = trimmed(columns(firstColumn, firstColumn + 7));
        const std::string_view shown = field;
        if (field.starts_with('+')) field.remove_prefix(1);
        double value = 0;
        const auto [end, error] =
            std::from_chars(field.data(), field.data() + field.size(), value, std::chars_format::fixed);
        if (error != std::errc() || end != field.data() + field.size() ||
            !(std::abs(value) <= kLargestCoordinate))
            fail(fmt::format("columns {}-{} are '{}'; expected the {} coordinate, a number within ±{:g} Å",
                             firstColumn, firstColumn + 7, shown, axis, kLargestCoordinate));
    }

    std::string_view line_;
    std::size_t number_;
    const std::string& file_;
};

/// Columns first … last of a record of 80, counted from 1, without blanks.
std::string field(std::string_view record, std::size_t first, std::size_t last) {
    std::string text(record.substr(first - 1, last - first + 1));
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

}  // namespace

std::string coordinateRecords(std::string_view text, const std::string& name) {
    std::string records;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin = end + 1;
        const Record record(line, ++number, name);
        if (record.is("END")) break;
        const bool isAtom = record.is("ATOM") || record.is("HETATM");
        const bool isModel = record.is("MODEL");
        if (record.is("SEQRES") || record.is("MODRES")) record.appendTo(records);
        if (!isAtom && !isModel && !record.is("ENDMDL") && !record.is("TER")) continue;
        record.checkPrintable();
        if (isAtom) record.checkAtom();
        if (isModel) record.checkModel();
        record.appendTo(records);
    }
    return records;
}

PolymerRecords readPolymerRecords(std::string_view records) {
    constexpr std::size_t kLine = kRecordColumns + 1;
    PolymerRecords found;
    for (; records.size() >= kLine; records.remove_prefix(kLine)) {
        const std::string_view record = records.substr(0, 6);
        if (record == "SEQRES")
            for (std::size_t column = 20; column <= 68; column += 4)
                found.sequence.emplace(field(records, 11, 12), field(records, column, column + 2));
        if (record == "MODRES")
            found.modified.insert(PolymerRecords::keyOf(field(records, 16, 17), field(records, 19, 23),
                                                        field(records, 13, 15)));
    }
    return found;
}

namespace {

/// Calls `use` for each record of a kind ("SSBOND"), padded to 80 columns.
template <class Use>
void forEachRecord(std::string_view text, std::string_view kind, const Use& use) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line(text.substr(begin, end - begin));
        begin = end + 1;
        if (!line.starts_with(kind)) continue;
        line.resize(kRecordColumns, ' ');
        use(line);
    }
}

}  // namespace

std::vector<StructureDisulfide> readDisulfides(std::string_view text) {
    std::vector<StructureDisulfide> found;
    forEachRecord(text, "SSBOND", [&](const std::string& line) {
        StructureDisulfide bond{{field(line, 16, 16), field(line, 30, 30)},
                                {field(line, 18, 22), field(line, 32, 36)}};
        if (!bond.residueNumber[0].empty() && !bond.residueNumber[1].empty() &&
            field(line, 60, 65) == field(line, 67, 72))
            found.push_back(std::move(bond));
    });
    return found;
}

std::vector<StructureResidue> readCisPeptides(std::string_view text, int model) {
    std::vector<StructureResidue> found;
    forEachRecord(text, "CISPEP", [&](const std::string& line) {
        StructureResidue residue{field(line, 30, 30), field(line, 32, 36)};
        const std::string of = field(line, 44, 46);
        if (!residue.number.empty() && (of.empty() || of == "0" || of == fmt::format("{}", model)))
            found.push_back(std::move(residue));
    });
    return found;
}

}  // namespace glycine::io
