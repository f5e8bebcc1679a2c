#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/study/data_size.hpp"
#include "engine/core/progress.hpp"

namespace CLI {
class App;
}

namespace glycine::distance {

/// What is measured: generated data of some sizes, or a file.
struct BenchInputOptions {
    std::vector<DataSize> sizes{{112, 512}, {2000, 100000}};
    std::string kind = "genotypes";
    double missing = 0;
    std::uint64_t seed = 1;
    std::string file;
};

/// Adds --sizes, --data, --missing, --seed and --input; `options` must outlive the parsing.
void addBenchInputOptions(CLI::App& command, BenchInputOptions& options);

/// The data, one size at a time. Generated genotypes and sequences lie in memory as bit planes, so that
/// packing measures no random numbers.
class BenchInput {
  public:
    /// Checks what can be checked without work, and reads the file. Throws UsageError for options that
    /// exclude each other.
    BenchInput(const CLI::App& command, const BenchInputOptions& options);

    std::size_t sizeCount() const;
    /// Makes the data of one of the sizes, after the last one's are gone.
    void prepare(std::size_t size, Progress& progress);

    bool isCoordinates() const { return kind_ == DataKind::Coordinates; }
    DataView data() const { return set_.view(); }
    DataSize size() const { return {data().instances(), data().attributes()}; }
    std::string description() const;
    const std::vector<std::string>& notes() const { return set_.notes; }

  private:
    const BenchInputOptions& options_;
    DataKind kind_;
    DataSet set_;
};

}  // namespace glycine::distance
