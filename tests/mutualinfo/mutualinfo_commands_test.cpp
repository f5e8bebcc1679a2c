// Tests `glycine mutualinfo` and its `validate` and `bench`: options, files, reports.
#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

constexpr const char* kExpression =
    "gene\ts1\ts2\ts3\ts4\n"
    "x\t0\t0\t1\t1\n"
    "y\t5\t5\t9\t9\n"
    "z\t0\t1\t0\t1\n"
    "flat\t3\t3\t3\t3\n";

class MutualInformationRun : public testing::Test {
  protected:
    /// Runs `mutualinfo x.tsv` with two plain bins and more arguments. Must succeed.
    TaskOutcome run(std::vector<std::string> arguments) const {
        writeFile(folder_ / "x.tsv", kExpression);
        arguments.insert(arguments.begin(),
                         {"x.tsv", "--bins", "2", "--spline-order", "1", "--backend", "cpu"});
        return succeedTask(declareRun, std::move(arguments));
    }
    WorkingFolder folder_;
};

TEST_F(MutualInformationRun, WritesAllFormats) {
    const TaskOutcome outcome = run("-o mi.npy -o mi.npz -o mi.tsv -o mi.csv --threads 1"_args);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("4 genes × 4 samples of x.tsv"), HasSubstr("2 bins; bits, float64"),
                      HasSubstr("largest 1.00 (x – y) bits"),
                      HasSubstr("1 gene with equal values in all samples, whose information is 0: 'flat'")));
    const Matrix<double> values = io::readNpyMatrix<double>(folder_ / "mi.npy");
    EXPECT_THAT(std::vector<double>(values.data(), values.data() + 16),
                ElementsAre(1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
    EXPECT_EQ(readFile(folder_ / "mi.npy.names"), "x\ny\nz\nflat\n");
    EXPECT_THAT(readFile(folder_ / "mi.tsv"), HasSubstr("x\t1\t1\t0\t0\n"));
    EXPECT_THAT(readFile(folder_ / "mi.csv"), HasSubstr("z,0,0,1,0\n"));
    const io::NpzReader npz(folder_ / "mi.npz");
    EXPECT_THAT(io::readNpyStrings(*npz.open("names")), ElementsAre("x", "y", "z", "flat"));
    EXPECT_EQ(io::readNpyMatrix<double>(*npz.open("values"))(1, 0), 1);
}

TEST_F(MutualInformationRun, WritesEachPairOnce) {
    run("-o mi.tsv --molten --shape triangle --unit nats"_args);
    EXPECT_THAT(readFile(folder_ / "mi.tsv"),
                AllOf(HasSubstr("y\tx\t0.693147180559945"), Not(HasSubstr("x\ty\t"))));
    run("-o c.npy --shape triangle --dtype float32"_args);
    EXPECT_EQ(std::filesystem::file_size(folder_ / "c.npy"), 128 + 6 * sizeof(float));
}

TEST_F(MutualInformationRun, ReportsInJson) {
    const Json json = run("-o mi.npy --json --precision float32"_args).json();
    EXPECT_EQ(json["command"], "mutualinfo");
    EXPECT_EQ(json["genes"], 4);
    EXPECT_EQ(json["samples"], 4);
    EXPECT_EQ(json["precision"], "float32");
    EXPECT_EQ(json["variant"], "grouped");
    EXPECT_EQ(json["constantGenes"], Json({3}));
    EXPECT_EQ(json["information"]["pairs"], 6);
    EXPECT_EQ(json["information"]["largestPair"], Json({0, 1}));
    EXPECT_EQ(io::readNpyMatrix<float>(folder_ / "mi.npy")(1, 0), 1);
}

TEST_F(MutualInformationRun, WhatCannotFitIsRefusedBeforeItIsRead) {
    // The result would take 8.8 TB of memory. The table ends in a field that is not a number.
    constexpr std::size_t kGenes = std::size_t{1} << 20;
    std::string text = "gene\ta\tb\n";
    for (std::size_t g = 0; g < kGenes; ++g) text += "g" + std::to_string(g) + "\t1\t2\n";
    writeFile(folder_ / "long.tsv", text + "last\tx\t1\n");
    const auto refused = [&](const TaskOutcome& outcome, const std::string& what) {
        EXPECT_EQ(outcome.exitCode, 1) << outcome.error;
        EXPECT_THAT(outcome.error, AllOf(StartsWith(what), HasSubstr(" of memory, and ")));
    };
    refused(runTask(declareRun, "long.tsv -o -"_args), "mutual information of ");
    EXPECT_THAT(runTask(declareRun, "long.tsv -o -"_args).error, HasSubstr(" genes or more in 2 samples"));
    refused(runTask(declareNetwork, "long.tsv -o - --method mi"_args), "a network of ");
    refused(runTask(declareNetwork, "long.tsv -o n.tsv"_args), "a network of ");
    EXPECT_THAT(runTask(declareRun, "long.tsv -o - --transpose"_args).error, HasSubstr("line "));
    // If the header states the size, the command reads no values. This sparse file holds only zeros, and a
    // pair of its genes would be constant.
    const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1048576, 2), }";
    writeFile(folder_ / "long.npy", std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) +
                                        header + std::string(117 - header.size(), ' ') + "\n");
    std::filesystem::resize_file(folder_ / "long.npy", 128 + kGenes * 16);
    refused(runTask(declareRun, "long.npy -o -"_args),
            "mutual information of 1,048,576 genes in 2 samples needs ");
    refused(runTask(declareRun, "long.npy -o o.npy -o o.png"_args),
            "mutual information of 1,048,576 genes in 2 samples needs ");
    refused(runTask(declareNetwork, "long.npy -o o.tsv"_args),
            "a network of 1,048,576 genes in 2 samples needs ");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.npy.unfinished"));
}

