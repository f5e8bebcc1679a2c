#include "engine/crossapen/results/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::crossapen {

namespace {

io::NpyMatrixSource stackOf(const std::vector<Matrix<double>>& matrices) {
    std::vector<MatrixView<const double>> views;
    for (const Matrix<double>& matrix : matrices) views.push_back(matrix.view());
    return io::npyStackSource<double>(std::move(views));
}

/// The fields that name a pair: file, templates, partner.
void appendPair(std::string& line, const SubjectEntropies& subject, std::size_t row, std::size_t column) {
    // The only column of a measure of single channels represents the channel itself.
    const bool isPair = subject.quantities.front().isPairwise();
    io::appendCsvField(line, subject.name);
    line += ',';
    io::appendCsvField(line, subject.channels[row]);
    line += ',';
    io::appendCsvField(line, subject.channels[isPair ? column : row]);
}

template <class Append>
void writePairs(io::BufferedText& file, const SubjectEntropies& subject, const std::string& epoch,
                const Append& appendValues) {
    const Matrix<double>& shape = subject.quantities.front().mean;
    for (std::size_t row = 0; row < shape.rows(); ++row)
        for (std::size_t column = 0; column < shape.columns(); ++column) {
            appendPair(file.text(), subject, row, column);
            file.text().append(",").append(epoch);
            for (const EntropyMatrix& quantity : subject.quantities)
                appendValues(file.text(), quantity, row, column);
            file.endLine();
        }
}

void writeMeans(io::BufferedText& file, const SubjectEntropies& subject) {
    writePairs(file, subject, "mean",
               [](std::string& line, const EntropyMatrix& quantity, std::size_t row, std::size_t column) {
                   line += ',';
                   io::appendShortest(line, quantity.mean(row, column));
                   line += ',';
                   io::appendShortest(line, quantity.deviation(row, column));
                   fmt::format_to(std::back_inserter(line), ",{}", quantity.epochsUsed(row, column));
               });
}

void writeEpoch(io::BufferedText& file, const SubjectEntropies& subject, std::size_t epoch) {
    writePairs(
        file, subject, std::to_string(subject.epochs[epoch].number),
        [epoch](std::string& line, const EntropyMatrix& quantity, std::size_t row, std::size_t column) {
            line += ',';
            if (!quantity.epochs.empty()) io::appendShortest(line, quantity.epochs[epoch](row, column));
            line += ",,";
        });
}

bool hasEpochs(const SubjectEntropies& subject) {
    for (const EntropyMatrix& quantity : subject.quantities)
        if (!quantity.epochs.empty()) return true;
    return false;
}

/// picture::writeHeatMaps or picture::checkHeatMaps.
using Finish = void (*)(const std::filesystem::path& path, std::span<const picture::HeatMapSection> sections,
                        const picture::HeatMapPage& page);

void drawPairwise(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer, const picture::ColorRange& range,
                  Finish finish) {
    std::size_t channels = 0;
    for (const SubjectEntropies& subject : subjects) channels = std::max(channels, subject.channels.size());
    const std::size_t perRow = panelsPerRow(subjects.size());
    const std::size_t side = plotSide(perRow, channels);
    EntropyScale entropies(range);
    std::vector<picture::HeatMapPanel> panels;
    for (const SubjectEntropies& subject : subjects) {
        const Matrix<double>& mean = subject.quantities.front().mean;
        entropies.add(mean);
        panels.push_back(pairPanel(subject.name, mean.view(), subject.channels, side));
    }
    const picture::HeatMapSection section{panels, perRow,
                                          entropies.heatMapScale(subjects.front().quantities.front().label)};
    finish(path, {&section, 1}, pairPage(title, footer, side));
}

/// One row per subject, one column per channel of any subject.
void drawChannelwise(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                     const std::string& title, const std::string& footer, const picture::ColorRange& range,
                     Finish finish) {
    std::vector<std::string> channels;
    std::map<std::string_view, std::size_t> columns;
    for (const SubjectEntropies& subject : subjects)
        for (const std::string& channel : subject.channels)
            if (columns.try_emplace(channel, channels.size()).second) channels.push_back(channel);

    std::vector<std::string> files;
    Matrix<double> values(subjects.size(), channels.size(), std::numeric_limits<double>::quiet_NaN());
    EntropyScale entropies(range);
    for (std::size_t row = 0; row < subjects.size(); ++row) {
        files.push_back(subjects[row].name);
        const Matrix<double>& mean = subjects[row].quantities.front().mean;
        entropies.add(mean);
        for (std::size_t k = 0; k < mean.rows(); ++k)
            values(row, columns[subjects[row].channels[k]]) = mean(k, 0);
    }
    std::vector<picture::HeatMapPanel> panels;
    panels.push_back(channelPanel("", values, files, channels));
    const picture::HeatMapSection section{panels, 1,
                                          entropies.heatMapScale(subjects.front().quantities.front().label)};
    finish(path, {&section, 1}, channelPage(title, footer, "file"));
}

void draw(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
          const std::string& title, const std::string& footer, const picture::ColorRange& range,
          Finish finish) {
    const bool isPairwise =
        std::all_of(subjects.begin(), subjects.end(),
                    [](const SubjectEntropies& subject) { return subject.quantities.front().isPairwise(); });
    (isPairwise ? drawPairwise : drawChannelwise)(path, subjects, title, footer, range, finish);
}

struct Element {
    std::size_t row = 0;
    std::size_t column = 0;
};

/// Summary of some elements of a matrix.
class ElementSummary {
  public:
    explicit ElementSummary(const Matrix<double>& matrix) : matrix_(matrix) {}

