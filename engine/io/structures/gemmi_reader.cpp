#include "engine/io/structures/gemmi_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <gemmi/cif.hpp>
#include <gemmi/mmcif.hpp>
#include <gemmi/pdb.hpp>
#include <gemmi/polyheur.hpp>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/structures/pdb_records.hpp"

namespace glycine::io {

namespace {

/// Checks the integers in the tables of an mmCIF file, value by value during parsing. gemmi sums up digits
/// unchecked, so it reads a number with too many digits as another number.
///
/// Checks in `_atom_site` residue and model numbers, formal charges, and fields that gemmi converts although
/// they are unused here: serial numbers and TLS groups. Everything else passes.
class AtomSiteNumbers {
  public:
    /// `file` is for messages and must outlive this object.
    explicit AtomSiteNumbers(const std::string& file) : file_(file) {}

    /// Begins a loop, or a tag with its value.
    void beginTable();
    /// Adds the table's next column: "_atom_site.id", case-insensitive.
    void addColumn(std::string_view tag);
    /// Checks the next value, row by row, in the file's spelling; it begins in `line` (from 1). Throws
    /// InputError, naming line and column, for a malformed number or one beyond ±2147483647.
    void checkNext(std::string_view value, std::size_t line);

  private:
    enum class Kind {
        Other,
        Whole,    ///< an integer, or unknown
        Residue,  ///< the same, in old files followed by an insertion code
        Label,    ///< any text; leading digits are converted
    };
    struct Column {
        std::string tag;
        Kind kind = Kind::Other;
    };
    static Kind kindOf(std::string_view tag);

