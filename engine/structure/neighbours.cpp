#include "engine/structure/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glycine::structure {

namespace {

constexpr double kRounding = 1e-3;  // Å, above the error of single precision
constexpr std::size_t kMaxCells = 40000;
constexpr double kLargestExtent = 1e6;  // Å
constexpr double kSkin = 1.6;           // Å

}  // namespace

ContactTable::ContactTable(const FoldProblem& problem) {
    const std::vector<Atom>& atoms = problem.molecule->atoms;
    for (AtomIndex i = 0; i < atoms.size(); ++i) {
        const auto found = std::find_if(kinds.begin(), kinds.end(), [&](AtomIndex k) {
            return atoms[k].element == atoms[i].element && atoms[k].radius == atoms[i].radius &&
                   atoms[k].kind == atoms[i].kind;
        });
        kind.push_back(static_cast<std::size_t>(found - kinds.begin()));
        if (found == kinds.end()) kinds.push_back(i);
    }
    for (const AtomIndex a : kinds)
        for (const AtomIndex b : kinds) {
            distances.push_back(problem.contact(a, b));
            longest = std::max(longest, distances.back());
        }
}

NeighbourLists::NeighbourLists(const FoldProblem& problem) : problem_(problem), contacts_(problem) {
    for (AtomIndex i = 0; i < problem.molecule->atoms.size(); ++i) {
        // Bit k: atom i + k is excluded.
        near_.push_back(0);
        for (const AtomIndex j : problem.excluded[i])
            if (j > i && j - i < 64) near_.back() |= std::uint64_t{1} << (j - i);
        hasFar_.push_back(problem.excluded[i].back() >= i + 64);
        isHydrogen_.push_back(problem.molecule->atoms[i].isHydrogen());
    }
}

bool NeighbourLists::update(Model& model, const Vector* r, bool heavyOnly) const {
    double square = 0;  // of the farthest move
    for (std::size_t a = 0; a < model.listedAt.size(); ++a) {
        const Vector moved = r[a] - model.listedAt[a];
        square = std::max(square, dot(moved, moved));
    }
    ++model.uses;
    if (!model.listedAt.empty() && model.heavyOnly == heavyOnly && square <= 0.25 * model.skin * model.skin)
        return false;
    // A skin that a single step passes is of no use.
    model.skin = std::sqrt(square) > 0.5 * kSkin * model.uses ? 0 : kSkin;
    model.uses = 0;
    make(model, r, heavyOnly);
    return true;
}

