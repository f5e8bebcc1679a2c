// `glycine inspect`: kinds of files, their contents, and the commands that read them.

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "engine/core/matrix.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/app/task_test.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

struct Case {
    std::string name, text, kind;
    std::string fact;  ///< part of the output
    std::string next;
};

const Case kCases[] = {
    {"p.pdb", "ATOM      1  CA  ALA A   1       0.000   0.000   0.000  1.00  0.00           C\nEND\n",
     "structure", "Residues of chains  A (1)", "glycine bounds p.pdb"},
    {"r.upl", "1 ALA HA 2 GLY H 4.5\n", "restraints", "Distances       1\n", "glycine fold r.upl --sequence"},
    {"r.tsv", "i\tj\tlower\tupper\n1\t2\t1.5\t2\n", "restraints", "Distances", "glycine bounds r.tsv"},
    {"v.vcf",
     "##fileformat=VCFv4.2\n##contig=<ID=7>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"G\">\n"
     "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n7\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n",
     "genotypes", "Chromosomes          7 (1)", "glycine distance v.vcf"},
    {"s.fa", ">a\nACGT\n>b\nACG\n", "sequences", "3 to 4", "glycine align s.fa"},
    {"aligned.fa", ">a\nACGT\n>b\nAC-T\n", "alignment", "12.5 %", "glycine tree aligned.fa"},
    {"c.aln", "CLUSTAL W\n\na  ACGT\nb  AC-T\n", "alignment", "(clustal)", "glycine distance c.aln"},
    {"t.nwk", "((a:1,b:1):1,c:2);", "tree", "3: a, b, c", "--tree-in t.nwk"},
    {"e.tsv", "gene\ts1\ts2\ts3\ng1\t1\t2\t3\ng2\t4\tNA\t6\n", "table of numbers", "1.00 to 6.00",
     "glycine network e.tsv"},
    {"m.tsv", "\ta\tb\na\t0\t1\nb\t1\t0\n", "matrix of pairs", "2: a, b", "glycine tree m.tsv"},
    {"g.csv", "file,group\na.edf,old\nb.edf,young\n", "table of words", "2: file, group", "--groups g.csv"},
    {"report.json", "{\"command\": \"study\"}", "report", "study", "glycine report report.json"}};

TEST(Inspect, DescribesFiles) {
    const WorkingFolder folder;
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.name);
        writeFile(folder / one.name, one.text);
        const TaskOutcome outcome = succeedTask(declareInspect, {one.name});
        EXPECT_THAT(outcome.out, AllOf(HasSubstr(one.kind), HasSubstr(one.fact), HasSubstr(one.next)));
        const Json json = succeedTask(declareInspect, {one.name, "--json"}).json()["files"][0];
        EXPECT_EQ(json["kind"], one.kind);
        EXPECT_EQ(json["file"], one.name);
        EXPECT_FALSE(json["next"].empty());
    }
}

TEST(Inspect, DescribesArraysAndSeveralFiles) {
    const WorkingFolder folder;
    const Matrix<double> square(3, 3, 0.0);
    io::writeNpy<double>(folder / "a.npy", square.view());
    io::NpzWriter writer;
    writer.add("upper", io::npyMatrixSource<double>(square.view()));
    writer.write(folder / "b.npz");
    const Json files = succeedTask(declareInspect, {"a.npy", "b.npz", "--json"}).json()["files"];
    EXPECT_EQ(files[0]["arrays"]["array"]["shape"], (Json{3, 3}));
    EXPECT_EQ(files[1]["arrays"]["upper"]["dtype"], "<f8");
    EXPECT_THAT(files[1]["next"].dump(), HasSubstr("glycine bounds b.npz"));
}

/// A table of a title per column, and `samples` rows of `first(k)` and two signals.
template <class First>
void writeSignals(const fs::path& path, const std::string& titles, int samples, const First& first) {
    std::string text = titles + '\n';
    for (int k = 0; k < samples; ++k)
        text += fmt::format("{}{},{}\n", first(k), k * k % 7 - 1.5, k * k % 11 + 0.25);
    writeFile(path, text);
}