    const std::string& file_;
    std::vector<Column> columns_;
    std::size_t next_ = 0;
};

bool isUnknown(std::string_view value) {
    return value == "?" || value == ".";
}

/// End of the integer at the start of `text`; nullptr if there is none, or if it is out of range.
const char* endOfNumber(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && number != std::numeric_limits<int>::min() ? end : nullptr;
}
bool isWhole(std::string_view text) {
    return endOfNumber(text) == text.data() + text.size();
}
bool isResidue(std::string_view text) {
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.front() == text.back())
        text = text.substr(1, text.size() - 2);
    const char* const end = endOfNumber(text);
    return end != nullptr && text.data() + text.size() - end <= (text.back() >= 'A' ? 1 : 0);
}
/// Text without a number also fits.
bool fits(std::string_view text) {
    const std::size_t first = text.find_first_not_of("+-");
    return first > 1 || text[first] < '0' || text[first] > '9' || endOfNumber(text) != nullptr;
}

AtomSiteNumbers::Kind AtomSiteNumbers::kindOf(std::string_view tag) {
    const std::string name = lowerCase(tag);
    if (name == "_atom_site.auth_seq_id") return Kind::Residue;
    if (name == "_atom_site.id" || name == "_atom_site.pdbx_tls_group_id") return Kind::Label;
    for (const char* whole :
         {"_atom_site.label_seq_id", "_atom_site.pdbx_pdb_model_num", "_atom_site.pdbx_formal_charge"})
        if (name == whole) return Kind::Whole;
    return Kind::Other;
}

void AtomSiteNumbers::beginTable() {
    columns_.clear();
    next_ = 0;
}

void AtomSiteNumbers::addColumn(std::string_view tag) {
    columns_.push_back({std::string(tag), kindOf(tag)});
}

void AtomSiteNumbers::checkNext(std::string_view value, std::size_t line) {
    const Column& column = columns_[next_];
    next_ = (next_ + 1) % columns_.size();
    const auto refuseUnless = [&](bool isRight, const char* expected) {
        if (!isRight)
            throw InputError(fmt::format("{}: line {}: {} is '{}'; expected {} within ±{}", file_, line,
                                         column.tag, excerpt(value), expected,
                                         std::numeric_limits<int>::max()));
    };
    switch (column.kind) {
        case Kind::Other:
            return;
        case Kind::Whole:
            return refuseUnless(isUnknown(value) || isWhole(value), "a whole number");
        case Kind::Residue:
            return refuseUnless(isUnknown(value) || isResidue(value), "a residue number");
        case Kind::Label:
            return refuseUnless(fits(value), "a number");
    }
}

/// The largest assemblies measure about 10³ Å.
constexpr double kLargestCoordinate = 1e5;

/// Calls gemmi and rewords its exceptions.
template <class Parse>
gemmi::Structure callGemmi(const std::string& name, const Parse& parse) {
    try {
        return parse();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const InputError&) {
        throw;
    } catch (const std::exception& cause) {
        throw InputError(fmt::format("{}: cannot be parsed: {}", name, cause.what()));
    }
}

/// The document that gemmi's parser fills, together with the number checks.
struct CheckedDocument : gemmi::cif::Document {
    explicit CheckedDocument(const std::string& file) : numbers(file) { source = file; }
    AtomSiteNumbers numbers;
};

/// gemmi's actions combined with the checks. `in` is the matched text, `in.iterator()` the position of its
/// start.
template <class Rule>
struct CheckedAction : gemmi::cif::Action<Rule> {};
template <class Rule>
struct BeginTable {
    template <class Input>
    static void apply(const Input& in, CheckedDocument& out) {
        gemmi::cif::Action<Rule>::apply(in, out);
        out.numbers.beginTable();
    }
};
template <class Rule>
struct AddColumn {
    template <class Input>
    static void apply(const Input& in, CheckedDocument& out) {
        gemmi::cif::Action<Rule>::apply(in, out);
        out.numbers.addColumn({in.begin(), in.size()});
    }
};
template <class Rule>
struct CheckValue {
    template <class Input>
    static void apply(const Input& in, CheckedDocument& out) {
        gemmi::cif::Action<Rule>::apply(in, out);
        out.numbers.checkNext({in.begin(), in.size()}, in.iterator().line);
    }
};
template <>
struct CheckedAction<gemmi::cif::rules::str_loop> : BeginTable<gemmi::cif::rules::str_loop> {};
template <>
struct CheckedAction<gemmi::cif::rules::loop_tag> : AddColumn<gemmi::cif::rules::loop_tag> {};
template <>
struct CheckedAction<gemmi::cif::rules::loop_value> : CheckValue<gemmi::cif::rules::loop_value> {};
/// A tag with its value is a table of one column.
template <>
struct CheckedAction<gemmi::cif::rules::item_tag> {
    template <class Input>
    static void apply(const Input& in, CheckedDocument& out) {
        out.numbers.beginTable();
        AddColumn<gemmi::cif::rules::item_tag>::apply(in, out);
    }
};
template <>
struct CheckedAction<gemmi::cif::rules::item_value> : CheckValue<gemmi::cif::rules::item_value> {};

/// Does what gemmi::cif::read_memory does, with the checks.
CheckedDocument readChecked(std::string_view text, const std::string& name) {
    CheckedDocument document(name);
    tao::pegtl::memory_input<> input(text.data(), text.size(), name);
    tao::pegtl::parse<gemmi::cif::rules::file, CheckedAction, gemmi::cif::Errors>(input, document);
    gemmi::cif::check_for_missing_values(document);
    gemmi::cif::check_for_duplicates(document);
    return document;
}

bool isAtomSite(const std::string& tag) {
    constexpr std::string_view kCategory = "_atom_site.";
    return tag.size() > kCategory.size() &&
           std::equal(kCategory.begin(), kCategory.end(), tag.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// Keeps only the atom tables of an mmCIF file, so that faults elsewhere do no harm.
void keepAtomSites(gemmi::cif::Document& document) {
    const auto isOther = [](const gemmi::cif::Item& item) {
        if (item.type == gemmi::cif::ItemType::Pair) return !isAtomSite(item.pair[0]);
        return item.type != gemmi::cif::ItemType::Loop || item.loop.tags.empty() ||
               !isAtomSite(item.loop.tags[0]);
    };
    for (gemmi::cif::Block& block : document.blocks)
        block.items.erase(std::remove_if(block.items.begin(), block.items.end(), isOther), block.items.end());
}

/// Disulfides of _struct_conn, except those to a symmetric copy.
std::vector<StructureDisulfide> disulfidesOf(gemmi::cif::Document& document) {
    std::vector<StructureDisulfide> found;
    for (gemmi::cif::Block& block : document.blocks) {
        gemmi::cif::Table table = block.find(
            "_struct_conn.", {"conn_type_id", "ptnr1_auth_asym_id", "ptnr1_auth_seq_id", "ptnr2_auth_asym_id",
                              "ptnr2_auth_seq_id", "?ptnr1_symmetry", "?ptnr2_symmetry",
                              "?pdbx_ptnr1_PDB_ins_code", "?pdbx_ptnr2_PDB_ins_code"});
        for (gemmi::cif::Table::Row row : table) {
            const auto text = [&](std::size_t column) {
                return row.has2(column) ? row.str(static_cast<int>(column)) : std::string();
            };
            if (lowerCase(text(0)) == "disulf" && text(5) == text(6))
                found.push_back({{text(1), text(3)}, {text(2) + text(7), text(4) + text(8)}});
        }
    }
    return found;
}

/// Second residues of _struct_mon_prot_cis, each with its model's number, which may be empty.
std::vector<std::pair<StructureResidue, std::string>> cisPeptidesOf(gemmi::cif::Document& document) {
    std::vector<std::pair<StructureResidue, std::string>> found;
    for (gemmi::cif::Block& block : document.blocks) {
        gemmi::cif::Table table = block.find(
            "_struct_mon_prot_cis.",
            {"pdbx_auth_asym_id_2", "pdbx_auth_seq_id_2", "?pdbx_PDB_ins_code_2", "?pdbx_PDB_model_num"});
        for (gemmi::cif::Table::Row row : table) {
            const auto text = [&](std::size_t column) {
                return row.has2(column) ? row.str(static_cast<int>(column)) : std::string();
            };
            if (!text(1).empty()) found.push_back({{text(0), text(1) + text(2)}, text(3)});
        }
    }
    return found;
}

/// gemmi finds no atoms in a table without these columns, which restraint programs (Xplor-NIH) omit. Their
/// values are not used here.
void addUnusedColumns(gemmi::cif::Document& document) {
    const std::pair<const char*, const char*> columns[] = {{"_atom_site.occupancy", "1"},
                                                           {"_atom_site.B_iso_or_equiv", "0"}};
    for (gemmi::cif::Block& block : document.blocks)
        for (gemmi::cif::Item& item : block.items) {
            if (item.type != gemmi::cif::ItemType::Loop) continue;
            for (const auto& [tag, value] : columns) {
                gemmi::cif::Loop& loop = item.loop;
                if (loop.find_tag(tag) >= 0) continue;
                const std::size_t width = loop.tags.size();
                std::vector<std::string> values;
                values.reserve(loop.values.size() / width * (width + 1));
                for (std::size_t i = 0; i < loop.values.size(); ++i) {
                    values.push_back(std::move(loop.values[i]));
                    if ((i + 1) % width == 0) values.push_back(value);
                }
                loop.values = std::move(values);
                loop.tags.emplace_back(tag);
            }
        }
}

int parseModelNumber(const std::string& text, const std::string& file) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || parsed != end)
        throw InputError(
            fmt::format("{}: the model number is '{}'; expected a whole number", file, excerpt(text)));
    return number;
}

// A model's number is text up to gemmi 0.6, and an int since 0.7.
template <class Model>
auto modelNumber(const Model& model, const std::string&, int) -> decltype(model.num) {
    return model.num;
}
template <class Model>
int modelNumber(const Model& model, const std::string& file, long) {
    return parseModelNumber(model.name, file);
}

void checkPosition(const StructureAtom& atom, const std::string& name) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double value = atom.position[axis];
        if (!(std::abs(value) <= kLargestCoordinate))
            throw InputError(fmt::format("{}: atom {}: {} is {}; expected a coordinate within ±{:g} Å", name,
                                         atom.label(), "xyz"[axis], value, kLargestCoordinate));
    }
}

