#pragma once

#include "kernels_cuda/structure/fold_kernels.hpp"

/// Energy and gradient of a model, by the threads of a block.
namespace glycine::cuda {

namespace {

using structure::DihedralKind;
using structure::GatherDihedral;
using structure::GatherDistance;
using structure::GatherPair;

constexpr unsigned kThreads = 384;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr double kPi = 3.14159265358979323846;

using Vec = FoldVector;
__device__ Vec operator+(const Vec& a, const Vec& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ Vec operator-(const Vec& a, const Vec& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ Vec operator*(double s, const Vec& a) {
    return {s * a.x, s * a.y, s * a.z};
}
__device__ double dot(const Vec& a, const Vec& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ Vec cross(const Vec& a, const Vec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// One model's share of FoldModels.
struct Model {
    __device__ Model(const FoldTables& tables, const FoldModels& all, unsigned index)
        : r(reinterpret_cast<const Vec*>(all.positions) + std::size_t(index) * tables.atoms),
          gradient(reinterpret_cast<Vec*>(all.gradients) + std::size_t(index) * tables.atoms),
          names(all.names + std::size_t(index) * tables.atoms),
          aliases(all.aliases + std::size_t(index) * tables.atoms),
          energies(all.energies + std::size_t(index) * kFoldTerms),
          coefficients(all.coefficients + std::size_t(index) * tables.distances),
          slopes(all.slopes + std::size_t(index) * tables.dihedrals),
          listedAt(reinterpret_cast<Vec*>(all.listedAt) + std::size_t(index) * tables.atoms),
          spheres(all.spheres + std::size_t(index) * 4 * ((tables.atoms + kAtomGroup - 1) / kAtomGroup)),
          neighbours(all.neighbours + std::size_t(index) * kMaxNeighbours * tables.atoms),
          counts(all.counts + std::size_t(index) * tables.atoms),
          listed(all.listed + index) {}
    const Vec* r;
    Vec* gradient;
    const std::uint32_t* names;
    const std::uint32_t* aliases;
    double* energies;
    double* coefficients;
    double* slopes;
    Vec* listedAt;
    double* spheres;
    std::uint32_t* neighbours;
    std::uint32_t* counts;
    std::uint32_t* listed;
};

__device__ std::uint32_t atomOf(const FoldTables& tables, const Model& model, std::uint32_t alias) {
    return alias < tables.atoms ? model.names[alias] : alias - tables.atoms;
}

/// Square to 2 Å of violation, then linear.
__device__ double measureDistance(const FoldTables& tables, const Model& model, const GatherDistance& one,
                                  double weight, double& coefficient) {
    double sum = 0;
    for (std::uint32_t p = one.first; p < one.end; ++p) {
        const GatherPair pair = tables.pairs[p];
        const Vec between =
            model.r[atomOf(tables, model, pair.first)] - model.r[atomOf(tables, model, pair.second)];
        const double inverse = 1 / dot(between, between);
        sum += inverse * inverse * inverse;
    }
    coefficient = 0;
    if (sum >= one.upper6 && sum <= one.lower6) return 0;
    const double d = 1 / sqrt(cbrt(sum));
    const bool isLong = d > one.upper;
    const double v = fmax(isLong ? d - one.upper : one.lower - d, 0.0);
    // ∂E/∂r = coefficient · d⁻⁸ · (r − r′) for each pair.
    coefficient = (isLong ? 1 : -1) * weight * 2 * fmin(v, 2.0) * d / sum;
    return weight * (v <= 2 ? v * v : 4 * v - 4);
}

/// Dihedral of four atoms, with the vectors of its gradient (A. Blondel, M. Karplus, J. Comput. Chem. 17
/// (1996), 1132-1141).
struct Dihedral {
    __device__ Dihedral(const Vec* r, const std::uint32_t (&atoms)[4])
        : f(r[atoms[0]] - r[atoms[1]]),
          g(r[atoms[1]] - r[atoms[2]]),
          h(r[atoms[3]] - r[atoms[2]]),
          a(cross(f, g)),
          b(cross(h, g)),
          axis(sqrt(dot(g, g))) {}
    __device__ double angle() const { return atan2(dot(cross(b, a), g) / axis, dot(a, b)); }
    /// ∂φ/∂r at the atom of this place, 0 to 3.
    __device__ Vec gradient(std::uint32_t place) const {
        // Collinear atoms have no dihedral angle.
        const double aa = fmax(dot(a, a), 1e-6);
        const double bb = fmax(dot(b, b), 1e-6);
        const Vec first = (-axis / aa) * a;
        const Vec last = (axis / bb) * b;
        if (place == 0) return first;
        if (place == 3) return last;
        const Vec shared = (dot(f, g) / (aa * axis)) * a - (dot(h, g) / (bb * axis)) * b;
        return place == 1 ? shared - first : -1.0 * (shared + last);
    }
    Vec f, g, h, a, b;
    double axis;
};

/// Ramachandran term of a residue, and its derivatives.
__device__ double ramachandran(double phi, double psi, bool isGlycine, double weight, double& alongPhi,
                               double& alongPsi) {
    constexpr double kWells[4][3] = {{-63, -43, 1}, {-120, 135, 1}, {-68, 145, 1}, {57, 43, 0.15}};
    double sum = 0.02;
    alongPhi = alongPsi = 0;
    for (int k = 0; k < 8; ++k) {
        // Only glycine, which is achiral, has mirrored wells.
        if (k >= 4 && !isGlycine) break;
        const double side = k < 4 ? kPi / 180 : -kPi / 180;
        const double x = phi - side * kWells[k % 4][0];
        const double y = psi - side * kWells[k % 4][1];
        const double value = (isGlycine ? 1 : kWells[k % 4][2]) * exp(5 * (cos(x) + cos(y) - 2));
        sum += value;
        alongPhi -= 5 * value * sin(x);
        alongPsi -= 5 * value * sin(y);
    }
    alongPhi *= -weight / sum;
    alongPsi *= -weight / sum;
    return -weight * log(sum);
}

__device__ double measureDihedral(const Vec* r, const GatherDihedral& one, double& slope) {
    const double angle = Dihedral(r, one.atoms).angle();
    slope = 0;
    switch (one.kind) {
        case DihedralKind::Window: {
            double from = angle - one.centre;
            from -= from > kPi ? 2 * kPi : from < -kPi ? -2 * kPi : 0;
            const double out = fabs(from) - one.half;
            if (out <= 0) return 0;
            const double free = kPi - one.half;
            const double share = out * out / (free * free);
            slope = one.weight * 10 * copysign(out, from) * (1 - share);
            return one.weight * 5 * (1 - 0.5 * share) * out * out;
        }
        case DihedralKind::Threefold:
            slope = -3 * one.weight * sin(3 * angle);
            return one.weight * (1 + cos(3 * angle));
        default:
            break;
    }
    const double other = Dihedral(r, one.partner).angle();
    double unused = 0;
    if (one.kind == DihedralKind::Psi) {
        ramachandran(other, angle, one.isGlycine != 0, one.weight, unused, slope);
        return 0;
    }
    return ramachandran(angle, other, one.isGlycine != 0, one.weight, slope, unused);
}

__device__ bool isExcluded(const FoldTables& tables, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = min(a, b);
    const std::uint32_t far = max(a, b) - low;
    if (far < 64) return (tables.near[low] >> far & 1) != 0;
    for (std::uint32_t e = tables.firstFar[low]; e < tables.firstFar[low + 1]; ++e)
        if (tables.far[e] == low + far) return true;
    return false;
}

/// Sum and maximum over a warp, for all its lanes.
__device__ double warpSum(double value) {
    for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
    return value;
}
__device__ double warpLargest(double value) {
    for (unsigned offset = 16; offset > 0; offset /= 2)
        value = fmax(value, __shfl_xor_sync(kAllLanes, value, offset));
    return value;
}

/// Bounds groups of atoms by spheres that include the reach of their lists; a lane per atom.
__device__ void boundGroups(const FoldTables& tables, const Model& model, unsigned groups) {
    static_assert(kAtomGroup == 32, "a group is a warp");
    for (unsigned group = threadIdx.x / 32; group < groups; group += kThreads / 32) {
        const unsigned a = group * kAtomGroup + threadIdx.x % 32;
        const bool isAtom = a < tables.atoms;
        const double share = isAtom ? 1.0 / min(kAtomGroup, tables.atoms - group * kAtomGroup) : 0;
        const Vec own = model.r[min(a, tables.atoms - 1)];
        const Vec centre{warpSum(share * own.x), warpSum(share * own.y), warpSum(share * own.z)};
        const Vec from = own - centre;
        const double square = warpLargest(isAtom ? dot(from, from) : 0);
        if (isAtom) model.listedAt[a] = own;
        if (threadIdx.x % 32 != 0) continue;
        double* const sphere = model.spheres + 4 * group;
        sphere[0] = centre.x;
        sphere[1] = centre.y;
        sphere[2] = centre.z;
        sphere[3] = sqrt(square) + tables.reach;
    }
    __syncthreads();
}

/// Builds the lists of all atoms, a warp per atom, in ascending order: sums do not depend on the time of
/// building. Comparisons let NaN pass, so that an exploded model has no finite energy.
__device__ void listNeighbours(const FoldTables& tables, const Model& model, bool heavyOnly) {
    const unsigned groups = (tables.atoms + kAtomGroup - 1) / kAtomGroup;
    const unsigned lane = threadIdx.x % 32;
    boundGroups(tables, model, groups);
    for (unsigned a = threadIdx.x / 32; a < tables.atoms; a += kThreads / 32) {
        const Vec own = model.r[a];
        const double* const contacts = tables.contacts + tables.kind[a] * tables.kinds;
        unsigned count = 0;
        for (unsigned first = 0; first < groups && !(heavyOnly && tables.isHydrogen[a]); first += 32) {
            bool isNear = false;
            if (first + lane < groups) {
                const double* const sphere = model.spheres + 4 * (first + lane);
                const Vec far = own - Vec{sphere[0], sphere[1], sphere[2]};
                isNear = !(dot(far, far) > sphere[3] * sphere[3]);
            }
            // Four groups at once, so that their loads overlap.
            for (unsigned near = __ballot_sync(kAllLanes, isNear); near != 0;) {
                unsigned j[4];
                bool isListed[4];
#pragma unroll
                for (unsigned k = 0; k < 4; ++k) {
                    const unsigned group = near != 0 ? first + unsigned(__ffs(int(near))) - 1 : groups;
                    near &= near - 1;
                    j[k] = group * kAtomGroup + lane;
                    isListed[k] = j[k] < tables.atoms && j[k] != a;
                    const unsigned other = min(j[k], tables.atoms - 1);
                    const Vec between = own - model.r[other];
                    const double most = contacts[tables.kind[other]] + tables.skin;
                    isListed[k] = isListed[k] && !(dot(between, between) > most * most) &&
                                  !(heavyOnly && tables.isHydrogen[other]);
                }
#pragma unroll
                for (unsigned k = 0; k < 4; ++k) {
                    isListed[k] = isListed[k] && !isExcluded(tables, a, j[k]);
                    const unsigned listed = __ballot_sync(kAllLanes, isListed[k]);
                    const unsigned place = count + unsigned(__popc(listed & ((1U << lane) - 1)));
                    if (isListed[k] && place < kMaxNeighbours)
                        model.neighbours[a * kMaxNeighbours + place] = j[k];
                    count += unsigned(__popc(listed));
                }
            }
        }
        if (lane == 0) model.counts[a] = count;
    }
    // All threads have already tested for a list.
    if (threadIdx.x == 0) *model.listed = heavyOnly ? 1 : 2;
    __syncthreads();
}

/// Half of the energy of an atom with its neighbours.
__device__ double repel(const FoldTables& tables, const Model& model, unsigned a, const FoldWeights& weights,
                        Vec& gradient) {
    const Vec own = model.r[a];
    const double* const contacts = tables.contacts + tables.kind[a] * tables.kinds;
    double energy = 0;
    const auto add = [&](const Vec& between, double contact) {
        const double square = dot(between, between);
        const double left = contact * contact - square;
        if (left <= 0) return;
        const double scale = weights.vanDerWaals / (contact * contact);
        double slope = scale * left;
        energy += 0.125 * scale * left * left;
        const double core = tables.coreShare * contact;
        const double within = core * core - square;
        if (weights.core > 0 && within > 0 && contact >= tables.leastCore) {
            const double hard = weights.core / (core * core);
            slope += hard * within;
            energy += 0.125 * hard * within * within;
        }
        gradient = gradient - slope * between;
    };
    const unsigned count = model.counts[a];
    if (count <= kMaxNeighbours) {
        // Four at once, so that their loads overlap.
        const auto* const fours = reinterpret_cast<const uint4*>(model.neighbours + a * kMaxNeighbours);
        for (unsigned first = 0; first < count; first += 4) {
            const uint4 four = fours[first / 4];
            const unsigned listed[4] = {four.x, four.y, four.z, four.w};
            Vec between[4];
            double contact[4];
#pragma unroll
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned j = first + k < count ? listed[k] : four.x;
                between[k] = own - model.r[j];
                contact[k] = contacts[tables.kind[j]];
            }
#pragma unroll
            for (unsigned k = 0; k < 4; ++k)
                if (first + k < count) add(between[k], contact[k]);
        }
    } else {
        for (unsigned j = 0; j < tables.atoms; ++j)
            if (j != a && !(weights.heavyAtomsOnly && tables.isHydrogen[j]) && !isExcluded(tables, a, j))
                add(own - model.r[j], contacts[tables.kind[j]]);
    }
    return energy;
}

/// Adds the gradient of the distances in which an atom stands under an alias; four at once, so that their
/// loads overlap.
__device__ void pull(const FoldTables& tables, const Model& model, std::uint32_t alias, const Vec& own,
                     Vec& gradient) {
    const std::uint32_t end = tables.firstOfAlias[alias + 1];
    for (std::uint32_t first = tables.firstOfAlias[alias]; first < end; first += 4) {
        GatherPair entry[4];
        double coefficient[4];
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) {
            entry[k] = tables.ofAlias[min(first + k, end - 1)];
            coefficient[k] = first + k < end ? model.coefficients[entry[k].first] : 0;
        }
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) {
            if (coefficient[k] == 0) continue;
            const Vec between = own - model.r[atomOf(tables, model, entry[k].second)];
            const double inverse = 1 / dot(between, between);
            gradient = gradient + (coefficient[k] * inverse * inverse * inverse * inverse) * between;
        }
    }
}

/// The block's threads' energies, in an order that does not change.
__device__ void sumEnergies(const double (&own)[kFoldTerms], double* energies) {
    __shared__ double parts[kFoldTerms][kThreads / 32];
    for (unsigned term = 0; term < kFoldTerms; ++term) {
        double value = own[term];
        for (unsigned offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffffU, value, offset);
        if (threadIdx.x % 32 == 0) parts[term][threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x < kFoldTerms) {
        double sum = 0;
        for (unsigned warp = 0; warp < kThreads / 32; ++warp) sum += parts[threadIdx.x][warp];
        energies[threadIdx.x] = sum;
    }
    __syncthreads();
}

/// Energy and gradient of a model, by all threads of a block.
__device__ void evaluate(const FoldTables& tables, const Model& model, const FoldWeights& weights) {
    double energies[kFoldTerms] = {};
    for (unsigned k = threadIdx.x; k < tables.distances; k += blockDim.x) {
        const GatherDistance one = tables.distance[k];
        const bool isRing = k >= tables.restraints;
        energies[isRing ? 3 : 0] += measureDistance(
            tables, model, one, isRing ? one.weight : weights.restraints * one.weight, model.coefficients[k]);
    }
    for (unsigned d = threadIdx.x; d < tables.dihedrals; d += blockDim.x)
        energies[d < tables.windows       ? 1
                 : d < tables.ringWindows ? 3
                                          : 4] +=
            measureDihedral(model.r, tables.dihedral[d], model.slopes[d]);

    bool isOld = *model.listed != (weights.heavyAtomsOnly ? 1 : 2);
    for (unsigned a = threadIdx.x; a < tables.atoms && !isOld; a += blockDim.x) {
        const Vec moved = model.r[a] - model.listedAt[a];
        isOld = dot(moved, moved) > 0.25 * tables.skin * tables.skin;
    }
    // Also makes coefficients and slopes known to all threads.
    if (__syncthreads_or(isOld)) listNeighbours(tables, model, weights.heavyAtomsOnly);

    for (unsigned a = threadIdx.x; a < tables.atoms; a += blockDim.x) {
        Vec gradient{0, 0, 0};
        energies[2] += repel(tables, model, a, weights, gradient);
        const Vec own = model.r[a];
        for (const std::uint32_t alias : {model.aliases[a], a + tables.atoms})
            pull(tables, model, alias, own, gradient);
        for (std::uint32_t e = tables.firstOfAtom[a]; e < tables.firstOfAtom[a + 1]; ++e) {
            const GatherPair entry = tables.ofAtom[e];
            const double slope = model.slopes[entry.first];
            if (slope != 0)
                gradient =
                    gradient +
                    slope * Dihedral(model.r, tables.dihedral[entry.first].atoms).gradient(entry.second);
        }
        model.gradient[a] = gradient;
    }
    sumEnergies(energies, model.energies);
}

}  // namespace

}  // namespace glycine::cuda
