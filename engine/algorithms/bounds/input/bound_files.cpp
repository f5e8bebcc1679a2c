#include "engine/algorithms/bounds/input/bound_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/algorithms/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::bounds {

namespace {

/// Larger than any molecule: such a number is a mistake in the data (another unit, a marker for "missing").
constexpr double kAbsurdDistance = 1e6;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
T boundFromAngstrom(double angstrom, BoundKind kind) {
    return kind == BoundKind::Upper ? upperFromAngstrom<T>(angstrom) : lowerFromAngstrom<T>(angstrom);
}

/// What a distance may be in a file, for one matrix in one format.
struct AcceptedValues {
    BoundKind kind = BoundKind::Upper;
    double limit = kAbsurdDistance;  ///< Å, exclusive
    bool accepts(double value) const {
        return (value >= 0 && value < limit) || (kind == BoundKind::Upper && value == kInfinity);
    }
    std::string describe() const {
        const char* unknown = kind == BoundKind::Upper ? ", or inf for unknown" : "";
        const char* reason = limit < kAbsurdDistance ? " (the limit of the fixed format)" : "";
        return fmt::format("a distance in Å, at least 0 and below {:.0f}{}{}", limit, reason, unknown);
    }
};

/// Words what is wrong with the first element of a block that is not accepted.
[[noreturn]] void refuseElement(const std::string& name, const io::NpyBlock& block,
                                const AcceptedValues& accepted) {
    std::visit(
        [&](const auto& values) {
            for (std::size_t line = 0; line < block.lines; ++line)
                for (std::size_t k = 0; k < block.lineLength; ++k) {
                    std::size_t row = block.firstLine + line;
                    std::size_t column = k;
                    if (block.isColumns) std::swap(row, column);
                    const auto value = static_cast<double>(values[line * block.lineLength + k]);
                    if (!accepted.accepts(value))
                        throw InputError(fmt::format("{}: ({}, {}) is {}; expected {}", name, row, column,
                                                     value, accepted.describe()));
                    if (row == column && value != 0)
                        throw InputError(fmt::format("{}: ({}, {}) is {}; expected 0 on the diagonal", name,
                                                     row, column, value));
                }
        },
        block.values);
    throw InputError(fmt::format("{}: holds values that are no distances", name));
}

/// Converts and checks a block of the file; returns whether all its elements are accepted.
template <class T>
bool convertBlock(const io::NpyBlock& block, const AcceptedValues& accepted, Matrix<T>& matrix) {
    return std::visit(
        [&](const auto& values) {
            const auto lines = static_cast<std::ptrdiff_t>(block.lines);
            const auto length = static_cast<std::ptrdiff_t>(block.lineLength);
            const auto first = static_cast<std::ptrdiff_t>(block.firstLine);
            const auto convert = [&](std::ptrdiff_t line, std::ptrdiff_t k, int& refused) {
                const auto value = static_cast<double>(values[static_cast<std::size_t>(line * length + k)]);
                const bool isAccepted = accepted.accepts(value);
                refused |= isAccepted ? 0 : 1;
                // Adding zero turns −0 into 0, so that equal bounds have equal bits.
                return isAccepted ? static_cast<T>(boundFromAngstrom<T>(value, accepted.kind) + T(0)) : T(0);
            };
            int bad = 0;
            if (block.isColumns) {
#pragma omp parallel for schedule(static) reduction(| : bad)
                for (std::ptrdiff_t k = 0; k < length; ++k)
                    for (std::ptrdiff_t line = 0; line < lines; ++line)
                        matrix.row(static_cast<std::size_t>(k))[first + line] = convert(line, k, bad);
            } else {
#pragma omp parallel for schedule(static) reduction(| : bad)
                for (std::ptrdiff_t line = 0; line < lines; ++line) {
                    T* target = matrix.row(static_cast<std::size_t>(first + line));
                    int badInRow = 0;
                    for (std::ptrdiff_t k = 0; k < length; ++k) target[k] = convert(line, k, badInRow);
                    bad |= badInRow;
                }
            }
            for (std::ptrdiff_t line = 0; line < lines; ++line)
                if (first + line < length && matrix(static_cast<std::size_t>(first + line),
                                                    static_cast<std::size_t>(first + line)) != 0)
                    bad = 1;
            return bad == 0;
        },
        block.values);
}

template <class T>
Matrix<T> readBounds(io::ByteSource& source, BoundKind kind) {
    const io::NpyHeader header = io::readNpyHeader(source);
    if (header.shape.size() != 2 || header.shape[0] != header.shape[1])
        throw InputError(fmt::format("{}: the shape is ({}); expected a square matrix, n x n", source.name(),
                                     fmt::join(header.shape, ", ")));
    if (header.shape[0] == 0)
        throw InputError(fmt::format("{}: the matrix is empty; expected at least one atom", source.name()));
    AcceptedValues accepted{kind};
    if (std::is_same_v<T, std::int32_t>) accepted.limit = kFixedLimitAngstrom;
    Matrix<T> matrix(header.shape[0], header.shape[1]);
    io::visitNpyMatrix(source, header, [&](const io::NpyBlock& block) {
        if (!convertBlock(block, accepted, matrix)) refuseElement(source.name(), block, accepted);
    });
    return matrix;
}

/// Edge of the tiles in which a matrix is compared with its transpose: two of float64 fit a first-level
/// cache.
constexpr std::size_t kTile = 32;

/// Calls visit(i, j) for all i < j, tile by tile, tiles in parallel; each thread has its own State, merged in
/// the end.
template <class State, class Visit>
State forEachPair(std::size_t atoms, const Visit& visit) {
    State total;
    const std::vector<Range> tiles = splitRange(atoms, kTile);
#pragma omp parallel
    {
        State own;
#pragma omp for schedule(dynamic) nowait
        for (std::size_t a = 0; a < tiles.size(); ++a)
            for (std::size_t b = a; b < tiles.size(); ++b)
                for (std::size_t i = tiles[a].begin; i < tiles[a].end; ++i)
                    for (std::size_t j = std::max(tiles[b].begin, i + 1); j < tiles[b].end; ++j)
                        visit(own, i, j);
#pragma omp critical(glycine_bounds_merge_pairs)
        total.merge(own);
    }
    return total;
}

/// The first pair in row-major order at which a matrix differs from its transpose.
struct Asymmetry {
    std::size_t count = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    double above = 0;  ///< the value at (i, j), Å
    double below = 0;  ///< the value at (j, i), Å
    void merge(const Asymmetry& other) {
        if (other.count == 0) return;
        const std::size_t sum = count + other.count;
        if (count == 0 || std::tie(other.i, other.j) < std::tie(i, j)) *this = other;
        count = sum;
    }
};

/// Makes both triangles hold the tighter bound; refuses differences beyond the tolerance.
template <class T>
void symmetrize(Matrix<T>& matrix, BoundKind kind, double tolerance, const std::string& name) {
    const auto visit = [&](Asymmetry& state, std::size_t i, std::size_t j) {
        T& above = matrix(i, j);
        T& below = matrix(j, i);
        if (above == below) return;
        if (std::abs(toAngstrom(above) - toAngstrom(below)) > tolerance) {
            Asymmetry found{1, i, j, toAngstrom(above), toAngstrom(below)};
            if (isUnknownUpper(above)) found.above = kInfinity;
            if (isUnknownUpper(below)) found.below = kInfinity;
            state.merge(found);
        }
        above = below = kind == BoundKind::Upper ? std::min(above, below) : std::max(above, below);
    };
    const Asymmetry found = forEachPair<Asymmetry>(matrix.rows(), visit);
    if (found.count > 0)
        throw InputError(fmt::format(
            "{}: not symmetric: ({}, {}) is {}, ({}, {}) is {}; expected a difference of at most {} Å "
            "(pairs that differ by more: {})",
            name, found.i, found.j, found.above, found.j, found.i, found.below, tolerance, found.count));
}

struct PairCounts {
    std::size_t unknown = 0;       ///< upper bound infinite
    double largest = -1;           ///< largest finite upper bound, Å
    std::size_t atLargest = 0;     ///< pairs that have it
    std::size_t inconsistent = 0;  ///< lower > upper
    Violation worst;
    void addUpper(double upper, std::size_t pairs) {
        if (upper > largest) {
            largest = upper;
            atLargest = 0;
        }
        if (upper == largest) atLargest += pairs;
    }
    void addInconsistent(const Violation& pair, std::size_t pairs) {
        const bool isWorse =
            pair.excess() > worst.excess() ||
            (pair.excess() == worst.excess() && std::tie(pair.i, pair.j) < std::tie(worst.i, worst.j));
        if (inconsistent == 0 || isWorse) worst = pair;
        inconsistent += pairs;
    }
    void merge(const PairCounts& other) {
        unknown += other.unknown;
        addUpper(other.largest, other.atLargest);
        if (other.inconsistent > 0) addInconsistent(other.worst, other.inconsistent);
    }
};

template <class T>
PairCounts countPairs(const Matrix<T>& upper, const Matrix<T>& lower) {
    return forEachPair<PairCounts>(upper.rows(), [&](PairCounts& counts, std::size_t i, std::size_t j) {
        const double u = toAngstrom(upper(i, j));
        const double l = toAngstrom(lower(i, j));
        if (isUnknownUpper(upper(i, j)))
            ++counts.unknown;
        else
            counts.addUpper(u, 1);
        if (l > u) counts.addInconsistent({i, j, u, l}, 1);
    });
}

template <class T>
BoundSet readBoundSet(io::ByteSource& upperSource, io::ByteSource* lowerSource,
                      const BoundFileOptions& options) {
    OwnedBounds<T> bounds;
    bounds.upper = readBounds<T>(upperSource, BoundKind::Upper);
    symmetrize(bounds.upper, BoundKind::Upper, options.symmetryTolerance, upperSource.name());
    const std::size_t n = bounds.upper.rows();
    if (lowerSource != nullptr) {
        bounds.lower = readBounds<T>(*lowerSource, BoundKind::Lower);
        if (bounds.lower.rows() != n)
            throw InputError(fmt::format("{}: {} x {}, but {} is {} x {}; expected equal sizes",
                                         lowerSource->name(), bounds.lower.rows(), bounds.lower.rows(),
                                         upperSource.name(), n, n));
        symmetrize(bounds.lower, BoundKind::Lower, options.symmetryTolerance, lowerSource->name());
    } else {
        bounds.lower = Matrix<T>(n, n, T(0));
    }

    const PairCounts counts = countPairs(bounds.upper, bounds.lower);
    if (counts.inconsistent > 0 && !options.allowInconsistent)
        throw InputError(
            fmt::format("{}: the lower bound exceeds the upper bound, at worst of pair ({}, {}): lower {}, "
                        "upper {}; expected "
                        "lower ≤ upper (pairs that break it: {}; --allow-inconsistent goes on all the same)",
                        (lowerSource != nullptr ? *lowerSource : upperSource).name(), counts.worst.i,
                        counts.worst.j, counts.worst.lower, counts.worst.upper, counts.inconsistent));
    BoundSet set;
    const std::size_t pairs = n * (n - 1) / 2;
    // The value of one pair alone is a measurement, one that many share is a default.
    const std::size_t atDefault =
        counts.unknown == 0 && counts.atLargest > 1 ? counts.atLargest : counts.unknown;
    set.knownPairs = pairs - atDefault;
    set.inconsistentPairs = counts.inconsistent;
    set.description = fmt::format("{} atoms, {} of {} pairs known", n, set.knownPairs, pairs);
    set.bounds = std::move(bounds);
    return set;
}

BoundSet readBoundSet(io::ByteSource& upper, io::ByteSource* lower, const BoundFileOptions& options) {
    switch (options.format) {
        case NumberFormat::Float64:
            return readBoundSet<double>(upper, lower, options);
        case NumberFormat::Fixed:
            return readBoundSet<std::int32_t>(upper, lower, options);
        case NumberFormat::Float32:
            break;
    }
    return readBoundSet<float>(upper, lower, options);
}

/// The matrix as it goes to a file: Å, unknown upper bounds infinite.
template <class T>
io::NpyMatrixSource fileMatrix(MatrixView<const T> matrix) {
    using Stored = std::conditional_t<std::is_same_v<T, float>, float, double>;
    return {std::is_same_v<Stored, float> ? "<f4" : "<f8", sizeof(Stored), matrix.rows(), matrix.columns(),
            [matrix](std::size_t row, std::byte* target) {
                const T* values = matrix.row(row);
                for (std::size_t j = 0; j < matrix.columns(); ++j) {
                    const Stored value = isUnknownUpper(values[j])
                                             ? std::numeric_limits<Stored>::infinity()
                                             : static_cast<Stored>(toAngstrom(values[j]));
                    std::memcpy(target + j * sizeof(Stored), &value, sizeof(Stored));
                }
            }};
}

}  // namespace

