// `glycine distance` itself, in this process and on the processor: precision, overlap, close pairs.
#include "app/distance/derived_results.hpp"
#include "app/distance/distance_commands.hpp"
#include "engine/distance/distance.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/byte_source.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"
#include "tests/trees/plain_tree_engine.hpp"

namespace glycine::distance {
namespace {

class DistanceRun : public ::testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& text) const {
        writeFile(folder_ / name, text);
        return name;
    }
    /// Runs with arguments that follow `distance`; must succeed.
    TaskOutcome run(std::vector<std::string> arguments) const {
        return succeedTask(declareRun, std::move(arguments));
    }
    template <class T>
    std::vector<T> elements(const std::string& name) const {
        const Matrix<T> matrix = io::readNpyMatrix<T>(folder_ / name);
        return {matrix.data(), matrix.data() + matrix.size()};
    }
    WorkingFolder folder_;
};

TEST_F(DistanceRun, TablesKeepTheirDigits) {
    const std::string table = write("t.csv", "1700000000,1\n1700000060,1\n");
    for (const char* backend : {"cpu", "reference"})
        for (const char* precision : {"", "float32", "float64"}) {
            std::vector<std::string> arguments{table, "-o", "d.npy", "--backend", backend, "--json"};
            if (*precision != 0) arguments.insert(arguments.end(), {"--precision", precision});
            const Json json = run(arguments).json();
            EXPECT_THAT(elements<double>("d.npy"), ElementsAre(0, 60, 60, 0)) << backend << precision;
            const bool isSingle = precision == std::string("float32") && backend == std::string("cpu");
            EXPECT_EQ(json["precision"]["numbers"], isSingle ? "float32" : "float64");
            EXPECT_EQ(json["precision"]["largestRounding"], 0);
        }
    expectTaskRefused(declareRun, {table, "-o", "d.npy", "--precision", "half"}, "float32, float64");
    expectTaskRefused(declareRun, {table, "-o", "d.npy", "--min-overlap", "3"}, "--min-overlap is for");
    expectTaskRefused(declareRun, {write("g.csv", "0,1,2\n0,0,1\n"), "-o", "d.npy", "--precision", "float32"},
                      "--precision is for coordinates");
}

/// Before anything is computed: no backend is created, and no file is begun.
TEST_F(DistanceRun, NamesThatAFileCannotHoldAreRefusedAtOnce) {
    const std::string table = write("t.csv", "name,x,y\na b,1,0\na_b,2,1\nc,0,1\n");
    for (const char* output : {"d.phy", "d.dist"}) {
        const bool isPlink = std::string(output) == "d.dist";
        expectTaskRefused(declareRun,
                          {isPlink ? write("g.csv", "name,x,y\na b,1,0\na_b,2,1\nc,0,1\n") : table, "-o",
                           "d.npy", "-o", output, "--data", isPlink ? "genotypes" : "coordinates",
                           "--measure", isPlink ? "allele" : "euclidean", "--backend", "cuda"},
                          "are both written as");
    }
    expectTaskRefused(
        declareRun, {write("u.csv", "name,x,y\n\"a\tb\",1,0\na_b,2,1\n"), "-o", "d.tsv", "--backend", "cuda"},
        "are both written as 'a_b'");
    EXPECT_FALSE(std::filesystem::exists("d.npy"));
    EXPECT_FALSE(std::filesystem::exists("d.npy.unfinished"));
}

TEST_F(DistanceRun, AVariantForOtherDataIsWrongUse) {
    const std::string table = write("g.csv", "0,1,2\n0,0,1\n");
    for (const bool isNamed : {false, true}) {
        std::vector<std::string> arguments{table, "-o", "d.npy", "--variant", "direct"};
        if (isNamed) arguments.insert(arguments.end(), {"--backend", "cpu"});
        expectTaskRefused(declareRun, arguments, "the variant 'direct' sums coordinates; for symbols:");
    }
}

