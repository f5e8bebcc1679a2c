// The arithmetic of `glycine plan`, on made-up reports of runs and studies.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

using Report = nlohmann::json;

class Plan : public ProgramTest {
  protected:
    Report planned(const std::string& arguments) const {
        return succeed(argumentsOf("plan " + arguments + " --json")).json();
    }
    Report plan(const std::string& arguments) const { return planned(arguments + " --rate 1"); }
    void write(const std::string& name, const Report& report) const {
        writeFile(folder_ / name, report.dump());
    }

    /// 100 samples × 1,000 variants, in one tile.
    static Report distanceRun(const std::string& input, const std::string& backend = "cpu") {
        return {{"command", "distance"},
                {"device", {{"backend", backend}}},
                {"settings", {{"IN", input}, {"tile", 100}, {"dtype", nullptr}}},
                {"variant", "bitplane"},
                {"instances", 100},
                {"attributes", 1000},
                {"tiles", 1},
                {"tilesResumed", 0},
                {"seconds",
                 {{"wall", 1.0},
                  {"startUp", 0.125},
                  {"read", 0.25},
                  {"open", 0.03125},
                  {"pack", 0.0625},
                  {"compute", 0.5},
                  {"store", 0.015625},
                  {"recount", 0.0},
                  {"write", 0.0078125},
                  {"draw", 0.001},
                  {"other", 0.002},
                  {"overlapped", {{"store", 0.1}}}}}};
    }
    /// 2 files of 8 epochs of 4 channels × 100 samples.
    static Report crossapenRun() {
        const Report file{{"channels", {"a", "b", "c", "d"}}};
        return {{"command", "crossapen"},
                {"device", {{"backend", "cpu"}}},
                {"settings", {{"FILE", {"1.edf", "2.edf"}}, {"epoch", 100}}},
                {"variant", "pruned"},
                {"comparisons", 2. * 8 * 400 * 400},
                {"epochs", 16},
                {"epochsKept", 0},
                {"subjects", {file, file}},
                {"seconds",
                 {{"wall", 1.0},
                  {"startUp", 0.125},
                  {"read", 0.25},
                  {"prepare", 0.0625},
                  {"compute", 0.5},
                  {"summarize", 0.03125}}}};
    }
    static Report boundsRun() {
        return {{"command", "bounds"},
                {"device", {{"backend", "cpu"}}},
                {"settings", {{"IN", {"in.npz"}}}},
                {"variant", "dense"},
                {"atoms", 1024},
                {"seconds",
                 {{"wall", 1.0},
                  {"startUp", 0.125},
                  {"read", 0.25},
                  {"check", 0.125},
                  {"upper", 0.5},
                  {"lower", 1.5},
                  {"recount", 0.00001},
                  {"write", 0.0625}}}};
    }
    static double stage(const Report& plan, const std::string& name) {
        return plan["stages"][name].get<double>();
    }
};

// By hand: tiles of two genes, of which that off the diagonal is cut in four. The first machine gets genes 0
// and 1, 2 and 1, 3 and 1; the second 2 and 0, 3 and 0, 2 and 3. It reads half of the values of gene 1 to
// check them.
TEST_F(Plan, MachinesReadWhatTheirTilesNeed) {
    const Report shared = plan("mutualinfo --size 4x10 --machines 2 --tile 2");
    EXPECT_EQ(shared["inputBytes"], 4 * 10 * 8);
    EXPECT_EQ(shared["tiles"], 6);
    EXPECT_EQ(shared["readBytes"], 4 * 10 * 8 + 3 * 10 * 8 + 40);
    EXPECT_DOUBLE_EQ(stage(shared, "read"), shared["readBytes"].get<double>() / 2e9);
    EXPECT_EQ(plan("mutualinfo --size 4x10 --tile 2")["readBytes"], 4 * 10 * 8);
    // Two devices of one machine read together.
    EXPECT_EQ(plan("mutualinfo --size 4x10 --devices 2 --tile 2")["readBytes"], 4 * 10 * 8);
    EXPECT_EQ(plan("pairwise --size 4x10 --machines 2 --tile 2")["readBytes"], 2 * 4 * 10);
    EXPECT_EQ(plan("bounds --size 100 --machines 2")["readBytes"], plan("bounds --size 100")["inputBytes"]);
}

