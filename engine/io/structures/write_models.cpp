#include "engine/io/structures/write_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

namespace {

using structure::AtomIndex;
using structure::Molecule;
using structure::Vector;

bool isMmcif(const std::filesystem::path& file) {
    const std::string ending = lowerCase(file.extension().string());
    return ending == ".cif" || ending == ".mmcif";
}

void requirePdb(const std::string& file, const Molecule& molecule,
                std::span<const std::vector<Vector>> models) {
    const auto refuse = [&](const std::string& what) {
        throw InputError(fmt::format("{}: a PDB file cannot hold {}; write .cif", file, what));
    };
    if (molecule.atoms.size() > 99'999) refuse(fmt::format("{} atoms", molecule.atoms.size()));
    if (models.size() > 9'999) refuse(fmt::format("{} models", models.size()));
    for (const structure::Residue& residue : molecule.residues) {
        if (residue.chain.size() > 1) refuse(fmt::format("the chain '{}'", residue.chain));
        if (residue.number > 9'999 || residue.number < -999)
            refuse(fmt::format("residue {}", residue.number));
    }
    for (const std::vector<Vector>& model : models)
        for (const Vector& r : model)
            if (!(std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)}) < 999))
                refuse("coordinates beyond 999 Å");
}

std::string pdbAtom(const Molecule& molecule, AtomIndex a, const Vector& r) {
    const structure::Atom& atom = molecule.atoms[a];
    const structure::Residue& residue = molecule.residues[atom.residue];
    return fmt::format(
        "ATOM  {:>5} {:<4} {:>3} {:1}{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n", a + 1,
        atom.name.size() < 4 ? " " + atom.name : atom.name, residue.name, residue.chain, residue.number, r.x,
        r.y, r.z, atom.element);
}

std::string cifAtom(const Molecule& molecule, AtomIndex a, const Vector& r, std::size_t id,
                    std::size_t model) {
    const structure::Atom& atom = molecule.atoms[a];
    const structure::Residue& residue = molecule.residues[atom.residue];
    const std::string chain = residue.chain.empty() ? "A" : residue.chain;
    return fmt::format("ATOM {} {} {} . {} {} 1 {} {:.3f} {:.3f} {:.3f} 1 0 {} {} {}\n", id, atom.element,
                       atom.name, residue.name, chain, atom.residue + 1, r.x, r.y, r.z, residue.number, chain,
                       model);
}

/// Distance in Å, in the first model.
double sulphurDistance(const Molecule& molecule, std::span<const std::vector<Vector>> models,
                       const std::array<std::size_t, 2>& bond) {
    if (models.empty()) return 0;
    return length(models[0][*molecule.find(bond[0], "SG")] - models[0][*molecule.find(bond[1], "SG")]);
}

std::string pdbDisulfides(const Molecule& molecule, std::span<const std::vector<Vector>> models) {
    std::string text;
    std::size_t serial = 0;
    for (const auto& bond : molecule.disulfides) {
        const structure::Residue& a = molecule.residues[bond[0]];
        const structure::Residue& b = molecule.residues[bond[1]];
        text += fmt::format("SSBOND {:>3} CYS {:1} {:>4}    CYS {:1} {:>4} {:22} {:>6} {:>6} {:5.2f}  \n",
                            ++serial, a.chain, a.number, b.chain, b.number, "", "1555", "1555",
                            sulphurDistance(molecule, models, bond));
    }
    return text;
}

std::string cifDisulfides(const Molecule& molecule, std::span<const std::vector<Vector>> models) {
    if (molecule.disulfides.empty()) return "";
    std::string text = "loop_\n_struct_conn.id\n_struct_conn.conn_type_id\n";
    for (const int end : {1, 2})
        for (const char* item : {"label_asym_id", "label_comp_id", "label_seq_id", "label_atom_id",
                                 "auth_asym_id", "auth_seq_id", "symmetry"})
            text += fmt::format("_struct_conn.ptnr{}_{}\n", end, item);
    text += "_struct_conn.pdbx_dist_value\n";
    std::size_t serial = 0;
    for (const auto& bond : molecule.disulfides) {
        text += fmt::format("disulf{} disulf", ++serial);
        for (const std::size_t r : bond) {
            const structure::Residue& residue = molecule.residues[r];
            const std::string chain = residue.chain.empty() ? "A" : residue.chain;
            text += fmt::format(" {0} CYS {1} SG {0} {2} 1_555", chain, r + 1, residue.number);
        }
        text += fmt::format(" {:.2f}\n", sulphurDistance(molecule, models, bond));
    }
    return text + "#\n";
}

/// The angle omega in degrees of the bond before residue `r`.
double omega(const Molecule& molecule, const std::vector<Vector>& model, std::size_t r) {
    const auto at = [&](std::size_t residue, const char* name) {
        return model[*molecule.find(residue, name)];
    };
    const double angle = structure::dihedralAngle(at(r - 1, "CA"), at(r - 1, "C"), at(r, "N"), at(r, "CA"));
    return std::round(100 * angle / structure::kDegree) / 100 + 0.0;  // no "-0.00"
}

/// A record per cis peptide bond and model. Fields of three columns hold the serial and the model's number:
/// where records are more than these count, model 0 stands for all, whose omega is the same.
std::string pdbCisPeptides(const Molecule& molecule, std::span<const std::vector<Vector>> models) {
    const auto bonds = static_cast<std::size_t>(std::count_if(
        molecule.residues.begin(), molecule.residues.end(), [](const auto& one) { return one.cisPeptide; }));
    const bool isForAll = models.size() == 1 || bonds * models.size() > 999;
    std::string text;
    std::size_t serial = 0;
    for (std::size_t m = 0; m < (isForAll ? 1 : models.size()); ++m)
        for (std::size_t r = 1; r < molecule.residues.size(); ++r) {
            const structure::Residue& before = molecule.residues[r - 1];
            const structure::Residue& after = molecule.residues[r];
            if (after.cisPeptide)
                text += fmt::format(
                    "CISPEP {:>3} {:>3} {:1} {:>4}    {:>3} {:1} {:>4} {:>10}       {:6.2f}\n",
                    ++serial % 1000, before.name, before.chain, before.number, after.name, after.chain,
                    after.number, isForAll ? 0 : m + 1, omega(molecule, models[m], r));
        }
    return text;
}

std::string cifCisPeptides(const Molecule& molecule, std::span<const std::vector<Vector>> models) {
    std::string rows;
    std::size_t id = 0;
    for (std::size_t m = 0; m < models.size(); ++m)
        for (std::size_t r = 1; r < molecule.residues.size(); ++r) {
            if (!molecule.residues[r].cisPeptide) continue;
            rows += fmt::format("{}", ++id);
            for (const std::size_t end : {r - 1, r}) {
                const structure::Residue& residue = molecule.residues[end];
                const std::string chain = residue.chain.empty() ? "A" : residue.chain;
                rows += fmt::format(" {0} {1} {2} {0} {3}", chain, residue.name, end + 1, residue.number);
            }
            rows += fmt::format(" {} {:.2f}\n", m + 1, omega(molecule, models[m], r));
        }
    if (rows.empty()) return "";
    std::string text = "loop_\n_struct_mon_prot_cis.pdbx_id\n";
    for (const char* end : {"", "_2"})
        for (const char* item :
             {"label_asym_id", "label_comp_id", "label_seq_id", "auth_asym_id", "auth_seq_id"})
            text += fmt::format("_struct_mon_prot_cis.{}{}{}\n", *end ? "pdbx_" : "", item, end);
    return text + "_struct_mon_prot_cis.pdbx_PDB_model_num\n_struct_mon_prot_cis.pdbx_omega_angle\n" + rows +
           "#\n";
}

}  // namespace