TEST_F(DistanceRun, SaysWhatFloat32Cost) {
    const std::string table = write("t.csv", "448262.1,5412332.7\n448270.3,5412340.2\n448281.9,5412301.4\n");
    const std::vector<std::string> arguments{table, "-o", "d.npy", "--backend", "cpu", "--precision"};
    const auto with = [&](const char* precision, const char* json) {
        std::vector<std::string> all = arguments;
        all.emplace_back(precision);
        if (*json != 0) all.emplace_back(json);
        return run(all);
    };
    EXPECT_THAT(with("float64", "").out, HasSubstr("Precision  float64\n"));
    EXPECT_THAT(with("float32", "").out,
                AllOf(HasSubstr("Precision  float32: coordinates, less their medians, were rounded by up to"),
                      HasSubstr("--precision")));
    const Json json = with("float32", "--json").json();
    const double rounding = json["precision"]["largestRounding"];
    const double change = json["precision"]["largestChange"];
    EXPECT_GT(rounding, 0);
    EXPECT_LT(rounding, 31 * 0x1p-24);
    EXPECT_GE(change, 2 * rounding);
    EXPECT_LE(change, 2 * std::sqrt(2.0) * rounding);
}

// Parameters that a stopped run and its continuation must have in common.
TEST_F(DistanceRun, PrecisionAndOverlapDecideResults) {
    const auto identityOf = [&](std::vector<std::string> arguments) {
        run({arguments.front(), "-o", "d.npy"});  // registers backends and algorithms
        std::ostringstream out, err;
        CommandContext context(out, err, false);
        Options options;
        const CommandAction action = declareRun(options);
        arguments.insert(arguments.end(), {"-o", "d.npy", "--backend", "cpu"});
        options.parse(std::move(arguments));
        EXPECT_EQ(action(context), 0);
        return options.identity();
    };
    const std::string table = write("t.csv", "0.5,1\n2.5,3\n");
    EXPECT_THAT(identityOf({table}), Contains("--precision: float64"));
    EXPECT_THAT(identityOf({table, "--precision", "float32"}), Contains("--precision: float32"));
    const std::string sequences = write("s.fa", ">a\nACGTA\n>b\nACGNA\n");
    EXPECT_THAT(identityOf({sequences}), Contains("--min-overlap: 3"));
    EXPECT_THAT(identityOf({sequences, "--min-overlap", "0.25"}), Contains("--min-overlap: 2"));
}

/// Forty sites; only three are known in `b`, and these are equal in all sequences.
const std::string kAlignment =
    ">a\nACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT\n"
    ">b\nACGNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n"
    ">c\nACGTTTTTTCGTACGTACGTACGTACGTACGTACGTACGT\n"
    ">d\nACGTACGTACGTACGTACGTACGTACGTACGTACGTNNNN\n";

TEST_F(DistanceRun, FewSitesInCommonAreNotClose) {
    const std::string sequences = write("s.fa", kAlignment);
    for (const char* backend : {"cpu", "reference"}) {
        const Json json =
            run({sequences, "-o", "d.npy", "-o", "d.tsv", "--backend", backend, "--json"}).json();
        constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
        EXPECT_THAT(elements<std::int32_t>("d.npy"), ElementsAre(0, kNone, 4, 0,          //
                                                                 kNone, 0, kNone, kNone,  //
                                                                 4, kNone, 0, 4,          //
                                                                 0, kNone, 4, 0));
        EXPECT_EQ(readFile("d.tsv"),
                  "\ta\tb\tc\td\na\t0\tnan\t4\t0\nb\tnan\t0\tnan\tnan\nc\t4\tnan\t0\t4\nd\t0\tnan\t4\t0\n");
        EXPECT_EQ(json["distances"]["leastInCommon"], 20);
        EXPECT_EQ(json["distances"]["undefined"], 3);
        EXPECT_EQ(json["distances"]["pairs"], 3);
        EXPECT_EQ(json["distances"]["identical"], 1);
    }
    EXPECT_THAT(
        run({sequences, "-o", "d.npy"}).out,
        HasSubstr("Warning    3 pairs with fewer than 20 of 40 attributes in common (--min-overlap)"));
    run({sequences, "-o", "m.tsv", "--molten", "--max-distance", "5", "--shape", "triangle"});
    EXPECT_EQ(readFile("m.tsv"), "c\ta\t4\nd\ta\t0\nd\tc\t4\n");
}