    void add(Element element) {
        const double value = matrix_(element.row, element.column);
        ++elements_;
        if (std::isnan(value)) {
            ++undefined_;
            return;
        }
        if (std::isinf(value)) ++infinite_;
        if (defined_++ == 0) smallest_ = largest_ = element;
        if (value < valueOf(smallest_)) smallest_ = element;
        if (value > valueOf(largest_)) largest_ = element;
        if (!std::isinf(value)) sum_ += value;
    }

    std::size_t elements() const { return elements_; }

    /// `place` describes an element as a JSON object.
    template <class Place>
    Json toJson(const char* counted, const Place& place) const {
        Json json{{counted, elements_}, {"undefined", undefined_}, {"infinite", infinite_}};
        const std::size_t finite = defined_ - infinite_;
        json["mean"] = finite > 0 ? Json(sum_ / static_cast<double>(finite)) : Json();
        json["smallest"] = defined_ > 0 ? describe(smallest_, place) : Json();
        json["largest"] = defined_ > 0 ? describe(largest_, place) : Json();
        return json;
    }

  private:
    double valueOf(Element element) const { return matrix_(element.row, element.column); }
    template <class Place>
    Json describe(Element element, const Place& place) const {
        Json json = place(element);
        json["value"] = valueOf(element);
        return json;
    }

    const Matrix<double>& matrix_;
    std::size_t elements_ = 0;
    std::size_t defined_ = 0;  ///< including infinite ones
    std::size_t undefined_ = 0;
    std::size_t infinite_ = 0;
    double sum_ = 0;
    Element smallest_;
    Element largest_;
};

/// Mean and largest |M − Mᵀ| over the pairs with a finite value in both directions; null without such pairs.
void addAsymmetry(Json& json, const Matrix<double>& matrix) {
    double sum = 0;
    double largest = 0;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double difference = std::abs(matrix(i, j) - matrix(j, i));
            if (!std::isfinite(difference)) continue;
            sum += difference;
            largest = std::max(largest, difference);
            ++pairs;
        }
    json["meanAsymmetry"] = pairs > 0 ? Json(sum / static_cast<double>(pairs)) : Json();
    json["largestAsymmetry"] = pairs > 0 ? Json(largest) : Json();
}

Json quantityJson(const EntropyMatrix& quantity, const std::vector<std::string>& channels) {
    ElementSummary pairs(quantity.mean);
    ElementSummary self(quantity.mean);
    for (std::size_t row = 0; row < quantity.mean.rows(); ++row)
        for (std::size_t column = 0; column < quantity.mean.columns(); ++column)
            (quantity.isPairwise() && row != column ? pairs : self).add({row, column});

    Json json{{"name", quantity.name}, {"label", quantity.label}};
    if (pairs.elements() > 0) {
        json["pairs"] = pairs.toJson("count", [&](Element element) {
            return Json{{"templates", channels[element.row]}, {"partner", channels[element.column]}};
        });
        addAsymmetry(json["pairs"], quantity.mean);
    }
    json["channelsWithThemselves"] = self.toJson("count", [&](Element element) {
        return Json{{"channel", channels[element.row]}};
    });
    return json;
}

Json originJson(const EpochOrigin& origin) {
    return {{"number", origin.number}, {"onset", origin.onset}};
}

