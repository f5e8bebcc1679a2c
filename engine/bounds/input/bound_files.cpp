#include "engine/bounds/input/bound_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/pair_squares.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::bounds {

namespace {

/// Larger than any molecule: such a number is a mistake in the data (another unit, a marker for "missing").
constexpr double kAbsurdDistance = 1e6;

/// Å: the largest difference of a_ij and a_ji in a symmetric matrix. Neighbouring large float32 numbers
/// differ by more: closer values in the file may have been rounded to two neighbours.
constexpr double kSymmetryTolerance = 1e-4;

template <class T>
bool areNextToEachOther(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return std::nextafter(a, b) == b;
    else
        return false;
}

/// Selects one of the two matrices.
enum class BoundKind { Upper, Lower };

/// Accepted distances in a file, for one matrix in one format.
struct AcceptedValues {
    BoundKind kind = BoundKind::Upper;
    Rounding rounding = Rounding::Nearest;
    double limit = kAbsurdDistance;  ///< Å, exclusive
    bool accepts(double value) const {
        return (value >= 0 && value < limit) ||
               (kind == BoundKind::Upper && value == std::numeric_limits<double>::infinity());
    }
    std::string describe() const {
        const char* unknown = kind == BoundKind::Upper ? ", or inf for unknown" : "";
        const char* reason = limit < kAbsurdDistance ? " (the limit of the fixed format)" : "";
        return fmt::format("a distance in Å, at least 0 and below {:.0f}{}{}", limit, reason, unknown);
    }
};

/// Converts a block of the file into its place in `matrix`. Throws InputError for the first element, in the
/// order of the file, that is no bound.
template <class T>
void takeBlock(const io::NpyBlock& block, const AcceptedValues& accepted, const std::string& name,
               Matrix<T>& matrix) {
    const auto take = [&](const auto& values) {
        // Rows of the matrix are the outer loop whatever the order of the file: each thread writes its own.
        const std::size_t rows = block.isColumns ? block.lineLength : block.lines;
        const std::size_t columns = block.isColumns ? block.lines : block.lineLength;
        const std::size_t firstRow = block.isColumns ? 0 : block.firstLine;
        const std::size_t firstColumn = block.isColumns ? block.firstLine : 0;
        const bool isUpper = accepted.kind == BoundKind::Upper;
        std::size_t refused = values.size();
#pragma omp parallel for schedule(static) reduction(min : refused)
        for (std::size_t i = 0; i < rows; ++i) {
            T* const target = matrix.row(firstRow + i) + firstColumn;
            for (std::size_t k = 0; k < columns; ++k) {
                const std::size_t at = block.isColumns ? k * rows + i : i * columns + k;
                const auto value = static_cast<double>(values[at]);
                const bool isDistance = accepted.accepts(value);
                // Adding zero turns −0 into 0, so that equal bounds have equal bits.
                target[k] = T(0);
                if (isDistance)
                    target[k] += isUpper ? upperFromAngstrom<T>(value, accepted.rounding)
                                         : lowerFromAngstrom<T>(value, accepted.rounding);
                if (!isDistance || (firstRow + i == firstColumn + k && target[k] != 0))
                    refused = std::min(refused, at);
            }
        }
        if (refused == values.size()) return;
        std::size_t row = block.firstLine + refused / block.lineLength;
        std::size_t column = refused % block.lineLength;
        if (block.isColumns) std::swap(row, column);
        const auto value = static_cast<double>(values[refused]);
        throw InputError(fmt::format("{}: ({}, {}) is {}; expected {}", name, row, column, value,
                                     accepted.accepts(value) ? "0 on the diagonal" : accepted.describe()));
    };
    std::visit(take, block.values);
}

template <class T>
Matrix<T> readBounds(io::ByteSource& source, BoundKind kind, const BoundFileOptions& options) {
    const io::NpyHeader header = io::readNpyHeader(source);
    if (header.shape.size() != 2 || header.shape[0] != header.shape[1])
        throw InputError(fmt::format("{}: the shape is ({}); expected a square matrix, n x n", source.name(),
                                     fmt::join(header.shape, ", ")));
    if (header.shape[0] == 0)
        throw InputError(fmt::format("{}: the matrix is empty; expected at least one atom", source.name()));
    if (kind == BoundKind::Upper) requireSmoothingMemory(source.name(), options, header.shape[0]);
    AcceptedValues accepted{kind, options.rounding};
    if (std::is_same_v<T, std::int32_t>) accepted.limit = kFixedLimitAngstrom;
    Matrix<T> matrix(header.shape[0], header.shape[1]);
    io::visitNpyMatrix(source, header,
                       [&](const io::NpyBlock& block) { takeBlock(block, accepted, source.name(), matrix); });
    return matrix;
}

/// Makes both triangles hold the tighter bound; refuses differences beyond the tolerance.
template <class T>
void symmetrize(Matrix<T>& matrix, BoundKind kind, const std::string& name) {
    const std::size_t n = matrix.rows();
    const std::vector<Range> squares = splitRange(n, kPairSquare);
    std::size_t refused = 0;
    std::size_t first = n * n;  // of those, in row-major order
#pragma omp parallel for schedule(dynamic) reduction(+ : refused) reduction(min : first)
    for (std::size_t row = 0; row < squares.size(); ++row)
        visitMirrored<T>(
            squares[row], matrix.view(), matrix.view(), [&](std::size_t i, std::size_t j, T above, T below) {
                if (above == below) return;
                if (std::abs(toAngstrom(above) - toAngstrom(below)) > kSymmetryTolerance &&
                    !areNextToEachOther(above, below)) {
                    ++refused;
                    first = std::min(first, i * n + j);
                } else {
                    matrix(i, j) = matrix(j, i) =
                        kind == BoundKind::Upper ? std::min(above, below) : std::max(above, below);
                }
            });
    if (refused == 0) return;
    const std::size_t i = first / n;
    const std::size_t j = first % n;
    throw InputError(fmt::format(
        "{}: not symmetric: ({}, {}) is {}, ({}, {}) is {}; expected a difference of at most {} Å "
        "(pairs that differ by more: {})",
        name, i, j, angstromOrInfinity(matrix(i, j)), j, i, angstromOrInfinity(matrix(j, i)),
        kSymmetryTolerance, refused));
}

template <class T>
BoundSet readBoundSet(io::ByteSource& upperSource, io::ByteSource* lowerSource,
                      const BoundFileOptions& options) {
    OwnedBounds<T> bounds;
    bounds.upper = readBounds<T>(upperSource, BoundKind::Upper, options);
    symmetrize(bounds.upper, BoundKind::Upper, upperSource.name());
    const std::size_t n = bounds.upper.rows();
    if (lowerSource != nullptr) {
        bounds.lower = readBounds<T>(*lowerSource, BoundKind::Lower, options);
        if (bounds.lower.rows() != n)
            throw InputError(fmt::format("{}: {} x {}, but {} is {} x {}; expected equal sizes",
                                         lowerSource->name(), bounds.lower.rows(), bounds.lower.rows(),
                                         upperSource.name(), n, n));
        symmetrize(bounds.lower, BoundKind::Lower, lowerSource->name());
    } else {
        bounds.lower = Matrix<T>(n, n, T(0));
    }

    BoundSet set;
    std::vector<Violation> worst;
    if (const std::size_t inconsistent = findViolations(bounds.matrices(), 0, 1, worst); inconsistent > 0) {
        if (!options.allowInconsistent)
            throw InputError(
                fmt::format("{}: the lower bound exceeds the upper bound, at worst of pair ({}, {}): lower "
                            "{}, upper {}; expected lower ≤ upper (pairs that break it: {}; "
                            "--allow-inconsistent goes on all the same)",
                            (lowerSource != nullptr ? *lowerSource : upperSource).name(), worst[0].i,
                            worst[0].j, worst[0].lower, worst[0].upper, inconsistent));
        set.warnings.push_back(fmt::format("{} came in with a lower bound above the upper bound",
                                           formatCount(inconsistent, "pair")));
    }
    set.knownPairs = countKnownPairs(bounds.upper);
    set.description = fmt::format("{} atoms, {} of {} pairs known", n, set.knownPairs, n * (n - 1) / 2);
    set.bounds = std::move(bounds);
    return set;
}

/// Converts the matrix for output: Å, unknown upper bounds infinite.
template <class T>
io::NpyMatrixSource fileMatrix(MatrixView<const T> matrix) {
    using Stored = std::conditional_t<std::is_same_v<T, float>, float, double>;
    return {.dtype = std::is_same_v<Stored, float> ? "<f4" : "<f8",
            .itemBytes = sizeof(Stored),
            .rows = matrix.rows(),
            .columns = matrix.columns(),
            .copyRow =
                [matrix](std::size_t row, std::byte* target) {
                    const T* values = matrix.row(row);
                    for (std::size_t j = 0; j < matrix.columns(); ++j) {
                        const auto value = static_cast<Stored>(angstromOrInfinity(values[j]));
                        std::memcpy(target + j * sizeof(Stored), &value, sizeof(Stored));
                    }
                },
            .takesAnyOrder = true};
}

/// The columns that name a pair.
std::string heading(char first, char second, bool hasNames) {
    std::string text = fmt::format("{}\t{}\t", first, second);
    if (hasNames) text += fmt::format("atom_{}\tatom_{}\t", first, second);
    return text;
}

void appendPair(std::string& line, std::size_t first, std::size_t second,
                std::span<const std::string> atomNames) {
    const auto end = std::back_inserter(line);
    fmt::format_to(end, "{}\t{}\t", first + 1, second + 1);
    if (atomNames.empty()) return;
    for (const std::size_t atom : {first, second}) {
        io::appendTsvField(line, atomNames[atom]);
        line += '\t';
    }
}

/// A name among others that commas separate.
std::string inList(std::string name) {
    std::ranges::replace(name, ',', '_');
    return name;
}

}  // namespace

