// AnnData and other HDF5 files, written here by the HDF5 library: dense and sparse, intact and damaged.
#include <hdf5.h>

#include "engine/core/host_memory.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/expression/hdf5_matrix.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

/// Writes an HDF5 file, object by object.
class Writer {
  public:
    explicit Writer(const std::filesystem::path& path)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
    Writer(const Writer&) = delete;
    ~Writer() { H5Fclose(file_); }

    void group(const std::string& name) const {
        H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    /// `chunk`: empty for contiguous storage, otherwise deflated chunks of this shape.
    void numbers(const std::string& name, const std::vector<double>& values,
                 const std::vector<hsize_t>& shape, hid_t type = H5T_IEEE_F64LE,
                 const std::vector<hsize_t>& chunk = {}) const {
        write(name, shape, type, H5T_NATIVE_DOUBLE, values.data(), chunk);
    }
    void wholeNumbers(const std::string& name, const std::vector<std::int64_t>& values,
                      hid_t type = H5T_STD_I32LE) const {
        wholeNumbers(name, values, {values.size()}, type);
    }
    void wholeNumbers(const std::string& name, const std::vector<std::int64_t>& values,
                      const std::vector<hsize_t>& shape, hid_t type) const {
        write(name, shape, type, H5T_NATIVE_INT64, values.data(), {});
    }
    /// `length`: common length of the texts; 0: variable length.
    void texts(const std::string& name, const std::vector<std::string>& values,
               std::size_t length = 0) const {
        const hid_t type = textType(length == 0 ? H5T_VARIABLE : length);
        std::vector<const char*> pointers;
        std::string fixed;
        for (const std::string& value : values) {
            pointers.push_back(value.c_str());
            std::string padded = value;
            padded.resize(length);
            fixed += padded;
        }
        write(name, {values.size()}, type, type,
              length == 0 ? static_cast<const void*>(pointers.data()) : fixed.data(), {});
        H5Tclose(type);
    }
    void attribute(const std::string& object, const std::string& name, const std::string& value) const {
        const hid_t type = textType(H5T_VARIABLE);
        const hid_t space = H5Screate(H5S_SCALAR);
        const char* pointer = value.c_str();
        writeAttribute(object, name, type, type, space, static_cast<const void*>(&pointer));
        H5Tclose(type);
    }
    void attribute(const std::string& object, const std::string& name,
                   const std::vector<std::int64_t>& values) const {
        const hsize_t count = values.size();
        writeAttribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, H5Screate_simple(1, &count, nullptr),
                       values.data());
    }
    /// Writes obs or var with its names.
    void table(const std::string& name, const std::vector<std::string>& names) const {
        group(name);
        attribute(name, "encoding-type", "dataframe");
        attribute(name, "_index", "_index");
        texts(name + "/_index", names);
    }
    void sparse(const std::string& name, const std::string& encoding, const std::vector<std::int64_t>& shape,
                const std::vector<double>& data, const std::vector<std::int64_t>& indices,
                const std::vector<std::int64_t>& begins) const {
        group(name);
        attribute(name, "encoding-type", encoding);
        attribute(name, "shape", shape);
        numbers(name + "/data", data, {data.size()}, H5T_IEEE_F32LE);
        wholeNumbers(name + "/indices", indices);
        wholeNumbers(name + "/indptr", begins);
    }
    hid_t id() const { return file_; }

  private:
    static hid_t textType(std::size_t length) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, length);
        H5Tset_cset(type, H5T_CSET_UTF8);
        return type;
    }
    void write(const std::string& name, const std::vector<hsize_t>& shape, hid_t type, hid_t memory,
               const void* values, const std::vector<hsize_t>& chunk) const {
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        if (!chunk.empty()) {
            H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
            H5Pset_deflate(how, 4);
        }
        const hid_t set = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        ASSERT_GE(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
        H5Dclose(set);
        H5Pclose(how);
        H5Sclose(space);
    }
    void writeAttribute(const std::string& object, const std::string& name, hid_t type, hid_t memory,
                        hid_t space, const void* value) const {
        const hid_t set = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT,
                                            H5P_DEFAULT, H5P_DEFAULT);
        ASSERT_GE(H5Awrite(set, memory, value), 0) << name;
        H5Aclose(set);
        H5Sclose(space);
    }

    hid_t file_;
};