TEST_F(Plan, GenotypesAreReadInPages) {
    // All samples of a variant lie in one page.
    EXPECT_EQ(plan("distance --size 16000x100 --machines 4")["readBytes"], 4. * 16000 * 100 / 4);
    const Report many = plan("distance --size 2000000x100 --machines 400");
    const double input = many["inputBytes"].get<double>();
    EXPECT_GT(many["readBytes"].get<double>(), 10 * input);
    EXPECT_LT(many["readBytes"].get<double>(), 200 * input) << "of 400 if each machine reads all";
    EXPECT_THAT(succeed("plan distance --size 16000x100 --machines 4 --rate 1"_args).out,
                HasSubstr("1.5 MiB by all machines, 4.00 times the input"));
}

TEST_F(Plan, TilesAreThoseOfARealRun) {
    succeed("generate genotypes --instances 5000 --attributes 40 -o g.bed"_args);
    succeed("generate expression --genes 1100 --samples 20 -o e.tsv"_args);
    succeed("generate sequences --sequences 70 --length 12 -o s.fa"_args);
    const std::pair<std::string, std::string> runs[] = {
        {"distance g.bed", "distance --size 5000x40"},
        {"mutualinfo e.tsv", "mutualinfo --size 1100x20"},
        {"pairwise s.fa", "pairwise --size 70x12"},
    };
    for (const auto& [command, size] : runs)
        for (const std::string parts : {"1", "2", "4"}) {
            const std::string part = parts == "1" ? " -o whole.npy" : " -o part.npy --part 1/" + parts;
            const Report run =
                succeed(argumentsOf(command + part + " --backend cpu --restart --json")).json();
            const Report paper = plan(size + " --backend cpu --machines " + parts);
            EXPECT_EQ(paper["tile"], run["settings"]["tile"]) << command << " in " << parts;
            if (parts == "1") {
                EXPECT_EQ(paper["tiles"], run["tiles"]) << command;
            }
        }
}

// Real reports: the plan of the same size has the measured stages.
TEST_F(Plan, ASampleIsPlannedAsMeasured) {
    succeed("generate genotypes --instances 90 --attributes 400 -o g.bed"_args);
    succeed("generate expression --genes 60 --samples 50 -o e.tsv"_args);
    succeed("generate sequences --sequences 30 --length 60 -o s.fa"_args);
    succeed("generate signals --channels 4 --epochs 3 --samples 200 -o x.npy"_args);
    succeed("generate bounds --atoms 150 -o b.npz"_args);
    const std::pair<std::string, std::string> runs[] = {{"distance g.bed -o d.npy", "90x400"},
                                                        {"mutualinfo e.tsv -o m.npy --tile 25", "60x50"},
                                                        {"pairwise s.fa -o p.npy", "30"},
                                                        {"crossapen x.npy --epoch 200 -o c.npz", "1x3"},
                                                        {"bounds b.npz --variant dense -o o.npz", "150"}};
    for (const auto& [command, size] : runs) {
        const Report run = succeed(argumentsOf(command + " --backend cpu --json")).json();
        write("run.json", run);
        const std::string algorithm = run["command"];
        const Report same = planned(algorithm + " --size " + size + " --report run.json");
        const double wall = run["seconds"]["wall"];
        for (const auto& [name, seconds] : run["seconds"].items())
            if (name != "wall" && name != "overlapped") {
                // The length of sequences is rounded.
                EXPECT_NEAR(stage(same, name), seconds.get<double>(), 0.05 * wall)
                    << algorithm << ' ' << name;
            }
        EXPECT_NEAR(same["seconds"].get<double>(), wall, 0.05 * wall) << algorithm;
    }
}

TEST_F(Plan, EachStageOfARunHasItsLaw) {
    write("run.json", distanceRun("sample.bed"));
    const double values = 200. * 199 / (100. * 99);
    const Report same = planned("distance --size 100x1000 --report run.json --tile 100");
    EXPECT_EQ(same["backend"], "cpu");
    EXPECT_NEAR(same["seconds"].get<double>(), 0.9951875, 1e-12) << "the sample's own stages";
    const Report whole = planned("distance --size 200x2000 --report run.json --tile 200");
    EXPECT_DOUBLE_EQ(stage(whole, "startUp"), 0.125);
    EXPECT_DOUBLE_EQ(stage(whole, "read"), 4 * 0.25);
    EXPECT_DOUBLE_EQ(stage(whole, "open"), 4 * 0.03125);
    EXPECT_DOUBLE_EQ(stage(whole, "pack"), 4 * 0.0625);
    EXPECT_DOUBLE_EQ(stage(whole, "compute"), 2 * values * 0.5);
    EXPECT_DOUBLE_EQ(stage(whole, "store"), values * 0.015625);
    EXPECT_DOUBLE_EQ(stage(whole, "write"), values * 0.0078125);
    EXPECT_DOUBLE_EQ(stage(whole, "draw"), values * 0.001);
    EXPECT_DOUBLE_EQ(stage(whole, "other"), 4 * 0.002);
    EXPECT_FALSE(whole["stages"].contains("wall"));
    EXPECT_FALSE(whole["stages"].contains("overlapped"));
    double sum = 0;
    for (const auto& [name, seconds] : whole["stages"].items()) sum += seconds.get<double>();
    EXPECT_DOUBLE_EQ(whole["seconds"].get<double>(), sum);
    EXPECT_EQ(planned("distance --size 200 --report run.json")["attributes"], 1000);
    EXPECT_THAT(succeed("plan distance --size 200 --report run.json"_args).out,
                HasSubstr("distance of 100 × 1,000 by bitplane, run.json"));
}