template <class T>
std::size_t countKnownPairs(const Matrix<T>& upper) {
    const std::size_t n = upper.rows();
    std::vector<T> largestOf(n);  // of each row
    std::vector<std::size_t> atLargestOf(n);
#pragma omp parallel for schedule(static, 16)
    for (std::size_t i = 0; i < n; ++i) {
        T largest = 0;
        for (std::size_t j = i + 1; j < n; ++j) largest = std::max(largest, upper(i, j));
        largestOf[i] = largest;
        atLargestOf[i] =
            static_cast<std::size_t>(std::count(upper.row(i) + i + 1, upper.row(i) + n, largest));
    }
    const T largest = *std::ranges::max_element(largestOf);
    std::size_t atLargest = 0;
    for (std::size_t i = 0; i < n; ++i) atLargest += largestOf[i] == largest ? atLargestOf[i] : 0;
    return n * (n - 1) / 2 - (isUnknownUpper(largest) || atLargest > 1 ? atLargest : 0);
}

template std::size_t countKnownPairs(const Matrix<float>&);
template std::size_t countKnownPairs(const Matrix<double>&);
template std::size_t countKnownPairs(const Matrix<std::int32_t>&);

void requireSmoothingMemory(std::string_view where, const BoundFileOptions& options, std::size_t atoms) {
    // Workers with blocks in the host's memory refuse those themselves.
    const bool hasNoCopy =
        options.isShared && keepsInput(options.format, {.rounding = options.rounding, .keepInput = true});
    requireHostMemory(fmt::format("{}: smoothing {} atoms", where, atoms),
                      hasNoCopy ? hostBytesForSharing(options.format, atoms, 0).most()
                                : hostBytesForSmoothing(options.format, atoms));
}

