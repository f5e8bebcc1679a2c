#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/results/result_files.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::crossapen {

namespace {

io::NpyMatrixSource stackOf(const std::vector<Matrix<double>>& matrices) {
    std::vector<MatrixView<const double>> views;
    for (const Matrix<double>& matrix : matrices) views.push_back(matrix.view());
    return io::npyStackSource<double>(std::move(views));
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
}

}  // namespace glycine::crossapen
