#include <cmath>

#include "engine/structure/cpu/kernel_vectors.hpp"
#include "engine/structure/dynamics.hpp"
#include "engine/structure/torsion_tree.hpp"

namespace glycine::structure {

namespace {

using Place = Three<double>;
Place three(const Vector& a) {
    return {a.x, a.y, a.z};
}
Place turned(const Rotation& by, const Vector& v) {
    return v.x * three(by.x) + v.y * three(by.y) + v.z * three(by.z);
}

using Spatial = ArticulatedBody::Spatial;
/// A spatial vector. Compilers make vectors of its loops.
struct Six {
    Spatial v;
    friend Six operator+(const Six& a, const Six& b) {
        Six sum;
        for (int k = 0; k < 8; ++k) sum.v[k] = a.v[k] + b.v[k];
        return sum;
    }
    friend Six operator-(const Six& a, const Six& b) {
        Six rest;
        for (int k = 0; k < 8; ++k) rest.v[k] = a.v[k] - b.v[k];
        return rest;
    }
    friend Six operator*(double s, const Six& a) {
        Six scaled;
        for (int k = 0; k < 8; ++k) scaled.v[k] = s * a.v[k];
        return scaled;
    }
};

const Six& six(const Spatial& v) {
    return reinterpret_cast<const Six&>(v);
}
void set(Spatial& to, const Six& from) {
    for (int k = 0; k < 8; ++k) to[k] = from.v[k];
}
void set(Spatial& to, const Place& angular, const Place& linear) {
    set(to, {{angular.x, angular.y, angular.z, 0, linear.x, linear.y, linear.z, 0}});
}
Place angular(const Spatial& v) {
    return {v[0], v[1], v[2]};
}
Place linear(const Spatial& v) {
    return {v[4], v[5], v[6]};
}
double dotOf(const Six& a, const Six& b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2] + a.v[4] * b.v[4] + a.v[5] * b.v[5] +
           a.v[6] * b.v[6];
}
Six times(const Spatial (&columns)[6], const Spatial& v) {
    Six sum = v[0] * six(columns[0]);
    for (int j = 1; j < 6; ++j) sum = sum + v[j < 3 ? j : j + 1] * six(columns[j]);
    return sum;
}

double velocitiesOf(ArticulatedBody* bodies, std::size_t count, const MovingBodies& at) {
    double energy = 0;
    std::size_t root = 0;
    for (std::size_t b = 0; b < count; ++b) {
        ArticulatedBody& body = bodies[b];
        const Place place = three(at.place[b]);
        const Place centre = place + turned(at.rotation[b], body.centreAtRest);
        body.centre = {centre.x, centre.y, centre.z};
        if (body.parent < 0) {
            // Velocity of the point at the origin of coordinates.
            const Place turn = three(at.turn[root]);
            set(body.velocity, turn, three(at.shift[root]) + crossOf(place, turn));
            ++root;
        } else {
            const Spatial& parent = bodies[body.parent].velocity;
            const Place axis = turned(at.rotation[b], body.axisAtRest);
            const Place moment = crossOf(place, axis);
            const double rate = at.torsion[b];
            const Place w = angular(parent) + rate * axis;
            const Place v = linear(parent) + rate * moment;
            set(body.axis, axis, moment);
            set(body.velocity, w, v);
            set(body.bias, rate * crossOf(w, axis), rate * (crossOf(w, moment) + crossOf(v, axis)));
        }
        const Place w = angular(body.velocity);
        const Place v = linear(body.velocity) + crossOf(w, centre);
        energy += 0.5 * body.mass *
                  (dotOf(v, v) + 0.4 * dynamics::kBodyRadius * dynamics::kBodyRadius * dotOf(w, w));
    }
    return energy;
}

/// Solves m x = v for a positive definite m, given by its columns, by Cholesky's method.
Six solve(const Spatial (&columns)[6], const Spatial& v) {
    double m[6][6];
    double x[6];
    const auto place = [](int k) { return k < 3 ? k : k + 1; };
    for (int i = 0; i < 6; ++i) {
        x[i] = v[place(i)];
        for (int j = 0; j < 6; ++j) m[i][j] = columns[j][place(i)];
    }
    for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
        m[j][j] = std::sqrt(m[j][j]);
        for (int i = j + 1; i < 6; ++i) {
            for (int k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
            m[i][j] /= m[j][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = 6; i-- > 0;) {
        for (int k = i + 1; k < 6; ++k) x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
    return {{x[0], x[1], x[2], 0, x[3], x[4], x[5], 0}};
}

/// A body's own inertia, and the forces on it.
void prepare(ArticulatedBody& body, const AtomIndex* atoms, const Vector* positions, const Vector* gradient) {
    const double m = body.mass;
    const Place c = three(body.centre);
    const double own = 0.4 * m * dynamics::kBodyRadius * dynamics::kBodyRadius + m * dotOf(c, c);
    const double p[3]{c.x, c.y, c.z};
    // Mass times the cross product with the centre, and its transpose.
    const double across[3][3]{{0, -m * c.z, m * c.y}, {m * c.z, 0, -m * c.x}, {-m * c.y, m * c.x, 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            body.inertia[j][i] = (i == j ? own : 0) - m * p[i] * p[j];
            body.inertia[3 + j][i] = across[i][j];
            body.inertia[j][4 + i] = across[j][i];
            body.inertia[3 + j][4 + i] = i == j ? m : 0;
        }
    // The product with the velocity, without terms of 0.
    const Spatial& v = body.velocity;
    const auto ofTurn = [&](int i) {
        return body.inertia[0][i] * v[0] + body.inertia[1][i] * v[1] + body.inertia[2][i] * v[2];
    };
    const Place turn{ofTurn(0) + across[0][1] * v[5] + across[0][2] * v[6],
                     ofTurn(1) + across[1][0] * v[4] + across[1][2] * v[6],
                     ofTurn(2) + across[2][0] * v[4] + across[2][1] * v[5]};
    const Place shift{across[1][0] * v[1] + across[2][0] * v[2] + m * v[4],
                      across[0][1] * v[0] + across[2][1] * v[2] + m * v[5],
                      across[0][2] * v[0] + across[1][2] * v[1] + m * v[6]};
    const Place w = angular(v);
    Place push{};
    Place torque{};
    for (std::uint32_t k = 0; k < body.atoms; ++k) {
        const AtomIndex a = atoms[body.firstAtom + k];
        push = push + three(gradient[a]);
        torque = torque + crossOf(three(positions[a]), three(gradient[a]));
    }
    set(body.force, crossOf(w, turn) + crossOf(linear(v), shift) + torque, crossOf(w, shift) + push);
}

void accelerationsOf(ArticulatedBody* bodies, std::size_t count, const MovingBodies& at,
                     const AtomIndex* atoms, const Vector* positions, const Vector* gradient, double* torsion,
                     Vector* turn, Vector* shift) {
    for (std::size_t b = 0; b < count; ++b) prepare(bodies[b], atoms, positions, gradient);
    for (std::size_t b = count; b-- > 0;) {
        ArticulatedBody& body = bodies[b];
        if (body.parent < 0) continue;
        ArticulatedBody& parent = bodies[body.parent];
        const Six u = times(body.inertia, body.axis);
        const Six axis = six(body.axis);
        set(body.push, u);
        body.scale = 1 / dotOf(axis, u);
        body.rest = -dotOf(axis, six(body.force));
        // By symmetry, I_a c = I c − u (u·c)/d.
        const double along = (body.rest - dotOf(u, six(body.bias))) * body.scale;
        const Six handed = times(body.inertia, body.bias) + along * u;
        set(parent.force, six(parent.force) + six(body.force) + handed);
        const Six row = body.scale * u;
        for (int j = 0; j < 6; ++j)
            set(parent.inertia[j],
                six(parent.inertia[j]) + (six(body.inertia[j]) - body.push[j < 3 ? j : j + 1] * row));
    }
    std::size_t root = 0;
    for (std::size_t b = 0; b < count; ++b) {
        ArticulatedBody& body = bodies[b];
        if (body.parent < 0) {
            set(body.velocity, -1 * solve(body.inertia, body.force));
            // Transfers the acceleration from the origin of coordinates to the root's own.
            const Place w = angular(body.velocity);
            const Place v = linear(body.velocity) + crossOf(w, three(at.place[b])) +
                            crossOf(three(at.turn[root]), three(at.shift[root]));
            turn[root] = {w.x, w.y, w.z};
            shift[root] = {v.x, v.y, v.z};
            ++root;
            continue;
        }
        const Six a = six(bodies[body.parent].velocity) + six(body.bias);
        torsion[b] = (body.rest - dotOf(six(body.push), a)) * body.scale;
        set(body.velocity, a + torsion[b] * six(body.axis));
    }
}

}  // namespace

template <InstructionSet set>
BodiesKernel BodiesKernel::compiled() {
    return {&velocitiesOf, &accelerationsOf};
}

template BodiesKernel BodiesKernel::compiled<kCompiledSet>();

}  // namespace glycine::structure
