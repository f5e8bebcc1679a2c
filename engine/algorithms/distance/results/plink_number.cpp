#include "engine/algorithms/distance/results/plink_number.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

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

}  // namespace glycine::distance
