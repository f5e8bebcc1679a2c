// Runs `glycine crossapen` as a user does: input files, output files, refusals, stops and resumed runs.

#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

class CrossApEnCommand : public test::ProgramTest {
  protected:
    /// Writes channels × samples random numbers as .npy.
    void writeSignals(const std::string& name, std::size_t channels, std::size_t samples,
                      std::uint64_t seed = 1) const {
        RandomSequence random(seed);
        Matrix<double> signals(channels, samples);
        for (std::size_t i = 0; i < signals.size(); ++i)
            signals.data()[i] = random.uniform() + random.uniform();
        io::writeNpy<double>(folder_ / name, signals.view());
    }
    Matrix<double> array(const std::string& archive, const std::string& name) const {
        const io::NpzReader reader(folder_ / archive);
        return io::readNpyMatrix<double>(*reader.open(name));
    }
};

std::vector<double> numbers(const Matrix<double>& matrix) {
    return {matrix.data(), matrix.data() + matrix.size()};
}

TEST_F(CrossApEnCommand, WritesEveryKindOfFile) {
    std::ostringstream table;
    table << "Fz,Cz,Pz\n";
    RandomSequence random(3);
    for (int i = 0; i < 150; ++i)
        table << random.uniform() << ',' << random.uniform() << ',' << random.uniform() << '\n';
    writeFile(folder_ / "eeg.csv", table.str());
    const Outcome outcome = succeed(
        "crossapen eeg.csv --epoch 50 --backend cpu -o a.npz -o a.npy -o a.csv -o a.png -o "
        "a.json --per-epoch"_args);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("3 channels × 3 epochs"), HasSubstr("variant"), HasSubstr("a.npz")));
    EXPECT_THAT(files(), ElementsAre("a.csv", "a.json", "a.npy", "a.npy.names", "a.npz", "a.png", "eeg.csv"));
    const Matrix<double> mean = array("a.npz", "crossapen_max");
    EXPECT_EQ(mean.rows(), 3u);
    EXPECT_EQ(mean.columns(), 3u);
    const auto json = nlohmann::json::parse(readFile(folder_ / "a.json"));
    EXPECT_EQ(json.at("subjects").at(0).at("channels"), nlohmann::json({"Fz", "Cz", "Pz"}));
    EXPECT_EQ(json.at("parameters").at("r"), "0.2 SD");
    EXPECT_EQ(json.at("settings").at("r"), 0.2);
    const std::string csv = readFile(folder_ / "a.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 9 * (1 + 3));
}

TEST_F(CrossApEnCommand, BackendsGiveTheSameFile) {
    writeSignals("x.npy", 4, 300);
    for (const char* backend : {"reference", "cpu"}) {
        succeed({"crossapen", "x.npy", "--epoch", "100", "--m", "2", "--backend", backend, "-o",
                 std::string(backend) + ".npy"});
    }
    EXPECT_EQ(readFile(folder_ / "cpu.npy"), readFile(folder_ / "reference.npy"));
}

TEST_F(CrossApEnCommand, AFolderHoldsABatchAndItsGroups) {
    std::vector<std::string> arguments{"crossapen"};
    std::string table = "file;group\n";
    for (int i = 0; i < 6; ++i) {
        const std::string name = "s" + std::to_string(i) + ".npy";
        writeSignals(name, 3, 220, static_cast<std::uint64_t>(i));
        arguments.push_back(name);
        table += "s" + std::to_string(i) + (i < 3 ? ";young\n" : ";old\n");
    }
    writeFile(folder_ / "groups.csv", table);
    arguments.insert(arguments.end(),
                     {"--epoch", "100", "--groups", "groups.csv", "-o", "out", "--backend", "cpu"});
    const Outcome outcome = succeed(arguments);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("Kruskal-Wallis"), HasSubstr("Mann-Whitney"), HasSubstr("young")));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "out"))
        names.push_back(entry.path().filename().string());
    EXPECT_EQ(names.size(), 6u + 6u) << "six archives, table, picture, summary, three files of the groups";
    EXPECT_THAT(names, IsSupersetOf({"s0.npz", "s5.npz", "entropies.csv", "entropies.png", "summary.json",
                                     "groups.csv", "groups.npz", "groups.png"}));
}

