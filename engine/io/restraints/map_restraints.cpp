#include "engine/io/restraints/map_restraints.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/core/suggestion.hpp"
#include "engine/io/restraints/restraint_formats.hpp"

namespace glycine::io {

namespace {

constexpr std::size_t kMaxPairs = 100'000;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
std::string upperCase(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

/// '*' matches any text, '?' one character, '#' digits (or none), '+' one digit.
bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    const char first = pattern.front();
    const std::string_view rest = pattern.substr(1);
    if (first == '*' || first == '#')
        return matches(rest, text) ||
               (!text.empty() && (first == '*' || isDigit(text.front())) && matches(pattern, text.substr(1)));
    if (text.empty()) return false;
    const bool fits = first == '?' || (first == '+' ? isDigit(text.front()) : first == text.front());
    return fits && matches(rest, text.substr(1));
}
std::vector<std::size_t> matching(std::span<const std::string> names, std::string_view pattern) {
    std::vector<std::size_t> found;
    for (std::size_t a = 0; a < names.size(); ++a)
        if (matches(pattern, names[a])) found.push_back(a);
    return found;
}

/// Groups of three names that differ only in their last character: methyls, and NH3.
std::vector<std::size_t> threefold(std::span<const std::string> names,
                                   const std::vector<std::size_t>& found) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (const std::size_t a : found) groups[names[a].substr(0, names[a].size() - 1)].push_back(a);
    std::vector<std::size_t> methyls;
    for (const auto& [stem, members] : groups)
        if (members.size() == 3) methyls.insert(methyls.end(), members.begin(), members.end());
    return methyls;
}

/// NEF's x (the lower digit) and y, as in "HDx%".
std::optional<NamedAtoms> findStereo(std::span<const std::string> names, std::string_view written) {
    const std::size_t place = written.find_last_of("xy");
    if (place == std::string_view::npos || place == 0) return {};
    const std::string stem = upperCase(written.substr(0, place));
    std::string tail(written.substr(place + 1));
    std::replace(tail.begin(), tail.end(), '%', '#');
    std::vector<std::vector<std::size_t>> groups;
    for (char digit = '1'; digit <= '9'; ++digit) {
        std::vector<std::size_t> group = matching(names, stem + digit + tail);
        if (!group.empty()) groups.push_back(std::move(group));
    }
    if (groups.size() != 2 || groups[0].size() != groups[1].size()) return {};
    if (written[place] == 'y') std::swap(groups[0], groups[1]);
    return NamedAtoms{std::move(groups[0]), std::move(groups[1])};
}

/// Newer names for those of older files (J. L. Markley et al., Pure Appl. Chem. 70 (1998), 117–142). Of two
/// hydrogens, X-PLOR's 2 is IUPAC's 2, its 1 is IUPAC's 3.
std::vector<std::string> newerNames(std::span<const std::string> names, const std::string& old) {
    static const std::map<std::string, std::vector<std::string>> kNames{{"HN", {"H", "H1", "H2", "H3"}},
                                                                        {"H", {"HN", "H1", "H2", "H3"}},
                                                                        {"HT1", {"H1"}},
                                                                        {"HT2", {"H2"}},
                                                                        {"HT3", {"H3"}},
                                                                        {"OT1", {"O"}},
                                                                        {"OT2", {"OXT"}}};
    // Names of isoleucine, the only residue with CG1 and CD1.
    static const std::map<std::string, std::string> kIsoleucine{
        {"CD", "CD1"}, {"HD1", "HD11"}, {"HD2", "HD12"}, {"HD3", "HD13"}};
    std::vector<std::string> newer;
    const auto has = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (old.size() > 1 && isDigit(old.front()) &&
        old.find_first_not_of("0123456789*#+%") != std::string::npos) {
        const std::string turned = old.substr(1) + old.front();
        return has(turned) ? std::vector{turned} : newerNames(names, turned);
    }
    if (old.ends_with('1')) {
        const std::string stem = old.substr(0, old.size() - 1);
        if (has(stem + '2') && has(stem + '3')) newer.push_back(stem + '3');
        if (has(stem)) newer.push_back(stem);
    }
    if (const auto found = kNames.find(old); found != kNames.end())
        for (const std::string& name : found->second)
            if (has(name)) newer.push_back(name);
    if (has("CG1") && has("CD1"))
        if (const auto found = kIsoleucine.find(old); found != kIsoleucine.end())
            newer.push_back(found->second);
    return newer;
}

std::optional<std::vector<std::size_t>> findPseudo(std::span<const std::string> names,
                                                   const std::string& written) {
    std::vector<std::size_t> found;
    if (written == "QR") {
        for (const char* ring : {"HD1", "HD2", "HE1", "HE2", "HZ"})
            for (const std::size_t a : matching(names, ring)) found.push_back(a);
    } else if (written.starts_with('Q')) {
        found = matching(names, "H" + written.substr(written.starts_with("QQ") ? 2 : 1) + "#");
    } else if (written.starts_with('M')) {
        found = threefold(names, matching(names, "H" + written.substr(1) + "#"));
    } else if (written.starts_with('H')) {
        found = matching(names, written + "#");
    }
    if (found.empty()) return {};
    return found;
}

std::string plainResidue(std::string_view name) {
    static const std::map<std::string, std::string> kVariants{
        {"HID", "HIS"}, {"HIE", "HIS"}, {"HIP", "HIS"},  {"HSD", "HIS"},  {"HSE", "HIS"},
        {"HSP", "HIS"}, {"CYX", "CYS"}, {"CYM", "CYS"},  {"CYSS", "CYS"}, {"CPRO", "PRO"},
        {"ASH", "ASP"}, {"GLH", "GLU"}, {"HIST", "HIS"}, {"LYN", "LYS"}};
    std::string plain = upperCase(name);
    while (plain.ends_with('+') || plain.ends_with('-')) plain.pop_back();
    const auto variant = kVariants.find(plain);
    return variant == kVariants.end() ? plain : variant->second;
}

struct Residue {
    std::string chain;
    int number = 0;
    std::string name;
    std::size_t first = 0;           ///< index of its first atom
    std::vector<std::string> names;  ///< names of its atoms
};

/// A name in the file that the molecule lacks: becomes an InputError, or skips the restraint.
struct Unknown {
    std::string what;
};

class Mapper {
  public:
    Mapper(const RestraintFile& file, std::span<const NamedAtom> atoms, const MappingOptions& options)
        : file_(file), atoms_(atoms), options_(options) {
        for (std::size_t a = 0; a < atoms.size(); ++a) {
            const NamedAtom& atom = atoms[a];
            if (residues_.empty() || residues_.back().chain != atom.chain ||
                residues_.back().number != atom.residue || residues_.back().name != atom.residueName)
                residues_.push_back({atom.chain, atom.residue, atom.residueName, a, {}});
            residues_.back().names.push_back(atom.name);
        }
        for (const Residue& residue : residues_)
            if (std::find(chains_.begin(), chains_.end(), residue.chain) == chains_.end())
                chains_.push_back(residue.chain);
        for (const auto& [chain, first] : options.firstResidues)
            if (std::find(chains_.begin(), chains_.end(), chain) == chains_.end())
                throw UsageError(fmt::format("--first-residue {}={}: the molecule has no chain '{}'; {}",
                                             chain, first, chain, suggestNames(chain, chains_)));
        // Segment names are program-specific: the only one of a file means the molecule's only chain.
        std::set<std::string> named;
        const auto look = [&named](const AtomSelection& atom) {
            if (atom.chain && !atom.chain->empty()) named.insert(*atom.chain);
        };
        for (const StatedDistance& stated : file.distances)
            for (const auto& [first, second] : stated.alternatives) {
                std::for_each(first.begin(), first.end(), look);
                std::for_each(second.begin(), second.end(), look);
            }
        for (const StatedDihedral& stated : file.dihedrals)
            std::for_each(stated.atoms.begin(), stated.atoms.end(), look);
        if (named.size() == 1 && chains_.size() == 1 && *named.begin() != chains_[0]) {
            onlyChain_ = *named.begin();
            result_.notes.push_back(fmt::format(
                "chain '{}' of the file is taken for the molecule's only one, '{}'", onlyChain_, chains_[0]));
        }
    }

