#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/structure/energy.hpp"

namespace glycine::structure {

/// Four numbers of an atom, the last one 0, so that one load takes them.
struct alignas(32) Quad {
    double v[4];
};

/// The same in single precision.
struct alignas(16) SingleQuad {
    float v[4];
};

/// Pairs of atoms whose distances are summed, and restraints of these sums.
struct DistanceSum {
    std::uint32_t first, end;  ///< pairs
};
struct DistanceLimits {
    double upper6, lower6;  ///< d⁻⁶ at the limits, kept if upper6 ≤ Σ ≤ lower6
    double upper, lower, weight;
    std::uint32_t sum;
};

/// A direction on the circle; yields differences of angles without computing the angles.
struct Direction {
    explicit Direction(double degrees)
        : cosine(std::cos(degrees * kDegree)), sine(std::sin(degrees * kDegree)) {}
    double cosine, sine;
    /// Cosine and sine of an angle, given by its own, relative to this direction.
    double cosineTo(double c, double s) const { return c * cosine + s * sine; }
    double sineTo(double c, double s) const { return s * cosine - c * sine; }
};
/// Of the Ramachandran plot; shares of the residues but glycine, and of it.
struct Well {
    Direction phi, psi;
    double share, shareOfGlycine;
};
/// A window of angles, prepared for its term.
struct AngleWindow {
    explicit AngleWindow(const DihedralRestraint& one)
        : atoms(one.atoms),
          half(0.5 * kDegree * windowWidth(one.lower, one.upper)),
          centre(one.lower + half / kDegree),
          weight(one.weight) {}
    std::array<AtomIndex, 4> atoms;
    double half;  ///< rad
    Direction centre;
    double weight;
    double halfCosine = std::cos(half);
};

template <class Term>
struct TermList {
    const Term* data = nullptr;
    std::size_t size = 0;
};
/// The terms of a problem, except contacts.
struct EnergyTerms {
    TermList<DistanceSum> sums;
    TermList<DistanceLimits> limits;
    TermList<AngleWindow> windows, ringWindows;
    TermList<CovalentBound> rings;
    TermList<FoldProblem::Backbone> backbones;
    TermList<Well> wells;  ///< shares of 0 come last
    TermList<std::array<AtomIndex, 4>> threefold;
};

/// What repels pairs of two kinds of atoms at the weights of an evaluation.
struct Repulsion {
    double square, scale;  ///< of the contact; weight by square
    double core, hard;     ///< the same of the core
};

/// A model's data of an evaluation.
struct EnergyWork {
    const Quad* r;
    Quad* gradient;
    const AtomPair* named;       ///< pairs of the sums
    double *square, *inverse;    ///< of pairs
    double *sum, *distance;      ///< of sums
    const SingleQuad* at;        ///< positions
    TermList<AtomPair> near;     ///< neighbours, padded to whole fours (NeighbourLists)
    const float* reach;          ///< Å², of each pair
    const std::uint32_t* kinds;  ///< of each pair, in `repulsions`
    const Repulsion* repulsions;
    std::uint32_t* close;  ///< room for all pairs and four more
};

/// The target function of a model (cpu/energy_kernel.cpp). All instruction sets give the same bits.
struct EnergyKernel {
    /// Adds to the gradient.
    Energy (*evaluate)(const EnergyTerms& terms, const EnergyWork& work, double restraintWeight) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static EnergyKernel compiled();
};

}  // namespace glycine::structure