TEST_F(CrossApEnCommand, ChannelsThatCannotBeUsedAreReported) {
    std::ostringstream table;
    table << "a,b,c\n";
    RandomSequence random(3);
    for (int i = 0; i < 120; ++i)
        table << random.uniform() << ',' << (i < 60 ? 5 : i) << ',' << random.uniform() << '\n';
    writeFile(folder_ / "x.csv", table.str());
    const Outcome outcome = succeed("crossapen x.csv --epoch 60 -o x.npz --json"_args);
    const auto subject = outcome.json().at("subjects").at(0);
    ASSERT_EQ(subject.at("unusableChannels").size(), 1u) << subject;
    EXPECT_EQ(numbers(array("x.npz", "crossapen_max_epochs_used")),
              (std::vector<double>{2, 1, 2, 1, 1, 1, 2, 1, 2}));
}

// A dead channel with a nonzero constant. Resampling and filters turn rounding into a plausible signal.
TEST_F(CrossApEnCommand, DeadChannelsHaveNoEntropies) {
    std::ostringstream table;
    table << "a,b\n";
    for (int i = 1; i <= 8000; ++i) table << i * 7919 % 1009 << ",7.3\n";
    writeFile(folder_ / "c.csv", table.str());
    const std::vector<std::vector<std::string>> ways = {
        {}, "--resample 100"_args, "--band 1-40"_args, "--resample 100 --band 1-40"_args};
    for (const std::vector<std::string>& way : ways)
        for (const char* convention : {"paper", "absolute"}) {
            auto arguments = "crossapen c.csv --rate 128 -o m.npz --json"_args;
            arguments.insert(arguments.end(), way.begin(), way.end());
            if (convention == std::string("absolute")) arguments.emplace_back("--absolute");
            const Outcome outcome = succeed(arguments);
            const Matrix<double> used = array("m.npz", "crossapen_max_epochs_used");
            const double epochs = used(0, 0);
            EXPECT_GE(epochs, 6);
            EXPECT_EQ(numbers(used), (std::vector<double>{epochs, 0, 0, 0}));
            const auto unusable = outcome.json().at("subjects").at(0).at("unusableChannels");
            ASSERT_EQ(unusable.size(), 1u) << unusable;
            EXPECT_EQ(unusable[0].at("channel"), "b");
            EXPECT_EQ(unusable[0].at("reason"), "constant");
            EXPECT_EQ(unusable[0].at("epochs").size(), epochs);
        }
    const test::Outcome outcome = run("crossapen c.csv --rate 128 --band 1-40 -o n.npz"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("without a value: b in epochs (1, 2, 3, 4, …): constant")));
}

TEST_F(CrossApEnCommand, ClippedAndFlatEpochsAreLeftOutUnlessRequested) {
    std::ostringstream table;
    table << "a,b,c\n";
    RandomSequence random(3);
    for (int i = 0; i < 2048; ++i) {
        const double b = random.uniform() + random.uniform() - 1;
        table << random.uniform() << ',' << (i < 1024 ? std::min(b, 0.5) : b / 2) << ','
              << (i % 1024 < 300 ? 0.5 : random.uniform()) << '\n';
    }
    writeFile(folder_ / "x.csv", table.str());
    const auto used = [&](std::vector<std::string> more) {
        auto arguments = "crossapen x.csv -o x.npz"_args;
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = succeed(arguments);
        if (more.empty()) {
            EXPECT_THAT(
                outcome.out,
                AllOf(HasSubstr("1 channel epoch without a value: b in epoch (1): clipped, 1"),
                      HasSubstr("--max-clipped"),
                      HasSubstr("2 channel epochs without a value: c in epochs (1, 2): flat, 29.3 % of"),
                      HasSubstr("--max-flat")));
        }
        const Matrix<double> all = array("x.npz", "crossapen_max_epochs_used");
        return std::vector<double>{all(0, 0), all(1, 1), all(2, 2)};
    };
    EXPECT_THAT(used({}), ElementsAre(2, 1, 0));
    EXPECT_THAT(used("--max-clipped 1"_args), ElementsAre(2, 2, 0));
    EXPECT_THAT(used("--max-flat 0.3"_args), ElementsAre(2, 1, 2));
}