/// Sorts atoms into the cells of a grid, half as wide as a list reaches. Compares each atom once with every
/// later one near it: in its own cell, in the next two, and in twelve rows of five cells.
void NeighbourLists::make(Model& model, const Vector* r, bool heavyOnly) const {
    const std::size_t n = problem_.molecule->atoms.size();
    model.listedAt.assign(r, r + n);
    model.heavyOnly = heavyOnly;
    Vector low = r[0];
    Vector high = r[0];
    for (AtomIndex a = 1; a < n; ++a) {
        low = {std::min(low.x, r[a].x), std::min(low.y, r[a].y), std::min(low.z, r[a].z)};
        high = {std::max(high.x, r[a].x), std::max(high.y, r[a].y), std::max(high.z, r[a].z)};
    }
    constexpr std::size_t kAround = 2;
    double edge = (contacts_.longest + model.skin + kRounding) / kAround;
    // Includes empty cells at either end.
    const auto across = [&](double extent) {
        return static_cast<std::size_t>(extent / edge) + 1 + 2 * kAround;
    };
    const Vector extent = high - low;
    // An exploded model has no neighbours; its energy shows it.
    if (!(extent.x + extent.y + extent.z < kLargestExtent)) return model.pairs.clear();
    while (across(extent.x) * across(extent.y) * across(extent.z) > kMaxCells) edge *= 1.2;
    const std::size_t row = across(extent.x);
    const std::size_t layer = row * across(extent.y);
    model.start.assign(layer * across(extent.z) + 1, 0);
    model.cell.resize(n);
    // NaN goes to the first cell.
    const auto cellAt = [](double x) { return static_cast<std::size_t>(std::max(0.0, x)); };
    const auto skips = [&](AtomIndex a) { return heavyOnly && isHydrogen_[a]; };
    for (AtomIndex a = 0; a < n; ++a) {
        const Vector at = (1 / edge) * (r[a] - low);
        model.cell[a] = static_cast<std::uint32_t>(cellAt(at.x) + kAround + (cellAt(at.y) + kAround) * row +
                                                   (cellAt(at.z) + kAround) * layer);
        if (!skips(a)) ++model.start[model.cell[a] + 1];
    }
    std::partial_sum(model.start.begin(), model.start.end(), model.start.begin());
    const std::size_t count = model.start.back();
    model.sorted.resize(count);
    model.found.resize(n);
    // Backwards: decrementing turns ends of cells into starts.
    for (AtomIndex a = static_cast<AtomIndex>(n); a-- > 0;) {
        if (skips(a)) continue;
        const Vector at = r[a] - low;
        model.sorted[--model.start[model.cell[a] + 1]] = {static_cast<float>(at.x), static_cast<float>(at.y),
                                                          static_cast<float>(at.z), a,
                                                          static_cast<std::uint32_t>(contacts_.kind[a])};
    }
    // Cell c now begins at start[c + 1].
    const std::uint32_t* const begin = model.start.data() + 1;
    const auto beginOf = [&](std::size_t cell) -> std::size_t {
        return cell + 2 > model.start.size() ? count : begin[cell];
    };
    std::vector<std::size_t> rows;  // the middle cells of later rows, counted from an atom's own cell
    for (std::size_t z = 0; z <= kAround; ++z)
        for (std::size_t y = 0; y <= 2 * kAround; ++y)
            if (z > 0 || y > kAround) rows.push_back(z * layer + y * row - kAround * row);
    model.reach.clear();
    for (const double contact : contacts_.distances) {
        const double reach = contact + model.skin + kRounding;
        model.reach.push_back(static_cast<float>(reach * reach));
    }
    const Near* const sorted = model.sorted.data();
    std::uint32_t* const near = model.found.data();
    std::size_t kept = 0;
    for (std::size_t p = 0; p < count; ++p) {
        const Near one = sorted[p];
        const AtomIndex i = one.atom;
        const std::size_t cell = model.cell[i];
        const float* const reach = model.reach.data() + one.kind * contacts_.kinds.size();
        const double* const contact = contacts_.distances.data() + one.kind * contacts_.kinds.size();
        std::size_t found = 0;
        const auto meet = [&](std::size_t from, std::size_t to) {
            for (std::size_t q = from; q < to; ++q) {
                const Near& other = sorted[q];
                const float x = one.x - other.x;
                const float y = one.y - other.y;
                const float z = one.z - other.z;
                near[found] = static_cast<std::uint32_t>(q);
                found += x * x + y * y + z * z <= reach[other.kind] ? 1 : 0;
            }
        };
        meet(p + 1, beginOf(cell + kAround + 1));
        for (const std::size_t next : rows)
            meet(beginOf(cell + next - kAround), beginOf(cell + next + kAround + 1));
        if (model.pairs.size() < kept + found) model.pairs.resize(2 * (kept + found));
        Pair* next = model.pairs.data() + kept;
        for (std::size_t k = 0; k < found; ++k) {
            const Near& other = sorted[near[k]];
            const AtomIndex a = std::min(i, other.atom);
            const AtomIndex b = std::max(i, other.atom);
            const AtomIndex gap = b - a;
            bool isExcluded = gap < 64 && (near_[a] >> gap & 1) != 0;
            if (gap >= 64 && hasFar_[a] != 0)
                isExcluded = std::binary_search(problem_.excluded[a].begin(), problem_.excluded[a].end(), b);
            *next = {a, b, contact[other.kind]};
            next += isExcluded ? 0 : 1;
        }
        kept = static_cast<std::size_t>(next - model.pairs.data());
    }
    model.pairs.resize(kept);
}

}  // namespace glycine::structure