class Hdf5Expressions : public testing::Test {
  protected:
    /// Writes three cells × four genes.
    void writeCells(const Writer& file) const {
        file.table("obs", {"cell1", "cell2", "cell3"});
        file.table("var", {"TP53", "MYC", "ß-Gen", "ACTB"});
    }
    std::string refusal(const ExpressionReading& reading = {}) const {
        return messageOf<InputError>([&] { readExpression(path(), reading); });
    }
    std::filesystem::path path() const { return folder_ / "x.h5ad"; }
    TemporaryFolder folder_;
};

std::vector<double> valuesOf(const ExpressionTable& table) {
    return {table.values.data(), table.values.data() + table.values.size()};
}

// Rows are cells.
const std::vector<double> kCells{1, 0, 2, 0, 0, 0, 3, 4, 5, 0, 0, 6};
// Rows are genes.
constexpr double kGenes[] = {1, 0, 5, 0, 0, 0, 2, 3, 0, 0, 4, 6};

TEST_F(Hdf5Expressions, DenseValuesOfAnyKindOfNumber) {
    for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I32LE, H5T_STD_U8LE, H5T_STD_I64BE}) {
        {
            const Writer file(path());
            writeCells(file);
            file.numbers("X", kCells, {3, 4}, type);
        }
        const ExpressionTable table = readExpression(path(), {});
        EXPECT_THAT(table.genes, ElementsAre("TP53", "MYC", "ß-Gen", "ACTB"));
        EXPECT_THAT(table.samples, ElementsAre("cell1", "cell2", "cell3"));
        EXPECT_THAT(valuesOf(table), ElementsAreArray(kGenes));
        EXPECT_EQ(table.description, "4 genes × 3 samples of x.h5ad");
        EXPECT_THAT(table.notes, ElementsAre("'X', dense"));
    }
}

TEST_F(Hdf5Expressions, SparseValuesByRowsAndByColumns) {
    {
        const Writer file(path());
        writeCells(file);
        file.sparse("X", "csr_matrix", {3, 4}, {1, 2, 4, 3, 5, 6}, {0, 2, 3, 2, 0, 3}, {0, 2, 4, 6});
        file.group("layers");
        file.sparse("layers/by columns", "csc_matrix", {3, 4}, {1, 5, 2, 3, 4, 6}, {0, 2, 0, 1, 1, 2},
                    {0, 2, 2, 4, 6});
    }
    const ExpressionTable rows = readExpression(path(), {});
    EXPECT_THAT(valuesOf(rows), ElementsAreArray(kGenes));
    EXPECT_THAT(rows.notes, ElementsAre("'X', CSR, 6 stored values"));
    const ExpressionTable columns = readExpression(path(), {.layer = "by columns"});
    EXPECT_THAT(valuesOf(columns), ElementsAreArray(kGenes));
    EXPECT_THAT(columns.notes, ElementsAre("'layers/by columns', CSC, 6 stored values"));
}

TEST_F(Hdf5Expressions, TheirSizeIsToldBeforeTheirValues) {
    {
        const Writer file(path());
        writeCells(file);
        std::vector<double> broken = kCells;
        broken.back() = INFINITY;
        file.numbers("X", broken, {3, 4});
    }
    ExpressionReading reading;
    std::vector<std::string> told;
    reading.sizeKnown = [&](const ExpressionSize& size) {
        told.push_back(size.words(false));
        EXPECT_EQ(size.held, 0);
        throw MemoryError("too much");
    };
    EXPECT_THROW(readExpression(path(), reading), MemoryError);
    std::filesystem::copy(path(), folder_ / "x.h5");
    reading.dataset = "X";
    EXPECT_THROW(readExpression(folder_ / "x.h5", reading), MemoryError);
    reading.transpose = true;
    EXPECT_THROW(readExpression(folder_ / "x.h5", reading), MemoryError);
    EXPECT_THAT(told, ElementsAre("4 genes in 3 samples", "3 genes in 4 samples", "4 genes in 3 samples"));
}

TEST_F(Hdf5Expressions, LayersAndRawValuesHaveTheirOwnGenes) {
    {
        const Writer file(path());
        writeCells(file);
        file.numbers("X", kCells, {3, 4});
        file.group("layers");
        std::vector<double> counts = kCells;
        for (double& count : counts) count *= 10;
        file.numbers("layers/counts", counts, {3, 4});
        file.group("raw");
        file.table("raw/var", {"a", "b"});
        file.numbers("raw/X", {1, 2, 3, 4, NAN, 6}, {3, 2});
    }
    EXPECT_EQ(readExpression(path(), {.layer = "counts"}).values(3, 2), 60);
    const ExpressionTable raw = readExpression(path(), {.layer = "raw"});
    EXPECT_THAT(raw.genes, ElementsAre("a", "b"));
    EXPECT_EQ(raw.values(1, 1), 4);
    EXPECT_EQ(raw.missing, 1U);
    EXPECT_THAT(refusal({.layer = "spliced"}), AllOf(HasSubstr("'spliced'"), HasSubstr("'counts', 'raw'")));
}

