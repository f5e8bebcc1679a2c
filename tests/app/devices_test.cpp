// Commands on several devices, and on devices together with the processor.
#include <csignal>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/error.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/task_test.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

class SharedDevices : public test::ProgramTest {
  protected:
    /// The reason if llvmpipe or the machine's own device is missing; "" if it is available.
    std::string missing(const test::Outcome& outcome) const {
        return outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos
                   ? outcome.err
                   : "";
    }
};

TEST_F(SharedDevices, OpenGlAndTheProcessorWriteTheSameBytes) {
    succeed("generate genotypes --instances 150 --attributes 3000 --missing 0.05 -o in.bed"_args);
    succeed("generate sequences --sequences 40 --length 60 -o in.fa"_args);
    for (const std::vector<std::string>& command :
         {"distance in.bed --measure allele --missing weighted -o"_args,
          "distance in.bed --measure 1-ibs -o"_args, "pairwise in.fa -o"_args}) {
        const auto onBackend = [&](const std::string& backend, const std::string& output) {
            std::vector<std::string> arguments = command;
            arguments.insert(arguments.end(), {output, "--backend", backend, "--json"});
            return run(arguments);
        };
        const test::Outcome both = onBackend("gl+cpu", "both.npy");
        if (const std::string reason = missing(both); !reason.empty()) GTEST_SKIP() << reason;
        ASSERT_EQ(both.exitCode, 0) << both.err;
        ASSERT_EQ(onBackend("cpu", "cpu.npy").exitCode, 0);
        EXPECT_EQ(readFile(folder_.path() / "both.npy"), readFile(folder_.path() / "cpu.npy"));
        const nlohmann::json report = both.json();
        ASSERT_EQ(report["devices"].size(), 2U);
        EXPECT_EQ(report["devices"][0]["device"], 0);
        EXPECT_EQ(report["devices"][1]["device"], "cpu");
        EXPECT_GT(report["devices"][0]["tiles"].get<int>() + report["devices"][1]["tiles"].get<int>(), 1);
        EXPECT_FALSE(report["devices"][1].contains("failure"));
        EXPECT_EQ(report["backend"], "gl");
    }
}

// A device computes a tile while the host finishes and stores the one before.
TEST_F(SharedDevices, AKilledRunOfADeviceGoesOn) {
    succeed("generate genotypes --instances 150 --attributes 3000 --missing 0.05 -o in.bed"_args);
    const auto onGl = "distance in.bed -o gl.npy --measure allele --tile 30 --backend gl --json"_args;
    const auto expectKilledAt = [&](int entries) {
        const test::Outcome killed = runUntilEntry(onGl, entries, ":kill");
        if (const std::string reason = missing(killed); !reason.empty()) return reason;
        EXPECT_EQ(killed.exitCode, 128 + SIGKILL) << killed.err;
        EXPECT_TRUE(std::filesystem::exists(folder_ / "gl.npy.unfinished"));
        return std::string();
    };
    if (const std::string reason = expectKilledAt(3); !reason.empty()) GTEST_SKIP() << reason;
    expectKilledAt(6);
    const nlohmann::json resumed = succeed(onGl).json();
    EXPECT_EQ(resumed["tiles"], 15);
    EXPECT_EQ(resumed["tilesResumed"], 9);
    succeed("distance in.bed -o cpu.npy --measure allele --tile 30 --backend cpu"_args);
    EXPECT_TRUE(read("gl.npy") == read("cpu.npy"));
}

TEST_F(SharedDevices, SmoothBoundsTogether) {
    succeed("generate bounds --atoms 900 --known 0.05 -o in.npz"_args);
    const auto onBackend = [&](const std::string& backend, const std::string& output) {
        return run(
            {"bounds", "in.npz", "-o", output, "--precision", "fixed", "--backend", backend, "--json"});
    };
    const test::Outcome both = onBackend("gl+cpu", "both.npz");
    if (const std::string reason = missing(both); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(both.exitCode, 0) << both.err;
    ASSERT_EQ(onBackend("cpu", "cpu.npz").exitCode, 0);
    EXPECT_EQ(readFile(folder_.path() / "both.npz"), readFile(folder_.path() / "cpu.npz"));
    const nlohmann::json report = both.json();
    EXPECT_EQ(report["backend"], "gl");
    EXPECT_GT(report["recount"]["elements"], 0);
    const nlohmann::json shares = report["shared"]["shares"];
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0]["device"], 0);
    EXPECT_EQ(shares[1]["device"], "cpu");
    EXPECT_GT(shares[0]["rate"], 0);
    std::size_t blocks = 0;
    for (const nlohmann::json& share : shares) {
        blocks += share["blocks"].get<std::size_t>();
        EXPECT_EQ(share.contains("reason"), share["blocks"] == 0);
        EXPECT_LE(share["busySeconds"], share["seconds"]);
    }
    EXPECT_EQ(blocks, 15U * 16 / 2);
}

