#include "engine/distance/results/distance_files.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/measures.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

struct ResultParts {
    const pairs::PairStore& store;
    const ResultLabels& labels;
    Progress& progress;
};

char* writeText(char* out, std::string_view text) {
    return std::copy(text.begin(), text.end(), out);
}

char* writeWhole(char* out, std::int64_t value) {
    return std::to_chars(out, out + io::kNumberChars, value).ptr;
}

/// Rounds to the nearest integer, and to the even one if the middle is nearer than 5·10⁻⁹.
std::uint32_t roundToEven(double value) {
    const auto floor = static_cast<std::uint32_t>(value);
    const double half = floor % 2 == 0 ? 0.499999995 : 0.500000005;
    return floor + static_cast<std::uint32_t>(value - floor + half);
}

/// Six significant digits, 100000 … 999999, of digits · 10^(power − 5).
struct SixDigits {
    std::uint32_t digits = 0;
    int power = 0;
};

/// Below `kCarry`·10^k, a number rounds to less than 10^(k+1). (It is slightly below 9.999995, so that no
/// number can round up after it was classified as smaller.)
constexpr double kCarry = 9.9999949999999;
constexpr double kTens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/// Outside [10⁻⁴, 10⁶): scales into [1, 10) by powers of ten with halving exponents.
SixDigits scaleFar(double value) {
    struct Step {
        int exponent;
        double up, down;
    };
    constexpr Step kSteps[] = {{256, 1e256, 1e-256}, {128, 1e128, 1e-128}, {64, 1e64, 1e-64},
                               {32, 1e32, 1e-32},    {16, 1e16, 1e-16},    {8, 1e8, 1e-8},
                               {4, 1e4, 1e-4},       {2, 1e2, 1e-2},       {1, 1e1, 1e-1}};
    int power = 0;
    for (const Step& step : kSteps) {
        if (value < kCarry * step.down) {
            value *= step.up;
            power -= step.exponent;
        } else if (value >= kCarry * 0.1 * step.up) {
            value *= step.down;
            power += step.exponent;
        }
    }
    return {roundToEven(value * 1e5), power};
}

SixDigits sixDigits(double value) {
    if (value < kCarry * 1e-5 || value >= kCarry * 1e5) return scaleFar(value);
    int power = 5;
    while (power > 0 && value < kCarry * kTens[power - 1]) --power;
    if (value >= kCarry * 0.1) return {roundToEven(value * kTens[5 - power]), power};
    double up = 1;
    for (power = -1; value * up < kCarry * 0.01; --power) up *= 10;
    return {roundToEven(value * up * 1e6), power};
}

/// Writes the last `count` of six digits, without trailing zeros. Changes up to eight bytes.
char* writeDigits(char* out, std::uint32_t digits, int count) {
    // Two digits in 16 bits, the first ones lowest; v / 10 is v · 103 / 1024 for v < 100.
    const std::uint64_t pairs =
        digits / 10000 | std::uint64_t{digits / 100 % 100} << 16 | std::uint64_t{digits % 100} << 32;
    const std::uint64_t tens = pairs * 103 >> 10 & 0x000f000f000fU;
    const std::uint64_t each = (tens | (pairs - 10 * tens) << 8) >> 8 * (6 - count);
    const std::uint64_t text = each | 0x303030303030U;
    std::memcpy(out, &text, sizeof(text));
    return out + (71 - std::countl_zero(each)) / 8;
}

/// Writes the digits with a point after the first `whole` of them.
char* writePointed(char* out, std::uint32_t digits, int whole) {
    const auto unit = static_cast<std::uint32_t>(kTens[6 - whole]);
    out = writeWhole(out, digits / unit);
    if (digits % unit == 0) return out;
    *out++ = '.';
    return writeDigits(out, digits % unit, 6 - whole);
}

/// The part of each row to read.
pairs::StoreLayout rowsOf(Shape shape) {
    return shape == Shape::Square ? pairs::StoreLayout::Square : pairs::StoreLayout::Triangle;
}

/// Family and individual identifiers, one line per instance.
std::vector<std::string> idLines(const std::filesystem::path& path, const ResultLabels& labels) {
    std::vector<std::string> lines;
    // White space within an identifier would split it in two.
    constexpr std::string_view kWhite = " \t\r\n\v\f";
    for (const auto& [family, individual] : labels.familyIds)
        lines.push_back(pairs::nameWithout(kWhite, family) + '\t' + pairs::nameWithout(kWhite, individual));
    return pairs::namesWithout("\n", lines, path);
}

}  // namespace