TEST_F(Hdf5Expressions, NamesOfOneLengthAndOfOlderFiles) {
    {
        const Writer file(path());
        for (const char* table : {"obs", "var"}) file.group(table);
        file.texts("obs/index", {"c1", "c22"}, 5);
        file.attribute("var", "_index", "symbol");
        file.texts("var/symbol", {"g1", "g1", "g2"}, 2);
        file.group("X");
        file.attribute("X", "h5sparse_format", "csr");
        file.attribute("X", "h5sparse_shape", std::vector<std::int64_t>{2, 3});
        file.numbers("X/data", {7, 8, 9}, {3});
        file.wholeNumbers("X/indices", {2, 0, 1}, H5T_STD_I64LE);
        file.wholeNumbers("X/indptr", {0, 1, 3}, H5T_STD_U32LE);
    }
    EXPECT_THAT(refusal(), AllOf(HasSubstr("element 0 of 'var/symbol' and element 1 of 'var/symbol'"),
                                 HasSubstr("'g1'"), HasSubstr("--duplicates")));
    const ExpressionTable table = readExpression(path(), {.duplicates = DuplicateRule::MaxVariance});
    EXPECT_THAT(table.genes, ElementsAre("g1", "g2"));
    EXPECT_THAT(table.samples, ElementsAre("c1", "c22"));
    EXPECT_THAT(valuesOf(table), ElementsAre(0, 9, 7, 0));
}

/// Matrices larger than the blocks read at once, in chunks that do not divide them.
TEST_F(Hdf5Expressions, BlocksOfLargeMatricesAreOneMatrix) {
    constexpr std::size_t kRows = 1507, kColumns = 1613;
    RandomSequence random(1);
    std::vector<double> dense(kRows * kColumns, 0.0), data, dataByColumns;
    std::vector<std::int64_t> indices, begins{0}, indicesByColumns, beginsByColumns{0};
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t k = 0; k < kColumns; ++k) {
            if (random.below(3) != 0) continue;
            dense[i * kColumns + k] = static_cast<double>(1 + random.below(1000));
            data.push_back(dense[i * kColumns + k]);
            indices.push_back(static_cast<std::int64_t>(k));
        }
        begins.push_back(static_cast<std::int64_t>(data.size()));
    }
    for (std::size_t k = 0; k < kColumns; ++k) {
        for (std::size_t i = 0; i < kRows; ++i)
            if (dense[i * kColumns + k] != 0) {
                dataByColumns.push_back(dense[i * kColumns + k]);
                indicesByColumns.push_back(static_cast<std::int64_t>(i));
            }
        beginsByColumns.push_back(static_cast<std::int64_t>(dataByColumns.size()));
    }
    const std::vector<std::int64_t> shape{kRows, kColumns};
    {
        const Writer file(path());
        file.numbers("one piece", dense, {kRows, kColumns}, H5T_IEEE_F32LE);
        file.numbers("pieces", dense, {kRows, kColumns}, H5T_IEEE_F32LE, {517, 97});
        file.numbers("long pieces", dense, {kRows, kColumns}, H5T_IEEE_F32LE, {1500, 1450});
        file.sparse("rows", "csr_matrix", shape, data, indices, begins);
        file.sparse("columns", "csc_matrix", shape, dataByColumns, indicesByColumns, beginsByColumns);
    }
    const auto opened = openHdf5(path());
    const Hdf5File& file = *opened;
    EXPECT_THAT(matricesOf(file), ElementsAre("columns", "long pieces", "one piece", "pieces", "rows"));
    for (const std::string& name : matricesOf(file)) {
        const Hdf5Matrix matrix(file, name);
        const Matrix<double> straight = matrix.read(false);
        const Matrix<double> turned = matrix.read(true);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t k = 0; k < kColumns; ++k)
                wrong += straight(i, k) != dense[i * kColumns + k] || turned(k, i) != dense[i * kColumns + k];
        EXPECT_EQ(wrong, 0U) << name;
    }
}