TEST_F(CrossApEnCommand, TimeDelays) {
    writeSignals("x.npy", 3, 200);
    for (const char* backend : {"reference", "cpu"}) {
        const Outcome outcome = succeed({"crossapen", "x.npy", "--epoch", "100", "--m", "2", "--tau", "3",
                                         "--backend", backend, "-o", std::string(backend) + ".npy"});
        EXPECT_THAT(outcome.out, HasSubstr("time delay 3 samples"));
    }
    EXPECT_EQ(readFile(folder_ / "cpu.npy"), readFile(folder_ / "reference.npy"));
    succeed("crossapen x.npy --epoch 100 --m 2 -o one.npy"_args);
    EXPECT_NE(readFile(folder_ / "cpu.npy"), readFile(folder_ / "one.npy"));
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --tau 0"_args, "--tau");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --m 2 --tau 50"_args, "it takes 2 · 50 + 2 = 102");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --tau 2 --convention entropyhub"_args, "time delay");
    std::vector<Matrix<double>> fuzzy;
    for (const char* tau : {"1", "2"})
        for (const char* backend : {"reference", "cpu"}) {
            const std::string file = std::string(backend) + tau + ".npz";
            succeed({"crossapen", "x.npy", "-o", file, "--epoch", "50", "--measure", "crossfuzzyen", "--tau",
                     tau, "--backend", backend});
            fuzzy.push_back(array(file, "crossfuzzyen"));
        }
    for (std::size_t i = 0; i < fuzzy[0].size(); ++i) {
        EXPECT_NEAR(fuzzy[1].data()[i], fuzzy[0].data()[i], 1e-5) << i;
        EXPECT_NEAR(fuzzy[3].data()[i], fuzzy[2].data()[i], 1e-5) << i;
        EXPECT_GT(std::abs(fuzzy[2].data()[i] - fuzzy[0].data()[i]), 1e-4) << i;
    }
}

TEST_F(CrossApEnCommand, GroupsThatAreTooSmallForAlpha) {
    std::vector<std::string> arguments{"crossapen"};
    std::string table = "file;group\n";
    for (int i = 0; i < 6; ++i) {
        const std::string name = "s" + std::to_string(i) + ".npy";
        writeSignals(name, 2, 100, static_cast<std::uint64_t>(i));
        arguments.push_back(name);
        table += name + (i < 3 ? ";young\n" : ";old\n");
    }
    writeFile(folder_ / "groups.csv", table);
    arguments.insert(arguments.end(), {"--epoch", "100", "--groups", "groups.csv", "-o", "out"});
    const Outcome outcome = succeed(arguments);
    EXPECT_THAT(outcome.out, HasSubstr("Mann-Whitney: p < 0.01 cannot be reached with groups of 3 and 3 "
                                       "subjects: 0.1 is the smallest p"));
    arguments.insert(arguments.end(), {"--alpha", "0.2"});
    EXPECT_THAT(run(arguments).out, Not(HasSubstr("cannot be reached")));

    for (int i = 0; i < 6; ++i) {
        const std::string ending = std::to_string(i) + ".csv";
        succeed({"generate", "signals", "--channels", "4", "--samples", "100", "--seed", std::to_string(i),
                 "-o", "s" + ending});
        const std::string signals = readFile(folder_ / ("s" + ending));
        writeFile(folder_ / ("e" + ending), "Fz,Cz,Pz,Oz" + signals.substr(signals.find('\n')));
        arguments[static_cast<std::size_t>(1 + i)] = "e" + ending;
    }
    writeFile(folder_ / "groups.csv", "file,group\ne0,a\ne1,a\ne2,a\ne3,b\ne4,b\ne5,b\n");
    arguments.back() = "0.05";
    arguments.insert(arguments.end(), {"--permutations", "100"});
    const std::string unpaired = run(arguments).out;
    EXPECT_THAT(unpaired, AllOf(HasSubstr("cluster permutation: p < 0.05 cannot be reached with 20 "
                                          "permutations: 0.1 is the smallest p"),
                                Not(HasSubstr("subject of its own"))));

    // Conditions of the same subjects, which rank tests do not pair.
    arguments.resize(arguments.size() - 2);
    writeFile(folder_ / "groups.csv", "file,group,subject\ne0,a,1\ne1,a,2\ne2,a,3\ne3,b,1\ne4,b,2\ne5,b,3\n");
    EXPECT_THAT(run(arguments).out, HasSubstr("the rank tests count each file as a subject of its own"));
    arguments.emplace_back("--json");
    for (const nlohmann::json& test : run(arguments).json().at("groups").at("tests"))
        EXPECT_EQ(test.at("paired"), false) << test;
}