void writeIds(storage::AtomicFile& file, const ResultLabels& labels) {
    for (const std::string& line : idLines(file.target(), labels)) file.write(line + '\n');
}

namespace {

template <class T>
void appendBytes(std::string& text, T value) {
    // PLINK's undefined values come from 0/0 on x86, which sets the sign bit.
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr T kUndefined = std::bit_cast<T>(sizeof(T) == 8 ? Bits(0xfff8000000000000) : Bits(0xffc00000));
    if (std::isnan(value)) value = kUndefined;
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T>
void writeBinaryRows(storage::AtomicFile& file, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    const bool hasDiagonal = result.labels.measure == Measure::Grm;
    pairs::writeRows(file, result.store, rowsOf(shape), result.progress,
                     [&](std::size_t row, const double* values, std::string& text) {
                         const std::size_t end = shape == Shape::Square ? n : row + (hasDiagonal ? 1 : 0);
                         for (std::size_t j = 0; j < end; ++j) appendBytes(text, static_cast<T>(values[j]));
                         if (shape == Shape::SquareZero) text.append((n - end) * sizeof(T), '\0');
                     });
}

/// Writes both files; neither appears before both are complete.
template <class WriteMatrix>
void writeWithIds(const std::filesystem::path& path, ResultFormat format, const ResultParts& result,
                  const WriteMatrix& writeMatrix) {
    const std::vector<std::filesystem::path> paths = resultFiles(path, format);
    storage::AtomicFile matrix(paths[0]);
    storage::AtomicFile ids(paths[1]);
    writeIds(ids, result.labels);
    writeMatrix(matrix);
    storage::AtomicFile::commitTogether({&matrix, &ids});
}

}  // namespace

char* writePlinkNumber(char* out, double value) {
    if (std::isnan(value)) return writeText(out, "nan");
    if (value < 0) *out++ = '-';
    value = std::abs(value);
    if (value > std::numeric_limits<double>::max()) return writeText(out, "inf");
    if (value < 999999.5) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) return writeWhole(out, whole);
    }
    const SixDigits six = sixDigits(value);
    if (six.power < -4 || six.power > 5) {
        out = writePointed(out, six.digits, 1);
        return fmt::format_to(out, FMT_COMPILE("e{:+03d}"), six.power);
    }
    if (six.power >= 0) return writePointed(out, six.digits, six.power + 1);
    std::memcpy(out, "0.000000", 8);
    return writeDigits(out + 1 - six.power, six.digits, 6);
}