TEST_F(MutualInformationRun, DrawsAPicture) {
    const TaskOutcome outcome = run("-o mi.npy -o map.svg"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("map.svg"), HasSubstr("map.nwk"), HasSubstr("map.order.tsv")));
    // x and y share all information; the other two genes share none with any gene.
    EXPECT_EQ(readFile(folder_ / "map.order.tsv"), "gene\tname\n4\tflat\n1\tx\n2\ty\n3\tz\n");
    EXPECT_THAT(readFile(folder_ / "map.nwk"), HasSubstr("(x:0,y:0)"));
    EXPECT_THAT(readFile(folder_ / "map.svg"), HasSubstr("<svg"));
    const TaskOutcome plain = run("-o mi.npy -o plain.png --order input"_args);
    EXPECT_THAT(plain.out, Not(HasSubstr("plain.nwk")));
    EXPECT_EQ(readFile(folder_ / "plain.png").substr(1, 3), "PNG");
    writeFile(folder_ / "modules.tsv", "x\tcycle\ny\tcycle\nz\tstress\n");
    run("-o map.svg --groups modules.tsv --range robust --colors reversed"_args);
    EXPECT_THAT(readFile(folder_ / "map.svg"), AllOf(HasSubstr(">cycle<"), HasSubstr(">stress<"),
                                                     HasSubstr(">from the 2nd to the 98th percentile<")));
    const std::string x = "x.tsv", o = "o.npy";
    expectTaskRefused(declareRun, {x, "-o", o, "--groups", "modules.tsv"}, "-o FILE.png");
    expectTaskRefused(declareRun, {x, "-o", "map.svg", "--groups", "modules.tsv", "-o", "modules.tsv"},
                      "modules.tsv");
    expectTaskRefused(declareRun, {x, "-o", o, "-o", "map.gif"}, ".png, .svg, .pdf");
    expectTaskRefused(declareRun, {x, "-o", o, "--order", "input"}, "-o FILE.png");
}

