#include "engine/structure/torsion_tree.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/structure/dynamics.hpp"

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

using Six = std::array<double, 6>;

Six six(const Vector& a, const Vector& b) {
    return {a.x, a.y, a.z, b.x, b.y, b.z};
}
Vector angular(const Six& v) {
    return {v[0], v[1], v[2]};
}
Vector linear(const Six& v) {
    return {v[3], v[4], v[5]};
}
double dotSix(const Six& a, const Six& b) {
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
    return sum;
}
void addScaled(Six& a, double s, const Six& b) {
    for (std::size_t k = 0; k < 6; ++k) a[k] += s * b[k];
}

Six times(const std::array<Six, 6>& m, const Six& v) {
    Six result{};
    for (std::size_t k = 0; k < 6; ++k) result[k] = dotSix(m[k], v);
    return result;
}

/// Solves m x = b for a positive definite m, by Cholesky's method.
Six solve(std::array<Six, 6> m, Six b) {
    for (std::size_t j = 0; j < 6; ++j) {
        for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
        m[j][j] = std::sqrt(m[j][j]);
        for (std::size_t i = j + 1; i < 6; ++i) {
            for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
            m[i][j] /= m[j][j];
        }
    }
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= m[i][k] * b[k];
        b[i] /= m[i][i];
    }
    for (std::size_t i = 6; i-- > 0;) {
        for (std::size_t k = i + 1; k < 6; ++k) b[i] -= m[k][i] * b[k];
        b[i] /= m[i][i];
    }
    return b;
}

}  // namespace

ArticulatedBodies::ArticulatedBodies(const TorsionTree& tree) : tree_(tree) {
    const std::size_t n = tree.bodies.size();
    for (const TorsionTree::Body& body : tree.bodies) mass_.push_back(body.mass());
    centre_.resize(n);
    for (auto* vectors : {&axis_, &velocity_, &bias_, &force_, &push_}) vectors->resize(n);
    inertia_.resize(n);
    rest_.resize(n);
    scale_.resize(n);
}

ArticulatedBodies::Inertia ArticulatedBodies::inertiaOf(std::size_t body) const {
    const double m = mass_[body];
    const Vector c = centre_[body];
    const double own = 0.4 * m * dynamics::kBodyRadius * dynamics::kBodyRadius + m * dot(c, c);
    Inertia result;
    auto& r = result.m;
    const std::array<double, 3> p{c.x, c.y, c.z};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) r[i][j] = (i == j ? own : 0) - m * p[i] * p[j];
        r[3 + i][3 + i] = m;
    }
    // m c× and its transpose
    r[0][4] = r[4][0] = -m * c.z;
    r[0][5] = r[5][0] = m * c.y;
    r[1][3] = r[3][1] = m * c.z;
    r[1][5] = r[5][1] = -m * c.x;
    r[2][3] = r[3][2] = -m * c.y;
    r[2][4] = r[4][2] = m * c.x;
    return result;
}

void ArticulatedBodies::findVelocities(const TorsionState& state, const TorsionMotion& velocity) {
    std::size_t root = 0;
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
        const TorsionTree::Body& body = tree_.bodies[b];
        centre_[b] = state.place[b] + state.rotation[b] * (body.centre - body.origin);
        if (body.parent < 0) {
            // Velocity of the point at the origin of coordinates.
            velocity_[b].v =
                six(velocity.turn[root], velocity.shift[root] + cross(state.place[b], velocity.turn[root]));
            ++root;
            continue;
        }
        const Vector axis = state.rotation[b] * body.axis;
        axis_[b].v = six(axis, cross(state.place[b], axis));
        const Six& parent = velocity_[static_cast<std::size_t>(body.parent)].v;
        const double rate = velocity.torsion[b];
        velocity_[b].v = parent;
        addScaled(velocity_[b].v, rate, axis_[b].v);
        const Vector w = angular(velocity_[b].v);
        bias_[b].v = six(rate * cross(w, axis),
                         rate * (cross(w, linear(axis_[b].v)) + cross(linear(velocity_[b].v), axis)));
    }
}

double ArticulatedBodies::kineticEnergy(const TorsionState& state, const TorsionMotion& velocity) {
    findVelocities(state, velocity);
    double energy = 0;
    for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
        const Vector w = angular(velocity_[b].v);
        const Vector v = linear(velocity_[b].v) + cross(w, centre_[b]);
        energy +=
            0.5 * mass_[b] * (dot(v, v) + 0.4 * dynamics::kBodyRadius * dynamics::kBodyRadius * dot(w, w));
    }
    return energy;
}

double ArticulatedBodies::accelerate(const TorsionState& state, const TorsionMotion& velocity,
                                     std::span<const Vector> positions, std::span<const Vector> gradient,
                                     TorsionMotion& acceleration) {
    const double energy = kineticEnergy(state, velocity);
    const std::size_t n = tree_.bodies.size();
    for (std::size_t b = 0; b < n; ++b) {
        inertia_[b] = inertiaOf(b);
        const Six momentum = times(inertia_[b].m, velocity_[b].v);
        const Vector w = angular(velocity_[b].v);
        force_[b].v = six(cross(w, angular(momentum)) + cross(linear(velocity_[b].v), linear(momentum)),
                          cross(w, linear(momentum)));
        Vector push;
        Vector torque;
        for (const AtomIndex a : tree_.bodies[b].atoms) {
            push += gradient[a];
            torque += cross(positions[a], gradient[a]);
        }
        addScaled(force_[b].v, 1, six(torque, push));
    }
    for (std::size_t b = n; b-- > 0;) {
        const int parent = tree_.bodies[b].parent;
        if (parent < 0) continue;
        const auto p = static_cast<std::size_t>(parent);
        const Six u = times(inertia_[b].m, axis_[b].v);
        const double scale = 1 / dotSix(axis_[b].v, u);
        push_[b].v = u;
        scale_[b] = scale;
        rest_[b] = -dotSix(axis_[b].v, force_[b].v);
        // By symmetry, I_a c = I c − u (u·c)/d.
        Six handed = times(inertia_[b].m, bias_[b].v);
        addScaled(handed, (rest_[b] - dotSix(u, bias_[b].v)) * scale, u);
        addScaled(force_[p].v, 1, force_[b].v);
        addScaled(force_[p].v, 1, handed);
        for (std::size_t i = 0; i < 6; ++i) {
            const double row = scale * u[i];
            for (std::size_t j = 0; j < 6; ++j) inertia_[p].m[i][j] += inertia_[b].m[i][j] - row * u[j];
        }
    }
    std::size_t root = 0;
    for (std::size_t b = 0; b < n; ++b) {
        const TorsionTree::Body& body = tree_.bodies[b];
        if (body.parent < 0) {
            Six a = solve(inertia_[b].m, force_[b].v);
            for (double& one : a) one = -one;
            // Transfers the acceleration from the origin of coordinates to the root's own.
            const Vector turn = angular(a);
            acceleration.turn[root] = turn;
            acceleration.shift[root] =
                linear(a) + cross(turn, state.place[b]) + cross(velocity.turn[root], velocity.shift[root]);
            ++root;
            velocity_[b].v = a;
            continue;
        }
        Six a = velocity_[static_cast<std::size_t>(body.parent)].v;
        addScaled(a, 1, bias_[b].v);
        const double torsion = (rest_[b] - dotSix(push_[b].v, a)) * scale_[b];
        acceleration.torsion[b] = torsion;
        addScaled(a, torsion, axis_[b].v);
        velocity_[b].v = a;
    }
    return energy;
}

}  // namespace glycine::structure