namespace {

/// Throws InputError for identifiers that the accompanying file `path` cannot hold.
void checkPlinkIds(const std::filesystem::path& path, const ResultLabels& labels) {
    static_cast<void>(idLines(path, labels));
}

/// Writes the same bytes as PLINK 1.9 --distance, with the identifiers in a second file. Text has six
/// significant digits; its triangle includes the diagonal for ibs and grm, but not for distances. Binary:
/// float32 from a float32 store, else float64. Of binary triangles only that of grm has the diagonal, and
/// that of square0 is 0 even for ibs. One difference is intentional: in a square of float32, the diagonal of
/// distances is 0, too, where PLINK 1.9 (bin4) repeats the value to its left. White space in identifiers
/// becomes '_'.
void writePlinkText(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    const bool isSimilarity = traitsOf(result.labels.measure).isSimilarity;
    writeWithIds(path, ResultFormat::PlinkText, result, [&](storage::AtomicFile& file) {
        pairs::writeRows(file, result.store, rowsOf(shape), result.progress,
                         [&](std::size_t row, const double* values, std::string& text) {
                             const std::size_t triangleEnd =
                                 isSimilarity || shape == Shape::SquareZero ? row + 1 : row;
                             const std::size_t end = shape == Shape::Square ? n : triangleEnd;
                             if (end == 0) return;
                             char number[io::kNumberChars + 1];
                             for (std::size_t j = 0; j < end; ++j) {
                                 char* const stop = writePlinkNumber(number, values[j]);
                                 *stop = '\t';
                                 text.append(number, stop + 1);
                             }
                             if (shape == Shape::SquareZero)
                                 for (std::size_t j = end; j < n; ++j) text.append("0\t");
                             text.back() = '\n';
                         });
    });
}

void writePlinkBinary(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    writeWithIds(path, ResultFormat::PlinkBinary, result, [&](storage::AtomicFile& file) {
        if (result.store.valueType() == pairs::ValueType::Float32)
            writeBinaryRows<float>(file, result, shape);
        else
            writeBinaryRows<double>(file, result, shape);
    });
}

// ---- formats by the names of files

/// Whether the format may be compressed by gzip.
bool isText(ResultFormat format) {
    using enum ResultFormat;
    return format == Csv || format == Tsv || format == Phylip || format == PlinkText || isKinshipList(format);
}

const std::pair<std::string_view, ResultFormat>& endingOf(const fs::path& path) {
    // Endings of file names. A longer ending precedes its own suffixes.
    static constexpr std::pair<std::string_view, ResultFormat> kResultEndings[] = {
        {".npy", ResultFormat::Npy},
        {".npz", ResultFormat::Npz},
        {".csv", ResultFormat::Csv},
        {".kin0", ResultFormat::Kinship},
        {".relatives.tsv", ResultFormat::Relatives},
        {".tsv", ResultFormat::Tsv},
        {".phylip.dist", ResultFormat::Phylip},
        {".phylip", ResultFormat::Phylip},
        {".phy", ResultFormat::Phylip},
        {".dist", ResultFormat::PlinkText},
        {".mdist", ResultFormat::PlinkText},
        {".mibs", ResultFormat::PlinkText},
        {".dist.bin", ResultFormat::PlinkBinary},
        {".mdist.bin", ResultFormat::PlinkBinary},
        {".mibs.bin", ResultFormat::PlinkBinary},
        {".rel", ResultFormat::PlinkText},
        {".rel.bin", ResultFormat::PlinkBinary},
        {".grm.bin", ResultFormat::Grm},
    };
    // Standard output gets text.
    const std::string whole = storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.filename().string());
    const std::string_view name = withoutPacking(whole);
    for (const auto& ending : kResultEndings)
        if (name.ends_with(ending.first) && (name.size() == whole.size() || isText(ending.second)))
            return ending;
    throw UsageError(fmt::format(
        "{}: the ending stands for no result format; known: .npy, .npz, .csv, .tsv, .phy, "
        ".phylip, .phylip.dist, .dist, "
        ".mdist, .mibs, .rel, the same with .bin, .grm.bin, .kin0, .relatives.tsv, .png, .svg, .pdf",
        path.string()));
}

bool isPlink(ResultFormat format) {
    return format == ResultFormat::PlinkText || format == ResultFormat::PlinkBinary ||
           format == ResultFormat::Grm;
}

/// The file must hold what PLINK would write under this ending.
void checkPlinkMeasure(const fs::path& path, std::string_view ending, Measure measure) {
    const bool isIbsFile = ending.starts_with(".mibs");
    const bool isGrmFile = ending.starts_with(".rel") || ending.starts_with(".grm");
    const bool isProportionFile = ending.starts_with(".mdist");
    if (isIbsFile == (measure == Measure::Ibs) && isGrmFile == (measure == Measure::Grm) &&
        isProportionFile == (measure == Measure::OneMinusIbs))
        return;
    const std::string_view suitable = measure == Measure::Ibs           ? ".mibs"
                                      : measure == Measure::OneMinusIbs ? ".mdist"
                                      : measure == Measure::Grm         ? ".rel or .grm.bin"
                                                                        : ".dist";
    throw UsageError(
        fmt::format("{}: PLINK's {} files hold {}; the measure is '{}', for which the ending is {}",
                    path.string(), ending,
                    isIbsFile          ? "'ibs'"
                    : isGrmFile        ? "'grm'"
                    : isProportionFile ? "'1-ibs'"
                                       : "distances",
                    toString(measure), suitable));
}

Shape shapeOf(ResultFormat format, const ResultFileOptions& options) {
    return options.shape.value_or(format == ResultFormat::PlinkText ? Shape::Triangle : Shape::Square);
}

}  // namespace

