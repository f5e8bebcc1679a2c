#include "engine/distance/results/result_plink.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/pairs/files/pair_rows.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

namespace {

char* writeText(char* out, std::string_view text) {
    return std::copy(text.begin(), text.end(), out);
}

char* writeWhole(char* out, std::int64_t value) {
    return std::to_chars(out, out + io::kNumberChars, value).ptr;
}

/// To the nearest whole number; to the even one where the middle is nearer than 5·10⁻⁹.
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

/// Below `kCarry`·10^k, a number rounds to less than 10^(k+1). (It is a trifle below 9.999995, so that no
/// number can round up after it was taken for smaller.)
constexpr double kCarry = 9.9999949999999;
constexpr double kTens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/// Outside of [10⁻⁴, 10⁶): scaled into [1, 10) by powers of ten whose exponents halve.
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

/// The last `count` of six digits, without the zeros at their end.
char* writeDigits(char* out, std::uint32_t digits, int count) {
    for (int i = count; i-- > 0; digits /= 10) out[i] = static_cast<char>('0' + digits % 10);
    while (count > 0 && out[count - 1] == '0') --count;
    return out + count;
}

/// The digits with a point after the first `whole` of them.
char* writePointed(char* out, std::uint32_t digits, int whole) {
    const auto unit = static_cast<std::uint32_t>(kTens[6 - whole]);
    out = writeWhole(out, digits / unit);
    if (digits % unit == 0) return out;
    *out++ = '.';
    return writeDigits(out, digits % unit, 6 - whole);
}

/// What is read of each row.
pairs::StoreLayout rowsOf(Shape shape) {
    return shape == Shape::Square ? pairs::StoreLayout::Square : pairs::StoreLayout::Triangle;
}

/// Family and individual identifiers, a line an instance.
std::vector<std::string> idLines(const std::filesystem::path& path, const ResultLabels& labels) {
    std::vector<std::string> lines;
    // White space within an identifier would make it two.
    constexpr std::string_view kWhite = " \t\r\n\v\f";
    for (const auto& [family, individual] : labels.familyIds)
        lines.push_back(pairs::nameWithout(kWhite, family) + '\t' + pairs::nameWithout(kWhite, individual));
    return pairs::namesWithout("\n", lines, path);
}

void writeIds(storage::AtomicFile& file, const ResultLabels& labels) {
    for (const std::string& line : idLines(file.target(), labels)) file.write(line + '\n');
}

template <class T>
void appendBytes(std::string& text, T value) {
    // PLINK's undefined values come from 0/0 on x86, which sets the sign.
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr T kUndefined = std::bit_cast<T>(sizeof(T) == 8 ? Bits(0xfff8000000000000) : Bits(0xffc00000));
    if (std::isnan(value)) value = kUndefined;
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T>
void writeBinaryRows(storage::AtomicFile& file, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    pairs::writeRows(file, result.store, rowsOf(shape), result.progress,
                     [&](std::size_t row, const double* values, std::string& text) {
                         for (std::size_t j = 0; j < (shape == Shape::Square ? n : row); ++j)
                             appendBytes(text, static_cast<T>(values[j]));
                         if (shape == Shape::SquareZero) text.append((n - row) * sizeof(T), '\0');
                     });
}

/// Writes both files; neither appears without the other being complete.
template <class WriteMatrix>
void writeWithIds(const std::filesystem::path& path, ResultFormat format, const ResultParts& result,
                  const WriteMatrix& writeMatrix) {
    const std::vector<std::filesystem::path> paths = resultFiles(path, format);
    storage::AtomicFile matrix(paths[0]);
    storage::AtomicFile ids(paths[1]);
    writeIds(ids, result.labels);
    writeMatrix(matrix);
    matrix.commit();
    ids.commit();
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
    out = writeText(out, std::string_view("0.000").substr(0, static_cast<std::size_t>(1 - six.power)));
    return writeDigits(out, six.digits, 6);
}

void checkPlinkIds(const std::filesystem::path& path, const ResultLabels& labels) {
    static_cast<void>(idLines(path, labels));
}

void writePlinkText(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    const bool isSimilarity = result.labels.measure == Measure::Ibs;
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

}  // namespace glycine::distance