    MappedRestraints map() {
        for (std::size_t d = 0; d < file_.distances.size(); ++d)
            attempt(file_.distances[d], [&] { mapDistance(d); });
        for (std::size_t d = 0; d < file_.dihedrals.size(); ++d)
            attempt(file_.dihedrals[d], [&] { mapDihedral(d); });
        return std::move(result_);
    }

  private:
    template <class Stated, class Map>
    void attempt(const Stated& stated, const Map& map) {
        const auto skip = [&](const std::string& reason) {
            result_.skipped.push_back(
                fmt::format("line {}, restraint {}: {}", stated.line, stated.id, reason));
        };
        if (stated.weight == 0) return skip("its weight is 0");
        try {
            map();
        } catch (const Unknown& unknown) {
            if (!options_.skipUnknown)
                failAt(file_, stated.line, fmt::format("restraint {}: {}", stated.id, unknown.what));
            skip(unknown.what);
        }
    }

    /// The residue number in the file's numbering.
    int numberOf(const Residue& residue) const {
        for (const auto& [chain, first] : options_.firstResidues)
            if (chain == residue.chain) {
                const auto start = std::find_if(residues_.begin(), residues_.end(),
                                                [&](const Residue& r) { return r.chain == residue.chain; });
                return residue.number - start->number + first;
            }
        return residue.number;
    }

