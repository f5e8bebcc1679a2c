#include "engine/structure/ensemble.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/error.hpp"

namespace glycine::structure {

double superpose(std::span<Vector> points, std::span<const Vector> onto, std::span<const AtomIndex> which) {
    if (which.size() < 3) throw InputError("a superposition needs three atoms at least");
    const double share = 1 / static_cast<double>(which.size());
    Vector from;
    Vector to;
    for (const AtomIndex a : which) {
        from += share * points[a];
        to += share * onto[a];
    }
    Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
    double squares = 0;
    for (const AtomIndex a : which) {
        const Vector p = points[a] - from;
        const Vector q = onto[a] - to;
        m += Eigen::Vector3d(p.x, p.y, p.z) * Eigen::RowVector3d(q.x, q.y, q.z);
        squares += dot(p, p) + dot(q, q);
    }
    // B. K. P. Horn, J. Opt. Soc. Am. A 4 (1987), 629-642.
    Eigen::Matrix4d n;
    n << m.trace(), m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0),   //
        0, m(0, 0) - m(1, 1) - m(2, 2), m(0, 1) + m(1, 0), m(2, 0) + m(0, 2),  //
        0, 0, m(1, 1) - m(0, 0) - m(2, 2), m(1, 2) + m(2, 1),                  //
        0, 0, 0, m(2, 2) - m(0, 0) - m(1, 1);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(Eigen::Matrix4d(n.transpose()));
    const Eigen::Vector4d q = solver.eigenvectors().col(3);
    const Vector axis{q[1], q[2], q[3]};
    const double half = length(axis);
    const Rotation rotation =
        half < 1e-12 ? Rotation{} : Rotation::about((1 / half) * axis, 2 * std::atan2(half, q[0]));
    for (Vector& point : points) point = to + rotation * (point - from);
    return std::sqrt(std::max(0.0, squares - 2 * solver.eigenvalues()[3]) * share);
}

Similarity compareShapes(std::span<const Vector> points, std::span<const Vector> onto,
                         std::span<const AtomIndex> which) {
    const std::size_t n = which.size();
    std::vector<Vector> moved;
    std::vector<Vector> fixed;
    for (const AtomIndex a : which) {
        moved.push_back(points[a]);
        fixed.push_back(onto[a]);
    }
    const double d0 = std::max(n > 15 ? 1.24 * std::cbrt(static_cast<double>(n - 15)) - 1.8 : 0.5, 0.5);
    const double search = std::clamp(d0, 4.5, 8.0);
    Similarity best;
    std::array<std::size_t, 4> within{};
    const auto superposeBy = [&](const std::vector<AtomIndex>& chosen) {
        superpose(moved, fixed, chosen);
        double sum = 0;
        std::array<std::size_t, 4> count{};
        for (std::size_t k = 0; k < n; ++k) {
            const double d = length(moved[k] - fixed[k]);
            sum += 1 / (1 + d * d / (d0 * d0));
            for (std::size_t c = 0; c < 4; ++c) count[c] += d <= static_cast<double>(1 << c) ? 1 : 0;
        }
        best.tmScore = std::max(best.tmScore, sum / static_cast<double>(n));
        for (std::size_t c = 0; c < 4; ++c) within[c] = std::max(within[c], count[c]);
    };
    for (std::size_t part = n;; part /= 2) {
        part = std::max<std::size_t>(part, std::min<std::size_t>(4, n));
        for (std::size_t first = 0; first + part <= n; ++first) {
            std::vector<AtomIndex> chosen(part);
            std::iota(chosen.begin(), chosen.end(), static_cast<AtomIndex>(first));
            superposeBy(chosen);
            for (int round = 0; round < 20; ++round) {
                std::vector<AtomIndex> next;
                for (double limit = search; next.size() < 3; limit += 0.5) {
                    next.clear();
                    for (AtomIndex k = 0; k < n; ++k)
                        if (length(moved[k] - fixed[k]) < limit) next.push_back(k);
                }
                if (next == chosen) break;
                chosen = std::move(next);
                superposeBy(chosen);
            }
        }
        if (part <= 4) break;
    }
    for (const std::size_t count : within)
        best.gdt += 0.25 * static_cast<double>(count) / static_cast<double>(n);
    return best;
}