using InspectedHdf5 = test::ProgramTest;

TEST_F(InspectedHdf5, LoomFilesAreCalledSo) {
    Writer(folder_ / "x.loom").numbers("matrix", std::vector<double>(6, 1), {2, 3});
    Writer(folder_ / "x.h5ad").numbers("X", std::vector<double>(6, 1), {2, 3});
    EXPECT_THAT(succeed("inspect x.loom"_args).out, HasSubstr("arrays (Loom)"));
    EXPECT_THAT(succeed("inspect x.h5ad"_args).out,
                AllOf(HasSubstr("arrays (AnnData)"), Not(HasSubstr("network"))));
}

TEST_F(InspectedHdf5, NamesOfGenesAndSamples) {
    {
        const Writer file(folder_ / "x.loom");
        file.numbers("matrix", std::vector<double>(6, 1), {2, 3});
        file.group("row_attrs");
        file.texts("row_attrs/Gene", {"TP53", "MYC"});
        file.group("col_attrs");
        file.texts("col_attrs/CellID", {"a", "b", "c"});
    }
    {
        const Writer file(folder_ / "x.h5ad");
        file.numbers("X", std::vector<double>(6, 1), {3, 2});
        file.table("obs", {"a", "b", "c"});
        file.table("var", {"TP53", "MYC"});
    }
    for (const std::string name : {"x.loom", "x.h5ad"})
        EXPECT_THAT(succeed({"inspect", name}).out, AllOf(HasSubstr("2: TP53, MYC"), HasSubstr("3: a, b, c"),
                                                          HasSubstr("glycine network " + name)));
}

TEST_F(Hdf5Expressions, LoomFilesHaveGenesAsRows) {
    const std::filesystem::path path = folder_ / "x.loom";
    const auto refused = [&](const ExpressionReading& reading = {}) {
        return messageOf<InputError>([&] { readExpression(path, reading); });
    };
    const std::vector<double> genes(std::begin(kGenes), std::end(kGenes));
    const std::vector<std::string> names{"TP53", "MYC", "ß-Gen", "ACTB"};
    {
        const Writer file(path);
        file.numbers("matrix", genes, {4, 3}, H5T_IEEE_F32LE, {2, 2});
        file.group("layers");
        file.numbers("layers/spliced", std::vector<double>(12, 7), {4, 3});
        file.group("col_attrs");
        file.texts("col_attrs/CellID", {"a", "b", "c"});
        file.group("row_attrs");
        file.texts("row_attrs/Chromosome", {"1", "2", "3", "4"});
    }
    EXPECT_THAT(refused(), HasSubstr("'Chromosome'; expected the names of genes as 'Gene'"));
    {
        const Writer file(path);
        file.numbers("matrix", genes, {4, 3}, H5T_IEEE_F32LE, {2, 2});
        file.group("layers");
        file.numbers("layers/spliced", std::vector<double>(12, 7), {4, 3});
        file.group("col_attrs");
        file.texts("col_attrs/CellID", {"a", "b", "c"});
        file.group("row_attrs");
        file.texts("row_attrs/Gene", names, 8);
    }
    const ExpressionTable table = readExpression(path, {});
    EXPECT_EQ(table.genes, names);
    EXPECT_THAT(table.samples, ElementsAre("a", "b", "c"));
    EXPECT_THAT(valuesOf(table), testing::ElementsAreArray(kGenes));
    EXPECT_THAT(valuesOf(readExpression(path, {.layer = "spliced"})), testing::Each(7));
    EXPECT_THAT(refused({.layer = "X"}), HasSubstr("has no 'layers/X'; --layer takes 'spliced'"));
    {
        const Writer file(path);
        file.numbers("matrix", genes, {4, 3});
        file.group("row_attrs");
        file.texts("row_attrs/Gene", {"TP53"});
    }
    EXPECT_THAT(refused(), HasSubstr("'row_attrs/Gene' has 1 names; expected 4, as 'matrix' has"));
}