/// One entry per channel and reason, with the affected epochs and the affected share of samples in each.
Json unusableJson(const SubjectEntropies& subject) {
    struct Epochs {
        Json numbers = Json::array();
        Json shares = Json::array();
    };
    std::map<std::pair<std::size_t, std::string>, Epochs> causes;
    for (const UnusableChannel& unusable : subject.unusable) {
        Epochs& epochs = causes[{unusable.channel, unusable.reason}];
        epochs.numbers.push_back(subject.epochs[unusable.epoch].number);
        epochs.shares.push_back(unusable.share);
    }
    Json json = Json::array();
    for (const auto& [cause, epochs] : causes)
        json.push_back({{"channel", subject.channels[cause.first]},
                        {"reason", cause.second},
                        {"epochs", epochs.numbers},
                        {"shares", epochs.shares}});
    return json;
}

// Characters of values in text: "0" and "-1.2345678901234567e-123".
constexpr double kShortest = 1, kLongest = 24;
/// Heads of NPY files; an archive names each twice.
constexpr double kHead = 512;

double matrixValues(const ExpectedSubject& subject) {
    return static_cast<double>(subject.shape.matrixValues());
}

}  // namespace

storage::ExpectedFile expectedNpz(const std::filesystem::path& path, const ExpectedSubject& subject) {
    const auto quantities = static_cast<double>(subject.shape.quantities);
    const auto epochs = static_cast<double>(subject.epochs);
    // Per element, mean and deviation are float64, the number of epochs is int32.
    double least = quantities * matrixValues(subject) * (8 + 8 + 4);
    if (subject.keepsEpochs) least += epochs * matrixValues(subject) * 8;
    // Names take four bytes per character of the longest.
    const double names =
        4 * static_cast<double>(subject.channels.size()) * storage::NameCharacters(subject.channels).longest;
    constexpr double kParameters = 65536;
    return {path, least, least + epochs * (4 + 8) + names + kParameters + (4 * quantities + 4) * kHead};
}

storage::ExpectedFile expectedNpy(const std::filesystem::path& path, const ExpectedSubject& subject) {
    const double matrices = subject.keepsEpochs ? static_cast<double>(subject.epochs) : 1;
    const double least = matrices * matrixValues(subject) * 8;
    return {path, least, least + kHead};
}

storage::ExpectedFile expectedLongCsv(const std::filesystem::path& path,
                                      std::span<const ExpectedSubject> subjects) {
    storage::ExpectedFile file{path};
    for (const Quantity& quantity : subjects.front().quantities)
        file.most += 3 * static_cast<double>(quantity.name.size() + 12);
    file.most += kHead;
    for (const ExpectedSubject& subject : subjects) {
        const double pairs = matrixValues(subject);
        const auto quantities = static_cast<double>(subject.shape.quantities);
        const auto epochs = subject.keepsEpochs ? static_cast<double>(subject.epochs) : 0;
        const storage::NameCharacters names(subject.channels);
        // Each channel is the templates' of a row and the partner of a column.
        const double perChannel =
            2 * pairs / static_cast<double>(std::max<std::size_t>(subject.channels.size(), 1));
        const auto name = static_cast<double>(subject.name.size());
        // Three commas, the epoch, and the end of the line; for each quantity three fields, which are empty
        // but for the first where they are those of an epoch.
        const double leastOfNames = pairs * name + perChannel * names.least;
        const double mostOfNames = pairs * (2 * name + 2) + perChannel * names.most;
        file.least += leastOfNames + pairs * (3 + 4 + 1 + quantities * 3 * (1 + kShortest));
        file.least += epochs * (leastOfNames + pairs * (3 + 1 + 1 + quantities * 3));
        file.most += mostOfNames + pairs * (3 + 4 + 1 + quantities * (3 + 2 * kLongest + 11));
        file.most += epochs * (mostOfNames + pairs * (3 + 20 + 1 + quantities * 3 + kLongest));
    }
    return file;
}

storage::ExpectedFile expectedSquareCsv(const std::filesystem::path& path, const ExpectedSubject& subject) {
    const double values = matrixValues(subject);
    const storage::NameCharacters names(subject.channels);
    return {
        path, names.least + values * (1 + kShortest),
        2 * names.most + values * (1 + kLongest) + 2 * static_cast<double>(subject.channels.size()) + kHead};
}