TEST_F(SharedDevices, SmoothSmallBoundsAlone) {
    succeed("generate bounds --atoms 60 --known 0.2 -o in.npz"_args);
    const test::Outcome both = run("bounds in.npz -o both.npz --backend gl+cpu --json"_args);
    if (const std::string reason = missing(both); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(both.exitCode, 0) << both.err;
    succeed("bounds in.npz -o gl.npz --backend gl"_args);
    EXPECT_EQ(readFile(folder_.path() / "both.npz"), readFile(folder_.path() / "gl.npz"));
    EXPECT_FALSE(both.json().contains("shared"));
    EXPECT_THAT(both.json()["note"], testing::StartsWith("cpu gets no blocks: the devices need less time"));
}

/// A device and the processor.
class SharedEpochs : public SharedDevices, public testing::WithParamInterface<const char*> {};

TEST_P(SharedEpochs, HaveTheSameEntropies) {
    const std::string device = GetParam();
    succeed("generate signals --channels 3 --samples 60 --epochs 9 -o a.npy"_args);
    succeed("generate signals --channels 4 --samples 60 --epochs 2 --seed 2 -o b.npy"_args);
    for (const std::string measure : {"crossapen", "apen", "crosssampen", "sampen"})
        for (const std::string output : {".csv", ".npy"}) {  // of both files, and of one
            SCOPED_TRACE(testing::Message() << measure << output);
            const auto onBackend = [&](const std::string& backend) {
                std::vector<std::string> arguments = "crossapen a.npy --epoch 60 --json"_args;
                if (output == ".csv") arguments.emplace_back("b.npy");
                arguments.insert(arguments.end(),
                                 {"--measure", measure, "--backend", backend, "-o", backend + output});
                return run(arguments);
            };
            const test::Outcome both = onBackend(device + "+cpu");
            if (const std::string reason = missing(both); !reason.empty()) GTEST_SKIP() << reason;
            ASSERT_EQ(both.exitCode, 0) << both.err;
            ASSERT_EQ(onBackend("cpu").exitCode, 0);
            EXPECT_EQ(readFile(folder_.path() / (device + "+cpu" + output)),
                      readFile(folder_.path() / ("cpu" + output)));
            const nlohmann::json report = both.json();
            ASSERT_EQ(report["devices"].size(), 2U);
            EXPECT_EQ(report["devices"][0]["device"], 0);
            EXPECT_EQ(report["devices"][1]["device"], "cpu");
            EXPECT_FALSE(report["devices"][1].contains("failure"));
            EXPECT_EQ(
                report["devices"][0]["epochs"].get<double>() + report["devices"][1]["epochs"].get<double>(),
                output == ".csv" ? 11 : 9);
            EXPECT_EQ(report["device"]["backend"], device);
            EXPECT_NE(report["variant"], "merged") << "that is the one of cpu";
        }
}

INSTANTIATE_TEST_SUITE_P(All, SharedEpochs, testing::Values("gl", "cuda"));

/// A shader falsified on purpose; cpu, which shares the work, is correct.
class WrongDevice : public SharedDevices {
  protected:
    /// Makes --shaders contain this shader with `right` replaced.
    void falsify(const std::string& shader, const std::string& right, const std::string& wrong) const {
        std::string text = readFile(fs::path(GLYCINE_SOURCE_DIR) / "shaders" / shader);
        ASSERT_NE(text.find(right), std::string::npos) << "the shader has changed";
        text.replace(text.find(right), right.size(), wrong);
        fs::create_directories((shaders_.path() / shader).parent_path());
        std::ofstream(shaders_.path() / shader) << text;
    }
    void falsifyDistances() const {
        falsify("distance/count_symbols.frag", "differing += min(difference, 1.0);",
                "differing += 2.0 * min(difference, 1.0);");
    }
    /// Runs the command with the wrong shader, next to cpu.
    test::Outcome runWrong(std::vector<std::string> arguments) const {
        for (const std::string& more : "--backend gl+cpu --dialect gl21 --json --shaders"_args)
            arguments.push_back(more);
        arguments.push_back(shaders());
        return run(arguments);
    }
    static void expectDropped(const test::Outcome& outcome, const char* parts) {
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        const nlohmann::json devices = outcome.json()["devices"];
        ASSERT_EQ(devices.size(), 2U);
        EXPECT_EQ(devices[0][parts], 0);
        EXPECT_THAT(devices[0]["failure"].get<std::string>(),
                    AllOf(HasSubstr("counted again"), Not(HasSubstr("nothing was written"))));
        EXPECT_FALSE(devices[1].contains("failure"));
    }

    std::string shaders() const { return shaders_.path().string(); }

  private:
    const TemporaryFolder shaders_;
};

TEST_F(WrongDevice, IsLeftOut) {
    succeed("generate genotypes --instances 60 --attributes 500 -o in.bed"_args);
    falsifyDistances();
    const char* const commands[] = {
        "distance in.bed -o OUT.npy",
        "distance in.bed -o OUT.tsv --molten --max-distance 240",
        "distance in.bed -o OUT.tsv --molten --nearest 2",
        "distance in.bed -o OUT.tsv --clusters 240",
        "distance in.bed -o OUT.tsv --clusters 260 --linkage average",
    };
    for (const std::string command : commands) {
        SCOPED_TRACE(command);
        const auto argumentsFor = [&](const std::string& name) {
            std::string text = command;
            return argumentsOf(text.replace(text.find("OUT"), 3, name));
        };
        const std::string ending = command.find("OUT.npy") == std::string::npos ? ".tsv" : ".npy";
        const test::Outcome outcome = runWrong(argumentsFor("out"));
        if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
        expectDropped(outcome, "tiles");
        std::vector<std::string> right = argumentsFor("cpu");
        right.insert(right.end(), {"--backend", "cpu"});
        succeed(right);
        EXPECT_TRUE(read("out" + ending) == read("cpu" + ending));
        EXPECT_NE(read("cpu" + ending), "");
    }
}

TEST_F(WrongDevice, IsLeftOutOfParts) {
    succeed("generate genotypes --instances 60 --attributes 500 -o in.bed"_args);
    falsifyDistances();
    const test::Outcome outcome = runWrong("distance in.bed -o out.npy --tile 20 --part 1/2"_args);
    if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
    expectDropped(outcome, "tiles");
    succeed("distance in.bed -o out.npy --tile 20 --part 2/2 --backend cpu"_args);
    // The first part names the command: that of cpu.
    succeed("merge out.npy.part-2-of-2 out.npy.part-1-of-2 -o out.npy"_args);
    succeed("distance in.bed -o cpu.npy --backend cpu"_args);
    EXPECT_TRUE(read("out.npy") == read("cpu.npy"));
}

TEST_F(WrongDevice, IsLeftOutOfRelatives) {
    succeed("generate genotypes --instances 40 --attributes 500 -o in.bed"_args);
    falsify("distance/count_symbols.frag", "opposite += clamp(difference - 1.0, 0.0, 1.0);",
            "opposite += 2.0 * clamp(difference - 1.0, 0.0, 1.0);");
    const test::Outcome outcome =
        runWrong("distance in.bed -o out.kin0 --measure king --min-kinship -1"_args);
    if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    succeed("distance in.bed -o cpu.kin0 --measure king --min-kinship -1 --backend cpu"_args);
    EXPECT_TRUE(read("out.kin0") == read("cpu.kin0"));
}

TEST_F(WrongDevice, IsLeftOutOfEntropies) {
    falsify("crossapen/is_match.glsl", "pair.tolerance)", "0.5 * pair.tolerance)");
    for (const std::string name : {"a", "b", "c"})
        succeed({"generate", "signals", "--channels", "3", "--samples", "60", "--epochs", "4", "--seed",
                 std::to_string(name[0]), "-o", name + ".npy"});
    for (const std::string inputs : {"a.npy", "a.npy b.npy c.npy"}) {
        SCOPED_TRACE(inputs);
        const std::string command = "crossapen " + inputs + " --epoch 60 -o ";
        const test::Outcome outcome = runWrong(argumentsOf(command + "out.csv"));
        if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
        expectDropped(outcome, "files");
        succeed(argumentsOf(command + "cpu.csv --backend cpu"));
        EXPECT_TRUE(read("out.csv") == read("cpu.csv"));
    }
}

TEST_F(WrongDevice, IsAnErrorWhereItWorksAlone) {
    succeed("generate genotypes --instances 60 --attributes 500 -o in.bed"_args);
    falsifyDistances();
    const test::Outcome outcome = runWrong("distance in.bed -o out.npy"_args);
    if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
    std::vector<std::string> alone =
        "distance in.bed -o alone.tsv --molten --nearest 2 --backend gl --dialect gl21 --shaders"_args;
    alone.push_back(shaders());
    const test::Outcome wrong = run(alone);
    EXPECT_EQ(wrong.exitCode, 1);
    EXPECT_THAT(wrong.err, AllOf(HasSubstr("counted again"), HasSubstr("nothing was written")));
    EXPECT_FALSE(fs::exists(folder_ / "alone.tsv"));
}

TEST_F(SharedDevices, TheProcessorStaysAwayFromSumsOfFloatingPointNumbers) {
    succeed("generate signals --channels 12 --samples 60 -o in.npy"_args);
    const test::Outcome outcome = run("mutualinfo in.npy -o out.npy --backend gl+cpu"_args);
    if (const std::string reason = missing(outcome); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cpu: 0 tiles, left out: its values would differ"));
    const test::Outcome fuzzy =
        run("crossapen in.npy --epoch 60 --measure crossfuzzyen --m 2 -o out.npz --backend gl+cpu"_args);
    ASSERT_EQ(fuzzy.exitCode, 0) << fuzzy.err;
    EXPECT_THAT(fuzzy.out, HasSubstr("cpu: 0 files, left out: its values would differ"));
}

TEST_F(SharedDevices, OthersThanPairsOfOneDeviceAndTheProcessorAreRefused) {
    succeed("generate genotypes --instances 5 --attributes 30 -o in.bed"_args);
    succeed("generate bounds --atoms 6 -o in.npz"_args);
    const auto refuse = [&](const std::vector<std::string>& arguments, const std::string& part) {
        const test::Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_THAT(outcome.err, HasSubstr(part));
    };
    refuse("bounds in.npz -o out.npz --backend gl+cpu --variant packed"_args, "--variant names a way of one");
    refuse("distance in.bed -o out.npy --backend cpu+cpu"_args, "expected cuda+cpu or gl+cpu");
    refuse("distance in.bed -o out.npy --backend gl+cpu --variant packed"_args,
           "--variant names a way of one");
    refuse("distance in.bed -o out.npy --backend gl+cuda"_args, "gl+cuda");
    for (const char* command : {"network e.tsv -o n.tsv", "align s.fa -o a.fa", "tree s.fa -o t.nwk"}) {
        std::vector<std::string> arguments = argumentsOf(command);
        EXPECT_THAT(run({"help", arguments.front(), "--all"}).out, Not(HasSubstr("cuda+cpu")));
        arguments.insert(arguments.end(), {"--backend", "gl+cpu"});
        refuse(arguments, "this command does not share its work between a device and the processor");
    }
    for (const std::string command : {"distance", "mutualinfo", "pairwise", "crossapen", "bounds"})
        EXPECT_THAT(run({"help", command, "--all"}).out, HasSubstr("cuda+cpu")) << command;
}

/// Recordings, the store of their entropies, and host backends that simulate devices.
class SharedFiles : public test::ProgramTest {
  protected:
    void SetUp() override {
        test::runTask([](Options&) { return [](CommandContext&) { return 0; }; }, {});
        options_.signals.epochSamples = 80;
        for (const char* seed : {"1", "2", "3", "4", "5"}) {
            std::vector<std::string> arguments = "generate signals --channels 3 --samples 80 --epochs 2"_args;
            arguments.insert(arguments.end(), {"--seed", seed, "-o", std::string("s") + seed + ".npy"});
            succeed(arguments);
            crossapen::SubjectFile file{folder_.path() / (std::string("s") + seed + ".npy"), seed, {}};
            file.shape = crossapen::readSignals(file.path, options_.signals, silentProgress());
            files_.push_back(std::move(file));
        }
    }
    crossapen::ValueStore store() const {
        return crossapen::ValueStore(std::vector<crossapen::StoredFile>(
            files_.size(), {2, crossapen::epochShape(options_.entropy, 3)}));
    }
    std::vector<double> valuesOf(crossapen::ValueStore& store) const {
        std::vector<double> all;
        for (std::size_t f = 0; f < files_.size(); ++f) {
            EXPECT_TRUE(store.has(f, 0) && store.has(f, 1));
            const std::span<double> values = store.values(f, {0, 2});
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }

    crossapen::SubjectOptions options_;
    std::vector<crossapen::SubjectFile> files_;
    std::ostringstream out_, err_;
    CommandContext context_{out_, err_, false};
};

TEST_F(SharedFiles, GoToSeveralDevicesWithTheSameValues) {
    const std::unique_ptr<Backend> backend = createNamedBackend("cpu", {});
    crossapen::ValueStore alone = store();
    crossapen::EntropyReport report;
    EXPECT_TRUE(crossapen::computeShared(context_, *backend, files_, options_, alone, report).empty());
    EXPECT_EQ(report.epochs, 10U);
    backend->setCrew({{0, 1, 2}, [](int device) -> std::unique_ptr<Backend> {
                          if (device == 2) throw UnavailableError("is not there");
                          return createNamedBackend("cpu", {});
                      }});
    crossapen::ValueStore shared = store();
    report = {};
    const auto shares = crossapen::computeShared(context_, *backend, files_, options_, shared, report);
    EXPECT_EQ(valuesOf(shared), valuesOf(alone));
    EXPECT_EQ(report.epochs, 10U);
    ASSERT_EQ(shares.size(), 3U);
    EXPECT_EQ(shares[0].tiles + shares[1].tiles, 5U);
    EXPECT_EQ(shares[0].pairs + shares[1].pairs, 10);
    EXPECT_EQ(shares[2].failure, "is not there");
}

TEST_F(SharedFiles, AreCountedInMemoryForEachDevice) {
    const auto bytesOf = [](const crossapen::SubjectFile& file) {
        return crossapen::bytesOfSignals(file, 80);
    };
    EXPECT_EQ(bytesOf(files_[0]), 3. * 2 * 80 * 8);
    files_[3].shape.epochs.pop_back();
    const double large = bytesOf(files_[0]), small = bytesOf(files_[3]);
    EXPECT_EQ(small, large / 2);
    const auto atOnce = [&](std::vector<int> devices) {
        return crossapen::bytesOfSignalsAtOnce(files_, 80, {std::move(devices), {}});
    };
    EXPECT_EQ(atOnce({0, 1, 2}), 3 * large);
    EXPECT_EQ(atOnce({0, 1, 2, 3, 4}), 4 * large + small);
    EXPECT_EQ(atOnce({0, 1, 2, 3, 4, 5, 6}), 4 * large + small) << "no more devices than files hold any";
    EXPECT_EQ(atOnce({0, DeviceCrew::kHost}), 2 * large);
    files_.resize(1);
    EXPECT_EQ(atOnce({0, 1}), large) << "one device reads the file";
    EXPECT_EQ(atOnce({0, DeviceCrew::kHost}), 2 * large) << "both read it";
}

TEST_F(SharedFiles, ThatFitOneDeviceAloneAreRefused) {
    if (const std::string lack = test::lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    // Zeros that occupy no space: 1 GB of signals.
    succeed("generate signals --channels 4 --samples 1000 -o large.npy"_args);
    std::string header = read("large.npy").substr(0, 128);
    header.replace(header.find("1000"), 4, "32000000");
    header.erase(header.find("}") + 1, 4);
    std::ofstream(folder_ / "large.npy", std::ios::binary) << header;
    std::filesystem::resize_file(folder_ / "large.npy", 128 + std::uintmax_t{8} * 4 * 32'000'000);
    const test::Outcome outcome =
        runProgram("sh", {"-c", "ulimit -v 2000000; exec \"$@\"", "sh", GLYCINE_COMMAND, "crossapen",
                          "large.npy", "-o", "out.npz", "--epoch", "1000", "--backend", "gl+cpu"});
    if (outcome.err.find("gl is not available") != std::string::npos) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.err, HasSubstr("the signals that 2 devices hold at once needs 1.9 GiB of memory"));
}

TEST_F(SharedFiles, AreCutForTheProcessorNoFinerThanForTheDevice) {
    files_.resize(4);
    for (crossapen::SubjectFile& file : files_) file.shape.epochs.resize(9);
    const std::vector<std::size_t> left{9, 9, 0, 1};  // the third is done
    const auto pieces = [&](std::size_t toCut, std::size_t deviceEpochs) {
        std::vector<std::vector<std::size_t>> sizes(files_.size());
        std::size_t file = 0, next = 0;
        for (const auto& share : crossapen::sharesOf(files_, left, toCut, [&](std::size_t channels) {
                 EXPECT_EQ(channels, 3U);
                 return deviceEpochs;
             })) {
            if (share.file != file) next = 0;
            file = share.file;
            EXPECT_EQ(share.epochs.begin, next);
            next = share.epochs.end;
            sizes[file].push_back(share.epochs.size());
        }
        return sizes;
    };
    using Sizes = std::vector<std::vector<std::size_t>>;
    EXPECT_EQ(pieces(2, 1), (Sizes{{9}, {3, 3, 3}, {9}, {3, 3, 3}}));
    EXPECT_EQ(pieces(2, 5), (Sizes{{9}, {5, 4}, {9}, {5, 4}}));
    EXPECT_EQ(pieces(2, 9), (Sizes{{9}, {9}, {9}, {9}}));
    EXPECT_EQ(pieces(0, 1), (Sizes{{9}, {9}, {9}, {9}}));
}

TEST_F(SharedFiles, AreEndedByTheProcessorIfTheDeviceCannot) {
    const std::unique_ptr<Backend> cpu = createNamedBackend("cpu", {});
    crossapen::ValueStore alone = store();
    crossapen::EntropyReport report;
    crossapen::computeShared(context_, *cpu, files_, options_, alone, report);
    test::NamedBackend unable("unable");
    unable.setCrew({{0, DeviceCrew::kHost}, [](int) { return createNamedBackend("cpu", {}); }});
    for (const std::size_t files : {5, 2, 1}) {
        files_.resize(files);
        crossapen::ValueStore shared = store();
        report = {};
        const auto shares = crossapen::computeShared(context_, unable, files_, options_, shared, report);
        ASSERT_EQ(shares.size(), 2U);
        EXPECT_NE(shares[0].failure, "");
        EXPECT_EQ(shares[0].pairs, 0);
        EXPECT_EQ(shares[1].failure, "");
        EXPECT_EQ(shares[1].tiles, files);
        EXPECT_EQ(shares[1].pairs, 2.0 * static_cast<double>(files));
        const std::vector<double> values = valuesOf(shared), expected = valuesOf(alone);
        EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin()));
        EXPECT_EQ(report.backend, "cpu") << "it has done everything";
    }
}

TEST_F(SharedFiles, LeaveOutTheProcessorWhoseMembershipsDiffer) {
    options_.entropy.measure = crossapen::Measure::CrossFuzzyEn;
    options_.entropy.rule.m = 2;
    const std::unique_ptr<Backend> backend = createNamedBackend("cpu", {});
    backend->setCrew({{0, DeviceCrew::kHost}, [](int) { return createNamedBackend("cpu", {}); }});
    crossapen::ValueStore values = store();
    crossapen::EntropyReport report;
    const auto shares = crossapen::computeShared(context_, *backend, files_, options_, values, report);
    EXPECT_EQ(shares[0].pairs, 10);
    EXPECT_EQ(shares[1].pairs, 0);
    EXPECT_THAT(shares[1].failure, HasSubstr("would differ from the device's in the last bits"));
}

TEST_F(SharedFiles, OfAnEarlierRunBelongToNoDevice) {
    const std::unique_ptr<Backend> backend = createNamedBackend("cpu", {});
    for (const int second : {1, DeviceCrew::kHost}) {
        backend->setCrew({{0, second}, [](int) { return createNamedBackend("cpu", {}); }});
        crossapen::ValueStore values = store();
        for (const auto& [file, epoch] : {std::pair(0, 0), {3, 1}, {4, 0}, {4, 1}})
            values.enter(std::size_t(file), {std::size_t(epoch), std::size_t(epoch) + 1});
        crossapen::EntropyReport report;
        const auto shares = crossapen::computeShared(context_, *backend, files_, options_, values, report);
        EXPECT_EQ(shares[0].pairs + shares[1].pairs, 6);
        EXPECT_EQ(report.epochs - report.epochsResumed, 6U);
    }
}

TEST_F(SharedFiles, ThatTheOnlyDeviceCannotComputeAreAnError) {
    test::NamedBackend unable("unable");
    files_.resize(1);
    crossapen::ValueStore values = store();
    crossapen::EntropyReport report;
    EXPECT_THROW(crossapen::computeShared(context_, unable, files_, options_, values, report),
                 UnavailableError);
    EXPECT_FALSE(values.has(0, 0));
}

}  // namespace
}  // namespace glycine