TEST_F(Hdf5Expressions, MatricesOfOtherFilesAreNamed) {
    const std::filesystem::path other = folder_ / "x.h5";
    {
        const Writer file(other);
        file.group("expression");
        file.numbers("expression/values", {1, 2, 3, 4, 5, 6}, {2, 3});
        file.numbers("vector", {1, 2}, {2});
    }
    const ExpressionTable only = readExpression(other, {});
    EXPECT_THAT(valuesOf(only), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(only.genes, ElementsAre("1", "2"));
    EXPECT_THAT(only.notes, ElementsAre("'expression/values', dense"));
    EXPECT_THAT(valuesOf(readExpression(other, {.transpose = true})), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(messageOf<InputError>([&] { readExpression(other, {.dataset = "vector"}); }),
                HasSubstr("'vector' has 1 dimensions; expected a matrix"));
    EXPECT_THAT(
        messageOf<InputError>([&] { readExpression(other, {.dataset = "expression/x"}); }),
        AllOf(HasSubstr("no dataset 'expression/x'"), HasSubstr("in 'expression' there are 'values'")));
    EXPECT_THAT(messageOf<InputError>([&] { readExpression(other, {.dataset = "expression"}); }),
                HasSubstr("is a group; expected a dataset"));
    {
        const Writer file(other);
        file.numbers("a", {1, 2}, {1, 2});
        file.numbers("b", {1, 2}, {1, 2});
    }
    EXPECT_THAT(messageOf<InputError>([&] { readExpression(other, {}); }),
                HasSubstr("holds 2 matrices; --dataset takes 'a', 'b'"));
    EXPECT_EQ(readExpression(other, {.dataset = "b"}).values.columns(), 2U);
}

TEST_F(Hdf5Expressions, WhatDoesNotFitIsRefusedWithItsPlace) {
    const auto refusalOf = [&](auto write) {
        {
            const Writer file(path());
            write(file);
        }
        return refusal();
    };
    const auto sparse = [&](const std::vector<double>& data, const std::vector<std::int64_t>& indices,
                            const std::vector<std::int64_t>& begins,
                            const std::string& encoding = "csr_matrix") {
        return refusalOf([&](const Writer& file) {
            writeCells(file);
            file.sparse("X", encoding, {3, 4}, data, indices, begins);
        });
    };
    EXPECT_THAT(sparse({1, 2}, {0, 4}, {0, 1, 2, 2}),
                AllOf(HasSubstr("x.h5ad: dataset 'X/indices': element 1 is 4"), HasSubstr("below 4")));
    EXPECT_THAT(sparse({1, 2}, {0, -1}, {0, 1, 2, 2}), HasSubstr("element 1 is -1"));
    EXPECT_THAT(sparse({1, 2}, {0, 3}, {0, 1, 2, 2}, "csc_matrix"),
                HasSubstr("'X/indptr' holds 4 numbers; expected 5"));
    EXPECT_THAT(sparse({1, 2}, {0, 3}, {0, 1, 1, 2, 2}, "csc_matrix"),
                AllOf(HasSubstr("element 1 is 3"), HasSubstr("row below 3")));
    EXPECT_THAT(sparse({1, 2}, {0, 1}, {0, 2, 1, 2}),
                HasSubstr("'X/indptr': element 2 is 1 after 2; expected ascending"));
    EXPECT_THAT(sparse({1, 2}, {0, 1}, {1, 1, 2, 2}),
                HasSubstr("'X/indptr' goes from 1 to 2; expected 0 to 2"));
    EXPECT_THAT(sparse({1, 2}, {0, 1}, {0, 1, 2, 3}), HasSubstr("goes from 0 to 3"));
    EXPECT_THAT(sparse({1, 2}, {0, 1, 2}, {0, 1, 2, 2}),
                HasSubstr("'X/indices' holds 3 and 'data' 2 values"));
    EXPECT_THAT(sparse({1, 2}, {1, 1}, {0, 2, 2, 2}), HasSubstr("'X': row 0 has column 1 twice"));
    EXPECT_THAT(sparse({1, 2}, {0, 1}, {0, 1, 2, 2}, "coo_matrix"), HasSubstr("of encoding 'coo_matrix'"));
    EXPECT_THAT(sparse({1, INFINITY}, {0, 2}, {0, 1, 2, 2}), HasSubstr("'X': element (1, 2) is inf"));
    EXPECT_THAT(sparse({1, INFINITY}, {2, 1}, {0, 1, 1, 2, 2}, "csc_matrix"),
                HasSubstr("'X': element (1, 2) is inf"));

    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    writeCells(file);
                    file.numbers("X", kCells, {4, 3});
                }),
                HasSubstr("'X' has 4 rows and 3 columns; expected 3, the names of 'obs/_index', and 4, those "
                          "of 'var/_index'"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    writeCells(file);
                    file.numbers("X", kCells, {12});
                }),
                HasSubstr("'X' has 1 dimensions"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    writeCells(file);
                    file.texts("X", {"a", "b"});
                }),
                HasSubstr("'X' holds text; expected numbers"));
    EXPECT_THAT(
        refusalOf([&](const Writer& file) {
            writeCells(file);
            std::vector<std::int64_t> values(12, 0x1p60);
            values[7] = (std::int64_t{1} << 53) + 1;
            file.wholeNumbers("X", values, {3, 4}, H5T_STD_I64LE);
        }),
        HasSubstr("'X': element (1, 3) is 9007199254740993; expected a whole number that float64 holds "
                  "exactly (up to 2^53"));
    EXPECT_THAT(
        refusalOf([&](const Writer& file) {
            writeCells(file);
            file.wholeNumbers("X", std::vector<std::int64_t>(12, 0x7fffffffffffffff), {3, 4}, H5T_STD_U64LE);
        }),
        HasSubstr("element (0, 0) is 9223372036854775807"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    file.numbers("X", kCells, {3, 4});
                }),
                HasSubstr("has no 'obs'; expected an AnnData file"));
    EXPECT_THAT(refusalOf([&](const Writer& file) { writeCells(file); }),
                HasSubstr("has no 'X'; there are no layers and no raw"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    file.numbers("obs", {1, 2, 3}, {3});
                    file.numbers("X", kCells, {3, 4});
                }),
                HasSubstr("'obs' is a dataset of records"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    file.table("obs", {"a"});
                    file.group("var");
                    file.wholeNumbers("var/index", {1, 2});
                    file.numbers("X", {1, 2}, {1, 2});
                }),
                HasSubstr("'var/index' holds int32"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    file.table("obs", {"a"});
                    file.table("var", {"g", ""});
                    file.numbers("X", {1, 2}, {1, 2});
                }),
                HasSubstr("element 1 of 'var/_index': the gene has no name"));
    EXPECT_THAT(refusalOf([&](const Writer& file) {
                    file.table("obs", {});
                    file.table("var", {"g"});
                    file.numbers("X", {}, {0, 1});
                }),
                HasSubstr("0 genes and 0 samples"));
}

