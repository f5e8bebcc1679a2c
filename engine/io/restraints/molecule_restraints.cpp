#include "engine/io/restraints/molecule_restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/io/restraints/restraint_formats.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::io {

namespace {

void requireAminoAcid(const std::string& name, const std::string& place) {
    const std::vector<std::string>& known = structure::residueNames();
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(fmt::format("{}: '{}' is none of the twenty amino acids; {}", place, name,
                                     suggestNames(name, known)));
}

/// The line of sequence `index`'s first letter `letter`; 0 if the file cannot be read again (a pipe).
std::size_t lineOfLetter(const std::string& path, std::size_t index, char letter) {
    const std::string text = readText(path);
    std::size_t line = 0;
    std::size_t headers = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++line;
        if (text[begin] == '>')
            ++headers;
        else if (headers == index + 1 && text.substr(begin, end - begin).find(letter) != std::string::npos)
            return line;
        begin = end + 1;
    }
    return 0;
}

/// Throws InputError for a letter that is no amino acid's, naming its place.
void requireLetters(const std::string& path, const Sequences& sequences, std::size_t index) {
    const std::string_view letters = sequences.letters[index];
    const auto unknown = std::find_if(letters.begin(), letters.end(),
                                      [](char letter) { return structure::residueNameOf(letter).empty(); });
    if (unknown == letters.end()) return;
    std::string known;
    for (char letter = 'A'; letter <= 'Z'; ++letter)
        if (!structure::residueNameOf(letter).empty()) known += letter;
    const std::size_t line = lineOfLetter(path, index, *unknown);
    throw InputError(
        fmt::format("{}: {}residue {} of sequence {} is '{}', which is none of the twenty amino acids; "
                    "expected one of {}",
                    path, line > 0 ? fmt::format("line {}: ", line) : "", unknown - letters.begin() + 1,
                    sequences.names[index], *unknown, known));
}

std::vector<structure::ResidueName> residuesOfFasta(const std::string& path) {
    const ReadSequences read = readSequences(path, {.alphabet = Alphabet::Protein, .fewest = 1});
    const Sequences& sequences = read.sequences;
    const bool areChains = std::all_of(sequences.names.begin(), sequences.names.end(),
                                       [](const std::string& name) { return name.size() == 1; });
    if (!areChains && sequences.size() > 26)
        throw InputError(fmt::format("{}: {} chains; expected at most 26", path, sequences.size()));
    std::vector<structure::ResidueName> residues;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const std::string chain = areChains ? sequences.names[s] : std::string(1, static_cast<char>('A' + s));
        requireLetters(path, sequences, s);
        const auto more = structure::residuesOf(sequences.letters[s], chain);
        residues.insert(residues.end(), more.begin(), more.end());
    }
    return residues;
}

std::vector<structure::ResidueName> residuesOfStructure(const Structure& read) {
    std::vector<structure::ResidueName> residues;
    const StructureAtom* last = nullptr;
    for (const StructureAtom& atom : read.atoms) {
        if (last != nullptr && last->chain == atom.chain && last->residueNumber == atom.residueNumber)
            continue;
        last = &atom;
        const auto number = asNumber<int>(atom.residueNumber);
        if (!number)
            throw InputError(fmt::format("{}: residue {} has an insertion code; expected only numbers",
                                         read.name, atom.label()));
        requireAminoAcid(atom.residueName, fmt::format("{}: residue {}{}{}", read.name, atom.chain,
                                                       atom.chain.empty() ? "" : "/", atom.residueNumber));
        residues.push_back({atom.residueName, *number, atom.chain});
    }
    return residues;
}

/// The molecule's chain that an NMR-STAR file gives by name or by number.
std::string chainOfStar(const std::vector<structure::ResidueName>& residues, const std::string& chain) {
    std::vector<std::string> chains;
    for (const structure::ResidueName& residue : residues) {
        if (residue.chain == chain) return chain;
        if (chains.empty() || chains.back() != residue.chain) chains.push_back(residue.chain);
    }
    const auto number = asNumber<std::size_t>(chain);
    if (chains.size() == 1) return chains[0];
    return number && *number - 1 < chains.size() ? chains[*number - 1] : chain;
}

/// Index of a residue named in a bond, "disulfide" or "cis peptide".
std::size_t indexOf(const std::vector<structure::ResidueName>& residues, const std::string& chain,
                    std::string_view number, const std::string& file, std::string_view bond) {
    for (std::size_t r = 0; r < residues.size(); ++r)
        if (residues[r].chain == chain && fmt::format("{}", residues[r].number) == number) return r;
    throw InputError(fmt::format("{}: a {} bond of residue {}{}{}, which the molecule lacks", file, bond,
                                 chain, chain.empty() ? "" : "/", number));
}

}  // namespace