TEST_F(CrossApEnCommand, HeadsShowChannelsWhateverTheRegions) {
    writeFile(folder_ / "e.csv", [] {
        std::string text = "Fz,Cz,Pz,Oz\n";
        for (int k = 0; k < 100; ++k)
            text += fmt::format("{},{},{},{}\n", std::sin(k * k), std::cos(k * k), std::sin(k + 0.1 * k * k),
                                std::cos(k * 1.7));
        return text;
    }());
    succeed("crossapen e.csv --epoch 100 --regions auto -o e.svg --draw scalp=head.svg"_args);
    EXPECT_THAT(readFile(folder_ / "e.svg"), HasSubstr(", by region, m = 1"));
    EXPECT_THAT(readFile(folder_ / "head.svg"), Not(HasSubstr("by region")));
}

TEST_F(CrossApEnCommand, OptionsThatNobodyReadsAreRefused) {
    writeSignals("x.npy", 3, 300);
    writeFile(folder_ / "t.csv", "a,b\n1,2\n2,7\n4,1\n");
    const auto refused = [&](std::vector<std::string> more, const std::string& why,
                             const std::string& output = "o.npz") {
        std::vector<std::string> arguments{"crossapen", "x.npy", "--epoch", "100", "-o", output};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expectRefused(arguments, why);
    };
    refused("--artefact-annotations BAD*"_args, "only recordings");
    refused("--header yes"_args, "only tables");
    refused("--array x"_args, "only .npz");
    refused({"--keep-time"}, "only tables and .npz");
    refused({"--per-epoch"}, "--per-epoch", "o.png");
    refused("--per-epoch --square"_args, "without --square", "o.csv");
    refused("--measure crossfuzzyen --m 2 --convention entropyhub --absolute"_args, "--absolute");
    for (const char* option : {"--r", "--rate", "--resample", "--max-flat", "--alpha", "--n"})
        for (const char* value : {"nan", "-1"}) refused({option, value}, option);
    for (const char* option : {"--m", "--tau", "--epoch", "--epochs"})
        for (const char* value : {"nan", "-1", "0"}) refused({option, value}, option);
    expectRefused("generate signals --channels 2 -o o.npy --rate 100"_args, "--rate");
    expectRefused("generate signals --channels 1 -o o.npy --coupling 0.1"_args, "--coupling");
    expectRefused("generate signals --channels 2 -o o.npy --seed -1"_args, "--seed");
    expectRefused("generate signals --channels 2 -o o.npy --coupling nan"_args, "coupling");
}