PrincipalAxes principalAxes(std::span<const Vector> points, std::span<const AtomIndex> which) {
    PrincipalAxes result;
    for (const AtomIndex a : which) result.centre += (1 / static_cast<double>(which.size())) * points[a];
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const AtomIndex a : which) {
        const Vector v = points[a] - result.centre;
        spread += Eigen::Vector3d(v.x, v.y, v.z) * Eigen::RowVector3d(v.x, v.y, v.z);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread);
    const auto column = [&](int k) {
        const Eigen::Vector3d v = solver.eigenvectors().col(k);
        return Vector{v[0], v[1], v[2]};
    };
    result.axes.x = column(2);
    result.axes.y = column(1);
    result.axes.z = cross(result.axes.x, result.axes.y);
    return result;
}

std::vector<std::size_t> steadyResidues(const Molecule& molecule, std::span<const std::vector<Vector>> models,
                                        std::span<const AtomIndex> known, double limit) {
    std::vector<std::vector<AtomIndex>> atomsOf(molecule.residues.size());
    for (const AtomIndex a : known) atomsOf[molecule.atoms[a].residue].push_back(a);
    std::vector<std::size_t> chosen;
    for (std::size_t r = 0; r < atomsOf.size(); ++r)
        if (!atomsOf[r].empty()) chosen.push_back(r);
    std::vector<std::vector<Vector>> moved(models.begin(), models.end());
    const double share = 1 / static_cast<double>(models.size());
    std::vector<Vector> mean = moved[0];
    for (int round = 0; round < 30; ++round) {
        std::vector<AtomIndex> which;
        for (const std::size_t r : chosen) which.insert(which.end(), atomsOf[r].begin(), atomsOf[r].end());
        if (which.size() < 3) return {};
        for (int repeat = 0; repeat < 3; ++repeat) {
            for (std::vector<Vector>& model : moved) superpose(model, mean, which);
            mean.assign(mean.size(), {});
            for (const std::vector<Vector>& model : moved)
                for (const AtomIndex a : known) mean[a] += share * model[a];
        }
        std::vector<std::size_t> next;
        for (std::size_t r = 0; r < atomsOf.size(); ++r) {
            double squares = 0;
            for (const std::vector<Vector>& model : moved)
                for (const AtomIndex a : atomsOf[r]) squares += dot(model[a] - mean[a], model[a] - mean[a]);
            const double count = static_cast<double>(atomsOf[r].size() * models.size());
            if (count > 0 && squares <= limit * limit * count) next.push_back(r);
        }
        if (next == chosen) break;
        chosen = std::move(next);
    }
    return chosen;
}

namespace {

/// Consumes the numbers.
double medianOf(std::vector<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

/// Å; for each of the residues, the median over the others of how much its alpha carbon's distance from
/// theirs varies among models (standard deviation).
std::vector<double> medianVariation(const Molecule& molecule, std::span<const FoldedModel> models,
                                    std::span<const std::size_t> residues) {
    std::vector<AtomIndex> atoms;
    for (const std::size_t r : residues) atoms.push_back(*molecule.find(r, "CA"));
    std::vector<double> medians;
    for (const AtomIndex a : atoms) {
        std::vector<double> variations;
        for (const AtomIndex b : atoms) {
            if (a == b) continue;
            double sum = 0, squares = 0;
            for (const FoldedModel& model : models) {
                const Vector between = model.positions[a] - model.positions[b];
                squares += dot(between, between);
                sum += std::sqrt(dot(between, between));
            }
            const auto count = static_cast<double>(models.size());
            variations.push_back(std::sqrt(std::max(squares / count - sum * sum / (count * count), 0.0)));
        }
        medians.push_back(medianOf(std::move(variations)));
    }
    return medians;
}

}  // namespace

std::vector<std::size_t> orderedResidues(const Molecule& molecule, std::span<const FoldedModel> models) {
    std::vector<int> agreeing(molecule.residues.size());
    for (const Torsion& torsion : molecule.torsions) {
        if (torsion.kind == TorsionKind::Chi) continue;
        double c = 0;
        double s = 0;
        for (const FoldedModel& model : models) {
            c += std::cos(dihedralAngle(torsion.atoms, model.positions));
            s += std::sin(dihedralAngle(torsion.atoms, model.positions));
        }
        if (std::hypot(c, s) >= 0.9 * static_cast<double>(models.size())) ++agreeing[torsion.residue];
    }
    std::vector<std::size_t> result;
    for (std::size_t r = 0; r < agreeing.size(); ++r)
        if (agreeing[r] == 2) result.push_back(r);
    if (result.size() < 3) return result;
    // Relative to the median, so that models which differ as a whole keep their residues.
    const std::vector<double> variation = medianVariation(molecule, models, result);
    const double limit = std::max(0.5, 3 * medianOf(variation));
    std::vector<std::size_t> steady;
    for (std::size_t k = 0; k < result.size(); ++k)
        if (variation[k] <= limit) steady.push_back(result[k]);
    return steady;
}

std::vector<AtomIndex> backboneAtoms(const Molecule& molecule, std::span<const std::size_t> residues) {
    std::vector<AtomIndex> result;
    for (const std::size_t r : residues)
        for (const char* name : {"N", "CA", "C"}) result.push_back(*molecule.find(r, name));
    return result;
}

std::vector<RestraintViolation> violations(const FoldProblem& problem, const FoldedModel& model,
                                           double least) {
    std::vector<RestraintViolation> result;
    for (std::size_t k = 0; k < problem.stated; ++k) {
        const DistanceRestraint& one = problem.restraints.distances[k];
        const double d = effectiveDistance(one, model.positions, model.names);
        const double v = d > one.upper ? d - one.upper : d < one.lower ? d - one.lower : 0;
        if (std::abs(v) > least) result.push_back({k, d, v});
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::abs(a.violation) > std::abs(b.violation);
    });
    return result;
}

