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

NeighbourLists::NeighbourLists(const FoldProblem& problem, InstructionSet instructions)
    : kernel_(kernelFor<NeighbourKernel>(instructions)), contacts_(problem) {
    for (const double contact : contacts_.distances)
        contactSquares_.push_back(static_cast<float>((contact + kRounding) * (contact + kRounding)));
    for (AtomIndex i = 0; i < problem.molecule->atoms.size(); ++i) {
        near_.push_back(0);
        for (const AtomIndex j : problem.excluded[i]) {
            if (j > i && j - i < 64) near_.back() |= std::uint64_t{1} << (j - i);
            if (j >= i + 64) far_.push_back({i, j});
        }
        hasFar_.push_back(problem.excluded[i].back() >= i + 64);
        isHydrogen_.push_back(problem.molecule->atoms[i].isHydrogen());
    }
}

bool NeighbourLists::update(Model& model, const Vector* r, bool heavyOnly) const {
    // Four maxima, which do not wait for each other.
    std::array<double, 4> squares{};
    for (std::size_t a = 0; a < model.listedAt.size(); ++a) {
        const Vector moved = r[a] - model.listedAt[a];
        squares[a % 4] = std::max(squares[a % 4], dot(moved, moved));
    }
    const double square = *std::max_element(squares.begin(), squares.end());  // of the farthest move
    ++model.uses;
    if (!model.listedAt.empty() && model.heavyOnly == heavyOnly && square <= 0.25 * model.skin * model.skin)
        return false;
    // A skin that a single step passes is of no use.
    model.skin = std::sqrt(square) > 0.5 * kSkin * model.uses ? 0 : kSkin;
    model.uses = 0;
    make(model, r, heavyOnly);
    return true;
}

/// Sorts atoms into the cells of a grid, half as wide as a list reaches.
void NeighbourLists::make(Model& model, const Vector* r, bool heavyOnly) const {
    const std::size_t n = near_.size();
    model.listedAt.assign(r, r + n);
    model.heavyOnly = heavyOnly;
    model.count = 0;
    Vector low = r[0];
    Vector high = r[0];
    for (AtomIndex a = 1; a < n; ++a) {
        low = {std::min(low.x, r[a].x), std::min(low.y, r[a].y), std::min(low.z, r[a].z)};
        high = {std::max(high.x, r[a].x), std::max(high.y, r[a].y), std::max(high.z, r[a].z)};
    }
    constexpr std::size_t kAround = CellGrid::kAround;
    double edge = (contacts_.longest + model.skin + kRounding) / kAround;
    // Includes empty cells at either end.
    const auto across = [&](double extent) {
        return static_cast<std::size_t>(extent / edge) + 1 + 2 * kAround;
    };
    const Vector extent = high - low;
    // An exploded model has no neighbours; its energy shows it.
    if (!(extent.x + extent.y + extent.z < kLargestExtent)) return;
    while (across(extent.x) * across(extent.y) * across(extent.z) > kMaxCells) edge *= 1.2;
    const std::size_t row = across(extent.x);
    const std::size_t layer = row * across(extent.y);
    model.start.assign(layer * across(extent.z) + 2, 0);
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
    for (auto* numbers : {&model.x, &model.y, &model.z, &model.square})
        numbers->resize(2 * (n + CellGrid::kPadding));
    for (auto* numbers : {&model.atom, &model.kind, &model.found, &model.sortedCell})
        numbers->resize(2 * (n + CellGrid::kPadding));
    // Backwards: decrementing turns ends of cells into starts.
    for (AtomIndex a = static_cast<AtomIndex>(n); a-- > 0;) {
        if (skips(a)) continue;
        const Vector at = r[a] - low;
        const std::uint32_t place = --model.start[model.cell[a] + 1];
        model.x[place] = static_cast<float>(at.x);
        model.y[place] = static_cast<float>(at.y);
        model.z[place] = static_cast<float>(at.z);
        model.atom[place] = a;
        model.kind[place] = static_cast<std::uint32_t>(contacts_.kind[a]);
        model.sortedCell[place] = model.cell[a];
    }
    std::vector<std::size_t> rows;
    for (std::size_t z = 0; z <= kAround; ++z)
        for (std::size_t y = 0; y <= 2 * kAround; ++y)
            if (z > 0 || y > kAround) rows.push_back(z * layer + y * row - kAround * row);
    const std::size_t kinds = contacts_.kinds.size();
    model.reach.clear();
    model.longest.assign(kinds, 0);
    for (std::size_t k = 0; k < contacts_.distances.size(); ++k) {
        const double reach = contacts_.distances[k] + model.skin + kRounding;
        model.reach.push_back(static_cast<float>(reach * reach));
        model.longest[k / kinds] = std::max(model.longest[k / kinds], model.reach[k]);
    }
    // Cell c now begins at start[c + 1].
    const CellGrid grid{.x = model.x.data(),
                        .y = model.y.data(),
                        .z = model.z.data(),
                        .atom = model.atom.data(),
                        .kind = model.kind.data(),
                        .cell = model.sortedCell.data(),
                        .count = model.start.back(),
                        .begin = model.start.data() + 1,
                        .rows = rows.data(),
                        .rowCount = rows.size(),
                        .kinds = static_cast<std::uint32_t>(kinds),
                        .reach = model.reach.data(),
                        .contact = contactSquares_.data(),
                        .longest = model.longest.data(),
                        .near = near_.data(),
                        .hasFar = hasFar_.data(),
                        .far = far_.data(),
                        .farCount = far_.size()};
    const std::size_t half = n + CellGrid::kPadding;
    const CellCandidates candidates{.x = model.x.data() + half,
                                    .y = model.y.data() + half,
                                    .z = model.z.data() + half,
                                    .square = model.square.data(),
                                    .atom = model.atom.data() + half,
                                    .kind = model.kind.data() + half,
                                    .found = model.found.data()};
    for (std::size_t next = 0; next < grid.count;) {
        const std::size_t room = std::max(model.pairs.size(), 2 * (model.count + grid.count) + 4);
        model.pairs.resize(room);
        model.kinds.resize(room);
        model.contacts.resize(room);
        NeighbourPairs pairs{model.pairs.data(), model.kinds.data(), model.contacts.data(), model.count,
                             room};
        next = kernel_.list(grid, next, candidates, pairs);
        model.count = pairs.count;
    }
    for (std::size_t k = model.count; k % 4 != 0; ++k) {
        model.pairs[k] = {};
        model.contacts[k] = 0;
    }
}

}  // namespace glycine::structure
