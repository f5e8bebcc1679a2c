#include "engine/structure/neighbours.hpp"

#include <algorithm>
#include <numeric>

namespace glycine::structure {

namespace {

constexpr double kRounding = 1e-3;  // Å, above the error of single precision
constexpr std::size_t kMaxCells = 40000;
constexpr double kLargestExtent = 1e6;  // Å

bool isListValid(const NeighbourLists::Model& model, const Vector* r, bool heavyOnly) {
    if (model.listedAt.empty() || model.heavyOnly != heavyOnly) return false;
    for (std::size_t a = 0; a < model.listedAt.size(); ++a) {
        const Vector moved = r[a] - model.listedAt[a];
        if (dot(moved, moved) > 0.25 * kNeighbourSkin * kNeighbourSkin) return false;
    }
    return true;
}

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
    for (const double contact : contacts_.distances) {
        const double reach = contact + kNeighbourSkin + kRounding;
        reach_.push_back(static_cast<float>(reach * reach));
    }
}

bool NeighbourLists::update(Model& model, const Vector* r, bool heavyOnly) const {
    if (isListValid(model, r, heavyOnly)) return false;
    make(model, r, heavyOnly);
    return true;
}

/// Sorts atoms into the cells of a grid. Each atom is compared with later atoms of its own cell and the next,
/// and with those of four rows of three cells, so that each pair occurs once.
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
    double edge = contacts_.longest + kNeighbourSkin + kRounding;
    // Includes an empty cell at either end.
    const auto across = [&](double extent) { return static_cast<std::size_t>(extent / edge) + 3; };
    const Vector extent = high - low;
    model.pairs.clear();
    // An exploded model has no neighbours; its energy shows it.
    if (!(extent.x + extent.y + extent.z < kLargestExtent)) return;
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
        model.cell[a] = cellAt(at.x) + 1 + (cellAt(at.y) + 1) * row + (cellAt(at.z) + 1) * layer;
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
                                                          static_cast<float>(at.z), a};
    }
    // Cell c now begins at start[c + 1].
    const std::size_t* const begin = model.start.data() + 1;
    const auto beginOf = [&](std::size_t cell) {
        return cell + 2 > model.start.size() ? count : begin[cell];
    };
    for (std::size_t p = 0; p < count; ++p) {
        const Near one = model.sorted[p];
        const AtomIndex i = one.atom;
        const std::size_t cell = model.cell[i];
        const float* const reach = reach_.data() + contacts_.kind[i] * contacts_.kinds.size();
        std::size_t found = 0;
        const auto meet = [&](std::size_t from, std::size_t to) {
            for (std::size_t q = from; q < to; ++q) {
                const Near& other = model.sorted[q];
                const float x = one.x - other.x;
                const float y = one.y - other.y;
                const float z = one.z - other.z;
                model.found[found] = other.atom;
                found += x * x + y * y + z * z <= reach[contacts_.kind[other.atom]] ? 1 : 0;
            }
        };
        meet(p + 1, beginOf(cell + 2));
        for (const std::size_t next : {cell + row, cell + layer - row, cell + layer, cell + layer + row})
            meet(beginOf(next - 1), beginOf(next + 2));
        for (std::size_t k = 0; k < found; ++k) {
            const AtomIndex a = std::min(i, model.found[k]);
            const AtomIndex b = std::max(i, model.found[k]);
            if (b - a < 64 && (near_[a] >> (b - a) & 1) != 0) continue;
            if (b - a >= 64 && hasFar_[a] != 0 &&
                std::binary_search(problem_.excluded[a].begin(), problem_.excluded[a].end(), b))
                continue;
            model.pairs.push_back({a, b, contacts_.between(a, b)});
        }
    }
}

}  // namespace glycine::structure