void writeSubjectNpz(const std::filesystem::path& path, const SubjectEntropies& subject,
                     const Parameters& parameters) {
    io::NpzWriter archive;
    for (const EntropyMatrix& quantity : subject.quantities) {
        archive.add(quantity.name, io::npyMatrixSource<double>(quantity.mean.view()));
        archive.add(quantity.name + "_sd", io::npyMatrixSource<double>(quantity.deviation.view()));
        archive.add(quantity.name + "_epochs_used",
                    io::npyMatrixSource<std::int32_t>(quantity.epochsUsed.view()));
        if (!quantity.epochs.empty()) archive.add(quantity.name + "_by_epoch", stackOf(quantity.epochs));
    }
    archive.add("channels", subject.channels);

    std::vector<std::int32_t> numbers;
    std::vector<double> onsets;
    for (const EpochOrigin& epoch : subject.epochs) {
        numbers.push_back(static_cast<std::int32_t>(epoch.number));
        onsets.push_back(epoch.onset);
    }
    archive.add("epoch_numbers", io::npyVectorSource<std::int32_t>(numbers));
    archive.add("epoch_onsets", io::npyVectorSource<double>(onsets));

    // A file name may contain any bytes; NumPy's text is Unicode.
    std::vector<std::string> lines{fmt::format("file: {}", io::printable(subject.name))};
    for (const auto& [name, value] : parameters)
        lines.push_back(fmt::format("{}: {}", name, io::printable(value)));
    archive.add("parameters", lines);
    archive.write(path);
}

void writeSubjectNpy(const std::filesystem::path& path, const SubjectEntropies& subject) {
    const EntropyMatrix& quantity = subject.quantities.front();
    io::writeNpy(path,
                 quantity.epochs.empty() ? io::npyMatrixSource<double>(quantity.mean.view())
                                         : stackOf(quantity.epochs),
                 subject.channels,
                 quantity.isPairwise() ? std::vector<std::string>() : std::vector{quantity.name});
}

void writeLongCsv(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects) {
    io::BufferedText file(path);
    file.text() += "file,templates,partner,epoch";
    for (const EntropyMatrix& quantity : subjects.front().quantities)
        fmt::format_to(std::back_inserter(file.text()), ",{0},{0}_sd,{0}_epochs", quantity.name);
    file.endLine();
    for (const SubjectEntropies& subject : subjects) {
        writeMeans(file, subject);
        if (!hasEpochs(subject)) continue;
        for (std::size_t epoch = 0; epoch < subject.epochs.size(); ++epoch) writeEpoch(file, subject, epoch);
    }
    file.commit();
}

void writeSquareCsv(const std::filesystem::path& path, const SubjectEntropies& subject) {
    const EntropyMatrix& quantity = subject.quantities.front();
    io::BufferedText file(path);
    for (std::size_t column = 0; column < quantity.mean.columns(); ++column) {
        file.text() += ',';
        io::appendCsvField(file.text(), quantity.isPairwise() ? subject.channels[column] : quantity.name);
    }
    file.endLine();
    for (std::size_t row = 0; row < quantity.mean.rows(); ++row) {
        io::appendCsvField(file.text(), subject.channels[row]);
        for (std::size_t column = 0; column < quantity.mean.columns(); ++column) {
            file.text() += ',';
            io::appendShortest(file.text(), quantity.mean(row, column));
        }
        file.endLine();
    }
    file.commit();
}

void drawSubjects(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects,
                  const std::string& title, const std::string& footer, const picture::ColorRange& range) {
    draw(path, subjects, title, footer, range, picture::writeHeatMaps);
}

void checkPicture(const std::filesystem::path& path, std::span<const SubjectEntropies> subjects) {
    draw(path, subjects, "", "", {}, picture::checkHeatMaps);
}

Json subjectJson(const SubjectEntropies& subject) {
    Json json{{"file", subject.name}, {"description", subject.description}, {"channels", subject.channels}};
    json["epochs"] = jsonArray(subject.epochs, originJson);
    json["skippedEpochs"] = jsonArray(subject.skipped, [](const SkippedEpoch& skipped) {
        Json epoch = originJson(skipped.origin);
        epoch["reason"] = skipped.reason;
        return epoch;
    });
    json["unusableChannels"] = unusableJson(subject);
    json["notes"] = subject.notes;
    json["quantities"] = jsonArray(subject.quantities, [&](const EntropyMatrix& quantity) {
        return quantityJson(quantity, subject.channels);
    });
    return json;
}

}  // namespace glycine::crossapen