/// Whether `next` is another residue type at the position of `previous` (microheterogeneity). As for
/// alternative locations, the first one is used.
bool isAlternativeResidue(const gemmi::Residue& previous, const gemmi::Residue& next) {
    return previous.seqid == next.seqid && previous.name != next.name && !next.atoms.empty() &&
           next.atoms.front().altloc != '\0';
}

/// Whether two residues are bound as links of a chain; the atoms determine the kind of chain.
bool areLinked(const gemmi::Residue& before, const gemmi::Residue& after) {
    return gemmi::are_connected3(before, after, gemmi::PolymerType::PeptideL) ||
           gemmi::are_connected3(before, after, gemmi::PolymerType::Rna);
}

/// Whether a residue of HETATM records is a link of a polymer. Modified residues (MSE, SEP, TPO …) and caps
/// are, though the PDB writes them like ligands. mmCIF files number the links (label_seq_id). In PDB files,
/// links are listed (MODRES). Otherwise a residue is a link if it does not come after the chain's TER and is
/// a known modified residue, is named in SEQRES, is bound to a neighbouring residue, or comes before TER with
/// a CA or P of its own.
bool isLink(const gemmi::Chain& chain, std::size_t index, bool linksAreNumbered,
            const PolymerRecords& records) {
    const gemmi::Residue& residue = chain.residues[index];
    if (residue.is_water()) return false;
    if (linksAreNumbered) return bool(residue.label_seq);
    if (records.modified.count(PolymerRecords::keyOf(chain.name, residue.seqid.str(), residue.name)) > 0)
        return true;
    if (residue.entity_type == gemmi::EntityType::NonPolymer) return false;
    const gemmi::ResidueInfo known = gemmi::find_tabulated_residue(residue.name);
    // A standard residue in a HETATM record belongs to the buffer, unless it is bound.
    if (!(known.found() && known.is_standard()) &&
        ((known.found() && (known.is_amino_acid() || known.is_nucleic_acid())) ||
         records.sequence.count({chain.name, residue.name}) > 0))
        return true;
    // gemmi assigns everything before TER to the chain, but some programs write TER after ligands and waters.
    if (!known.found() && residue.entity_type == gemmi::EntityType::Polymer &&
        (residue.get_ca() || residue.get_p()))
        return true;
    return (index > 0 && areLinked(chain.residues[index - 1], residue)) ||
           (index + 1 < chain.residues.size() && areLinked(residue, chain.residues[index + 1]));
}