// Two tiles on the diagonal, and one off it in four pieces, of which each machine gets two.
TEST_F(Plan, MachinesDivideTheStagesOfARun) {
    write("bed.json", distanceRun("sample.bed"));
    write("vcf.json", distanceRun("sample.vcf"));
    const double values = 200. * 199 / (100. * 99);
    const std::string command = "distance --size 200x2000 --tile 100 --report ";
    const Report two = planned(command + "bed.json --machines 2");
    EXPECT_EQ(two["tiles"], 6);
    EXPECT_DOUBLE_EQ(stage(two, "startUp"), 0.125 + 0.1);
    EXPECT_DOUBLE_EQ(stage(two, "read"), 2 * 0.25) << "a half each";
    EXPECT_DOUBLE_EQ(stage(two, "open"), 2 * 0.03125);
    EXPECT_DOUBLE_EQ(stage(two, "pack"), 4 * 0.0625) << "all samples lie in one page";
    EXPECT_DOUBLE_EQ(stage(two, "compute"), values * 0.5);
    EXPECT_DOUBLE_EQ(stage(two, "store"), values / 2 * 0.015625);
    EXPECT_DOUBLE_EQ(stage(two, "write"), values * 0.0078125) << "by the first one alone";
    EXPECT_DOUBLE_EQ(stage(planned(command + "vcf.json --machines 2"), "read"), 4 * 0.25) << "each all";

    // Two processes share the processors of one machine.
    const Report processes = planned(command + "vcf.json --devices 2");
    EXPECT_DOUBLE_EQ(stage(processes, "startUp"), 0.125 + 0.1);
    EXPECT_DOUBLE_EQ(stage(processes, "read"), 8 * 0.25);
    EXPECT_DOUBLE_EQ(stage(processes, "compute"), 2 * values * 0.5);
    EXPECT_DOUBLE_EQ(processes["rate"].get<double>(), 100. * 99 * 1000 / 0.5 / 2);
    // Of a single tile, the other processors have nothing.
    const Report idle = planned("distance --size 200x2000 --tile 200 --devices 2 --report bed.json");
    EXPECT_DOUBLE_EQ(stage(idle, "compute"), 4 * values * 0.5);

    // Devices of cuda are whole ones.
    Report cuda = distanceRun("sample.bed", "cuda");
    cuda["seconds"]["upload"] = 0.25;
    write("cuda.json", cuda);
    const Report devices = planned(command + "cuda.json --devices 2");
    EXPECT_DOUBLE_EQ(stage(devices, "startUp"), 0.125) << "one process";
    EXPECT_DOUBLE_EQ(stage(devices, "compute"), values * 0.5);
    // Operands: two tiles of 100 samples, four of 50 + 50, each twice as long.
    EXPECT_DOUBLE_EQ(stage(devices, "upload"), (2. * 100 + 4 * 100) * 2 / 100 / 2 * 0.25);
}

TEST_F(Plan, RecountingHasItsLimit) {
    Report run = distanceRun("sample.bed", "cuda");
    run["seconds"]["recount"] = 0.1;
    write("run.json", run);
    // A pair takes as long as its attributes are many.
    const std::string command = "distance --report run.json --tile 100 --size ";
    EXPECT_DOUBLE_EQ(stage(planned(command + "200x2000"), "recount"), 0.2);
    EXPECT_DOUBLE_EQ(stage(planned(command + "100x4000"), "recount"), 0.25);
    const Report longer = planned(command + "100x400000");
    EXPECT_DOUBLE_EQ(stage(longer, "compute"), 200);
    EXPECT_DOUBLE_EQ(stage(longer, "recount"), 0.05 * 200);
}