TEST_F(MutualInformationRun, OtherEstimatorsGoTheSameWay) {
    run("-o spline.npy"_args);
    writeFile(folder_ / "x.tsv", kExpression);
    const auto estimate = [&](const std::string& estimator, std::vector<std::string> more = {}) {
        more.insert(more.begin(),
                    {"x.tsv", "-o", estimator + ".npy", "--backend", "cpu", "--method", estimator, "--json"});
        const TaskOutcome outcome = succeedTask(declareRun, more);
        return outcome.json();
    };
    const Json bins = estimate("bins", "--bins 2"_args);
    EXPECT_EQ(bins["estimator"], "bins");
    EXPECT_EQ(bins["order"], 1);
    EXPECT_EQ(readFile(folder_ / "bins.npy"), readFile(folder_ / "spline.npy"));
    for (const std::string estimator : {"pearson", "spearman"}) {
        const Json json = estimate(estimator);
        EXPECT_EQ(json["estimator"], estimator);
        EXPECT_EQ(json["variant"], "products");
        EXPECT_FALSE(json.contains("bins"));
        EXPECT_EQ(json["constantGenes"], Json({3}));
        const Matrix<double> r = io::readNpyMatrix<double>(folder_ / (estimator + ".npy"));
        EXPECT_NEAR(r(1, 0), 1, 1e-15);
        EXPECT_NEAR(r(2, 0), 0, 1e-15);
        EXPECT_EQ(r(2, 2), 1);
        for (std::size_t g = 0; g < 4; ++g) EXPECT_EQ(r(3, g), 0);
    }
    const std::string x = "x.tsv", o = "o.npy";
    expectTaskRefused(declareRun, {x, "-o", o, "--method", "x"}, "unknown method 'x'; known: spline, bins");
    expectTaskRefused(declareRun, {x, "-o", o, "--method", "pearson", "--bins", "5"},
                      "--bins is for mutual information");
    expectTaskRefused(declareRun, {x, "-o", o, "--method", "spearman", "--rank"}, "--rank is for");
    expectTaskRefused(declareRun, {x, "-o", o, "--method", "bins", "--spline-order", "2"},
                      "--spline-order is for splines");
    const TaskOutcome narrow = runTask(
        declareRun, {x, "-o", o, "--backend", "cpu", "--method", "pearson", "--precision", "float32"});
    EXPECT_THAT(narrow.error, HasSubstr("correlations are computed only in float64"));
    const TaskOutcome wrong =
        runTask(declareRun, {x, "-o", o, "--backend", "cpu", "--method", "pearson", "--variant", "grouped"});
    EXPECT_THAT(wrong.error, HasSubstr("products"));
}

TEST_F(MutualInformationRun, WarnsOfFewSamplesAndPairsWithoutAny) {
    writeFile(folder_ / "g.csv", "gene,a,b,c\np,1,NA,2\nq,NA,1,NA\n");
    const TaskOutcome outcome = succeedTask(declareRun, "g.csv -o g.tsv --backend cpu"_args);
    EXPECT_THAT(
        outcome.out,
        AllOf(HasSubstr("3 values missing (50 %)"),
              HasSubstr("3 samples for 10 bins: estimates from fewer samples than bins are unreliable"),
              HasSubstr("1 pair without a sample that has both: written as nan")));
    EXPECT_THAT(readFile(folder_ / "g.tsv"), HasSubstr("p\t1\tnan\n"));
}

