#include <algorithm>
#include <initializer_list>
#include <map>

#include "engine/io/restraints/restraint_formats.hpp"
#include "engine/io/restraints/star_tables.hpp"

/// NEF (M. A. Baskaran et al. and the NEF working group, version 1.1) and NMR-STAR 3 (BMRB's dictionary):
/// rows with the same restraint ID are alternatives.
namespace glycine::io {

namespace {

constexpr const char* kCombined = "restraints that are combined by AND are not read";

bool isUnknown(std::string_view value) {
    return value == ".";
}

class Rows {
  public:
    Rows(const StarTable& table, const RestraintFile& file) : table_(table), file_(file) {
        const std::size_t rest = table.values.size() % table.columns.size();
        if (rest != 0)
            failAt(file, table.lines.back(),
                   fmt::format("the last row of {} has {} values; expected {}", table.category, rest,
                               table.columns.size()));
    }

    /// The value of the first of these columns that exists and has a value in this row; "." if none.
    std::string_view value(std::size_t row, std::initializer_list<std::string_view> columns) const {
        for (const std::string_view column : columns) {
            const auto found = std::find(table_.columns.begin(), table_.columns.end(), column);
            if (found == table_.columns.end()) continue;
            const std::string& value =
                table_.values[row * table_.columns.size() +
                              static_cast<std::size_t>(found - table_.columns.begin())];
            if (!isUnknown(value)) return value;
        }
        return ".";
    }
    std::string_view required(std::size_t row, std::initializer_list<std::string_view> columns) const {
        const std::string_view found = value(row, columns);
        if (isUnknown(found))
            failAt(file_, line(row), fmt::format("{}.{} is missing", table_.category, *columns.begin()));
        return found;
    }
    std::size_t line(std::size_t row) const { return table_.lines[row]; }
    std::size_t count() const { return table_.rowCount(); }
    double weight(std::size_t row) const {
        const std::string_view text = value(row, {"weight"});
        return isUnknown(text) ? 1 : weightAt(file_, line(row), text);
    }

    AtomSelection atom(std::size_t row, int end) const {
        const std::string n = fmt::format("_{}", end);
        const auto either = [&](const char* nef, const char* star, const char* author) {
            return std::string(value(row, {nef + n, star + n, author + n}));
        };
        AtomSelection atom;
        const std::string number(
            value(row, {"sequence_code" + n, "seq_id" + n, "comp_index_id" + n, "auth_seq_id" + n}));
        if (isUnknown(number))
            failAt(file_, line(row), fmt::format("the residue number of atom {} is missing", end));
        atom.residue = residueAt(file_, line(row), number);
        const std::string chain(value(
            row, {"chain_code" + n, "auth_asym_id" + n, "pdb_strand_id" + n, "entity_assembly_id" + n}));
        if (!isUnknown(chain)) atom.chain = chain;
        const std::string residue = either("residue_name", "comp_id", "auth_comp_id");
        if (!isUnknown(residue)) atom.residueName = residue;
        atom.atom = either("atom_name", "atom_id", "auth_atom_id");
        if (isUnknown(atom.atom))
            failAt(file_, line(row), fmt::format("the name of atom {} is missing", end));
        return atom;
    }

  private:
    const StarTable& table_;
    const RestraintFile& file_;
};

void readDistances(const StarTable& table, RestraintFile& file) {
    const Rows rows(table, file);
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::string id(rows.required(row, {"restraint_id", "id"}));
        const std::size_t line = rows.line(row);
        const bool isCombined = lowerCase(rows.value(row, {"member_logic_code"})) == "and" ||
                                !isUnknown(rows.value(row, {"restraint_combination_id"}));
        std::pair<AtomSet, AtomSet> ends{{rows.atom(row, 1)}, {rows.atom(row, 2)}};
        const double weight = rows.weight(row);
        const auto [place, isNew] = places.emplace(id, file.distances.size());
        if (!isNew) {
            StatedDistance& first = file.distances[place->second];
            if (weight != first.weight)
                failAt(file, line,
                       fmt::format("the weight of restraint {} is {:g}; expected {:g} as in line {}", id,
                                   weight, first.weight, first.line));
            first.alternatives.push_back(std::move(ends));
            if (isCombined) first.unsupported = kCombined;
            continue;
        }
        StatedDistance stated{.id = id, .line = line, .alternatives = {std::move(ends)}, .weight = weight};
        if (isCombined) stated.unsupported = kCombined;
        const std::string_view lower = rows.value(row, {"lower_limit", "distance_lower_bound_val"});
        const std::string_view upper = rows.value(row, {"upper_limit", "distance_upper_bound_val"});
        if (!isUnknown(lower)) stated.lower = distanceAt(file, line, "the lower limit", lower);
        if (!isUnknown(upper)) stated.upper = distanceAt(file, line, "the upper limit", upper);
        if (isUnknown(lower) && isUnknown(upper))
            failAt(file, line, fmt::format("restraint {} has neither a lower nor an upper limit", id));
        requireOrder(file, line, stated.lower, stated.upper);
        file.distances.push_back(std::move(stated));
    }
}

void readDihedrals(const StarTable& table, RestraintFile& file) {
    const Rows rows(table, file);
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        StatedDihedral stated{.id = std::string(rows.required(row, {"restraint_id", "id"})),
                              .line = rows.line(row),
                              .atoms = {},
                              .angle = {}};
        for (int end = 1; end <= 4; ++end)
            stated.atoms[static_cast<std::size_t>(end - 1)] = rows.atom(row, end);
        setWindow(stated,
                  degreesAt(file, stated.line, "the lower limit",
                            rows.required(row, {"lower_limit", "angle_lower_bound_val"})),
                  degreesAt(file, stated.line, "the upper limit",
                            rows.required(row, {"upper_limit", "angle_upper_bound_val"})));
        stated.weight = rows.weight(row);
        const auto [place, isNew] = places.emplace(stated.id, file.dihedrals.size());
        if (!isNew) stated.isAmbiguous = file.dihedrals[place->second].isAmbiguous = true;
        file.dihedrals.push_back(std::move(stated));
    }
}