TEST(Inspect, NamesEveryCommandThatReadsATableOfSignals) {
    const WorkingFolder folder;
    const auto next = [](const std::string& name) {
        return succeedTask(declareInspect, {name, "--json"}).json()["files"][0]["next"];
    };
    const auto none = [](int) { return ""; };
    writeSignals("eeg.csv", "PG3,PG5", 20, none);
    const Json commands{"glycine crossapen eeg.csv -o entropies.npz -o entropies.png --epoch 20",
                        "glycine network eeg.csv -o net.tsv",
                        "glycine mutualinfo eeg.csv -o mi.npy -o mi.png",
                        "glycine distance eeg.csv -o distances.tsv --measure correlation"};
    EXPECT_EQ(next("eeg.csv"), commands);
    const std::string text = succeedTask(declareInspect, {"eeg.csv"}).out;
    for (const char* command : {"crossapen", "network", "mutualinfo", "distance"})
        EXPECT_THAT(text, HasSubstr(fmt::format("glycine {} eeg.csv", command)));

    // An epoch as long as usual needs no option.
    writeSignals("long.csv", "PG3,PG5", 1024, none);
    EXPECT_EQ(next("long.csv")[0], "glycine crossapen long.csv -o entropies.npz -o entropies.png");
    // Two samples are too short for any epoch.
    writeSignals("short.csv", "PG3,PG5", 2, none);
    EXPECT_THAT(next("short.csv").dump(), Not(HasSubstr("crossapen")));

    // Times are no signal, as numbers and as text.
    writeSignals("time.csv", "time,Fz,Cz", 20, [](int k) { return fmt::format("{},", k * 0.004); });
    writeSignals("clock.csv", "Time,Fz,Cz", 20, [](int k) { return fmt::format("10:00:{:02},", k); });
    for (const std::string name : {"time.csv", "clock.csv"}) {
        EXPECT_THAT(next(name).dump(), HasSubstr("glycine crossapen " + name));
        EXPECT_THAT(succeedTask(declareInspect, {name}).out, HasSubstr("as signals: '"));
    }

    // A column of genes' names is no signal either, even if they are numbers.
    writeSignals("genes.csv", "gene,s1,s2", 20, [](int k) { return fmt::format("g{},", k); });
    writeSignals("numbers.csv", "gene,s1,s2", 20, [](int k) { return fmt::format("{},", 7919 * k % 10007); });
    for (const std::string name : {"genes.csv", "numbers.csv"})
        EXPECT_THAT(next(name).dump(), AllOf(HasSubstr("network"), Not(HasSubstr("crossapen"))));
}