AnyBoundMatrices viewBounds(AnyOwnedBounds& bounds) {
    return std::visit([](auto& owned) { return AnyBoundMatrices(owned.matrices()); }, bounds);
}

AnyOwnedBounds cloneBounds(const AnyBoundMatrices& matrices) {
    return std::visit(
        [](const auto& views) {
            using T = std::remove_cvref_t<decltype(views.upper(0, 0))>;
            OwnedBounds<T> copy;
            copy.upper = Matrix<T>(MatrixView<const T>(views.upper));
            if (views.hasLower()) copy.lower = Matrix<T>(MatrixView<const T>(views.lower));
            return AnyOwnedBounds(std::move(copy));
        },
        matrices);
}

BoundSet loadBounds(const std::filesystem::path& npz, const BoundFileOptions& options) {
    const io::NpzReader reader(npz);
    const auto upper = reader.open("upper");
    const auto lower = reader.contains("lower") ? reader.open("lower") : nullptr;
    BoundSet set = readBoundSet(*upper, lower.get(), options);
    if (reader.contains("atoms")) {
        set.atomNames = io::readNpyStrings(*reader.open("atoms"));
        const std::size_t atoms = atomCount(set.matrices());
        if (set.atomNames.size() != atoms)
            throw InputError(fmt::format("{}: member atoms.npy has {} names for {} atoms", npz.string(),
                                         set.atomNames.size(), atoms));
    }
    return set;
}

