#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/mutualinfo/input/gene_lists.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

using namespace glycine;

/// Requires information that is finite and not negative, or unknown.
class CheckedTiles final : public pairs::PairSink {
  public:
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override {
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
            for (std::size_t column = tile.columns.begin; column < tile.columns.end && column < row;
                 ++column) {
                const double value = values(row - tile.rows.begin, column - tile.columns.begin);
                if (value < 0 || std::isinf(value)) std::abort();
            }
    }
};

}  // namespace

/// Any matrix of mutual information gives tiles of valid information, any list of regulators or of true edges
/// gives pairs of known genes, or else an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::FuzzFile table("fuzz.tsv");
    static const test::FuzzFile array("fuzz.npy");
    // The length selects the format, so that the bytes are read once.
    const test::FuzzFile& file = size % 4 == 1 ? array : table;
    file.fill(data, size);
    const std::vector<std::string> genes{"a", "b", "c"};
    try {
        if (size % 4 < 2) {
            pairs::MatrixReader reader = mutualinfo::informationMatrix(file.path());
            CheckedTiles tiles;
            Progress progress;
            reader.read(2, tiles, progress);
            for (const std::string& name : reader.head().names)
                if (name.empty()) std::abort();
        } else if (size % 4 == 2) {
            if (mutualinfo::readRegulators(file.path(), genes).known == 0) std::abort();
        } else {
            for (const auto& [high, low] : mutualinfo::readTruth(file.path(), genes).pairs)
                if (high >= genes.size() || low >= high) std::abort();
        }
    } catch (const InputError&) {
    }
    return 0;
}