TEST_F(MutualInformationRun, RefusesBeforeTheWork) {
    writeFile(folder_ / "x.tsv", kExpression);
    const std::string x = "x.tsv", o = "o.npy";
    expectTaskRefused(declareRun, {x, "-o", o, "--bins", "3"}, "below the number of bins");
    expectTaskRefused(declareRun, {x, "-o", o, "--bins", "1000"}, "2 to 256");
    expectTaskRefused(declareRun, {x, "-o", "o.phy"}, ".npy, .npz, .csv, .tsv");
    expectTaskRefused(declareRun, {x, "-o", o, "--molten"}, "only .tsv files can be molten");
    expectTaskRefused(declareRun, {x, "-o", x}, "x.tsv");
    expectTaskRefused(declareRun, {"x.bed", "-o", o}, "unknown kind of file");
    expectTaskRefused(declareRun, {x, "-o", o, "--variant", "none"}, "grouped");
    expectTaskRefused(declareRun, {x, "-o", o, "--layer", "counts"}, "--layer is for .h5ad and .loom files");
    expectTaskRefused(declareRun, {x, "-o", o, "--dataset", "m"}, "--dataset is for .h5 and .hdf5 files");
    writeFile(folder_ / "x.h5ad", kExpression);
    expectTaskRefused(declareRun, {"x.h5ad", "-o", o, "--transpose"}, "--transpose is for");
    expectTaskRefused(declareRun, {"x.h5ad", "-o", o, "--layer", "raw"}, "is no HDF5 file");
    writeFile(folder_ / "d.tsv", "gene\ta\tb\np\t1\t2\np\t2\t1\n");
    expectTaskRefused(declareRun, {"d.tsv", "-o", o}, "--duplicates max-variance");
    succeedTask(declareRun, {"d.tsv", "-o", o, "--duplicates", "max-variance", "--backend", "cpu"});
    io::writeNpy<double>(folder_ / "a.npy", Matrix<double>(2, 3, 1.0).view());
    expectTaskRefused(declareRun, {"a.npy", "-o", o, "--duplicates", "refuse"}, "--duplicates is for tables");
}

TEST_F(MutualInformationRun, ValidatesAndTimes) {
    static const auto own = subject();
    const auto validate = [](Options& options) { return study::declareValidate(*own, options); };
    const auto bench = [](Options& options) { return study::declareBench(*own, options); };
    const TaskOutcome valid = succeedTask(validate, "--backend cpu --sizes 5x20,30x40 --json"_args);
    const Json report = valid.json();
    EXPECT_EQ(report["agrees"], true);
    ASSERT_EQ(report["rows"].size(), 3U);
    for (const Json& row : report["rows"])
        EXPECT_EQ(row["inputs"], row["variant"] == "products" ? 8 : 13) << row["variant"];
    writeFile(folder_ / "x.tsv", kExpression);
    succeedTask(validate, "x.tsv --backend cpu"_args);
    expectTaskRefused(validate, "x.tsv --sizes 3x3"_args, "--sizes");
    const TaskOutcome timed = succeedTask(
        bench, "--backend cpu --sizes 40x50 --repeats 2 --spline-order 2 --precision float32 --json"_args);
    const Json row = timed.json()["rows"][0];
    EXPECT_EQ(row["numberFormat"], "float32");
    const Json& ceiling = row["ceiling"];
    EXPECT_EQ(ceiling["name"], "multiply-add float32");
    EXPECT_NEAR(ceiling["work"].get<double>(), 40. * 39 / 2 * 50 * 10 * 2 / 1e9, 1e-12) << "k · R each";
    EXPECT_NEAR(ceiling["share"].get<double>() * ceiling["rate"].get<double>() *
                    row["seconds"]["compute"]["min"].get<double>(),
                ceiling["work"].get<double>(), 1e-9);
    EXPECT_THAT(ceiling["what"].get<std::string>(), StartsWith("in registers"));
    EXPECT_THAT(timed.json()["settings"]["ceilings"].get<std::string>(),
                StartsWith("cpu: multiply-add float32 "));
    expectTaskRefused(bench, "--spline-order 10"_args, "below the number of bins");
    const TaskOutcome other = succeedTask(
        bench, "--backend cpu --sizes 40x50 --repeats 2 --method spearman --missing 0.1 --json"_args);
    EXPECT_EQ(other.json()["rows"][0]["variant"], "products");
}

