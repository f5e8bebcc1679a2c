#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/structure/molecule.hpp"

namespace glycine::structure {

/// What the colours of an ensemble's picture stand for.
struct ResidueColors {
    std::vector<double> values;  ///< one a residue
    std::string label;           ///< beside the colour bar
    double least = 0, most = 1;
    bool areResidues = false;  ///< indices of residues, which the bar names as the molecule does
};

struct EnsemblePage {
    std::string title, footer;
};

/// Draws the alpha carbons' traces of superposed models from two sides at right angles, the ensemble's
/// longest axis across; what lies behind is paler. Every tenth residue of the first model has its number, and
/// the chains' ends have letters.
/// PNG, SVG or PDF.
void drawEnsemble(const std::filesystem::path& file, const Molecule& molecule,
                  std::span<const std::vector<Vector>> models, const ResidueColors& colors,
                  const EnsemblePage& page);

}  // namespace glycine::structure
