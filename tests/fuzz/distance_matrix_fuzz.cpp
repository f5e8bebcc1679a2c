#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

using namespace glycine;

/// Requires finite, non-negative distances.
class FiniteTiles final : public pairs::PairSink {
  public:
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override {
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
            for (std::size_t column = tile.columns.begin; column < tile.columns.end && column < row;
                 ++column) {
                const double value = values(row - tile.rows.begin, column - tile.columns.begin);
                if (!std::isfinite(value) || value < 0) std::abort();
            }
    }
};

}  // namespace

/// Any bytes, read as PHYLIP distances, either give tiles of distances, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::FuzzFile file("fuzz.dst");
    file.fill(data, size);
    try {
        pairs::MatrixReader reader(file.path());
        FiniteTiles tiles;
        Progress progress;
        reader.read(2, tiles, progress);
        for (const std::string& name : reader.head().names)
            if (name.empty()) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
