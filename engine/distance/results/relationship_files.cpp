#include "engine/distance/results/relationship_files.hpp"

#include "engine/pairs/files/pair_rows.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

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
    for (const Range rows : splitRange(n, pairs::rowsAtOnce(n))) {
        Matrix<float> inCommon(rows.size(), rows.end);
        countInCommon(rows, inCommon.view());
        for (std::size_t i = 0; i < rows.size(); ++i)
            counts.write(inCommon.row(i), (rows.begin + i + 1) * sizeof(float));
        progress.advance(static_cast<double>(rows.size()));
    }
    writeIds(ids, labels);
    values.commit();
    counts.commit();
    ids.commit();
}

}  // namespace glycine::distance