TEST_F(Hdf5Expressions, DamagedFilesAreRefused) {
    {
        const Writer file(path());
        writeCells(file);
        std::vector<double> values;
        RandomSequence random(3);
        for (int i = 0; i < 12; ++i) values.push_back(random.uniform());
        file.numbers("X", values, {3, 4}, H5T_IEEE_F64LE, {3, 4});
    }
    const std::string whole = readFile(path());
    const auto refusalOf = [&](const std::string& bytes) {
        writeFile(path(), bytes);
        return refusal();
    };
    EXPECT_THAT(refusalOf(whole.substr(0, whole.size() - 200)),
                AllOf(HasSubstr("x.h5ad"), HasSubstr("truncated")));
    EXPECT_THAT(refusalOf("gene\ta\nx\t1\n"), HasSubstr("is no HDF5 file"));
    EXPECT_THAT(refusalOf(""), HasSubstr("is no HDF5 file"));
    // Damage the middle of the packed chunk.
    std::string damaged = whole;
    const std::size_t packed = damaged.rfind("\x78\x5e");
    ASSERT_NE(packed, std::string::npos);
    for (std::size_t i = packed + 2; i < packed + 40 && i < damaged.size(); ++i) damaged[i] = '\x7f';
    EXPECT_THAT(refusalOf(damaged), HasSubstr("x.h5ad: dataset 'X' cannot be read: "));
    EXPECT_THAT(messageOf<InputError>([&] { readExpression(folder_ / "absent.h5ad", {}); }),
                HasSubstr("absent.h5ad"));
}

TEST_F(Hdf5Expressions, WhatMemoryCannotHoldIsRefusedWithBothFigures) {
    {
        const Writer file(path());
        const hsize_t shape[] = {hsize_t{1} << 40, hsize_t{1} << 20};
        const hsize_t chunk[] = {1024, 1024};
        const hid_t space = H5Screate_simple(2, shape, nullptr);
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(how, 2, chunk);
        H5Dclose(H5Dcreate2(file.id(), "m", H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
        H5Pclose(how);
        H5Sclose(space);
    }
    std::filesystem::rename(path(), folder_ / "x.hdf5");
    EXPECT_THAT(messageOf<MemoryError>([&] { readExpression(folder_ / "x.hdf5", {}); }),
                AllOf(HasSubstr("'m'"), HasSubstr("of memory, and")));
}

}  // namespace
}  // namespace glycine::io
