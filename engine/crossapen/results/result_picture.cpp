#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/crossapen/results/result_files.hpp"

namespace glycine::crossapen {

namespace {

/// picture::writeHeatMaps or checkHeatMaps.
using Finish = void (*)(const std::filesystem::path& path, std::span<const picture::HeatMapSection> sections,
                        const picture::HeatMapPage& page);

void drawPairwise(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer, Finish finish) {
    std::size_t channels = 0;
    for (const SubjectEntropies& subject : subjects) channels = std::max(channels, subject.channels.size());
    const std::size_t perRow = panelsPerRow(subjects.size());
    const std::size_t side = plotSide(perRow, channels);
    ValueRange range;
    std::vector<picture::HeatMapPanel> panels;
    for (const SubjectEntropies& subject : subjects) {
        const Matrix<double>& mean = subject.quantities.front().mean;
        range.add(mean);
        panels.push_back(pairPanel(subject.name, mean.view(), subject.channels, side));
    }
    const picture::HeatMapSection section{panels, perRow,
                                          range.scale(subjects.front().quantities.front().label)};
    finish(path, {&section, 1}, pairPage(title, footer, side));
}

/// One row a subject, one column a channel that any of them has.
void drawChannelwise(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                     const std::string& title, const std::string& footer, Finish finish) {
    std::vector<std::string> channels;
    std::map<std::string_view, std::size_t> columns;
    for (const SubjectEntropies& subject : subjects)
        for (const std::string& channel : subject.channels)
            if (columns.try_emplace(channel, channels.size()).second) channels.push_back(channel);

    std::vector<std::string> files;
    Matrix<double> values(subjects.size(), channels.size(), std::numeric_limits<double>::quiet_NaN());
    ValueRange range;
    for (std::size_t row = 0; row < subjects.size(); ++row) {
        files.push_back(subjects[row].name);
        const Matrix<double>& mean = subjects[row].quantities.front().mean;
        range.add(mean);
        for (std::size_t k = 0; k < mean.rows(); ++k)
            values(row, columns[subjects[row].channels[k]]) = mean(k, 0);
    }
    std::vector<picture::HeatMapPanel> panels;
    panels.push_back(channelPanel("", values, files, channels));
    const picture::HeatMapSection section{panels, 1, range.scale(subjects.front().quantities.front().label)};
    finish(path, {&section, 1}, channelPage(title, footer, "file"));
}

void draw(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
          const std::string& title, const std::string& footer, Finish finish) {
    const bool isPairwise =
        std::all_of(subjects.begin(), subjects.end(),
                    [](const SubjectEntropies& subject) { return subject.quantities.front().isPairwise(); });
    (isPairwise ? drawPairwise : drawChannelwise)(path, subjects, title, footer, finish);
}

}  // namespace

void drawSubjects(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer) {
    draw(path, subjects, title, footer, picture::writeHeatMaps);
}

void checkPicture(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects) {
    draw(path, subjects, "", "", picture::checkHeatMaps);
}

}  // namespace glycine::crossapen