TEST_F(CrossApEnCommand, WrongUseIsNamedAndNothingWritten) {
    writeSignals("x.npy", 3, 300);
    writeSignals("y.npy", 3, 300);
    expectRefused("crossapen x.npy -o o.npz --epoch 2"_args, "m + 2 = 3");
    expectRefused("crossapen x.npy -o o.npz --epoch 400"_args, "x.npy");
    expectRefused("crossapen x.npy y.npy -o o.npz --epoch 100"_args, "give a folder");
    expectRefused("crossapen x.npy x.npy -o out --epoch 100"_args, "given twice");
    expectRefused("crossapen x.npy -o x.npy --epoch 100"_args, "x.npy");
    expectRefused("crossapen x.npy -o o.npz --measure apenn"_args, "crosssampen");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --band 40-0.5"_args, "--band 40-0.5");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --band 1-40"_args, "sampling rate");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --measure sampen --bias 0"_args, "--bias");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --backend cpu --variant packed"_args, "pruned");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --groups x.csv"_args, "x.csv");
    expectRefused("crossapen none.edf -o o.npz"_args, "none.edf");
}

// A template of one sample is zero after its mean is subtracted, so memberships need two samples.
TEST_F(CrossApEnCommand, MembershipsTakeTwoSamples) {
    writeSignals("x.npy", 3, 300);
    const auto entropies = [&](const std::vector<std::string>& more) {
        auto arguments = "crossapen x.npy -o o.npz --epoch 100 --measure crossfuzzyen --json"_args;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    const test::Outcome usual = entropies({});
    ASSERT_EQ(usual.exitCode, 0) << usual.err;
    EXPECT_EQ(usual.json()["settings"]["m"], 2);
    EXPECT_EQ(usual.json()["parameters"]["m"], "2");
    const std::string file = readFile(folder_ / "o.npz");
    ASSERT_EQ(entropies("--m 2"_args).exitCode, 0);
    EXPECT_EQ(readFile(folder_ / "o.npz"), file);
    fs::remove(folder_ / "o.npz");
    expectRefused("crossapen x.npy -o o.npz --epoch 100 --measure crossfuzzyen --m 1"_args,
                  "a template of one sample is 0");
}

TEST_F(CrossApEnCommand, AnUnsupportedVariantFailsBeforeTheWork) {
    writeSignals("x.npy", 3, 300);
    const test::Outcome outcome =
        run("crossapen x.npy -o out --epoch 100 --measure crossfuzzyen --backend cpu --variant merged"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.err, HasSubstr("merged"));
    EXPECT_THAT(files(), ElementsAre("x.npy"));
}

TEST_F(CrossApEnCommand, AStopBeforeTheFirstEpochSaysThatNothingIsKept) {
    writeSignals("x.npy", 10, 2 * 256);
    const auto arguments = "crossapen x.npy -o o.npz --epoch 256 --backend reference"_args;
    // A quarter of the way through two epochs lies in the middle of the first epoch.
    const std::uint64_t polls = pollsOf(arguments).count;
    fs::remove(folder_ / "o.npz");
    const test::Outcome stopped = run(arguments, {"GLYCINE_STOP_AT=poll:" + std::to_string(polls / 4)});
    EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, AllOf(HasSubstr("nothing was written"), Not(HasSubstr("kept"))));
    EXPECT_THAT(files(), ElementsAre("x.npy"));
}

TEST_F(CrossApEnCommand, AStoppedRunGoesOnWhereItWas) {
    writeSignals("x.npy", 6, 12 * 1024);
    const auto arguments = "crossapen x.npy -o o.npz --backend reference --per-epoch"_args;
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("the same command goes on from there"));
    EXPECT_FALSE(fs::exists(folder_ / "o.npz"));

    expectRefused("crossapen x.npy -o o.npz --backend cpu --m 2"_args, "--restart");
    expectRefused("crossapen x.npy -o o.npz --backend cpu --m 2"_args, "--m was 1, is 2 now");
    expectRefused("crossapen x.npy -o o.npz --channels 1,2"_args, "--channels was not given, is 1,2 now");
    // Every backend finds the same matches, so another backend may resume the run.
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const Outcome resumed = succeed(onCpu);
    EXPECT_THAT(resumed.out, HasSubstr("kept from an earlier run"));
    EXPECT_THAT(files(), ElementsAre("o.npz", "x.npy"));
    onCpu[3] = "whole.npz";
    succeed(onCpu);
    EXPECT_EQ(readFile(folder_ / "o.npz"), readFile(folder_ / "whole.npz"));
}

}  // namespace
}  // namespace glycine::crossapen
