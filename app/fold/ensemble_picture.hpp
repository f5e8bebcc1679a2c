#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/structure/molecule.hpp"

namespace glycine::structure {

/// Meaning of the colours in an ensemble's picture.
struct ResidueColors {
    std::vector<double> values;  ///< one per residue
    std::string label;           ///< next to the colour bar
    double least = 0, most = 1;
    /// values are residue indices; the bar labels them with the molecule's residue numbers
    bool areResidues = false;
};

struct EnsemblePage {
    std::string title, footer;
};

/// Draws the alpha-carbon traces of superposed models in two perpendicular views, with the ensemble's longest
/// axis horizontal; parts further back are paler. Labels every tenth residue of the first model with its
/// number, and the chains' ends with letters. Writes PNG, SVG or PDF.
void drawEnsemble(const std::filesystem::path& file, const Molecule& molecule,
                  std::span<const std::vector<Vector>> models, const ResidueColors& colors,
                  const EnsemblePage& page);

}  // namespace glycine::structure