structure::Molecule readMolecule(const std::string& sequence, const std::string& topology,
                                 std::span<const RestraintFile> files) {
    if (!sequence.empty() && !topology.empty())
        throw UsageError("give either --sequence or --topology, not both");
    std::vector<structure::ResidueName> residues;
    std::set<std::array<std::size_t, 2>> bonds;
    const auto bind = [&](const std::string& file, const auto& chains, const auto& numbers) {
        const std::size_t a = indexOf(residues, chains[0], numbers[0], file, "disulfide");
        const std::size_t b = indexOf(residues, chains[1], numbers[1], file, "disulfide");
        bonds.insert({std::min(a, b), std::max(a, b)});
    };
    if (!sequence.empty()) residues = residuesOfFasta(sequence);
    if (!topology.empty()) {
        const Structure read = readStructure(topology);
        residues = residuesOfStructure(read);
        for (const StructureDisulfide& one : read.disulfides) bind(read.name, one.chain, one.residueNumber);
        for (const StructureResidue& one : read.cisPeptides)
            residues[indexOf(residues, one.chain, one.number, read.name, "cis peptide")].cisPeptide = true;
    }
    for (const RestraintFile& file : files)
        if (residues.empty())
            for (const StatedResidue& residue : file.sequence) {
                requireAminoAcid(residue.name, fmt::format("{}: line {}", file.name, residue.line));
                residues.push_back({residue.name, residue.number, residue.chain});
            }
    if (residues.empty())
        throw UsageError(
            "the restraints do not say which molecule they are of; give --sequence FASTA or --topology PDB");
    for (const RestraintFile& file : files)
        for (const StatedResidue& one : file.sequence)
            if (one.cisPeptide)
                residues[indexOf(residues, one.chain, fmt::format("{}", one.number), file.name,
                                 "cis peptide")]
                    .cisPeptide = true;
    for (const RestraintFile& file : files)
        for (const auto& [a, b] : file.disulfides) {
            const bool isStar = file.format == RestraintFormat::NmrStar;
            bind(file.name,
                 std::array{isStar ? chainOfStar(residues, a.chain) : a.chain,
                            isStar ? chainOfStar(residues, b.chain) : b.chain},
                 std::array{fmt::format("{}", a.number), fmt::format("{}", b.number)});
        }
    return structure::Molecule(residues, {bonds.begin(), bonds.end()});
}

structure::RestraintSet mapToMolecule(std::span<const RestraintFile> files,
                                      const structure::Molecule& molecule, const MappingOptions& options,
                                      RestraintCounts& counts) {
    std::vector<NamedAtom> atoms;
    for (const structure::Atom& atom : molecule.atoms) {
        const structure::Residue& residue = molecule.residues[atom.residue];
        atoms.push_back({residue.chain, residue.number, residue.name, atom.name});
    }
    structure::RestraintSet set;
    counts = {};
    for (const RestraintFile& file : files) {
        MappedRestraints mapped = mapRestraints(file, atoms, options);
        const std::string prefix = files.size() > 1 ? file.name + " " : "";
        const std::size_t before = set.distances.size();
        counts.distances += file.distances.size();
        counts.dihedrals += file.dihedrals.size();
        for (const MappedDistance& distance : mapped.distances) {
            const StatedDistance& stated = file.distances[distance.stated];
            structure::DistanceRestraint restraint{.pairs = {},
                                                   .lower = stated.lower,
                                                   .upper = stated.upper,
                                                   .weight = stated.weight,
                                                   .id = prefix + stated.id,
                                                   .line = stated.line};
            for (const auto& [i, j] : distance.pairs)
                restraint.pairs.push_back(
                    {static_cast<structure::AtomIndex>(i), static_cast<structure::AtomIndex>(j)});
            counts.alternatives += restraint.pairs.size() > 1 ? 1 : 0;
            set.distances.push_back(std::move(restraint));
        }
        for (const MappedDihedral& dihedral : mapped.dihedrals) {
            const StatedDihedral& stated = file.dihedrals[dihedral.stated];
            structure::DihedralRestraint restraint{.lower = stated.lower,
                                                   .upper = stated.upper,
                                                   .weight = stated.weight,
                                                   .id = prefix + stated.id,
                                                   .line = stated.line};
            for (std::size_t end = 0; end < 4; ++end)
                restraint.atoms[end] = static_cast<structure::AtomIndex>(dihedral.atoms[end]);
            set.dihedrals.push_back(std::move(restraint));
        }
        for (const auto& [group, other] : mapped.swappable) {
            structure::SwappableGroup swappable;
            for (std::size_t a = 0; a < group.size(); ++a)
                swappable.exchanged.push_back({static_cast<structure::AtomIndex>(group[a]),
                                               static_cast<structure::AtomIndex>(other[a])});
            const auto isIn = [&, &group = group, &other = other](structure::AtomIndex atom) {
                return std::find(group.begin(), group.end(), atom) != group.end() ||
                       std::find(other.begin(), other.end(), atom) != other.end();
            };
            for (std::size_t d = before; d < set.distances.size(); ++d) {
                const auto& pairs = set.distances[d].pairs;
                if (std::any_of(pairs.begin(), pairs.end(), [&](const structure::AtomPair& pair) {
                        return isIn(pair.first) || isIn(pair.second);
                    }))
                    swappable.restraints.push_back(d);
            }
            set.swappable.push_back(std::move(swappable));
        }
        for (const auto* notes : {&file.notes, &std::as_const(mapped.notes)})
            for (const std::string& note : *notes)
                set.warnings.push_back(fmt::format("{}: {}", file.name, note));
        for (const std::string& skipped : mapped.skipped)
            counts.skipped.push_back(fmt::format("{}: {}", file.name, skipped));
    }
    if (!counts.skipped.empty())
        set.warnings.push_back(fmt::format("left out {} of {} restraints, the first: {}",
                                           counts.skipped.size(), counts.distances + counts.dihedrals,
                                           counts.skipped.front()));
    return set;
}

}  // namespace glycine::io
