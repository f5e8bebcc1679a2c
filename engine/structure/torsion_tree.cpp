#include "engine/structure/torsion_tree.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace glycine::structure {

Rotation Rotation::about(const Vector& axis, double angle) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const Vector along = (1 - c) * axis;
    const Vector across = s * axis;
    return {{c + along.x * axis.x, across.z + along.x * axis.y, along.x * axis.z - across.y},
            {along.y * axis.x - across.z, c + along.y * axis.y, across.x + along.y * axis.z},
            {across.y + along.z * axis.x, along.z * axis.y - across.x, c + along.z * axis.z}};
}

TorsionTree::TorsionTree(const Molecule& molecule) {
    const std::size_t atoms = molecule.atoms.size();
    // Returns the torsion about a bond, -1 if there is none.
    const auto torsionOf = [&](AtomIndex a, AtomIndex b) {
        for (std::size_t t = 0; t < molecule.torsions.size(); ++t) {
            const auto& four = molecule.torsions[t].atoms;
            if ((four[1] == a && four[2] == b) || (four[1] == b && four[2] == a)) return static_cast<int>(t);
        }
        return -1;
    };
    struct Link {
        AtomIndex to;
        int torsion;
    };
    std::vector<std::vector<Link>> links(atoms);
    for (const auto& bond : molecule.bonds) {
        const bool isOpen = std::find(molecule.ringClosures.begin(), molecule.ringClosures.end(), bond) !=
                            molecule.ringClosures.end();
        if (isOpen) continue;
        const int torsion = torsionOf(bond[0], bond[1]);
        links[bond[0]].push_back({bond[1], torsion});
        links[bond[1]].push_back({bond[0], torsion});
    }
    bodyOf.assign(atoms, -1);
    bodyOfTorsion.assign(molecule.torsions.size(), -1);
    struct Start {
        AtomIndex atom;
        AtomIndex from;
        int parent;
        int torsion;
    };
    std::queue<Start> starts;
    for (std::size_t first = 0; first < molecule.residues.size();) {
        std::size_t end = first + 1;
        while (end < molecule.residues.size() && !molecule.residues[end].startsChain) ++end;
        const AtomIndex root = *molecule.find((first + end) / 2, "CA");
        starts.push({root, root, -1, -1});
        first = end;
    }
    while (!starts.empty()) {
        const Start start = starts.front();
        starts.pop();
        const int index = static_cast<int>(bodies.size());
        Body body;
        body.parent = start.parent;
        body.torsion = start.torsion;
        body.origin = molecule.ideal[start.atom];
        if (start.parent < 0)
            roots.push_back(index);
        else {
            body.axis = unit(molecule.ideal[start.atom] - molecule.ideal[start.from]);
            bodyOfTorsion[static_cast<std::size_t>(start.torsion)] = index;
        }
        bodyOf[start.atom] = index;
        body.atoms.push_back(start.atom);
        for (std::size_t done = 0; done < body.atoms.size(); ++done)
            for (const Link& link : links[body.atoms[done]]) {
                if (bodyOf[link.to] >= 0) continue;
                if (link.torsion >= 0) {
                    starts.push({link.to, body.atoms[done], index, link.torsion});
                } else {
                    bodyOf[link.to] = index;
                    body.atoms.push_back(link.to);
                }
            }
        for (const AtomIndex a : body.atoms)
            body.centre += (1 / static_cast<double>(body.atoms.size())) * molecule.ideal[a];
        bodies.push_back(std::move(body));
    }
}

TorsionState restState(const TorsionTree& tree) {
    TorsionState state;
    state.angle.assign(tree.bodies.size(), 0);
    state.rotation.resize(tree.bodies.size());
    state.place.resize(tree.bodies.size());
    for (std::size_t r = 0; r < tree.roots.size(); ++r)
        state.place[static_cast<std::size_t>(tree.roots[r])] = {40.0 * static_cast<double>(r), 0, 0};
    return state;
}

TorsionMotion noMotion(const TorsionTree& tree) {
    return {std::vector<double>(tree.bodies.size()), std::vector<Vector>(tree.roots.size()),
            std::vector<Vector>(tree.roots.size())};
}

