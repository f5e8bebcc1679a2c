#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/io/structures/structure.hpp"
#include "engine/view/viewer.hpp"

/// Makes scenes of the molecules in PDB and mmCIF files.
namespace glycine::view {

/// A pair of atoms of the first model with bounds on their distance, in Å.
struct BoundLine {
    std::size_t i = 0, j = 0;
    double lower = 0, upper = 0;
    double slack() const { return upper - lower; }
};

class MoleculeScenes {
  public:
    /// All models of `structure` (StructureOptions::everyModel), without waters. Throws InputError if no atom
    /// is left.
    explicit MoleculeScenes(const io::Structure& structure);

    std::size_t models() const { return models_.size(); }
    /// Counts of the first model.
    std::size_t atoms() const { return models_[0].atoms.size(); }
    std::size_t bonds() const { return models_[0].bonds.size(); }
    std::size_t residues() const { return models_[0].residues.size(); }
    std::size_t chains() const { return chains_.size(); }
    bool hasHydrogens() const { return hasHydrogens_; }
    /// Whether a trace would show anything.
    bool hasBackbone() const { return hasBackbone_; }

    /// The atom of the first model with this label (StructureAtom::label). A label without a chain finds the
    /// only atom of that name.
    std::optional<std::size_t> find(std::string_view label) const;
    /// Whether two atoms of the first model belong to one residue or to adjacent residues of a chain.
    bool areNeighbours(std::size_t i, std::size_t j) const;
    /// Sets the lines that Look::bounds shows, tightest first.
    void setBounds(std::vector<BoundLine> lines) { bounds_ = std::move(lines); }
    const std::vector<BoundLine>& bounds() const { return bounds_; }

    /// Superposes every model onto the first one by its alpha carbons or phosphorus atoms. Returns the
    /// largest remaining root mean square distance, in Å. Throws InputError if models have different
    /// residues, or fewer than three.
    double superpose();

    /// Centre and axes come from the backbones of all models (from all atoms if there is none): longest
    /// extent to the right, second longest upwards. With `ownAxes`, uses the file's x, y and z.
    Scene scene(const Look& look, bool ownAxes = false) const;

  private:
    struct Atom {
        Vector position;
        std::size_t element = 0;  ///< index in the table of elements
        std::size_t residue = 0;  ///< index in Model::residues
        bool isHydrogen = false;
    };
    struct Residue {
        std::size_t chain = 0;                ///< index in chains_
        std::optional<std::size_t> backbone;  ///< CA or P
        double reach = 0;                     ///< largest distance in Å to the next one in a chain
    };
    struct Model {
        std::vector<Atom> atoms;
        std::vector<Residue> residues;
        std::vector<std::pair<std::size_t, std::size_t>> bonds;
    };
    struct Colors;

    Model modelOf(const std::vector<io::StructureAtom>& atoms);
    std::vector<structure::AtomIndex> backbone(const Model& model) const;
    void addTrace(Scene& scene, const Model& model, double radius, const Colors& colors) const;
    void addBonds(Scene& scene, const Model& model, const Look& look, double radius, const Colors& colors,
                  bool ofChains) const;
    void addSpheres(Scene& scene, const Model& model, const Look& look, const Colors& colors) const;
    void addBounds(Scene& scene, const Look& look) const;

    std::vector<Model> models_;
    std::vector<std::string> chains_;
    std::unordered_map<std::string, std::size_t> labels_;  ///< npos: several atoms
    std::vector<BoundLine> bounds_;
    bool hasHydrogens_ = false;
    bool hasBackbone_ = false;
};

}  // namespace glycine::view
