#include "engine/structure/neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::structure {

namespace {

constexpr std::size_t kBuckets = 8192;

std::size_t bucketOf(int x, int y, int z) {
    return (static_cast<std::size_t>(x) * 73856093U ^ static_cast<std::size_t>(y) * 19349663U ^
            static_cast<std::size_t>(z) * 83492791U) %
           kBuckets;
}

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
        // Bit k: atom i + k is near.
        near_.push_back(0);
        for (const AtomIndex j : problem.excluded[i])
            if (j > i && j - i < 64)
                near_.back() |= std::uint64_t{1} << (j - i);
            else if (j > i)
                far_.push_back({i, j});
    }
}

bool NeighbourLists::update(Model& model, const Vector* r, bool heavyOnly) const {
    if (isListValid(model, r, heavyOnly)) return false;
    make(model, r, heavyOnly);
    return true;
}

void NeighbourLists::make(Model& model, const Vector* r, bool heavyOnly) const {
    const std::vector<Atom>& atoms = problem_.molecule->atoms;
    const std::size_t n = atoms.size();
    const auto isFar = [&](AtomIndex i, AtomIndex j) {
        return std::any_of(far_.begin(), far_.end(),
                           [&](const AtomPair& pair) { return pair.first == i && pair.second == j; });
    };
    model.listedAt.assign(r, r + n);
    model.heavyOnly = heavyOnly;
    model.pairs.clear();
    model.head.assign(kBuckets, -1);
    model.next.resize(n);
    model.cell.resize(n);
    const double edge = contacts_.longest + kNeighbourSkin;
    for (AtomIndex j = 0; j < n; ++j) {
        if (heavyOnly && atoms[j].isHydrogen()) continue;
        const int x = static_cast<int>(std::floor(r[j].x / edge));
        const int y = static_cast<int>(std::floor(r[j].y / edge));
        const int z = static_cast<int>(std::floor(r[j].z / edge));
        model.cell[j] = {x, y, z};
        for (int cell = 0; cell < 27; ++cell) {
            const std::array<int, 3> wanted{x + cell % 3 - 1, y + cell / 3 % 3 - 1, z + cell / 9 - 1};
            for (int k = model.head[bucketOf(wanted[0], wanted[1], wanted[2])]; k >= 0;
                 k = model.next[static_cast<std::size_t>(k)]) {
                const auto i = static_cast<AtomIndex>(k);
                if (model.cell[i] != wanted) continue;
                const Vector between = r[i] - r[j];
                const double contact = contacts_.between(i, j);
                if (dot(between, between) > (contact + kNeighbourSkin) * (contact + kNeighbourSkin)) continue;
                if (j - i < 64 ? (near_[i] >> (j - i) & 1) != 0 : isFar(i, j)) continue;
                model.pairs.push_back({i, j, contact});
            }
        }
        int& head = model.head[bucketOf(x, y, z)];
        model.next[j] = head;
        head = static_cast<int>(j);
    }
}

}  // namespace glycine::structure