TEST(Inspect, DescribesTablesThatPlinkWrites) {
    const WorkingFolder folder;
    const auto told = [](const std::string& name) {
        return succeedTask(declareInspect, {name, "--json"}).json()["files"][0];
    };
    writeFile(folder / "x.dist", "793\n800\t12\n");
    writeFile(folder / "x.dist.id", "f1\ta\nf2\tb\nf3\tc\n");
    EXPECT_EQ(told("x.dist")["format"], "PLINK");
    EXPECT_EQ(told("x.dist")["instances"], (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_THAT(told("x.dist")["notes"].dump(), HasSubstr("no command reads it"));
    writeFile(folder / "x.kin0", "#FID1\tIID1\tFID2\tIID2\tKINSHIP\nf1\ta\tf2\tb\t0.25\n");
    EXPECT_EQ(told("x.kin0")["kind"], "table of words");
    EXPECT_TRUE(told("x.kin0")["next"].empty());
    writeFile(folder / "panel.tsv", "a\tBritish\nb\tFinnish\n");
    EXPECT_THAT(told("panel.tsv")["next"].dump(), HasSubstr("--groups panel.tsv"));
}

TEST(Inspect, NamesOnlyCommandsThatReadTheFile) {
    const WorkingFolder folder;
    const auto told = [](const std::string& name) {
        return succeedTask(declareInspect, {name, "--json"}).json()["files"][0];
    };
    EdfText edf;
    edf.signals.resize(2);
    edf.signals[0].samples = "200";
    edf.signals[1].samples = "100";
    edf.signals[1].label = "EMG";
    writeFile(folder / "none.edf", edf.bytes());
    EXPECT_TRUE(told("none.edf")["next"].empty());
    edf.records.assign(2, std::string(600, '\1'));
    writeFile(folder / "mixed.edf", edf.bytes());
    EXPECT_EQ(
        told("mixed.edf")["next"],
        (Json{"glycine crossapen mixed.edf -o entropies.npz -o entropies.png --epoch 400 --resample 200"}));

    writeFile(folder / "c.ref", "CLUSTAL W\n\na  ACGT\nb  AC-T\n");
    EXPECT_THAT(told("c.ref")["next"].dump(), AllOf(HasSubstr("tree c.ref"), Not(HasSubstr("distance"))));
    writeFile(folder / "e.exp", "gene\tnote\ts1\ts2\ng1\tx\t1\t2\ng2\ty\t4\t6\n");
    EXPECT_THAT(told("e.exp")["next"].dump(), AllOf(HasSubstr("network e.exp"), Not(HasSubstr("distance"))));

    const Matrix<double> values(2, 3, 0.5);
    io::NpzWriter writer;
    writer.add("confidence", io::npyMatrixSource<double>(values.view()));
    writer.add("columns", io::npyMatrixSource<double>(values.view()));
    writer.add("names", std::vector<std::string>{"a", "b"});
    writer.write(folder / "c.npz");
    EXPECT_TRUE(told("c.npz")["next"].empty());
    EXPECT_THAT(told("c.npz")["notes"].dump(), HasSubstr("no command reads"));
    writeFile(folder / "x.kin0", "#FID1\tIID1\tFID2\tIID2\tKINSHIP\nf1\ta\tf2\tb\t0.25\n");
    EXPECT_THAT(told("x.kin0")["notes"].dump(), HasSubstr("no command reads"));
}

TEST(Inspect, CountsNodesAndEdgesOfNetworks) {
    const WorkingFolder folder;
    const std::pair<std::string, std::string> files[] = {
        {"n.sif", "a\tclr\tb\nb\tclr\tc\n"},
        {"n.adj", ">  Input file  x\na\tb\t0.5\nb\ta\t0.5\tc\t0.25\nc\tb\t0.25\n"},
        {"n.graphml",
         "<graphml>\n<node id=\"n0\"/>\n<node id=\"n1\"/><node id=\"n2\"/>\n<edge source=\"n0\" "
         "target=\"n1\"/>\n<edge source=\"n1\" target=\"n2\"/>\n</graphml>\n"}};
    for (const auto& [name, text] : files) {
        SCOPED_TRACE(name);
        writeFile(folder / name, text);
        const Json told = succeedTask(declareInspect, {name, "--json"}).json()["files"][0];
        EXPECT_EQ(told["kind"], "network");
        EXPECT_EQ(told["nodes"], 3);
        EXPECT_EQ(told["edges"], 2);
    }
}

TEST(Inspect, RefusesWhatItDoesNotKnow) {
    const WorkingFolder folder;
    writeFile(folder / "x.doc", "no data\n");
    expectTaskRefused(declareInspect, {"x.doc"}, "x.doc: neither the ending nor the contents fit");
    expectTaskRefused(declareInspect, {"missing.edf"}, "missing.edf");
    expectTaskRefused(declareInspect, {"."}, "is a folder");
    writeFile(folder / "empty.fa", "");
    expectTaskRefused(declareInspect, {"empty.fa"}, "empty.fa: is empty");
    writeFile(folder / "x.pgen", "l");
    expectTaskRefused(declareInspect, {"x.pgen"}, "plink2 --pfile x --make-bed");
}

}  // namespace
}  // namespace glycine::test