/// The keys of all timed rows.
std::vector<std::string> timedMethods(const Json& report) {
    std::vector<std::string> methods;
    for (const Json& row : report["rows"])
        if (row.contains("seconds")) methods.push_back(row["method"]);
    return methods;
}

TEST_F(MutualInformationRun, ReproducesTheProfile) {
    const TaskOutcome outcome = succeedTask(
        study::declareReproduce, "cudami-table-4 --quick --backend cpu,cuda --repeats 1 --json"_args);
    const Json report = outcome.json();
    ASSERT_EQ(report["rows"].size(), 27U) << "three numbers of bins, nine rows each";
    const Json& whole = report["rows"][0];
    EXPECT_EQ(whole["check"].get<std::string>().substr(0, 9), "120 pairs");
    EXPECT_EQ(whole["genes"], 256);
    EXPECT_EQ(whole["samples"], 227);
    EXPECT_NEAR(whole["rate"]["best"].get<double>() * whole["seconds"]["min"].get<double>(),
                256. * 256 * 227 * 10 * 10 / 1e9, 1e-6);
    EXPECT_EQ(report["rows"][1]["stage"], "scan");
    const Json& claim = report["claims"][0];
    EXPECT_EQ(claim["claim"], "kernel 4 takes 61.39, 71.9 and 79.38 % of the time");
    EXPECT_EQ(claim["column"], "10 bins");
    EXPECT_EQ(claim["published"], "0.6139 ×");
}

TEST_F(MutualInformationRun, ReproducesNetworks) {
    const TaskOutcome outcome = succeedTask(
        study::declareReproduce, "cudami-table-5 --quick --backend cpu --repeats 1 --seed 3 --json"_args);
    const Json report = outcome.json();
    ASSERT_EQ(report["rows"].size(), 18U) << "three numbers of samples, six methods each";
    const std::vector<std::string> methods = timedMethods(report);
    EXPECT_THAT(methods, Contains("CARACNE, cpu 900"));
    for (const Json& row : report["rows"]) {
        if (!row.contains("seconds")) continue;
        EXPECT_THAT(row["check"].get<std::string>(), AllOf(HasSubstr("120 pairs"), HasSubstr("edges exact")));
        const Json& scores = row["scores"];
        const double found = scores["TP"].get<double>() + scores["FP"].get<double>();
        EXPECT_GT(scores["TP"], 0);
        EXPECT_NEAR(scores["precision"].get<double>() * found, scores["TP"].get<double>(), 1e-9);
        EXPECT_NEAR(
            scores["sensitivity"].get<double>() * (scores["TP"].get<double>() + scores["FN"].get<double>()),
            scores["TP"].get<double>(), 1e-9);
        EXPECT_GT(scores["specificity"], 0.9);
    }
    // The command finds the same network in the same data.
    const auto generate = "--genes 100 --samples 900 --seed 3"_args;
    const auto row = std::ranges::find_if(
        report["rows"], [](const Json& one) { return one["method"] == "CARACNE, cpu 900"; });
    ASSERT_NE(row, report["rows"].end());
    const Json& scores = (*row)["scores"];
    std::vector<std::string> arguments = generate;
    arguments.insert(arguments.end(), {"-o", "e.tsv", "--truth", "t.tsv"});
    succeedTask(declareGenerate, arguments);
    const TaskOutcome network =
        succeedTask(declareNetwork,
                    "e.tsv -o n.tsv --method aracne --rank none --null aracne --pvalue 1e-5 --dpi 0.01 "
                    "--gold t.tsv --backend cpu --json"_args);
    const Json truth = network.json()["truth"];
    EXPECT_EQ(truth["truePositives"], scores["TP"]);
    EXPECT_EQ(truth["falsePositives"], scores["FP"]);
    EXPECT_EQ(truth["falseNegatives"], scores["FN"]);
}

}  // namespace
}  // namespace glycine::mutualinfo