AnyBoundMatrices viewBounds(AnyOwnedBounds& bounds) {
    return std::visit([](auto& owned) { return AnyBoundMatrices(owned.matrices()); }, bounds);
}

AnyOwnedBounds cloneBounds(const AnyBoundMatrices& matrices) {
    const auto copy = []<class T>(MatrixView<const T> source) {
        Matrix<T> target(source.rows(), source.columns());
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < source.rows(); ++i)
            std::copy_n(source.row(i), source.columns(), target.row(i));
        return target;
    };
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& views) {
            return AnyOwnedBounds(
                OwnedBounds<T>{copy(MatrixView<const T>(views.upper)),
                               views.hasLower() ? copy(MatrixView<const T>(views.lower)) : Matrix<T>()});
        },
        matrices);
}

Rounding roundingOf(NumberFormat format, std::optional<Rounding> requested) {
    const bool isFixed = format == NumberFormat::Fixed;
    if (isFixed && requested == Rounding::Nearest)
        throw UsageError("--precision fixed rounds outward, always; nearest is for float32 and float64");
    return requested.value_or(isFixed ? Rounding::Outward : BoundFileOptions{}.rounding);
}

BoundSet loadBounds(io::ByteSource& upper, io::ByteSource* lower, const BoundFileOptions& options) {
    return withNumberOf(options.format, [&]<class T>(T) { return readBoundSet<T>(upper, lower, options); });
}

BoundSet loadBounds(const std::filesystem::path& npz, const BoundFileOptions& options) {
    const io::NpzReader reader(npz);
    const auto upper = reader.open("upper");
    const auto lower = reader.contains("lower") ? reader.open("lower") : nullptr;
    BoundSet set = loadBounds(*upper, lower.get(), options);
    set.description = fmt::format("{}: {}", npz.filename().string(), set.description);
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
    BoundSet set = loadBounds(*upperFile, lowerFile.get(), options);
    set.description =
        fmt::format("{}{}: {}", upper.filename().string(),
                    lower ? fmt::format(" and {}", lower->filename().string()) : "", set.description);
    return set;
}

