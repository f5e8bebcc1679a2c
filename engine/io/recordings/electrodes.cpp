#include "engine/io/recordings/electrodes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "engine/core/text.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

namespace {

/// Rows by the letters before the number, in per cent of the way from nasion to inion. Names of a row's outer
/// electrodes have T instead of C.
constexpr std::pair<std::string_view, double> kRows[] = {
    {"n", 0},    {"nfp", 5},  {"fp", 10},  {"afp", 15}, {"af", 20},  {"aff", 25}, {"f", 30},
    {"ffc", 35}, {"fft", 35}, {"fc", 40},  {"ft", 40},  {"fcc", 45}, {"ftt", 45}, {"c", 50},
    {"t", 50},   {"ccp", 55}, {"ttp", 55}, {"cp", 60},  {"tp", 60},  {"cpp", 65}, {"tpp", 65},
    {"p", 70},   {"ppo", 75}, {"po", 80},  {"poo", 85}, {"o", 90},   {"oi", 95},  {"i", 100}};
constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {
    {"t3", "t7"}, {"t4", "t8"}, {"t5", "p7"}, {"t6", "p8"}, {"m1", "tp9"}, {"m2", "tp10"}};
constexpr std::pair<std::string_view, std::string_view> kTypeWords[] = {
    {"eog", "EOG"}, {"ecg", "ECG"}, {"ekg", "ECG"}, {"emg", "EMG"}};
constexpr double kStep = 18;  // degrees, 10 % of a half circle

/// Point on the unit sphere: `inclination` from the top, `azimuth` from the front to the right, in degrees.
Position onSphere(double inclination, double azimuth) {
    constexpr double kDegree = std::numbers::pi / 180;
    const double ring = std::sin(inclination * kDegree);
    return {ring * std::sin(azimuth * kDegree), ring * std::cos(azimuth * kDegree),
            std::cos(inclination * kDegree)};
}

/// Point on the circle through a row's outer electrodes and its middle one, at `share` of the way from the
/// middle.
Position onRow(double percent, double share) {
    const Position outer = onSphere(90 - kStep, percent * kStep / 10);
    const Position middle = onSphere(std::abs(percent - 50) * kStep / 10, percent < 50 ? 0 : 180);
    // In the circle's plane, the outer electrodes are at (±a, 0), the middle one at (0, h).
    const double a = outer[0], up = middle[2] - outer[2], ahead = middle[1] - outer[1];
    const double h = std::hypot(up, ahead);
    const double centre = (h * h - a * a) / (2 * h), radius = h - centre;
    const double angle = share * std::atan2(a, -centre);
    const double s = (centre + radius * std::cos(angle)) / h;
    return {radius * std::sin(angle), outer[1] + s * ahead, outer[2] + s * up};
}

/// Index of the last character that is no digit.
std::size_t lastNoDigit(std::string_view name) {
    return name.find_last_not_of("0123456789");
}

double distance(const Position& a, const Position& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Centre of the best-fitting sphere, |p|² = 2 c·p + k by least squares; the origin if there is none.
Position middleOf(std::span<const Position> places) {
    double system[4][5] = {};
    for (const Position& p : places) {
        const double row[4] = {2 * p[0], 2 * p[1], 2 * p[2], 1};
        const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) system[i][j] += row[i] * row[j];
            system[i][4] += row[i] * square;
        }
    }
    for (int k = 0; k < 4; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 4; ++i)
            if (std::abs(system[i][k]) > std::abs(system[pivot][k])) pivot = i;
        std::swap(system[k], system[pivot]);
        if (!(std::abs(system[k][k]) > 1e-12 * std::abs(system[0][0]))) return {};
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            const double factor = system[i][k] / system[k][k];
            for (int j = k; j < 5; ++j) system[i][j] -= factor * system[k][j];
        }
    }
    return {system[0][4] / system[0][0], system[1][4] / system[1][1], system[2][4] / system[2][2]};
}

}  // namespace