bool hasNumberedLinks(const gemmi::Model& model) {
    for (const gemmi::Chain& chain : model.chains)
        for (const gemmi::Residue& residue : chain.residues)
            if (residue.label_seq) return true;
    return false;
}

void appendResidue(const gemmi::Residue& residue, const std::string& chain, const std::string& name,
                   std::vector<StructureAtom>& atoms) {
    // Take one conformer per residue, the first letter found, so that no atom counts twice and conformers do
    // not mix.
    char conformer = '\0';
    for (const gemmi::Atom& atom : residue.atoms) {
        if (atom.altloc != '\0') {
            if (conformer == '\0') conformer = atom.altloc;
            if (atom.altloc != conformer) continue;
        }
        StructureAtom& added = atoms.emplace_back();
        added.name = atom.name;
        added.residueName = residue.name;
        added.residueNumber = residue.seqid.str();
        added.chain = chain;
        added.element = atom.element.name();
        added.position = {atom.pos.x, atom.pos.y, atom.pos.z};
        checkPosition(added, name);
    }
}

std::vector<StructureAtom> atomsOf(const gemmi::Model& model, const std::string& name,
                                   const StructureOptions& options, const PolymerRecords& records) {
    std::vector<StructureAtom> atoms;
    const bool linksAreNumbered = hasNumberedLinks(model);
    for (const gemmi::Chain& chain : model.chains) {
        const gemmi::Residue* previous = nullptr;
        for (std::size_t index = 0; index < chain.residues.size(); ++index) {
            const gemmi::Residue& residue = chain.residues[index];
            if (previous != nullptr && isAlternativeResidue(*previous, residue)) continue;
            previous = &residue;
            if (options.heteroAtoms || residue.het_flag != 'H' ||
                isLink(chain, index, linksAreNumbered, records))
                appendResidue(residue, chain.name, name, atoms);
        }
    }
    return atoms;
}

Structure chooseAtoms(const gemmi::Structure& parsed, const std::string& name,
                      const StructureOptions& options, const PolymerRecords& records) {
    Structure structure;
    structure.name = std::filesystem::path(name).filename().string();
    const gemmi::Model* chosen = nullptr;
    for (const gemmi::Model& model : parsed.models) {
        structure.models.push_back(modelNumber(model, name, 0));
        if (chosen == nullptr && structure.models.back() == options.model.value_or(structure.models.front()))
            chosen = &model;
    }
    if (parsed.models.empty()) throw InputError(fmt::format("{}: no atoms", name));
    if (chosen == nullptr)
        throw InputError(fmt::format("{}: has no model {}; it has {}", name, *options.model,
                                     fmt::join(structure.models, ", ")));
    structure.model = modelNumber(*chosen, name, 0);
    structure.atoms = atomsOf(*chosen, name, options, records);
    if (options.everyModel)
        for (const gemmi::Model& model : parsed.models)
            structure.ensemble.push_back(atomsOf(model, name, options, records));
    if (structure.atoms.empty())
        throw InputError(fmt::format("{}: model {} has no {}atoms", name, structure.model,
                                     options.heteroAtoms ? "" : "polymer "));
    return structure;
}

}  // namespace

Structure structureFromPdb(const std::string& records, const std::string& name,
                           const StructureOptions& options) {
    return chooseAtoms(
        callGemmi(name, [&] { return gemmi::read_pdb_from_memory(records.data(), records.size(), name); }),
        name, options, readPolymerRecords(records));
}

Structure structureFromMmcif(std::string_view text, const std::string& name,
                             const StructureOptions& options) {
    std::vector<StructureDisulfide> disulfides;
    std::vector<std::pair<StructureResidue, std::string>> cisPeptides;
    const gemmi::Structure parsed = callGemmi(name, [&] {
        CheckedDocument document = readChecked(text, name);
        disulfides = disulfidesOf(document);
        cisPeptides = cisPeptidesOf(document);
        keepAtomSites(document);
        addUnusedColumns(document);
        return gemmi::make_structure(document);
    });
    Structure structure = chooseAtoms(parsed, name, options, {});
    structure.disulfides = std::move(disulfides);
    for (auto& [residue, model] : cisPeptides)
        if (model.empty() || model == fmt::format("{}", structure.model))
            structure.cisPeptides.push_back(std::move(residue));
    return structure;
}

}  // namespace glycine::io