void writeBounds(const std::filesystem::path& npz, const AnyBoundMatrices& matrices,
                 std::span<const std::string> atomNames) {
    io::NpzWriter writer;
    std::visit(
        [&]<class T>(const BoundMatrices<T>& views) {
            writer.add("upper", fileMatrix<T>(views.upper));
            if (views.hasLower()) writer.add("lower", fileMatrix<T>(views.lower));
        },
        matrices);
    if (!atomNames.empty()) writer.add("atoms", std::vector<std::string>(atomNames.begin(), atomNames.end()));
    writer.write(npz);
}

storage::ExpectedFile expectedFile(const std::filesystem::path& path, bool isTable,
                                   const AnyBoundMatrices& matrices, std::span<const std::string> atomNames) {
    const auto n = static_cast<double>(atomCount(matrices));
    const storage::NameCharacters names(atomNames);
    if (isTable) {
        // "1,2,0,0\n"; a number has 24 characters at most, and the names of a field are quoted.
        constexpr double kShortest = 8, kLongest = 4 * 24 + 12;
        const double pairs = n * (n - 1) / 2;
        return {path, pairs * kShortest, pairs * kLongest + 2 * n * names.least};
    }
    const std::size_t bytes = numberFormat(matrices) == NumberFormat::Float32 ? 4 : 8;
    const bool hasLower = std::visit([](const auto& views) { return views.hasLower(); }, matrices);
    const double least = (hasLower ? 2.0 : 1.0) * n * n * static_cast<double>(bytes);
    // Names take four bytes per character of the longest.
    constexpr double kHeads = 4096;
    return {path, least, least + kHeads + 4 * n * names.longest};
}

void writeBoundsTable(const std::filesystem::path& path, const AnyBoundMatrices& matrices,
                      std::span<const std::string> atomNames, char separator) {
    io::BufferedText table(path);
    const auto add = [&table, separator](std::string_view field) {
        table.text() += separator;
        if (separator == ',')
            io::appendCsvField(table.text(), field);
        else
            io::appendTsvField(table.text(), field);
    };
    table.text() = "i";
    add("j");
    if (!atomNames.empty()) {
        add("atom_i");
        add("atom_j");
    }
    add("lower");
    add("upper");
    table.endLine();
    std::visit(
        [&](const auto& views) {
            for (std::size_t i = 0; i < views.atoms(); ++i)
                for (std::size_t j = i + 1; j < views.atoms(); ++j) {
                    const auto line = std::back_inserter(table.text());
                    fmt::format_to(line, "{}{}{}", i + 1, separator, j + 1);
                    if (!atomNames.empty()) {
                        add(atomNames[i]);
                        add(atomNames[j]);
                    }
                    const double lower = views.hasLower() ? toAngstrom(views.lower(i, j)) : 0;
                    fmt::format_to(line, "{}{}{}{}", separator, lower, separator,
                                   angstromOrInfinity(views.upper(i, j)));
                    table.endLine();
                }
        },
        matrices);
    table.commit();
}

namespace {

/// An atom's residue: "A", 52 of "A/LYS52/CA"; "", 52 of "LYS52/CA". Nothing for other names.
std::optional<std::pair<std::string_view, int>> residueOf(std::string_view atom) {
    const std::size_t end = atom.rfind('/');
    if (end == atom.npos) return std::nullopt;
    // Without a chain where the file names none.
    const std::size_t begin = atom.find('/') + 1;
    const std::string_view chain = begin > end ? "" : atom.substr(0, begin - 1);
    const std::string_view residue = begin > end ? atom.substr(0, end) : atom.substr(begin, end - begin);
    int number = 0;
    // After the name, and before an insertion code.
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t last = residue.find_last_of(kDigits);
    if (last == residue.npos) return std::nullopt;
    std::size_t digits = residue.find_last_not_of(kDigits, last) + 1;
    if (digits > 0 && residue[digits - 1] == '-') --digits;
    const auto [stop, error] = std::from_chars(residue.data() + digits, residue.data() + last + 1, number);
    if (error != std::errc()) return std::nullopt;
    return std::pair(chain, number);
}

/// Marks at residues with round numbers, "A 20" where there are several chains, and lines between chains.
std::vector<picture::AxisMark> residueMarks(std::span<const std::string> atoms) {
    std::vector<std::pair<std::string_view, int>> residues;
    for (const std::string& atom : atoms)
        if (const auto residue = residueOf(atom))
            residues.push_back(*residue);
        else
            return {};
    std::size_t count = 0;
    for (std::size_t a = 1; a < residues.size(); ++a) count += residues[a] != residues[a - 1] ? 1 : 0;
    const int step = count < 15    ? 1
                     : count < 40  ? 5
                     : count < 80  ? 10
                     : count < 250 ? 20
                     : count < 400 ? 50
                                   : 100;
    const bool hasChains = !residues.empty() && residues.front().first != residues.back().first;
    std::vector<picture::AxisMark> marks;
    for (std::size_t a = 0; a < residues.size(); ++a) {
        const auto& [chain, number] = residues[a];
        if (a > 0 && residues[a] == residues[a - 1]) continue;
        const bool begins = hasChains && a > 0 && chain != residues[a - 1].first;
        const bool isMarked = number % step == 0 || (hasChains && (a == 0 || begins));
        if (!isMarked) continue;
        marks.push_back(
            {a, hasChains ? fmt::format("{} {}", chain, number) : fmt::format("{}", number), begins});
    }
    return marks;
}

}  // namespace