std::optional<Position> standardPosition(std::string_view given) {
    std::string name = lowerCase(given);
    for (const auto& [old, today] : kOldNames)
        if (name == old) name = today;
    const bool isHalf = name.size() > 1 && name.back() == 'h';
    if (isHalf) name.pop_back();
    const std::size_t end = lastNoDigit(name);
    if (end == std::string::npos) return std::nullopt;
    const std::string digits = name.substr(end + 1);
    const bool isMiddle = digits.empty() && name.back() == 'z';
    if (isMiddle) name.pop_back();
    const std::string row = digits.empty() ? name : name.substr(0, end + 1);
    const auto* const found =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const auto& one) { return one.first == row; });
    if (found == std::end(kRows) || digits.size() > 2 || (!isMiddle && digits.empty()) ||
        (isMiddle && isHalf))
        return std::nullopt;
    const double percent = found->second;
    if (isMiddle) return onSphere(std::abs(percent - 50) * kStep / 10, percent < 50 ? 0 : 180);
    const int number = std::stoi(digits);
    if (number < 1 || number > 10) return std::nullopt;
    const double side = number % 2 == 1 ? -1 : 1;
    const double steps =
        (number + 1) / 2 - (isHalf ? 0.5 : 0);  // from the middle; the ring is the fourth step
    Position place;
    if (percent <= 10 || percent >= 90)  // rows that lie on a ring
        place = onSphere(percent == 10 || percent == 90 ? 90 - kStep : 90,
                         percent < 50 ? kStep * steps : 180 - kStep * steps);
    else if (steps <= 4)
        place = onRow(percent, steps / 4);
    else
        place = onSphere(90 - kStep * (5 - steps), percent * kStep / 10);
    place[0] *= side;
    return place;
}

std::string_view electrodeName(std::string_view label) {
    const std::string_view type = standardSignalType(label);
    if (!type.empty() && label.size() > type.size() + 1) label.remove_prefix(type.size() + 1);
    return label.substr(0, label.find_first_of("-. "));
}

std::vector<std::string_view> signalTypes(std::span<const std::string> labels) {
    const auto split = [](std::string_view label) {
        const std::string name = lowerCase(electrodeName(label));
        const std::size_t digits = lastNoDigit(name) + 1;
        return std::pair(name.substr(0, digits), name.substr(digits));
    };
    std::set<std::string> series;  // letters with numbers beyond the system's
    for (const std::string& label : labels)
        if (const auto [letters, number] = split(label);
            number.size() > 2 || (number.size() == 2 && number > "10"))
            series.insert(letters);
    std::vector<std::string_view> types;
    for (const std::string& label : labels) {
        const std::string letters = split(label).first;
        std::string_view type = standardSignalType(label);
        for (const auto& [word, meaning] : kTypeWords)
            if (type.empty() && letters == word) type = meaning;
        if (type.empty() && !series.contains(letters) && standardPosition(electrodeName(label))) type = "EEG";
        types.push_back(type);
    }
    return types;
}

std::vector<std::optional<Position>> headDirections(std::span<const std::string> names,
                                                    std::span<const std::optional<Position>> positions) {
    constexpr std::size_t kFewest = 4;
    std::vector<Position> known;
    for (const std::optional<Position>& position : positions)
        if (position) known.push_back(*position);
    const bool hasFilePositions = known.size() >= kFewest;
    const Position middle = hasFilePositions ? middleOf(known) : Position{};
    std::vector<std::optional<Position>> directions;
    for (std::size_t k = 0; k < names.size(); ++k) {
        std::optional<Position> place;
        if (hasFilePositions) {
            place = positions[k];
        } else {
            place = standardPosition(electrodeName(names[k]));
        }
        if (place) {
            const double length = distance(*place, middle);
            for (std::size_t axis = 0; axis < 3; ++axis)
                (*place)[axis] = ((*place)[axis] - middle[axis]) / length;
            if (!(length > 0)) place.reset();
        }
        directions.push_back(place);
    }
    return directions;
}

std::vector<std::vector<std::size_t>> spatialNeighbours(std::span<const std::optional<Position>> directions) {
    constexpr double kReach = 1.6;
    std::vector<double> nearest;
    for (std::size_t k = 0; k < directions.size(); ++k) {
        double least = HUGE_VAL;
        for (std::size_t other = 0; other < directions.size(); ++other)
            if (other != k && directions[k] && directions[other])
                least = std::min(least, distance(*directions[k], *directions[other]));
        if (std::isfinite(least)) nearest.push_back(least);
    }
    std::vector<std::vector<std::size_t>> neighbours(directions.size());
    if (nearest.empty()) return neighbours;
    const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::nth_element(nearest.begin(), middle, nearest.end());
    for (std::size_t k = 0; k < directions.size(); ++k)
        for (std::size_t other = 0; other < directions.size(); ++other)
            if (other != k && directions[k] && directions[other] &&
                distance(*directions[k], *directions[other]) <= kReach * *middle)
                neighbours[k].push_back(other);
    return neighbours;
}

}  // namespace glycine::io