void advance(const TorsionTree& tree, TorsionState& state, const TorsionMotion& motion, double scale) {
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) state.angle[b] += scale * motion.torsion[b];
    for (std::size_t r = 0; r < tree.roots.size(); ++r) {
        const auto root = static_cast<std::size_t>(tree.roots[r]);
        state.place[root] += scale * motion.shift[r];
        const double turn = length(motion.turn[r]);
        if (turn * std::abs(scale) < 1e-14) continue;
        Rotation& rotation = state.rotation[root];
        rotation = Rotation::about((1 / turn) * motion.turn[r], turn * scale) * rotation;
        // Restores orthonormality, which rounding erodes.
        rotation.x = unit(rotation.x);
        rotation.z = unit(cross(rotation.x, rotation.y));
        rotation.y = cross(rotation.z, rotation.x);
    }
}

void placeAtoms(const TorsionTree& tree, const Molecule& molecule, TorsionState& state,
                std::span<Vector> positions) {
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
        const TorsionTree::Body& body = tree.bodies[b];
        if (body.parent >= 0) {
            const auto parent = static_cast<std::size_t>(body.parent);
            state.rotation[b] = state.rotation[parent] * Rotation::about(body.axis, state.angle[b]);
            state.place[b] =
                state.place[parent] + state.rotation[parent] * (body.origin - tree.bodies[parent].origin);
        }
        for (const AtomIndex a : body.atoms)
            positions[a] = state.place[b] + state.rotation[b] * (molecule.ideal[a] - body.origin);
    }
}

void gradientAlongTorsions(const TorsionTree& tree, const TorsionState& state,
                           std::span<const Vector> positions, std::span<const Vector> gradient,
                           TorsionMotion& result) {
    std::vector<Vector> push(tree.bodies.size());
    std::vector<Vector> torque(tree.bodies.size());
    for (std::size_t b = tree.bodies.size(); b-- > 0;) {
        const TorsionTree::Body& body = tree.bodies[b];
        for (const AtomIndex a : body.atoms) {
            push[b] += gradient[a];
            torque[b] += cross(positions[a], gradient[a]);
        }
        const Vector here = torque[b] - cross(state.place[b], push[b]);
        if (body.parent >= 0) {
            result.torsion[b] = dot(state.rotation[b] * body.axis, here);
            push[static_cast<std::size_t>(body.parent)] += push[b];
            torque[static_cast<std::size_t>(body.parent)] += torque[b];
        } else {
            const auto r = static_cast<std::size_t>(
                std::find(tree.roots.begin(), tree.roots.end(), static_cast<int>(b)) - tree.roots.begin());
            result.turn[r] = here;
            result.shift[r] = push[b];
        }
    }
}

namespace {

MovingBodies moving(const TorsionState& state, const TorsionMotion& velocity) {
    return {state.rotation.data(), state.place.data(), velocity.torsion.data(), velocity.turn.data(),
            velocity.shift.data()};
}

}  // namespace

ArticulatedBodies::ArticulatedBodies(const TorsionTree& tree, InstructionSet instructions)
    : kernel_(kernelFor<BodiesKernel>(instructions)) {
    for (const TorsionTree::Body& body : tree.bodies) {
        ArticulatedBody one{};
        one.mass = body.mass();
        one.axisAtRest = body.axis;
        one.centreAtRest = body.centre - body.origin;
        one.parent = body.parent;
        one.firstAtom = static_cast<std::uint32_t>(atoms_.size());
        one.atoms = static_cast<std::uint32_t>(body.atoms.size());
        bodies_.push_back(one);
        atoms_.insert(atoms_.end(), body.atoms.begin(), body.atoms.end());
    }
}

double ArticulatedBodies::kineticEnergy(const TorsionState& state, const TorsionMotion& velocity) {
    return kernel_.findVelocities(bodies_.data(), bodies_.size(), moving(state, velocity));
}

double ArticulatedBodies::accelerate(const TorsionState& state, const TorsionMotion& velocity,
                                     std::span<const Vector> positions, std::span<const Vector> gradient,
                                     TorsionMotion& acceleration) {
    const double energy = kineticEnergy(state, velocity);
    kernel_.accelerate(bodies_.data(), bodies_.size(), moving(state, velocity), atoms_.data(),
                       positions.data(), gradient.data(), acceleration.torsion.data(),
                       acceleration.turn.data(), acceleration.shift.data());
    return energy;
}

}  // namespace glycine::structure
