#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "engine/core/quantity.hpp"
#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/io/recordings/electrodes.hpp"
#include "engine/picture/scalp_map.hpp"

namespace glycine::crossapen {

namespace {

/// The most subjects in a picture; the archives have all.
constexpr std::size_t kMaxSubjects = 6;

/// Positions of sensors on a head seen from above. The equator is the head's circle, and angles from the top
/// are preserved.
struct Sensors {
    std::vector<std::size_t> channels;
    std::vector<picture::Point> places;

    explicit Sensors(const SignalSetShape& shape) {
        const auto directions = io::headDirections(shape.channels, shape.positions);
        for (std::size_t k = 0; k < directions.size(); ++k) {
            if (!directions[k]) continue;
            const auto& [x, y, z] = *directions[k];
            const double radius = std::acos(std::clamp(z, -1.0, 1.0)) / (std::numbers::pi / 2);
            const double ring = std::hypot(x, y);
            channels.push_back(k);
            places.push_back(ring > 0 ? picture::Point{x / ring * radius, y / ring * radius}
                                      : picture::Point{});
        }
    }
};

/// Mean over the partners of each sensor's channel, excluding itself, along the matrix's rows or columns.
std::vector<double> meansOf(const Matrix<double>& matrix, const Sensors& sensors, bool isOfRows) {
    std::vector<double> means;
    for (const std::size_t channel : sensors.channels) {
        double sum = 0, count = 0;
        for (std::size_t other = 0; other < matrix.rows(); ++other) {
            const double value = matrix.columns() == 1 ? matrix(channel, 0)
                                 : isOfRows            ? matrix(channel, other)
                                                       : matrix(other, channel);
            if (!std::isfinite(value) || (matrix.columns() > 1 && other == channel)) continue;
            sum += value;
            ++count;
        }
        means.push_back(sum / count);
    }
    return means;
}

bool hasValue(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

bool hasScalp(const SignalSetShape& shape) {
    constexpr std::size_t kFewest = 3;
    return Sensors(shape).channels.size() >= kFewest;
}

void drawScalp(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
               const std::string& title, const std::string& footer, const picture::ColorRange& range) {
    std::vector<picture::ScalpPanel> panels;
    const EntropyMatrix& first = subjects.front().quantities.front();
    const bool isOneSided = first.mean.columns() == 1 || first.isSymmetric;
    std::vector<double> all;
    for (const SubjectEntropies& subject : subjects.first(std::min(subjects.size(), kMaxSubjects))) {
        const Sensors sensors(subject);
        for (const bool isOfRows : {true, false}) {
            if (!isOfRows && isOneSided) continue;
            picture::ScalpPanel panel;
            panel.title = subject.name;
            panel.subtitle = first.mean.columns() == 1 ? ""
                             : isOneSided              ? "mean over all partners"
                             : isOfRows                ? "as templates, mean over all partners"
                                                       : "as partner, mean over all templates";
            panel.places = sensors.places;
            panel.values = meansOf(subject.quantities.front().mean, sensors, isOfRows);
            for (const std::size_t channel : sensors.channels)
                panel.names.emplace_back(io::electrodeName(subject.channels[channel]));
            if (!hasValue(panel.values)) continue;
            all.insert(all.end(), panel.values.begin(), panel.values.end());
            panels.push_back(std::move(panel));
        }
    }
    if (panels.empty()) return;
    picture::ScalpPage page{.title = title, .footer = {footer}, .valueLabel = first.label};
    std::tie(page.minimum, page.maximum) = range.endsOf(all);
    if (!(page.maximum > page.minimum)) page.maximum = page.minimum + 1;
    if (subjects.size() > kMaxSubjects)
        page.footer.insert(page.footer.begin(), fmt::format("the first {} of {}", kMaxSubjects,
                                                            formatCount(subjects.size(), "file")));
    page.panelsPerRow = isOneSided ? std::min<std::size_t>(3, panels.size()) : 2;
    picture::writeScalpMaps(path, panels, page);
}

}  // namespace glycine::crossapen