std::vector<AngleViolation> angleViolations(const FoldProblem& problem, const FoldedModel& model,
                                            double least) {
    std::vector<AngleViolation> result;
    for (std::size_t k = 0; k < problem.statedDihedrals; ++k) {
        const DihedralRestraint& one = problem.restraints.dihedrals[k];
        const double angle = dihedralAngle(one.atoms, model.positions) / kDegree;
        const double out = outsideWindow(angle, one.lower, one.upper);
        if (std::abs(out) > least) result.push_back({k, angle, out});
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::abs(a.violation) > std::abs(b.violation);
    });
    return result;
}

double rmsViolation(const FoldProblem& problem, const FoldedModel& model) {
    double squares = 0;
    for (const RestraintViolation& one : violations(problem, model, 0))
        squares += one.violation * one.violation;
    return problem.stated > 0 ? std::sqrt(squares / static_cast<double>(problem.stated)) : 0;
}

ModelQuality judge(const FoldProblem& problem, const FoldedModel& model) {
    const Molecule& molecule = *problem.molecule;
    const std::vector<Vector>& r = model.positions;
    ModelQuality quality;
    quality.rmsViolation = rmsViolation(problem, model);
    for (const RestraintViolation& one : violations(problem, model, 0)) {
        quality.largestViolation = std::max(quality.largestViolation, std::abs(one.violation));
        if (std::abs(one.violation) > 0.5) ++quality.above05;
    }
    quality.dihedrals5 = angleViolations(problem, model, 5).size();
    const auto accepts = [&](AtomIndex a) {
        const AtomClass kind = molecule.atoms[a].kind;
        return kind == AtomClass::Acceptor || kind == AtomClass::DonorAndAcceptor;
    };
    const auto donates = [&](AtomIndex a) {
        const AtomClass kind = molecule.atoms[a].kind;
        return kind == AtomClass::Donor || kind == AtomClass::DonorAndAcceptor;
    };
    for (AtomIndex j = 0; j < r.size(); ++j)
        for (AtomIndex i = 0; i < j; ++i) {
            if (molecule.atoms[i].isHydrogen() || molecule.atoms[j].isHydrogen()) continue;
            const Vector between = r[i] - r[j];
            if (dot(between, between) >= 6.25) continue;
            const std::vector<AtomIndex>& near = problem.excluded[i];
            if (std::binary_search(near.begin(), near.end(), j)) continue;
            const bool mayBond = (accepts(i) && donates(j)) || (donates(i) && accepts(j));
            ++(mayBond ? quality.closePolarPairs : quality.closePairs);
        }
    for (const ChiralCentre& centre : molecule.chirality) {
        const auto from = [&](std::size_t k) { return r[centre.atoms[k]] - r[centre.atoms[0]]; };
        if (dot(cross(from(1), from(2)), from(3)) < 0) ++quality.wrongCentres;
    }
    // Rectangles about the core regions, and about all allowed regions, of S. C. Lovell et al., Proteins 50
    // (2003), 437-450.
    for (const FoldProblem::Backbone& one : problem.backbones) {
        if (one.isGlycine) continue;
        ++quality.judged;
        const double phi = dihedralAngle(one.phi, r) / kDegree;
        const double psi = dihedralAngle(one.psi, r) / kDegree;
        const bool isBeta = psi > 90 || psi < -170;
        if (phi > -160 && phi < -45 && (isBeta || (psi > -70 && psi < 0 && phi > -120)))
            ++quality.favoured;
        else if ((phi > 0 && !(phi > 35 && phi < 80 && psi > 0 && psi < 90)) ||
                 (phi < 0 && psi < -80 && psi > -160))
            ++quality.outliers;
    }
    return quality;
}

}  // namespace glycine::structure
