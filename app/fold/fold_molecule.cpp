#include "app/fold/fold_molecule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/core/error.hpp"

namespace glycine::structure {

namespace {

std::size_t residueNamed(const Molecule& molecule, std::string_view option, std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view chain = slash == text.npos ? "" : text.substr(0, slash);
    const std::string_view digits = slash == text.npos ? text : text.substr(slash + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    std::optional<std::size_t> found;
    if (error == std::errc() && end == digits.data() + digits.size())
        found = molecule.findResidue(chain, number);
    if (!found)
        throw UsageError(
            fmt::format("{}: the molecule has no single residue '{}'; expected a number, or with its "
                        "chain A/82",
                        option, text));
    return *found;
}

/// Prolines whose HA a restraint puts close to the previous residue's HA: only a cis peptide bond brings them
/// below 3.5 Å.
std::vector<std::size_t> cisProlines(const Molecule& molecule, const RestraintSet& set) {
    constexpr double kNear = 3.5;
    std::vector<std::size_t> result;
    for (const DistanceRestraint& one : set.distances) {
        if (one.upper > kNear || one.pairs.size() != 1) continue;
        AtomIndex a = one.pairs[0].first;
        AtomIndex b = one.pairs[0].second;
        if (molecule.atoms[a].residue > molecule.atoms[b].residue) std::swap(a, b);
        const std::size_t r = molecule.atoms[b].residue;
        if (molecule.atoms[a].residue + 1 == r && molecule.residues[r].name == "PRO" &&
            !molecule.residues[r].startsChain && molecule.atoms[a].name.starts_with("HA") &&
            molecule.atoms[b].name == "HA")
            result.push_back(r);
    }
    return result;
}

using Disulfides = std::vector<std::array<std::size_t, 2>>;

/// Cysteines whose SG atoms a restraint puts within 2.5 Å, which is impossible without a bond.
Disulfides restrainedDisulfides(const Molecule& molecule, const RestraintSet& set) {
    constexpr double kNear = 2.5;
    Disulfides result;
    for (const DistanceRestraint& one : set.distances) {
        if (one.upper > kNear || one.pairs.size() != 1) continue;
        const Atom& a = molecule.atoms[one.pairs[0].first];
        const Atom& b = molecule.atoms[one.pairs[0].second];
        const auto isSulphur = [&](const Atom& atom) {
            return atom.name == "SG" && molecule.residues[atom.residue].name == "CYS";
        };
        if (isSulphur(a) && isSulphur(b) && a.residue != b.residue)
            result.push_back({std::min(a.residue, b.residue), std::max(a.residue, b.residue)});
    }
    return result;
}

/// "6-36", "A/6-B/36"
std::array<std::size_t, 2> parseDisulfide(const Molecule& molecule, const std::string& text) {
    const std::size_t dash =
        text.find('-', std::min(text.size(), text.find('/') == text.npos ? 1 : text.find('/') + 2));
    if (dash == std::string::npos)
        throw UsageError(fmt::format("--disulfide: '{}'; expected two residues, 6-36 or A/6-B/36", text));
    const std::size_t a = residueNamed(molecule, "--disulfide", text.substr(0, dash));
    const std::size_t b = residueNamed(molecule, "--disulfide", text.substr(dash + 1));
    return {std::min(a, b), std::max(a, b)};
}

Molecule bonded(const Molecule& molecule, const std::vector<std::size_t>& cis, const Disulfides& disulfides) {
    std::vector<ResidueName> names;
    for (const Residue& residue : molecule.residues)
        names.push_back({residue.name, residue.number, residue.chain, residue.cisPeptide});
    for (const std::size_t r : cis) names[r].cisPeptide = true;
    return Molecule(names, disulfides);
}

/// The file that states a residue's cis peptide bond: one with its sequence, or the topology.
std::string cisSource(const Residue& residue, std::span<const io::RestraintFile> files,
                      const std::string& topology) {
    for (const io::RestraintFile& file : files)
        for (const io::StatedResidue& one : file.sequence)
            if (one.cisPeptide && one.number == residue.number && one.chain == residue.chain)
                return file.name;
    return topology;
}

}  // namespace

RestrainedMolecule readRestrainedMolecule(std::span<const io::RestraintFile> files,
                                          const MoleculeOptions& options) {
    Molecule molecule = io::readMolecule(options.sequence, options.topology, files);
    io::RestraintCounts counts;
    RestraintSet restraints = io::mapToMolecule(files, molecule, options.mapping, counts);
    std::vector<std::size_t> cis;
    std::vector<std::string> cisSources, disulfideSources;
    for (std::size_t r = 0; r < molecule.residues.size(); ++r)
        if (molecule.residues[r].cisPeptide) {
            cis.push_back(r);
            cisSources.push_back(fmt::format("{}: as {} states", molecule.residues[r].label(),
                                             cisSource(molecule.residues[r], files, options.topology)));
        }
    const auto addCis = [&](std::size_t r, const std::string& reason) {
        if (std::find(cis.begin(), cis.end(), r) != cis.end()) return;
        cis.push_back(r);
        cisSources.push_back(fmt::format("{}: {}", molecule.residues[r].label(), reason));
    };
    for (const std::string& one : options.cis) addCis(residueNamed(molecule, "--cis", one), "as requested");
    for (const std::size_t r : cisProlines(molecule, restraints))
        addCis(r, "its HA is restrained to the HA before");
    for (const io::RestraintFile& file : files)
        for (const io::ProlineShifts& one : file.prolines) {
            auto r = molecule.findResidue(one.chain, one.residue);
            if (!r) r = molecule.findResidue("", one.residue);
            if (r && one.isCis() && !molecule.residues[*r].startsChain)
                addCis(*r, fmt::format("its CB is {:.1f} ppm above its CG", one.cb - one.cg));
        }
    Disulfides disulfides = molecule.disulfides;
    for (const auto& [a, b] : disulfides)
        disulfideSources.push_back(
            fmt::format("{} - {}: as {} states", molecule.residues[a].label(), molecule.residues[b].label(),
                        options.topology.empty() ? "the file of restraints" : options.topology));
    const auto addDisulfide = [&](const std::array<std::size_t, 2>& pair, const char* reason) {
        if (std::find(disulfides.begin(), disulfides.end(), pair) != disulfides.end()) return;
        disulfides.push_back(pair);
        disulfideSources.push_back(fmt::format("{} - {}: {}", molecule.residues[pair[0]].label(),
                                               molecule.residues[pair[1]].label(), reason));
    };
    for (const std::string& one : options.disulfides)
        addDisulfide(parseDisulfide(molecule, one), "as requested");
    for (const auto& pair : restrainedDisulfides(molecule, restraints))
        addDisulfide(pair, "a restraint puts their SG within 2.5 Å");
    const bool isBound = disulfides != molecule.disulfides;
    if (!cis.empty() || isBound) molecule = bonded(molecule, cis, disulfides);
    // Bonded cysteines have one atom less.
    if (isBound) restraints = io::mapToMolecule(files, molecule, options.mapping, counts);
    return {std::move(molecule), std::move(restraints), std::move(counts), std::move(cisSources),
            std::move(disulfideSources)};
}

std::string describeRanges(const Molecule& molecule, const std::vector<std::size_t>& residues) {
    std::vector<std::string> ranges;
    for (std::size_t first = 0; first < residues.size();) {
        std::size_t last = first;
        while (last + 1 < residues.size() && residues[last + 1] == residues[last] + 1 &&
               !molecule.residues[residues[last + 1]].startsChain)
            ++last;
        const Residue& from = molecule.residues[residues[first]];
        const bool isAlone = molecule.residues.front().chain == molecule.residues.back().chain;
        ranges.push_back(fmt::format("{}{}-{}", isAlone ? "" : from.chain + "/", from.number,
                                     molecule.residues[residues[last]].number));
        first = last + 1;
    }
    return fmt::format("{}", fmt::join(ranges, ", "));
}

std::vector<std::size_t> parseRanges(const Molecule& molecule, const std::string& text) {
    std::vector<std::size_t> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string range = text.substr(begin, end - begin);
        const std::size_t dash = range.find('-', 1);
        const std::string first = range.substr(0, dash);
        const std::size_t slash = first.find('/');
        const std::string chain = slash == std::string::npos ? "" : first.substr(0, slash + 1);
        const std::size_t from = residueNamed(molecule, "--ordered", first);
        const std::size_t to = dash == std::string::npos
                                   ? from
                                   : residueNamed(molecule, "--ordered", chain + range.substr(dash + 1));
        for (std::size_t r = from; r <= to; ++r) result.push_back(r);
        begin = end + 1;
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace glycine::structure
