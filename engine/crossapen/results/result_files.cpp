#include "engine/crossapen/results/result_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/header_text.hpp"
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
    // The only column of a measure of single channels stands for the channel itself.
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

}  // namespace

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

    // The name of a file may be any bytes; NumPy's text is Unicode.
    std::vector<std::string> lines{fmt::format("file: {}", io::printable(subject.name))};
    for (const auto& [name, value] : parameters)
        lines.push_back(fmt::format("{}: {}", name, io::printable(value)));
    archive.add("parameters", lines);
    archive.write(path);
}

void writeSubjectNpy(const std::filesystem::path& path, const SubjectEntropies& subject) {
    const EntropyMatrix& quantity = subject.quantities.front();
    io::writeNpy(path, quantity.epochs.empty() ? io::npyMatrixSource<double>(quantity.mean.view())
                                               : stackOf(quantity.epochs));
    io::writeNpyNames(path, subject.channels,
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

}  // namespace glycine::crossapen