/// Covalent links of NEF and bonds of NMR-STAR; those of other atoms than sulfurs may lack residues (ions).
void readDisulfides(const StarTable& table, RestraintFile& file) {
    const Rows rows(table, file);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        if (rows.value(row, {"atom_name_1", "atom_id_1", "auth_atom_id_1"}) != "SG" ||
            rows.value(row, {"atom_name_2", "atom_id_2", "auth_atom_id_2"}) != "SG")
            continue;
        const auto partner = [&](int end) {
            const AtomSelection atom = rows.atom(row, end);
            return StatedResidue{atom.chain.value_or(""), *atom.residue, atom.residueName};
        };
        file.disulfides.push_back({partner(1), partner(2)});
    }
}

/// A boolean of NEF, of which "." is false.
bool isTrue(const RestraintFile& file, std::size_t line, std::string_view text) {
    const std::string value = lowerCase(text);
    if (value != "true" && value != "false" && !isUnknown(text))
        failAt(file, line, fmt::format("cis_peptide is '{}'; expected true, false or .", excerpt(text)));
    return value == "true";
}

void readProlineShifts(const StarTable& table, RestraintFile& file) {
    const Rows rows(table, file);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::string_view atom = rows.value(row, {"atom_name", "atom_id"});
        if (rows.value(row, {"residue_name", "comp_id"}) != "PRO" || (atom != "CB" && atom != "CG")) continue;
        const std::string_view chain = rows.value(row, {"chain_code", "auth_asym_id", "entity_assembly_id"});
        const auto number = asNumber<int>(rows.value(row, {"sequence_code", "seq_id", "auth_seq_id"}));
        const auto shift = asNumber<double>(rows.value(row, {"value", "val"}));
        if (!number || !shift) continue;
        auto place = std::find_if(file.prolines.begin(), file.prolines.end(), [&](const ProlineShifts& one) {
            return one.chain == chain && one.residue == *number;
        });
        if (place == file.prolines.end())
            place = file.prolines.insert(place, {.chain = std::string(chain), .residue = *number});
        (atom == "CB" ? place->cb : place->cg) = *shift;
    }
}

}  // namespace

void parseStar(std::string_view text, RestraintFile& file) {
    const std::vector<StarTable> tables = readStarTables(text, file.name);
    std::map<std::string, std::size_t> others;
    for (const StarTable& table : tables) {
        if (table.category == "_nef_distance_restraint" || table.category == "_gen_dist_constraint")
            readDistances(table, file);
        else if (table.category == "_nef_dihedral_restraint" || table.category == "_torsion_angle_constraint")
            readDihedrals(table, file);
        else if (table.category == "_nef_chemical_shift" || table.category == "_atom_chem_shift")
            readProlineShifts(table, file);
        else if (table.category == "_nef_sequence") {
            const Rows rows(table, file);
            for (std::size_t row = 0; row < rows.count(); ++row)
                file.sequence.push_back(
                    {std::string(rows.value(row, {"chain_code"})),
                     residueAt(file, rows.line(row), rows.required(row, {"sequence_code"})),
                     std::string(rows.required(row, {"residue_name"})),
                     isTrue(file, rows.line(row), rows.value(row, {"cis_peptide"})), rows.line(row)});
        } else if (table.category == "_nef_covalent_links" || table.category == "_bond") {
            readDisulfides(table, file);
        } else if (table.category.ends_with("_restraint") || table.category.ends_with("_constraint")) {
            others[table.category] += table.rowCount();
        }
    }
    for (const auto& [category, count] : others)
        file.notes.push_back(fmt::format("{} rows of {}, which is not read", count, category));
    const auto isNef = [](const StarTable& table) { return table.category.starts_with("_nef_"); };
    file.format =
        std::any_of(tables.begin(), tables.end(), isNef) ? RestraintFormat::Nef : RestraintFormat::NmrStar;
}

}  // namespace glycine::io