TEST_F(DistanceRun, OverlapIsTheUsersToState) {
    const std::string sequences = write("s.fa", kAlignment);
    const auto undefined = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{sequences, "-o", "d.npy", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments).json()["distances"]["undefined"].get<int>();
    };
    EXPECT_EQ(undefined("--min-overlap 0"_args), 0);
    EXPECT_EQ(undefined("--min-overlap 3"_args), 0);
    EXPECT_EQ(undefined("--min-overlap 4"_args), 3);
    EXPECT_EQ(undefined("--min-overlap 36"_args), 3);
    EXPECT_EQ(undefined("--min-overlap 37"_args), 5);
    EXPECT_EQ(undefined("--min-overlap 0.9"_args), 3);
    EXPECT_EQ(undefined("--min-overlap 0.901"_args), 5);
    EXPECT_EQ(undefined("--min-overlap 40"_args), 5);
    EXPECT_EQ(undefined("--measure proportion"_args), 3);
    EXPECT_EQ(undefined("--measure proportion --missing flat --min-overlap 2"_args), 0);
    for (const char* wrong : {"-1", "nan", "41", "2.5", "inf"})
        expectTaskRefused(declareRun, {sequences, "-o", "d.npy", "--min-overlap", wrong}, "--min-overlap");
    // Complete data have all attributes in common.
    const Json complete = run({write("c.fa", ">a\nACGT\n>b\nACGA\n"), "-o", "c.npy", "--json"}).json();
    EXPECT_EQ(complete["distances"]["undefined"], 0);
    EXPECT_FALSE(complete["distances"].contains("leastInCommon"));
}