TEST_F(Plan, BoundsOfARun) {
    write("run.json", boundsRun());
    const Report whole = planned("bounds --size 2048 --report run.json");
    EXPECT_DOUBLE_EQ(stage(whole, "read"), 4 * 0.25);
    EXPECT_DOUBLE_EQ(stage(whole, "check"), 4 * 0.125);
    EXPECT_DOUBLE_EQ(stage(whole, "upper"), 8 * 0.5);
    EXPECT_DOUBLE_EQ(stage(whole, "lower"), 8 * 1.5);
    EXPECT_LT(stage(whole, "recount"), 0.001);
    EXPECT_DOUBLE_EQ(stage(whole, "write"), 4 * 0.0625);
    const Report shared = planned("bounds --size 2048 --report run.json --devices 2");
    EXPECT_DOUBLE_EQ(stage(shared, "upper"), 8 * 0.5 / shared["efficiency"].get<double>());
    EXPECT_LT(shared["efficiency"], 1);
    EXPECT_DOUBLE_EQ(stage(shared, "recount"), 0.25) << "blocks of other processes";
}

// By hand: two processes take the halves of four files in turns, so both read each file, and the first one
// reads them again to sum them up.
TEST_F(Plan, CrossApEnSharesFiles) {
    write("run.json", crossapenRun());
    const Report whole = planned("crossapen --size 4x16 --report run.json");
    EXPECT_EQ(whole["channels"], 4);
    EXPECT_EQ(whole["samples"], 100);
    EXPECT_EQ(whole["tiles"], 4);
    EXPECT_DOUBLE_EQ(stage(whole, "read"), 4 * 0.25);
    EXPECT_DOUBLE_EQ(stage(whole, "compute"), 4 * 0.5);
    EXPECT_DOUBLE_EQ(stage(whole, "summarize"), 4 * 0.03125);
    const Report shared = planned("crossapen --size 4x16 --report run.json --devices 2");
    EXPECT_EQ(shared["tiles"], 8);
    EXPECT_DOUBLE_EQ(stage(shared, "read"), 4 * 0.25 * 3);
    EXPECT_DOUBLE_EQ(stage(shared, "prepare"), 4 * 0.0625);
    EXPECT_DOUBLE_EQ(stage(shared, "compute"), 4 * 0.5);
    EXPECT_DOUBLE_EQ(stage(planned("crossapen --size 4x16 --report run.json --machines 2"), "compute"),
                     2 * 0.5);
    // Without a run: 3 files in shares of an epoch, on two devices.
    const Report rates = plan("crossapen --size 1x3 --channels 10 --epoch 50 --backend cpu --devices 2");
    EXPECT_EQ(rates["tiles"], 3);
    EXPECT_DOUBLE_EQ(stage(rates, "compute"), 2 * 500. * 500 / 1e9);
    EXPECT_EQ(rates["inputBytes"], 3 * 500 * 2);
    EXPECT_EQ(rates["diskBytes"], 3 * 3 * 10 * 10 * 8);
}

TEST_F(Plan, RatesOfAStudyDependOnTheSize) {
    const auto row = [](const char* variant, int extent, const Report& rates) {
        const Report seconds{{"count", 1},         {"min", 1},           {"median", 1},   {"max", 1},
                             {"interval", {1, 1}}, {"confidence", 0.95}, {"samples", {1}}};
        Report one{{"backend", "cpu"},
                   {"variant", variant},
                   {"verified", true},
                   {"dimensions",
                    {{{"name", "instances"}, {"extent", extent}}, {{"name", "attributes"}, {"extent", 10}}}},
                   {"seconds", {{"total", seconds}}}};
        for (const auto& [stage, rate] : rates.items()) one["rates"][stage]["best"] = rate;
        return one;
    };
    const auto step = [](const char* algorithm, const char* series, const Report& rows) {
        return Report{{"id", algorithm},  {"kind", "times"},  {"algorithm", algorithm},
                      {"series", series}, {"status", "done"}, {"result", {{"rows", rows}}}};
    };
    // 101 · 100 and 1,001 · 1,000 comparisons of each attribute.
    Report large = row("slow", 1001, {{"compute", 9}, {"total", 8}});
    large["ceiling"] = {{"share", 0.75}};
    write(
        "report.json",
        {{"schema", {{"name", "glycine-study"}, {"version", 1}}},
         {"command", "study"},
         {"label", "machine"},
         {"scale", "full"},
         {"environment", Report::object()},
         {"devices", Report::array()},
         {"absent", Report::array()},
         {"steps",
          {step("distance", "genotypes",
                {row("slow", 101, {{"compute", 3}, {"total", 2}}), large,
                 row("fast", 101, {{"compute", 4}, {"total", 4}})}),
           step("bounds", "float32", Report::array({row("dense", 101, {{"upper", 10}, {"lower", 30}})}))}}});
    const auto rate = [&](const std::string& run) {
        return planned(run + " --backend cpu --report report.json")["rate"].get<double>() / 1e9;
    };
    EXPECT_DOUBLE_EQ(rate("distance --size 50x10"), 4) << "as the smallest row, of the fastest variant there";
    EXPECT_DOUBLE_EQ(rate("distance --size 1001x10"), 8);
    EXPECT_DOUBLE_EQ(rate("distance --size 5000x1000"), 8) << "as the largest row";
    EXPECT_DOUBLE_EQ(rate("distance --size 5000x1000 --devices 2"), 4) << "of a half of the processors";
    const double share = std::log(500. * 499 / (101. * 100)) / std::log(1001. * 1000 / (101. * 100));
    EXPECT_DOUBLE_EQ(rate("distance --size 500x10"), 2 * std::pow(4, share));
    EXPECT_DOUBLE_EQ(rate("bounds --size 101"), 15) << "harmonic mean of 10 and 30";
    EXPECT_THAT(succeed("plan distance --size 1001x10 --backend cpu --report report.json"_args).out,
                HasSubstr("slow up to 1,001 instances × 10 attributes, machine"));
    expectRefused("plan pairwise --size 100x10 --backend cpu --report report.json"_args,
                  "report.json: has no time of pairwise (global) on cpu; give a rate with --rate");
}