    std::vector<const Residue*> findResidues(const AtomSelection& selection) const {
        const bool hasChain = selection.chain && !selection.chain->empty() && *selection.chain != onlyChain_;
        std::string chain = selection.chain.value_or("");
        if (hasChain && std::find(chains_.begin(), chains_.end(), chain) == chains_.end()) {
            // NMR-STAR may number the chains of an assembly instead of naming them.
            const auto number = asNumber<std::size_t>(chain);
            if (file_.format != RestraintFormat::NmrStar || !number || *number - 1 >= chains_.size())
                throw Unknown{fmt::format("{}: the molecule has no chain '{}'; {}", describe(selection),
                                          chain, suggestNames(chain, chains_))};
            chain = chains_[*number - 1];
        }
        std::vector<const Residue*> found;
        const Residue* other = nullptr;
        for (const Residue& residue : residues_) {
            if (hasChain && residue.chain != chain) continue;
            if (selection.residue && (hasChain ? residue.number : numberOf(residue)) != *selection.residue)
                continue;
            std::string pattern = plainResidue(selection.residueName);
            std::replace(pattern.begin(), pattern.end(), '%', '?');
            if (!pattern.empty() && !matches(pattern, plainResidue(residue.name)))
                other = &residue;
            else
                found.push_back(&residue);
        }
        if (!found.empty()) return found;
        if (selection.residue && other != nullptr)
            throw Unknown{fmt::format("{}: residue {} is {}, not {}", describe(selection), *selection.residue,
                                      other->name, selection.residueName)};
        std::vector<std::string> numbers;
        for (const std::string& present : chains_) {
            if (hasChain && present != chain) continue;
            int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::min();
            for (const Residue& residue : residues_)
                if (residue.chain == present) {
                    const int number = hasChain ? residue.number : numberOf(residue);
                    least = std::min(least, number);
                    most = std::max(most, number);
                }
            numbers.push_back(fmt::format("chain '{}' has {} to {}", present, least, most));
        }
        throw Unknown{fmt::format("{}: no such residue; {}", describe(selection), fmt::join(numbers, ", "))};
    }