bool isModelFile(const std::filesystem::path& file) {
    const std::string ending = lowerCase(file.extension().string());
    return isMmcif(file) || ending == ".pdb" || ending == ".ent";
}

void writeModels(const std::filesystem::path& file, const Molecule& molecule,
                 std::span<const std::vector<Vector>> models, std::span<const std::string> remarks) {
    const bool cif = isMmcif(file);
    if (!cif) requirePdb(file.string(), molecule, models);
    storage::AtomicFile out(file);
    if (cif) {
        out.write("data_glycine\n");
        for (const std::string& remark : remarks) out.write(fmt::format("# {}\n", remark));
        out.write(cifDisulfides(molecule, models));
        out.write(cifCisPeptides(molecule, models));
        out.write("loop_\n");
        for (const char* item :
             {"group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id",
              "label_asym_id", "label_entity_id", "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z",
              "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num"})
            out.write(fmt::format("_atom_site.{}\n", item));
    } else {
        for (const std::string& remark : remarks) out.write(fmt::format("REMARK   3 {}\n", remark));
        out.write(pdbDisulfides(molecule, models));
        out.write(pdbCisPeptides(molecule, models));
    }
    std::size_t id = 0;
    for (std::size_t m = 0; m < models.size(); ++m) {
        std::string text;
        if (!cif) text = fmt::format("MODEL     {:>4}\n", m + 1);
        for (AtomIndex a = 0; a < models[m].size(); ++a) {
            text +=
                cif ? cifAtom(molecule, a, models[m][a], ++id, m + 1) : pdbAtom(molecule, a, models[m][a]);
            const std::size_t r = molecule.atoms[a].residue;
            const structure::Residue& residue = molecule.residues[r];
            const bool ends = a + 1 == residue.firstAtom + residue.atomCount &&
                              (r + 1 == molecule.residues.size() || molecule.residues[r + 1].startsChain);
            if (ends && !cif)
                text += fmt::format("TER   {:>5}      {:>3} {:1}{:>4}\n", a + 2, residue.name, residue.chain,
                                    residue.number);
        }
        if (!cif) text += "ENDMDL\n";
        out.write(text);
    }
    if (!cif) out.write("END\n");
    out.commit();
}

}  // namespace glycine::io