TEST_F(DistanceRun, UsualOverlaps) {
    using enum MissingRule;
    EXPECT_EQ(defaultOverlap(Measure::Mismatch, Ignore, 40), 20U);
    EXPECT_EQ(defaultOverlap(Measure::Mismatch, Ignore, 41), 21U);
    EXPECT_EQ(defaultOverlap(Measure::Mismatch, Ignore, 1'000'000), 500'000U);
    EXPECT_EQ(defaultOverlap(Measure::Allele, Ignore, 1'000'000), 500'000U);
    EXPECT_EQ(defaultOverlap(Measure::Allele, Weighted, 1'000'000), 1000U);
    EXPECT_EQ(defaultOverlap(Measure::Mismatch, Flat, 1'000'000), 1000U);
    EXPECT_EQ(defaultOverlap(Measure::Proportion, Ignore, 1'000'000), 1000U);
    EXPECT_EQ(defaultOverlap(Measure::Ibs, Weighted, 100), 50U);
}

/// The molten file up to a distance, from a run that keeps all pairs (because it also draws them) and from
/// one that does not.
TEST_F(DistanceRun, ClosePairsAreThoseOfAllPairs) {
    const std::string genotypes = "g.npy";
    succeedTask(declareGenerate,
                {"--instances", "60", "--attributes", "90", "--missing", "0.27", "-o", genotypes});
    for (const char* measure : {"mismatch", "proportion", "allele", "plink"})
        for (const char* shape : {"square", "triangle"}) {
            const std::string largest = measure == std::string("proportion") ? "0.45"
                                        : measure == std::string("mismatch") ? "20"
                                                                             : "48";
            const auto json = [&](const char* name, std::vector<std::string> more) {
                std::vector<std::string> arguments{
                    genotypes, "-o",        name,    "--molten", "--shape", shape,   "--max-distance",
                    largest,   "--measure", measure, "--tile",   "17",      "--json"};
                arguments.insert(arguments.end(), more.begin(), more.end());
                return run(arguments).json()["distances"];
            };
            const Json all = json("all.tsv", "-o all.png"_args);
            const Json close = json("close.tsv", {});
            EXPECT_EQ(readFile("close.tsv"), readFile("all.tsv")) << measure << shape;
            EXPECT_NE(readFile("close.tsv"), "");
            EXPECT_EQ(close["undefined"] == 0, measure == std::string("plink"));
            for (const char* key :
                 {"pairs", "undefined", "identical", "smallest", "smallestPair", "largest", "largestPair"})
                EXPECT_EQ(close[key], all[key]) << measure << key;
            EXPECT_NEAR(close["mean"].get<double>(), all["mean"].get<double>(), 1e-12);
            EXPECT_FALSE(std::filesystem::exists("close.tsv.unfinished"));
        }
}

/// The table of nearest neighbours, likewise.
TEST_F(DistanceRun, NearestNeighboursAreThoseOfAllPairs) {
    const std::string genotypes = "g.npy";
    succeedTask(declareGenerate,
                {"--instances", "60", "--attributes", "90", "--missing", "0.27", "-o", genotypes});
    for (const char* measure : {"mismatch", "proportion", "ibs", "king"})
        for (const char* threads : {"1", "2"})
            for (const char* count : {"1", "3", "59"}) {
                SCOPED_TRACE(testing::Message() << measure << threads << count);
                const auto json = [&](const char* name, std::vector<std::string> more) {
                    std::vector<std::string> arguments{genotypes,   "-o",    name,        "--molten",
                                                       "--nearest", count,   "--measure", measure,
                                                       "--threads", threads, "--backend", "cpu",
                                                       "--tile",    "17",    "--json"};
                    arguments.insert(arguments.end(), more.begin(), more.end());
                    return run(arguments).json()["distances"];
                };
                const Json all = json("all.tsv", "-o all.png"_args);
                const Json nearest = json("nearest.tsv", {});
                EXPECT_EQ(readFile("nearest.tsv"), readFile("all.tsv"));
                EXPECT_NE(readFile("nearest.tsv"), "");
                for (const char* key : {"pairs", "undefined", "identical", "smallest", "smallestPair",
                                        "largest", "largestPair"})
                    EXPECT_EQ(nearest[key], all[key]) << key;
            }
}

const std::string kTable = "name,x,y\na,0,0\nb,3,4\nc,0,1\nd,3,3\n";

TEST_F(DistanceRun, MoltenTablesCanBeSortedAndPacked) {
    const std::string table = write("t.csv", kTable);
    run({table, "-o", "m.tsv", "--molten", "--sorted", "--header-line", "--measure", "manhattan"});
    EXPECT_EQ(readFile("m.tsv"),
              "id1\tid2\tdistance\nc\ta\t1\nd\tb\t1\nd\tc\t5\nc\tb\t6\nd\ta\t6\nb\ta\t7\n");
    run({table, "-o", "n.tsv", "--molten", "--sorted", "--max-distance", "1", "--measure", "manhattan"});
    EXPECT_EQ(readFile("n.tsv"), "c\ta\t1\nd\tb\t1\n");
    for (const std::string name : {"d.tsv", "d.csv", "d.phy"}) {
        run({table, "-o", name, "-o", name + ".gz"});
        EXPECT_EQ(io::readText(std::filesystem::path(name + ".gz")), readFile(name));
        EXPECT_NE(readFile(name + ".gz"), readFile(name));
    }
    expectTaskRefused(declareRun, {table, "-o", "d.npy.gz"}, "no result format");
    expectTaskRefused(declareRun, {table, "-o", "d.tsv", "--sorted"}, "--molten");
}

TEST_F(DistanceRun, ComparesOneFileAgainstAnother) {
    const std::string references = write("r.csv", kTable),
                      queries = write("q.csv", "name,x,y\na,6,8\nz,0,2\n");
    run({queries, "--against", references, "-o", "d.npy", "-o", "d.tsv"});
    EXPECT_EQ(readFile("d.tsv").substr(0, 13), "\ta\tb\tc\td\na\t10");
    const io::NpyHeader header = io::readNpyHeader(*io::openFile("d.npy"));
    EXPECT_THAT(header.shape, ElementsAre(2U, 4U));
    EXPECT_EQ(elements<double>("d.npy")[1], 5);
    for (const char* tile : {"1000", "1"}) {
        run({queries, "--against", references, "-o", "n.tsv", "--molten", "--nearest", "2", "--tile", tile});
        EXPECT_EQ(readFile("n.tsv"), "a\tb\t5\na\td\t5.830951894845301\nz\tc\t1\nz\ta\t2\n") << tile;
    }
    run({queries, "--against", references, "-o", "s.tsv", "--molten", "--sorted", "--max-distance", "2"});
    EXPECT_EQ(readFile("s.tsv"), "z\tc\t1\nz\ta\t2\n");
    expectTaskRefused(declareRun, {queries, "--against", write("w.csv", "name,x\na,1.5\n"), "-o", "d.npy"},
                      "expected as many");
    expectTaskRefused(declareRun, {queries, "--against", references, "-o", "d.phy"}, "--against writes");
}

// Frequencies are over both files: v2 occurs in no query and in a quarter of the references' alleles.
TEST_F(DistanceRun, ChoosesVariantsOfQueriesAndReferencesTogether) {
    const std::string references = write("r.csv", "name,v1,v2,v3\na,0,0,1\nb,0,1,1\n"),
                      queries = write("q.csv", "name,v1,v2,v3\nz,2,0,1\ny,2,0,2\n");
    const std::vector<std::string> call{queries,     "--against", references, "--data",
                                        "genotypes", "-o",        "d.csv"};
    run(call);
    EXPECT_EQ(readFile("d.csv"), ",a,b\nz,1,2\ny,2,3\n");
    std::vector<std::string> limited = call;
    limited.insert(limited.end(), {"--maf", "0.2"});
    run(limited);
    EXPECT_EQ(readFile("d.csv"), ",a,b\nz,1,1\ny,2,2\n");
}

// Symbols that are missing in only one of the files.
TEST_F(DistanceRun, ReferencesMayLackWhatQueriesHave) {
    const std::string some = write("some.fa", ">r\nACGNACGT\n"),
                      full = write("full.fa", ">q\nACGTACGA\n>p\nTCGTACGA\n");
    for (const bool isTurned : {false, true}) {
        run({isTurned ? some : full, "--against", isTurned ? full : some, "-o", "d.csv"});
        EXPECT_EQ(readFile("d.csv"), isTurned ? ",q,p\nr,1,2\n" : ",r\nq,1\np,2\n");
    }
}

TEST_F(DistanceRun, WritesCoordinatesAndTrees) {
    const std::string table = write("t.csv", kTable),
                      groups = write("g.tsv", "name\tpop\na\tX\nb\tY\nd\tY\n");
    const Json json =
        run({table, "-o", "c.tsv", "-o", "c.svg", "--coordinates", "2", "--groups", groups, "--json"}).json();
    EXPECT_NEAR(
        json["coordinates"]["shares"][0].get<double>() + json["coordinates"]["shares"][1].get<double>(), 1,
        1e-12);
    EXPECT_THAT(readFile("c.tsv"),
                AllOf(HasSubstr("name\tgroup\taxis1\taxis2\na\tX\t"), HasSubstr("\nc\t-\t")));
    EXPECT_THAT(readFile("c.svg"), AllOf(HasSubstr("axis 1 ("), HasSubstr(">Y<"),
                                         HasSubstr("principal coordinates: Euclidean distance")));
    run({table, "-o", "t.nwk", "-o", "t.svg", "--tree", "upgma", "--measure", "manhattan", "--groups",
         groups});
    EXPECT_EQ(readFile("t.nwk"), "((a:0.5,c:0.5):2.5,(b:0.5,d:0.5):2.5);\n");
    EXPECT_THAT(readFile("t.svg"), AllOf(HasSubstr(">c<"), HasSubstr("(Manhattan distance)")));
    run({table, "-o", "d.tsv", "-o", "map.svg", "--order", "cluster", "--groups", groups, "--range", "0,5",
         "--colors", "diverging"});
    EXPECT_THAT(readFile("map.svg"), AllOf(HasSubstr(">c<"), HasSubstr(">Y<")));
    for (const std::string range :
         {"5,0", "1,1", "0", "0,", ",5", " 0,5", "0,5 ", "0,inf", "nan,1", "0,5,6", ""})
        expectTaskRefused(declareRun, {table, "-o", "map.svg", "--range=" + range}, "--range");
    run({table, "-o", "k.svg", "--clusters", "6", "--groups", groups});
    EXPECT_THAT(readFile("k.svg"), AllOf(HasSubstr(">X<"), HasSubstr(">Y<")));
    run({table, "-o", "k.svg", "--clusters", "6"});
    EXPECT_THAT(readFile("k.svg"), Not(HasSubstr(">Y<")));
    expectTaskRefused(declareRun, {table, "-o", "c.csv", "--coordinates", "2"}, "no file of coordinates");
    expectTaskRefused(declareRun, {table, "-o", "c.svg", "--coordinates", "1"}, "a picture shows two");
    expectTaskRefused(declareRun, {table, "-o", "c.tsv", "--coordinates", "4"}, "expected 1 to 3");
    expectTaskRefused(declareRun, {table, "-o", "t.phy", "--tree", "nj"}, "no file of a tree");
    expectTaskRefused(declareRun, {table, "-o", "t.nwk", "--tree", "nj", "--coordinates", "2"},
                      "--coordinates cannot be combined with --tree");
    expectTaskRefused(declareRun, {table, "-o", "t.tsv", "--clusters", "6", "--against", table},
                      "--clusters cannot be combined with --against: --clusters decides what is written");
    expectTaskRefused(declareRun, {table, "-o", "d.tsv", "--groups", groups},
                      "--groups is for pictures; add one: -o FILE.png");
    expectTaskRefused(declareRun, {table, "-o", "d.tsv", "--colors", "grey"},
                      "--colors is that of a heat map; add one: -o FILE.png");
    expectTaskRefused(declareRun, {write("s.fa", kAlignment), "-o", "t.nwk", "--tree", "nj"},
                      "have no value");
    expectTaskRefused(declareRun, {"x.pgen", "-o", "d.tsv"}, "plink2 --pfile x --make-bed");
}

TEST_F(DistanceRun, TreesAreBuiltWhereThePairsWereComputed) {
    const std::vector<std::string> names{"a", "b", "c", "d", "e"};
    pairs::PairStore store({.layout = {names.size(), pairs::StoreLayout::Triangle}});
    const std::vector<double> values{5, 9, 10, 9, 10, 8, 8, 9, 7, 3};
    for (std::size_t j = 1; j < names.size(); ++j)
        store.store({{j, j + 1}, {0, j}}, {values.data() + j * (j - 1) / 2, 1, j});
    const pairs::InstanceGroups groups;
    const std::vector<Output> outputs{{"t.nwk", ResultFormat::Tree}};
    const ResultLabels labels{names, {}, Measure::Manhattan};
    const DerivedInput input{store, labels, groups, outputs, "", ""};
    const test::NamedBackend backend("cuda");
    const auto build = [&](std::unique_ptr<trees::TreeEngine> engine) {
        StageRecount recount(backend, false, "round");
        trees::TreeDevice device(backend, std::move(engine), &recount);
        RunReport report;
        report.recount.emplace();
        report.recount->elements = 10;
        writeTree(input, trees::TreeMethod::NeighbourJoining, device, report, silentProgress());
        EXPECT_EQ(readFile("t.nwk"), "(((a:2,b:3):3,c:4):2,d:2,e:1);\n");
        EXPECT_EQ(report.stages.size(), 1U);
        return report;
    };
    const RunReport onDevice = build(std::make_unique<trees::PlainEngine>());
    EXPECT_EQ(onDevice.stages.front().cuda, "");
    ASSERT_EQ(onDevice.recount->stages.size(), 2U);
    EXPECT_EQ(onDevice.recount->stages[0].elements, 10U);
    EXPECT_GT(onDevice.recount->stages[1].elements, 0U);
    EXPECT_EQ(onDevice.recount->elements, 10 + onDevice.recount->stages[1].elements);
    const RunReport onHost = build(nullptr);
    EXPECT_EQ(onHost.stages.front().gl, trees::kNoTreeKernels);
    EXPECT_TRUE(onHost.recount->stages.empty());
}

TEST_F(DistanceRun, SaysWhenGroupsLookAlike) {
    for (const int count : {72, 73}) {
        std::string points = "name,x,y\n", groups;
        for (int i = 0; i < count; ++i) {
            points += fmt::format("i{},{},{}\n", i, i, i * i % 7);
            groups += fmt::format("i{}\tg{}\n", i, i);
        }
        write("p.csv", points);
        write("g.tsv", groups);
        const auto says = HasSubstr("73 groups share 72 colours and marks");
        for (const std::string options :
             {"--coordinates 2", "--tree upgma", "--clusters 6", "--order cluster"}) {
            SCOPED_TRACE(options);
            const Json json = run(argumentsOf("p.csv -o p.svg --groups g.tsv --json " + options)).json();
            for (const std::string& text : {json["notes"].dump(), readFile("p.svg")})
                if (count == 73)
                    EXPECT_THAT(text, says);
                else
                    EXPECT_THAT(text, Not(HasSubstr("groups share")));
        }
    }
}

}  // namespace
}  // namespace glycine::distance