    std::vector<std::size_t> findAll(const AtomSet& set) {
        std::vector<std::size_t> found;
        for (const AtomSelection& selection : set) {
            const std::size_t before = found.size();
            if (selection.number) {
                if (*selection.number > atoms_.size())
                    throw Unknown{
                        fmt::format("{}: the molecule has {} atoms", describe(selection), atoms_.size())};
                found.push_back(*selection.number - 1);
                continue;
            }
            const std::vector<const Residue*> residues = findResidues(selection);
            for (const Residue* residue : residues) {
                std::optional<NamedAtoms> named;
                if (selection.atom.empty()) {
                    named.emplace();
                    for (std::size_t a = 0; a < residue->names.size(); ++a) named->atoms.push_back(a);
                } else {
                    named = findAtoms(residue->names, selection.atom, file_.format);
                }
                if (!named) continue;
                for (std::vector<std::size_t>* atoms : {&named->atoms, &named->swapped})
                    for (std::size_t& atom : *atoms) atom += residue->first;
                found.insert(found.end(), named->atoms.begin(), named->atoms.end());
                if (!named->swapped.empty()) {
                    auto groups = std::minmax(named->atoms, named->swapped);
                    if (swapKnown_.insert(groups.first.front()).second)
                        result_.swappable.emplace_back(groups.first, groups.second);
                }
            }
            if (found.size() == before)
                throw Unknown{fmt::format("{}: {} has no such atom; {}", describe(selection),
                                          residues.front()->name,
                                          suggestNames(selection.atom, residues.front()->names))};
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void mapDistance(std::size_t d) {
        const StatedDistance& stated = file_.distances[d];
        if (!stated.unsupported.empty()) throw Unknown{stated.unsupported};
        MappedDistance mapped{.stated = d, .pairs = {}};
        std::set<std::pair<std::size_t, std::size_t>> distinctPairs;
        std::vector<std::string> loops;  // alternatives that join an atom to itself
        for (const auto& [first, second] : stated.alternatives) {
            const std::vector<std::size_t> ones = findAll(first), others = findAll(second);
            if (ones.size() * others.size() > kMaxPairs)
                failAt(
                    file_, stated.line,
                    fmt::format("restraint {} selects {} × {} atoms", stated.id, ones.size(), others.size()));
            if (ones == others && ones.size() == 1) loops.push_back(describe(first.front()));
            for (const std::size_t i : ones)
                for (const std::size_t j : others)
                    if (i != j && distinctPairs.insert(std::minmax(i, j)).second)
                        mapped.pairs.emplace_back(i, j);
        }
        const bool isLeftOut = mapped.pairs.empty();
        if (!isLeftOut) result_.distances.push_back(std::move(mapped));
        for (const std::string& atom : loops) {
            const std::string what = fmt::format("restraint {}: both ends {}are the same atom, {}", stated.id,
                                                 isLeftOut ? "" : "of an alternative ", atom);
            // Programs that convert to NEF write such rows (PDBStat, for 2PNG).
            if (isLeftOut && file_.format != RestraintFormat::Nef) failAt(file_, stated.line, what);
            result_.skipped.push_back(fmt::format("line {}, {}", stated.line, what));
            if (isLeftOut) return;
        }
    }

    std::size_t findOne(const Residue& residue, const AtomSelection& selection,
                        const std::string& name) const {
        const auto found = std::find(residue.names.begin(), residue.names.end(), name);
        if (found == residue.names.end())
            throw Unknown{fmt::format("{}: {} has no atom {}; {}", describe(selection), residue.name, name,
                                      suggestNames(name, residue.names))};
        return residue.first + static_cast<std::size_t>(found - residue.names.begin());
    }

    void mapDihedral(std::size_t d) {
        const StatedDihedral& stated = file_.dihedrals[d];
        if (stated.isAmbiguous) throw Unknown{"alternatives of torsion angles are not read"};
        MappedDihedral mapped{.stated = d, .atoms = {}};
        if (stated.angle.empty()) {
            for (std::size_t end = 0; end < 4; ++end) {
                const std::vector<std::size_t> found = findAll({stated.atoms[end]});
                if (found.size() != 1)
                    throw Unknown{fmt::format("{} is {} atoms; expected one", describe(stated.atoms[end]),
                                              found.size())};
                mapped.atoms[end] = found[0];
            }
        } else {
            mapped.atoms = findAngle(stated);
        }
        result_.dihedrals.push_back(mapped);
    }

    std::array<std::size_t, 4> findAngle(const StatedDihedral& stated) const {
        const AtomSelection& selection = stated.atoms[0];
        const Residue& residue = *findResidues(selection).front();
        const auto neighbour = [&](long step) -> const Residue& {
            const long place = &residue - residues_.data() + step;
            if (place < 0 || place >= static_cast<long>(residues_.size()) ||
                residues_[static_cast<std::size_t>(place)].chain != residue.chain)
                throw Unknown{fmt::format("{}: {} needs a residue {} it", describe(selection), stated.angle,
                                          step < 0 ? "before" : "after")};
            return residues_[static_cast<std::size_t>(place)];
        };
        const auto one = [&](const Residue& of, const std::string& name) {
            return findOne(of, selection, name);
        };
        if (stated.angle == "PHI")
            return {one(neighbour(-1), "C"), one(residue, "N"), one(residue, "CA"), one(residue, "C")};
        if (stated.angle == "PSI")
            return {one(residue, "N"), one(residue, "CA"), one(residue, "C"), one(neighbour(1), "N")};
        if (stated.angle == "OMEGA")
            return {one(neighbour(-1), "CA"), one(neighbour(-1), "C"), one(residue, "N"), one(residue, "CA")};
        // Side chains from N on: per position, the first of these atoms that the residue has.
        static const std::vector<std::string> kChain[]{{"CB"},
                                                       {"CG", "CG1", "OG", "OG1", "SG"},
                                                       {"CD", "CD1", "OD1", "ND1", "SD"},
                                                       {"CE", "OE1", "NE"},
                                                       {"NZ", "CZ"}};
        if (stated.angle.size() == 4 && stated.angle.starts_with("CHI") && stated.angle[3] >= '1' &&
            stated.angle[3] <= '4') {
            std::vector<std::string> chain{"N", "CA"};
            for (const auto& places : kChain)
                for (const std::string& name : places)
                    if (std::find(residue.names.begin(), residue.names.end(), name) != residue.names.end()) {
                        chain.push_back(name);
                        break;
                    }
            const auto angle = static_cast<std::size_t>(stated.angle[3] - '1');
            if (angle + 4 <= chain.size())
                return {one(residue, chain[angle]), one(residue, chain[angle + 1]),
                        one(residue, chain[angle + 2]), one(residue, chain[angle + 3])};
        }
        throw Unknown{
            fmt::format("{}: no angle {}; expected PHI, PSI, OMEGA or a CHI1 to CHI4 that the residue has",
                        describe(selection), stated.angle)};
    }

    const RestraintFile& file_;
    std::span<const NamedAtom> atoms_;
    const MappingOptions& options_;
    std::vector<Residue> residues_;
    std::vector<std::string> chains_;
    std::string onlyChain_;
    std::set<std::size_t> swapKnown_;
    MappedRestraints result_;
};

}  // namespace

std::pair<std::string, int> parseFirstResidue(const std::string& text) {
    const std::size_t equals = text.find('=');
    const auto number =
        equals == std::string::npos ? std::nullopt : asNumber<int>(std::string_view(text).substr(equals + 1));
    if (!number) throw UsageError(fmt::format("--first-residue: '{}'; expected CHAIN=NUMBER", text));
    return {text.substr(0, equals), *number};
}

std::optional<NamedAtoms> findAtoms(std::span<const std::string> names, std::string_view written,
                                    RestraintFormat format) {
    const std::string name = upperCase(written);
    const auto found = [](std::vector<std::size_t> atoms) { return NamedAtoms{std::move(atoms), {}}; };
    for (std::size_t a = 0; a < names.size(); ++a)
        if (names[a] == name) return found({a});
    const bool isXplor = format == RestraintFormat::Xplor;
    if (format == RestraintFormat::Nef)
        if (auto stereo = findStereo(names, written)) return stereo;
    std::string pattern = name;
    std::replace(pattern.begin(), pattern.end(), '%', isXplor ? '?' : '#');
    if (pattern.find_first_of("*#?+") != std::string::npos) {
        std::vector<std::size_t> all = matching(names, pattern);
        if (!all.empty()) return found(std::move(all));
        return {};
    }
    std::vector<std::size_t> renamed;
    for (const std::string& newer : newerNames(names, name))
        for (std::size_t a = 0; a < names.size(); ++a)
            if (names[a] == newer) renamed.push_back(a);
    const bool isPseudo = format != RestraintFormat::Xplor && format != RestraintFormat::Nef;
    if (isPseudo || renamed.empty())
        if (auto pseudo = findPseudo(names, name)) return found(std::move(*pseudo));
    if (renamed.empty()) return {};
    std::sort(renamed.begin(), renamed.end());
    renamed.erase(std::unique(renamed.begin(), renamed.end()), renamed.end());
    return found(std::move(renamed));
}

MappedRestraints mapRestraints(const RestraintFile& file, std::span<const NamedAtom> atoms,
                               const MappingOptions& options) {
    return Mapper(file, atoms, options).map();
}

}  // namespace glycine::io