TEST_F(Plan, ReportsThatDoNotFitAreRefused) {
    const auto refuse = [&](const Report& report, const std::string& message,
                            const std::string& command = "plan distance --size 200x2000 --report run.json") {
        write("run.json", report);
        expectRefused(argumentsOf(command), "run.json: " + message);
    };
    const std::string size = "plan mutualinfo --size 200x2000 --report run.json";
    refuse(distanceRun("s.bed"), "the report of a run of distance; expected one of mutualinfo", size);
    Report run = distanceRun("s.bed");
    run["tilesResumed"] = 3;
    refuse(run, "the report of a run that was resumed; expected one from the beginning (--restart)");
    run = distanceRun("s.bed");
    run["devices"] = {1, 2};
    refuse(run, "the report of a run of several devices or processes; expected one process on one device");
    run = distanceRun("s.bed");
    run["seconds"]["compute"] = 0;
    refuse(run, "the run computed nothing; expected a larger one");
    run.erase("instances");
    refuse(run, "as the report of a run of distance: ");
    refuse({{"a", 1}}, "neither the report of a study (report.json) nor of a run (--json)");

    write("run.json", distanceRun("s.bed"));
    const std::string command = "plan distance --size 200x2000 --report run.json";
    expectRefused(argumentsOf(command + " --backend cuda"), "--backend cuda: the run of run.json was on cpu");
    expectRefused(argumentsOf(command + " --rate 3"), "the report of a run has its own rate");
    expectRefused(argumentsOf(command + " --channels 3"), "--channels and --epoch are those of crossapen");
    expectRefused("plan crossapen --size 2x3 --rate 1"_args, "give --channels and --epoch");
    expectRefused("plan distance --size 1x3 --rate 1"_args, "expected at least two instances");
    expectRefused("plan distance --size 200x300"_args, "the speed of a device is not known");
    expectRefused("plan align --size 2x3 --rate 1"_args,
                  "align has no plan; known: bounds, crossapen, distance, mutualinfo, pairwise");
}

TEST_F(Plan, InputThatIsReadInPlaceTakesNoMemory) {
    // A tile of doubles, and what cpu packs.
    const Report bed = plan("distance --size 1000x4000 --backend cpu --tile 1000");
    EXPECT_EQ(bed["hostBytes"], 1000. * 1000 * 8 + 1000. * 4000 / 4);
    write("vcf.json", distanceRun("sample.vcf"));
    const Report vcf = planned("distance --size 1000x4000 --tile 1000 --report vcf.json");
    EXPECT_EQ(vcf["hostBytes"], 1000. * 1000 * 8 + 2 * 1000. * 4000 / 4);
    EXPECT_EQ(plan("pairwise --size 100x50 --backend cpu --tile 100")["hostBytes"],
              100 * 100 * 8 + 2 * 100 * 50);
    EXPECT_EQ(plan("pairwise --size 100x50")["diskBytes"], 100 * 99 / 2 * 8);
    EXPECT_EQ(vcf["diskBytes"], 1000. * 999 / 2 * 4);
    Report shares = distanceRun("s.vcf");
    shares["measure"] = "ibs";
    write("ibs.json", shares);
    EXPECT_EQ(planned("distance --size 100x50 --report ibs.json")["diskBytes"], 100 * 99 / 2 * 8);
}

}  // namespace
}  // namespace glycine::test