BoundSet loadBounds(const std::filesystem::path& upper, const std::optional<std::filesystem::path>& lower,
                    const BoundFileOptions& options) {
    const auto upperFile = io::openFile(upper);
    const auto lowerFile = lower ? io::openFile(*lower) : nullptr;
    return readBoundSet(*upperFile, lowerFile.get(), options);
}

void writeBounds(const std::filesystem::path& npz, const AnyBoundMatrices& matrices,
                 std::span<const std::string> atomNames) {
    io::NpzWriter writer;
    std::visit(
        [&](const auto& views) {
            using T = std::remove_cvref_t<decltype(views.upper(0, 0))>;
            writer.add("upper", fileMatrix<T>(views.upper));
            if (views.hasLower()) writer.add("lower", fileMatrix<T>(views.lower));
        },
        matrices);
    if (!atomNames.empty()) writer.add("atoms", std::vector<std::string>(atomNames.begin(), atomNames.end()));
    writer.write(npz);
}

void writeBoundsTable(const std::filesystem::path& tsv, const AnyBoundMatrices& matrices,
                      std::span<const std::string> atomNames) {
    io::BufferedText table(tsv);
    table.text() = atomNames.empty() ? "i\tj\tlower\tupper" : "i\tj\tatom_i\tatom_j\tlower\tupper";
    table.endLine();
    std::visit(
        [&](const auto& views) {
            for (std::size_t i = 0; i < views.atoms(); ++i)
                for (std::size_t j = i + 1; j < views.atoms(); ++j) {
                    const auto line = std::back_inserter(table.text());
                    fmt::format_to(line, "{}\t{}\t", i + 1, j + 1);
                    if (!atomNames.empty()) fmt::format_to(line, "{}\t{}\t", atomNames[i], atomNames[j]);
                    const double lower = views.hasLower() ? toAngstrom(views.lower(i, j)) : 0;
                    const auto upper = views.upper(i, j);
                    fmt::format_to(line, "{}\t{}", lower,
                                   isUnknownUpper(upper) ? kInfinity : toAngstrom(upper));
                    table.endLine();
                }
        },
        matrices);
    table.commit();
}

picture::HeatMapPanel boundPanel(std::string title, const AnyBoundMatrices& matrices, BoundKind kind) {
    return std::visit(
        [&](const auto& views) {
            const auto matrix = kind == BoundKind::Upper ? views.upper : views.lower;
            if (matrix.data() == nullptr)
                throw UsageError("a picture of lower bounds that were not asked for");
            return picture::makeHeatMapPanel(
                std::move(title), matrix.rows(), matrix.columns(), [matrix](std::size_t row, float* values) {
                    for (std::size_t j = 0; j < matrix.columns(); ++j) {
                        const auto value = matrix(row, j);
                        values[j] = isUnknownUpper(value) ? std::numeric_limits<float>::infinity()
                                                          : static_cast<float>(toAngstrom(value));
                    }
                });
        },
        matrices);
}

}  // namespace glycine::bounds
