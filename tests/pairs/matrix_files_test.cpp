#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/progress.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::pairs {
namespace {

/// Names that a reader of tables could misunderstand.
const std::vector<std::string> kNames{"a;b", "a\"b", "\"c\"", " d", "e ", "f,g", "\"", "h'i", "5\" end;"};

void fillWithNumbers(PairStore& store) {
    const std::size_t n = store.instances();
    Matrix<double> values(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) values(i, j) = values(j, i) = static_cast<double>(10 * i + j);
    store.store({{0, n}, {0, n}}, std::as_const(values).view());
}

TEST(MatrixFiles, TablesAreReadBackWhateverTheNamesAre) {
    const test::TemporaryFolder folder;
    for (const StoreLayout part : {StoreLayout::Square, StoreLayout::Triangle}) {
        PairStore store({.layout = {kNames.size(), part}});
        fillWithNumbers(store);
        const PairFile file{store, kNames, silentProgress()};
        writeCsv(folder / "m.csv", file, part);
        writeTsv(folder / "m.tsv", file, part);
        for (const char* name : {"m.csv", "m.tsv"}) {
            MatrixReader reader(folder / name);
            EXPECT_EQ(reader.head().names, kNames) << name;
            PairStore read({.layout = {kNames.size(), StoreLayout::Triangle}});
            reader.read(kNames.size(), read, silentProgress());
            for (std::size_t i = 0; i < kNames.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(read.value(i, j), store.value(i, j));
        }
    }
}

}  // namespace
}  // namespace glycine::pairs