ResultFormat resultFormat(const fs::path& path, const ResultFileOptions& options, Measure measure) {
    const auto& [ending, namedFormat] = endingOf(path);
    const ResultFormat format =
        namedFormat == ResultFormat::Tsv && options.molten ? ResultFormat::Molten : namedFormat;
    if (options.molten && format != ResultFormat::Molten)
        throw UsageError(fmt::format("{}: only .tsv files can be molten (a line per pair)", path.string()));
    if (options.maxDistance && format != ResultFormat::Molten)
        throw UsageError(fmt::format(
            "{}: only molten .tsv files can leave out pairs beyond a maximum distance", path.string()));
    const bool isSimilarity = traitsOf(measure).isSimilarity;
    if (options.maxDistance && isSimilarity)
        throw UsageError(fmt::format("{}: a maximum distance needs a distance; '{}' is a similarity",
                                     path.string(), toString(measure)));
    if (isKinshipList(format) && measure != Measure::King)
        throw UsageError(fmt::format("{}: {} files hold kinship; add --measure king", path.string(), ending));
    if (isPlink(format) && measure == Measure::King)
        throw UsageError(fmt::format("{}: kinship of pairs is written as .kin0 (PLINK 2) or .relatives.tsv",
                                     path.string()));
    if (options.shape == Shape::SquareZero && !isPlink(format))
        throw UsageError(fmt::format(
            "{}: square0 (zeros above the diagonal) is a shape of PLINK's files only; use square or triangle",
            path.string()));
    if (isPlink(format)) checkPlinkMeasure(path, ending, measure);
    if (format == ResultFormat::Phylip && isSimilarity)
        throw UsageError(fmt::format("{}: PHYLIP files hold distances; '{}' is a similarity (use '1-ibs')",
                                     path.string(), toString(measure)));
    return format;
}

pairs::MoltenOptions moltenOptions(const ResultFileOptions& options, Measure measure) {
    const bool isSimilarity = traitsOf(measure).isSimilarity;
    return {.largest = options.maxDistance,
            .hasHeader = options.hasHeader,
            .isSorted = options.isSorted,
            .isSimilarity = isSimilarity,
            .quantity = isSimilarity ? toString(measure) : "distance"};
}

pairs::StoreLayout suitableLayout(ResultFormat format, const ResultFileOptions& options) {
    if (format == ResultFormat::Grm || format == ResultFormat::Coordinates || format == ResultFormat::Tree)
        return pairs::StoreLayout::Triangle;
    if (shapeOf(format, options) == Shape::Square) return pairs::StoreLayout::Square;
    const bool isArray = format == ResultFormat::Npy || format == ResultFormat::Npz;
    return isArray ? pairs::StoreLayout::Condensed : pairs::StoreLayout::Triangle;
}

std::vector<fs::path> resultFiles(const fs::path& path, ResultFormat format) {
    if (format == ResultFormat::Npy) return {path, io::npyNamesFile(path)};
    if (!isPlink(format)) return {path};
    fs::path ids = path;
    if (lowerCase(path.extension().string()) == ".gz") ids.replace_extension();
    if (format == ResultFormat::Grm) {
        const fs::path base = ids.replace_extension();
        return {path, fs::path(base) += ".N.bin", fs::path(base) += ".id"};
    }
    if (format == ResultFormat::PlinkBinary) ids.replace_extension();
    return {path, ids += ".id"};
}

void checkLabels(const fs::path& path, ResultFormat format, const ResultLabels& labels) {
    if (format == ResultFormat::Tsv || format == ResultFormat::Molten)
        pairs::checkTsvNames(path, labels.names);
    if (format == ResultFormat::Phylip) pairs::checkPhylipNames(path, labels.names);
    if (isPlink(format)) checkPlinkIds(resultFiles(path, format).back(), labels);
}

void writeResult(const fs::path& path, ResultFormat format, const pairs::PairStore& store,
                 const ResultLabels& labels, const ResultFileOptions& options, Progress& progress) {
    const pairs::PairFile file{store, labels.names, progress};
    const ResultParts plink{store, labels, progress};
    const Shape shape = shapeOf(format, options);
    const pairs::StoreLayout part = suitableLayout(format, options);
    switch (format) {
        case ResultFormat::Npy:
            return pairs::writeNpy(path, file, part);
        case ResultFormat::Npz:
            return pairs::writeNpz(path, file, part, {{"measure", std::string(toString(labels.measure))}});
        case ResultFormat::Csv:
            return pairs::writeCsv(path, file, part);
        case ResultFormat::Tsv:
            return pairs::writeTsv(path, file, part);
        case ResultFormat::Molten:
            if (options.nearest)
                return pairs::writeNearest(path, file, *options.nearest,
                                           moltenOptions(options, labels.measure));
            return pairs::writeMolten(path, file, part, moltenOptions(options, labels.measure));
        case ResultFormat::Phylip:
            return pairs::writePhylip(path, file, part);
        case ResultFormat::PlinkText:
            return writePlinkText(path, plink, shape);
        case ResultFormat::PlinkBinary:
            return writePlinkBinary(path, plink, shape);
        case ResultFormat::Grm:
        case ResultFormat::Coordinates:
        case ResultFormat::Tree:
        case ResultFormat::Kinship:
        case ResultFormat::Relatives:
        case ResultFormat::Clusters:
            throw std::logic_error("has a writer of its own");
    }
}