std::vector<picture::HeatMapPanel> boundPanels(std::string_view when, const AnyBoundMatrices& matrices,
                                               std::span<const std::string> atomNames) {
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& views) {
            std::vector<picture::HeatMapPanel> panels;
            const auto add = [&](std::string_view kind, MatrixView<T> matrix) {
                panels.push_back(picture::makeHeatMapPanel(
                    fmt::format("{} bounds {}", kind, when), matrix.rows(), matrix.columns(),
                    [matrix](std::size_t row, float* values) {
                        std::transform(matrix.row(row), matrix.row(row) + matrix.columns(), values,
                                       [](T bound) { return static_cast<float>(angstromOrInfinity(bound)); });
                    }));
                panels.back().marks = residueMarks(atomNames);
            };
            add("Upper", views.upper);
            if (views.hasLower()) add("Lower", views.lower);
            return panels;
        },
        matrices);
}

picture::HeatMapPanel differencePanel(const AnyBoundMatrices& matrices,
                                      std::span<const std::string> atomNames) {
    picture::HeatMapPanel panel = std::visit(
        [&]<class T>(const BoundMatrices<T>& views) {
            const std::size_t n = views.upper.rows();
            return picture::makeHeatMapPanel(
                "Upper - lower bounds", n, n, [&](std::size_t row, float* values) {
                    for (std::size_t j = 0; j < n; ++j) {
                        const double lower = views.hasLower() ? toAngstrom(views.lower(row, j)) : 0;
                        values[j] = static_cast<float>(angstromOrInfinity(views.upper(row, j)) - lower);
                    }
                });
        },
        matrices);
    panel.marks = residueMarks(atomNames);
    return panel;
}

void writeViolations(const std::filesystem::path& tsv, std::span<const Violation> violations,
                     std::span<const std::string> atomNames) {
    io::BufferedText table(tsv);
    table.text() = heading('i', 'j', !atomNames.empty()) + "lower\tupper\texcess";
    table.endLine();
    for (const Violation& violation : violations) {
        appendPair(table.text(), violation.i, violation.j, atomNames);
        fmt::format_to(std::back_inserter(table.text()), "{}\t{}\t{}", violation.lower, violation.upper,
                       violation.excess());
        table.endLine();
    }
    table.commit();
}

void writeContradictions(const std::filesystem::path& tsv, std::span<const Contradiction> contradictions,
                         std::span<const std::string> atomNames) {
    io::BufferedText table(tsv);
    table.text() = heading('p', 'q', !atomNames.empty()) + "lower\tupper_sum\tshort_by\tpairs\tpath\t" +
                   (atomNames.empty() ? "" : "path_atoms\t") + "upper_inputs";
    table.endLine();
    for (const Contradiction& contradiction : contradictions) {
        appendPair(table.text(), contradiction.p, contradiction.q, atomNames);
        std::vector<std::size_t> path;
        std::vector<std::string> names;
        for (const std::size_t atom : contradiction.upperPath) {
            path.push_back(atom + 1);
            if (!atomNames.empty()) names.push_back(inList(atomNames[atom]));
        }
        const auto end = std::back_inserter(table.text());
        fmt::format_to(end, "{}\t{}\t{}\t{}\t{}\t", contradiction.lowerInput, contradiction.upperSum,
                       contradiction.lowerInput - contradiction.upperSum, contradiction.explainedPairs,
                       fmt::join(path, ","));
        if (!atomNames.empty()) {
            io::appendTsvField(table.text(), fmt::to_string(fmt::join(names, ",")));
            table.text() += '\t';
        }
        fmt::format_to(end, "{}", fmt::join(contradiction.upperInputs, ","));
        table.endLine();
    }
    table.commit();
}

}  // namespace glycine::bounds
