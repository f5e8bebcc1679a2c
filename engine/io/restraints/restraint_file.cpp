#include "engine/io/restraints/restraint_file.hpp"

#include <algorithm>

#include "engine/core/inspect_advice.hpp"
#include "engine/io/restraints/restraint_formats.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

namespace fs = std::filesystem;

namespace {

struct RestraintEnding {
    std::string_view ending;
    RestraintFormat format;
};
constexpr RestraintEnding kRestraintEndings[] = {
    {".nef", RestraintFormat::Nef},      {".str", RestraintFormat::NmrStar},
    {".tbl", RestraintFormat::Xplor},    {".mr", RestraintFormat::Xplor},
    {".upl", RestraintFormat::CyanaUpl}, {".lol", RestraintFormat::CyanaLol},
    {".aco", RestraintFormat::CyanaAco}, {".bounds", RestraintFormat::Table},
    {".tsv", RestraintFormat::Table},    {".csv", RestraintFormat::Table},
};

std::optional<RestraintFormat> formatOf(const fs::path& path) {
    const std::string name = lowerCase(path.filename().string());
    for (const RestraintEnding& ending : kRestraintEndings)
        if (withoutPacking(name).ends_with(ending.ending)) return ending.format;
    return {};
}

/// Calls `use(number, line)` for each line of a text, without its line end.
template <class Use>
void forEachLine(std::string_view text, const Use& use) {
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        use(++number, line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
}

/// Without a separator, any run of white space separates fields.
std::vector<std::string_view> splitFields(std::string_view line, char separator = '\0') {
    std::vector<std::string_view> fields;
    constexpr std::string_view kWhite = " \t\f\v";
    if (separator == '\0') {
        for (std::size_t begin = line.find_first_not_of(kWhite); begin != std::string_view::npos;) {
            const std::size_t end = line.find_first_of(kWhite, begin);
            fields.push_back(line.substr(begin, end - begin));
            begin = line.find_first_not_of(kWhite, end);
        }
        return fields;
    }
    while (true) {
        const std::size_t end = line.find(separator);
        std::string_view field = line.substr(0, end);
        while (field.starts_with(' ') || field.starts_with('"')) field.remove_prefix(1);
        while (field.ends_with(' ') || field.ends_with('"')) field.remove_suffix(1);
        fields.push_back(field);
        if (end == std::string_view::npos) return fields;
        line.remove_prefix(end + 1);
    }
}

AtomSelection residueAtom(const RestraintFile& file, std::size_t line, std::string_view number,
                          std::string_view residue, std::string_view atom) {
    return {.residue = residueAt(file, line, number),
            .residueName = std::string(residue),
            .atom = std::string(atom)};
}

/// Parses CYANA's tables. A distance limit of 0 makes a line an alternative of the previous line (P. Güntert,
/// CYANA's reference manual, "Distance limit files").
void parseCyana(std::string_view text, RestraintFile& file) {
    const bool isAngle = file.format == RestraintFormat::CyanaAco;
    const std::size_t expected = isAngle ? 5 : 7;
    std::size_t statements = 0;
    forEachLine(text, [&](std::size_t number, std::string_view line) {
        const auto fields = splitFields(line.substr(0, std::min(line.find('#'), line.find('!'))));
        if (fields.empty()) return;
        if (fields.size() < expected)
            failAt(file, number,
                   fmt::format("{} columns; expected {}", fields.size(),
                               isAngle ? "residue number, residue, angle, lower and upper limit"
                                       : "residue number, residue and atom, twice, and the limit in Å"));
        const std::string id = fmt::format("{}", statements + 1);
        if (isAngle) {
            StatedDihedral stated{.id = id, .line = number, .atoms = {}, .angle = {}};
            stated.atoms[0] = residueAtom(file, number, fields[0], fields[1], "");
            stated.angle = std::string(fields[2]);
            for (char& c : stated.angle)
                if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            setWindow(stated, degreesAt(file, number, "the lower limit", fields[3]),
                      degreesAt(file, number, "the upper limit", fields[4]));
            file.dihedrals.push_back(std::move(stated));
            ++statements;
            return;
        }
        const double limit = distanceAt(file, number, "the limit", fields[6]);
        std::pair<AtomSet, AtomSet> ends{{residueAtom(file, number, fields[0], fields[1], fields[2])},
                                         {residueAtom(file, number, fields[3], fields[4], fields[5])}};
        if (limit == 0) {
            if (file.distances.empty())
                failAt(file, number, "a limit of 0 makes an alternative of the line before; there is none");
            file.distances.back().alternatives.push_back(std::move(ends));
            return;
        }
        StatedDistance stated{.id = id, .line = number, .alternatives = {std::move(ends)}};
        (file.format == RestraintFormat::CyanaUpl ? stated.upper : stated.lower) = limit;
        file.distances.push_back(std::move(stated));
        ++statements;
    });
}

/// Parses "12", "A:5:HB2" or, as in Glycine's own tables, "A/LYS5/HB2".
AtomSelection tableAtom(const RestraintFile& file, std::size_t line, std::string_view text) {
    const auto fail = [&] {
        failAt(file, line,
               fmt::format("'{}' is no atom; expected its number, from 1, or CHAIN:RESIDUE:ATOM",
                           excerpt(text)));
    };
    if (isDigits(text)) {
        const auto number = asNumber<std::size_t>(text);
        if (!number || *number == 0) fail();
        return {.number = number};
    }
    const char separator = text.find('/') != std::string_view::npos ? '/' : ':';
    std::vector<std::string_view> parts = splitFields(text, separator);
    if (parts.size() == 2) parts.insert(parts.begin(), std::string_view());
    if (parts.size() != 3) fail();
    const std::size_t begin = parts[1].find_first_of("-0123456789");
    if (begin == std::string_view::npos || parts[2].empty()) fail();
    // A residue's name may contain digits; its number is the trailing number.
    std::size_t digits = parts[1].size();
    while (digits > begin && isDigits(parts[1].substr(digits - 1, 1))) --digits;
    if (digits > 0 && parts[1][digits - 1] == '-') --digits;
    AtomSelection atom{.residue = residueAt(file, line, parts[1].substr(digits)),
                       .residueName = std::string(parts[1].substr(0, digits)),
                       .atom = std::string(parts[2])};
    if (!parts[0].empty()) atom.chain = std::string(parts[0]);
    return atom;
}

/// Lines of i, j, lower, upper, or of columns named by a header line (reads what `--tsv` writes).
void parseTable(std::string_view text, RestraintFile& file) {
    std::array<std::size_t, 4> columns{0, 1, 2, 3};
    bool isFirst = true;
    char separator = '\0';
    std::size_t statements = 0;
    forEachLine(text, [&](std::size_t number, std::string_view line) {
        if (line.starts_with('#')) return;
        if (isFirst && line.find('\t') != std::string_view::npos) separator = '\t';
        if (isFirst && separator == '\0' && line.find(',') != std::string_view::npos) separator = ',';
        const auto fields = splitFields(line, separator);
        if (fields.empty() || (fields.size() == 1 && fields[0].empty())) return;
        if (std::exchange(isFirst, false)) {
            const auto place = [&](std::string_view name) {
                return static_cast<std::size_t>(
                    std::find_if(fields.begin(), fields.end(),
                                 [&](std::string_view field) { return lowerCase(field) == name; }) -
                    fields.begin());
            };
            if (place("lower") < fields.size() || place("upper") < fields.size()) {
                const bool hasNames = place("atom_i") < fields.size() && place("atom_j") < fields.size();
                columns = {place(hasNames ? "atom_i" : "i"), place(hasNames ? "atom_j" : "j"), place("lower"),
                           place("upper")};
                for (std::size_t c = 0; c < 4; ++c)
                    if (columns[c] >= fields.size())
                        failAt(file, number,
                               fmt::format("there is no column '{}'; expected i, j, lower, upper",
                                           std::array{"i", "j", "lower", "upper"}[c]));
                return;
            }
        }
        if (fields.size() <= *std::max_element(columns.begin(), columns.end()))
            failAt(file, number, fmt::format("{} columns; expected i, j, lower, upper", fields.size()));
        StatedDistance stated{.id = fmt::format("{}", ++statements), .line = number, .alternatives = {}};
        stated.alternatives.push_back(
            {{tableAtom(file, number, fields[columns[0]])}, {tableAtom(file, number, fields[columns[1]])}});
        stated.lower = distanceAt(file, number, "the lower bound", fields[columns[2]]);
        if (lowerCase(fields[columns[3]]) != "inf")
            stated.upper = distanceAt(file, number, "the upper bound", fields[columns[3]]);
        requireOrder(file, number, stated.lower, stated.upper);
        file.distances.push_back(std::move(stated));
    });
}

[[noreturn]] void refuseKind(const std::string& file) {
    throw UsageError(fmt::format(
        "{}: unknown kind of file; restraints end in .nef, .str, .tbl, .mr, .upl, .lol, .aco, .bounds, "
        ".tsv or .csv, each also with .gz{}",
        file, inspectAdvice(file)));
}

}  // namespace

std::string_view describe(RestraintFormat format) {
    switch (format) {
        case RestraintFormat::Nef:
            return "NEF";
        case RestraintFormat::NmrStar:
            return "NMR-STAR 3";
        case RestraintFormat::Xplor:
            return "X-PLOR/CNS";
        case RestraintFormat::CyanaUpl:
            return "CYANA upper limits";
        case RestraintFormat::CyanaLol:
            return "CYANA lower limits";
        case RestraintFormat::CyanaAco:
            return "CYANA torsion angles";
        case RestraintFormat::Table:
            return "table of bounds";
    }
    return "";
}

std::string describe(const AtomSelection& selection) {
    if (selection.number) return fmt::format("atom {}", *selection.number);
    std::string text = selection.chain ? *selection.chain + "/" : "";
    text += selection.residueName;
    if (selection.residue) text += fmt::format("{}", *selection.residue);
    if (!selection.atom.empty()) text += "/" + selection.atom;
    return text.empty() ? "all" : text;
}

bool isRestraintFile(const fs::path& path) {
    return formatOf(path).has_value();
}

RestraintFile parseRestraints(std::string_view text, const std::string& name) {
    const auto format = formatOf(name);
    if (!format) refuseKind(name);
    RestraintFile file;
    file.name = name;
    file.format = *format;
    text = withoutByteOrderMark(text);
    switch (*format) {
        case RestraintFormat::Nef:
        case RestraintFormat::NmrStar:
            parseStar(text, file);
            break;
        case RestraintFormat::Xplor:
            parseXplor(text, file);
            break;
        case RestraintFormat::Table:
            parseTable(text, file);
            break;
        default:
            parseCyana(text, file);
    }
    if (file.distances.empty() && file.dihedrals.empty())
        throw InputError(
            fmt::format("{}: holds no restraint of a distance or a torsion angle ({} was expected)", name,
                        describe(file.format)));
    return file;
}

RestraintFile readRestraintFile(const fs::path& path) {
    if (!isRestraintFile(path)) refuseKind(path.string());
    return parseRestraints(readText(path), path.filename().string());
}

}  // namespace glycine::io