std::optional<storage::ExpectedFile> expectedFile(const fs::path& path, ResultFormat format,
                                                  const ResultFileOptions& options,
                                                  const pairs::ExpectedValues& values) {
    using pairs::MatrixFormat;
    constexpr double kLongestPlinkNumber = 13;
    const auto n = static_cast<double>(values.names.size());
    const double below = n * (n - 1) / 2;
    const double all = shapeOf(format, options) == Shape::Triangle ? below : n * n;
    const auto matrix = [&](MatrixFormat same) {
        const bool isTriangle = shapeOf(format, options) == Shape::Triangle;
        return pairs::expectedFile(
            path, same, isTriangle ? pairs::MatrixShape::Triangle : pairs::MatrixShape::Square, values);
    };
    storage::ExpectedFile file{path};
    switch (format) {
        case ResultFormat::Npy:
            return matrix(MatrixFormat::Npy);
        case ResultFormat::Npz:
            return matrix(MatrixFormat::Npz);
        case ResultFormat::Csv:
            return matrix(MatrixFormat::Csv);
        case ResultFormat::Tsv:
            return matrix(MatrixFormat::Tsv);
        case ResultFormat::Phylip:
            return matrix(MatrixFormat::Phylip);
        case ResultFormat::Molten:
            if (options.nearest || options.maxDistance || options.isSorted) return std::nullopt;
            return matrix(MatrixFormat::Molten);
        case ResultFormat::PlinkText:
            file.least = lowerCase(path.extension().string()) == ".gz" ? 0 : 2 * all;
            file.most = (all + n) * (1 + kLongestPlinkNumber);
            return file;
        case ResultFormat::PlinkBinary: {
            const double each = values.type == pairs::ValueType::Float32 ? sizeof(float) : sizeof(double);
            file.least = each * all;
            file.most = each * (all + n);  // a triangle of a similarity has the diagonal
            return file;
        }
        case ResultFormat::Grm:
            file.least = file.most = (below + n) * 2 * sizeof(float);
            return file;
        case ResultFormat::Coordinates:
        case ResultFormat::Tree:
        case ResultFormat::Kinship:
        case ResultFormat::Relatives:
        case ResultFormat::Clusters:
            break;
    }
    return std::nullopt;
}

void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                pairs::PairPicture picture, Progress& progress) {
    const MeasureTraits& traits = traitsOf(labels.measure);
    picture.quantity = std::string(traits.quantity);
    picture.instance = "instance";
    picture.isSimilarity = traits.isSimilarity;
    pairs::drawPairs(path, store, labels.names, picture, progress);
}

char* ShareTexts::write(char* out, std::uint32_t count, std::uint32_t all) {
    Entry& entry = entries_[count % kEntries];
    if (entry.count != count || entry.all != all) {
        entry.count = count;
        entry.all = all;
        entry.size = static_cast<std::size_t>(writePlinkNumber(entry.text, count / static_cast<double>(all)) -
                                              entry.text);
    }
    std::memcpy(out, entry.text, sizeof(entry.text));
    return out + entry.size;
}

KinshipTableFile::KinshipTableFile(const fs::path& path, const ResultLabels& labels, bool hasFamilies,
                                   double least)
    : file_(path),
      lines_(file_, labels.familyIds.size()),
      least_(least),
      rows_(pairs::kMaxWritingThreads),
      shares_(pairs::kMaxWritingThreads) {
    const std::string header = hasFamilies ? "#FID1\tIID1\tFID2\tIID2" : "#IID1\tIID2";
    file_.write(pairs::packedFor(path, header + "\tNSNP\tHETHET\tIBS0\tKINSHIP\n"));
    for (const auto& [family, individual] : labels.familyIds)
        samples_.push_back((hasFamilies ? family + '\t' : "") + individual + '\t');
}

void KinshipTableFile::add(const pairs::PairTile& tile, const KinshipRow& rowOf) {
    lines_.add(tile, [&](std::size_t row, std::size_t thread, std::string& text) {
        std::vector<KinshipPair>& found = rows_[thread];
        rowOf(row, found);
        const std::string& sample = samples_.at(tile.rows.begin + row);
        for (const KinshipPair& pair : found) {
            const double kinship = pair.kinship();
            if (kinship < least_) continue;
            char numbers[4 * (io::kNumberChars + 1)];
            char* end = writeWhole(numbers, pair.inCommon);
            for (const std::uint32_t count : {pair.hetHet, pair.ibs0}) {
                *end++ = '\t';
                end = shares_[thread].write(end, count, pair.inCommon);
            }
            *end++ = '\t';
            end = writePlinkNumber(end, kinship);
            *end++ = '\n';
            text.append(sample).append(samples_[pair.column]).append(numbers, end);
        }
    });
}

void KinshipTableFile::add(std::vector<KinshipPair>& pairs, std::size_t instances) {
    const auto placeOf = [](const KinshipPair& pair) { return std::pair(pair.row, pair.column); };
    std::ranges::sort(pairs, {}, placeOf);
    const Range all{0, instances};
    add({all, all}, [&pairs](std::size_t row, std::vector<KinshipPair>& ofRow) {
        const auto first = std::ranges::lower_bound(pairs, row, {}, &KinshipPair::row);
        ofRow.assign(first, std::ranges::upper_bound(pairs, row, {}, &KinshipPair::row));
    });
}

double KinshipTableFile::bytes(const ResultLabels& labels, std::size_t rows) {
    double names = 0;
    for (const auto& [family, individual] : labels.familyIds)
        names += static_cast<double>(family.size() + individual.size() + 2);
    constexpr double kNumbers = 40;
    const auto instances = static_cast<double>(labels.familyIds.size());
    return static_cast<double>(rows) * (2 * names + kNumbers * instances);
}

std::vector<KinshipPair> closestFirst(std::vector<KinshipPair> pairs) {
    std::erase_if(pairs, [](const KinshipPair& pair) { return !std::isfinite(pair.kinship()); });
    std::ranges::sort(pairs, {}, [](const KinshipPair& pair) {
        return std::tuple(-pair.kinship(), pair.row, pair.column);
    });
    return pairs;
}

void writeRelatives(const fs::path& path, std::vector<KinshipPair> pairs, const ResultLabels& labels) {
    pairs = closestFirst(std::move(pairs));
    const std::vector<std::string> names = pairs::namesWithout("\t\r\n", labels.names, path);
    storage::AtomicFile file(path);
    file.write(pairs::packedFor(path, "id1\tid2\tin_common\tibs0\tibs1\tibs2\thet_het\tkinship\tdegree\n"));
    constexpr std::size_t kLines = std::size_t{1} << 14;
    const std::vector<Range> pieces = splitRange(pairs.size(), kLines);
    pairs::writeInOrder(file, pieces.size(), [&](std::size_t piece, std::size_t, std::string& text) {
        for (std::size_t k = pieces[piece].begin; k < pieces[piece].end; ++k) {
            const KinshipPair& pair = pairs[k];
            fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6g}\t{}\n",
                           names.at(pair.column), names.at(pair.row), pair.inCommon, pair.ibs0, pair.ibs1,
                           pair.ibs2(), pair.hetHet, pair.kinship(), toString(degreeOf(pair.kinship())));
        }
    });
    file.commit();
}

void writeGrm(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
              const CountInCommon& countInCommon, Progress& progress) {
    const std::vector<std::filesystem::path> paths = resultFiles(path, ResultFormat::Grm);
    storage::AtomicFile values(paths[0]), counts(paths[1]), ids(paths[2]);
    const std::size_t n = store.instances();
    pairs::writeRows(values, store, pairs::StoreLayout::Triangle, progress,
                     [](std::size_t row, const double* numbers, std::string& text) {
                         const std::vector<float> line(numbers, numbers + row + 1);
                         text.append(reinterpret_cast<const char*>(line.data()), line.size() * sizeof(float));
                     });
    progress.begin("counting attributes in common", static_cast<double>(n));
    const pairs::RowBlocks blocks(n, 0);
    for (std::size_t block = 0; block < blocks.count(); ++block) {
        const Range rows = blocks[block];
        Matrix<float> inCommon(rows.size(), rows.end);
        countInCommon(rows, inCommon.view());
        for (std::size_t i = 0; i < rows.size(); ++i)
            counts.write(inCommon.row(i), (rows.begin + i + 1) * sizeof(float));
        progress.advance(static_cast<double>(rows.size()));
    }
    writeIds(ids, labels);
    storage::AtomicFile::commitTogether({&values, &counts, &ids});
}

}  // namespace glycine::distance
