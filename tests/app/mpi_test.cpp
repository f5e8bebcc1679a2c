// glycine-mpi: several processes share the tiles of a result.
#include <cmath>
#include <limits>

#include "engine/io/arrays/npy.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class Mpi : public ProgramTest {
  protected:
    void SetUp() override {
        if (std::string_view(GLYCINE_MPI_COMMAND).empty()) GTEST_SKIP() << "built without MPI";
        static const bool isThere = runProgram("mpirun", {"--version"}).exitCode == 0;
        if (!isThere) GTEST_SKIP() << "there is no mpirun";
        makePairInputs();
    }
    Outcome runRanks(int ranks, const Arguments& arguments, std::vector<std::string> environment = {}) {
        for (const char* variable :
             {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
              "OMPI_MCA_btl_vader_single_copy_mechanism=none", "OMP_WAIT_POLICY=passive"})
            environment.emplace_back(variable);
        Arguments mpirun{"--oversubscribe",     "--bind-to",        "none", "-n",
                         std::to_string(ranks), GLYCINE_MPI_COMMAND};
        mpirun.insert(mpirun.end(), arguments.begin(), arguments.end());
        return finish(startProgram("mpirun", mpirun, environment));
    }
    /// Number of errors and other messages of all ranks.
    static int errorsIn(const Outcome& outcome) {
        const std::string begin = "glycine: ";
        int errors = 0;
        for (std::size_t at = outcome.err.find(begin); at != std::string::npos;
             at = outcome.err.find(begin, at + 1))
            ++errors;
        return errors;
    }
};

TEST_F(Mpi, WritesTheBytesOfOneProcess) {
    for (const std::string name : {"x", "y", "z"})
        succeed({"generate", "signals", "--channels", "3", "--samples", "120", "--epochs", "3", "--seed",
                 std::to_string(name[0]), "-o", name + ".edf"});
    succeed("generate genotypes --instances 60 --attributes 900 -o full.bed"_args);
    succeed("generate genotypes --instances 60 --attributes 900 --missing 0.3 -o missing.bed"_args);
    // Positive numbers that differ by orders of magnitude.
    const auto writeNumbers = [&]<class Number>(const std::string& name, Number, std::size_t rows,
                                                std::size_t columns = 41) {
        Matrix<Number> numbers(rows, columns);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers.data()[i] =
                static_cast<Number>(std::exp(3 * std::sin(static_cast<double>(1 + 7 * i * i))));
        io::writeNpy<Number>(folder_ / name, std::as_const(numbers).view());
        return numbers;
    };
    writeNumbers("single.npy", 0.F, 30);
    // What a process makes of it is longer than its outbox.
    writeNumbers("wide.npy", 0.F, 60, 20000);
    Matrix<double> gaps = writeNumbers("double.npy", 0.0, 31);
    gaps(17, 3) = std::numeric_limits<double>::quiet_NaN();
    io::writeNpy<double>(folder_ / "gaps.npy", std::as_const(gaps).view());
    const struct {
        const char* command;
        const char* ending;
        int ranks;
    } cases[] = {
        {"distance full.bed --tile 9 --backend cpu", "npy", 3},
        {"distance full.bed --tile 16 --backend cpu", "npy", 2},
        {"distance missing.bed --tile 9 --backend cpu --min-overlap 400", "npy", 4},
        {"distance missing.bed --tile 9 --backend cpu --measure grm", "npy", 2},
        {"distance g.npy --tile 7 --backend cpu", "npy", 2},
        {"distance g.npy --tile 9 --backend cpu --measure ibs --shape triangle", "tsv", 4},
        {"distance g.npy --backend cpu --tile 60", "csv", 2},
        {"distance single.npy --tile 7 --backend cpu", "npy", 3},
        {"distance single.npy --tile 7 --backend cpu --measure correlation", "npy", 2},
        {"distance wide.npy --tile 20 --backend cpu --measure correlation", "npy", 2},
        {"distance full.bed --tile 9 --backend cpu --measure king", "npy", 2},
        {"distance single.npy --tile 7 --backend cpu --precision float64", "npy", 2},
        {"distance double.npy --tile 7 --backend cpu --measure braycurtis", "npy", 4},
        {"distance double.npy --tile 7 --backend cpu --measure cosine", "tsv", 3},
        {"distance double.npy --tile 7 --backend cpu --measure hamming", "npy", 2},
        {"distance double.npy --tile 7 --backend cpu --precision float32 --measure chebyshev", "npy", 2},
        {"mutualinfo e.tsv --tile 5 --backend cpu", "npy", 2},
        {"mutualinfo double.npy --tile 6 --backend cpu", "npy", 3},
        {"mutualinfo double.npy --tile 6 --backend cpu --method spearman", "npy", 2},
        {"mutualinfo double.npy --tile 6 --backend cpu --rank average --precision float32", "tsv", 4},
        {"mutualinfo single.npy --tile 6 --backend cpu --method bins", "npy", 2},
        {"mutualinfo gaps.npy --tile 6 --backend cpu --gaps standardised", "npy", 2},
        {"pairwise s.fa --tile 6 --backend cpu --measure distance", "tsv", 4},
        {"crossapen x.edf y.edf z.edf --epoch 120 --backend cpu", "csv", 2},
        {"crossapen x.edf --epoch 60 --backend cpu", "csv", 3},
        {"crossapen x.edf y.edf --epoch 50 --measure crossfuzzyen --backend cpu", "csv", 2},
    };
    for (const auto& [command, ending, ranks] : cases) {
        SCOPED_TRACE(command);
        Arguments one = argumentsOf(command);
        Arguments many = one;
        one.insert(one.end(), {"-o", std::string("one.") + ending});
        many.insert(many.end(), {"-o", std::string("many.") + ending, "--json"});
        succeed(one);
        const Outcome outcome = runRanks(ranks, many);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_TRUE(read(std::string("many.") + ending) == read(std::string("one.") + ending));
        EXPECT_FALSE(outcome.json().empty()) << "one report";
    }
    for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr("unfinished")));
}

/// Commands that keep some pairs, and the endings of their outputs.
struct Selecting {
    const char* command;
    std::vector<std::string> endings;
    int ranks;
};

TEST_F(Mpi, WritesTheBytesOfOneProcessOfSomePairs) {
    succeed("generate genotypes --instances 60 --attributes 900 --missing 0.2 -o missing.bed"_args);
    succeed("generate genotypes --instances 25 --attributes 90 -o few.npy"_args);
    const Selecting cases[] = {
        {"distance g.npy --tile 7 --molten --max-distance 70", {"tsv"}, 2},
        {"distance g.npy --tile 7 --molten --max-distance 70 --sorted --header-line", {"tsv", "tsv.gz"}, 4},
        {"distance missing.bed --tile 9 --measure 1-ibs --molten --max-distance 0.3", {"tsv"}, 3},
        {"distance g.npy --tile 7 --molten --max-distance 0", {"tsv"}, 4},
        {"distance g.npy --tile 7 --clusters 44", {"tsv", "graphml"}, 2},
        {"distance g.npy --tile 9 --clusters 46 --linkage average", {"tsv"}, 4},
        {"distance missing.bed --tile 11 --clusters 300 --linkage complete", {"tsv"}, 3},
        {"distance g.npy --tile 7 --molten --nearest 3", {"tsv"}, 2},
        {"distance g.npy --tile 7 --molten --nearest 200", {"tsv"}, 4},
        {"distance missing.bed --tile 13 --measure ibs --molten --nearest 2 --header-line", {"tsv"}, 4},
        {"distance few.npy --against g.npy --tile 8 --molten --nearest 2", {"tsv"}, 3},
        {"distance few.npy --against g.npy --tile 8 --molten --max-distance 40", {"tsv"}, 2},
        {"distance g.npy --tile 9 --measure king", {"kin0", "relatives.tsv"}, 2},
        {"distance missing.bed --tile 16 --measure king --min-kinship -0.1", {"kin0", "relatives.tsv"}, 4},
        {"distance missing.bed --tile 9 --measure king", {"relatives.tsv"}, 3},
        {"distance g.npy --tile 60 --molten --max-distance 70", {"tsv"}, 2},
    };
    for (const auto& [command, endings, ranks] : cases) {
        Arguments one = argumentsOf(command);
        one.insert(one.end(), {"--backend", "cpu", "--json"});
        Arguments many = one;
        for (const std::string& ending : endings) {
            one.insert(one.end(), {"-o", "one." + ending});
            many.insert(many.end(), {"-o", "many." + ending});
        }
        nlohmann::json alone = succeed(one).json();
        for (const std::vector<std::string>& environment :
             {std::vector<std::string>(), std::vector<std::string>{"GLYCINE_OWN_HOSTS=1"}}) {
            SCOPED_TRACE(testing::Message() << command << (environment.empty() ? "" : ", own hosts"));
            for (const std::string& ending : endings) std::filesystem::remove(folder_ / ("many." + ending));
            const Outcome outcome = runRanks(ranks, many, environment);
            ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
            nlohmann::json report = outcome.json();
            EXPECT_FALSE(report.empty()) << "one report";
            for (const std::string& ending : endings)
                EXPECT_TRUE(read("many." + ending) == read("one." + ending)) << ending;
            for (const char* figure : {"mean", "smallest", "smallestPair", "largest", "largestPair", "pairs",
                                       "clusters", "relatives", "undefined"})
                EXPECT_EQ(report[figure], alone[figure]) << figure;
        }
    }
    for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr("unfinished")));
}

TEST_F(Mpi, SomePairsNeedNoStoreOfAll) {
    if (const std::string lack = lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    constexpr double kInstances = 8000;
    succeed("generate genotypes --instances 8000 --attributes 64 -o many.npy"_args);
    succeed("generate genotypes --instances 100 --attributes 64 -o few.npy"_args);
    const auto peak = [&](const std::string& input, const std::string& what) {
        const Outcome outcome = runRanks(2, {"distance", input, "-o", "out.tsv", "--backend", "cpu",
                                             "--threads", "1", "--tile", "500", "--molten", what, "1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return 1024. * static_cast<double>(outcome.peakKibibytes);
    };
    for (const std::string what : {"--max-distance", "--nearest"}) {
        const double taken = peak("many.npy", what) - peak("few.npy", what);
        EXPECT_LT(taken, 0.25 * kInstances * kInstances * sizeof(std::int32_t)) << what;
    }
}

// Nothing is kept, so nothing is left, and the same command starts again.
TEST_F(Mpi, AKilledRunOfSomePairsStartsAgain) {
    succeed("distance g.npy --tile 7 --backend cpu --clusters 44 -o w.tsv"_args);
    const std::vector<std::string> before = files();
    const Arguments command = "distance g.npy --tile 7 --backend cpu --clusters 44 -o c.tsv"_args;
    for (const std::string poll : {"5", "40"}) {
        const Outcome killed = runRanks(2, command, {"GLYCINE_STOP_AT=poll:" + poll + ":kill"});
        EXPECT_NE(killed.exitCode, 0) << poll;
        EXPECT_THAT(killed.err, HasSubstr("signal 9"));
        EXPECT_EQ(files(), before);
    }
    const Outcome again = runRanks(4, command);
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_TRUE(read("c.tsv") == read("w.tsv"));
}

TEST_F(Mpi, SharesTheBlocksOfBounds) {
    succeed("generate bounds --atoms 333 --known 0.3 -o dense.npz"_args);
    succeed("generate bounds --atoms 200 --known 0.001 -o sparse.npz"_args);
    succeed("generate bounds --atoms 20 -o few.npz"_args);
    const struct {
        const char* command;
        int ranks;
        double bytes;  ///< exchanged by all workers
    } cases[] = {
        {"bounds dense.npz --backend cpu --variant dense", 2, 5. * 384 * 384 * 4},
        {"bounds dense.npz --backend cpu --variant dense", 4, 5. * 384 * 384 * 4 * 2},
        {"bounds dense.npz --backend cpu --precision float64", 3, 5. * 384 * 384 * 8 * 2},
        {"bounds sparse.npz --backend cpu --variant sparse", 2, 4. * 256 * 256 * 4},
        {"bounds few.npz --precision fixed --backend cpu --variant dense", 4, 5. * 64 * 64 * 4 * 2},
        {"bounds dense.npz --rounding outward", 2, 5. * 384 * 384 * 4},
        {"bounds dense.npz --precision fixed --backend gl", 2, 5. * 384 * 384 * 4},
    };
    for (const auto& [command, ranks, bytes] : cases) {
        SCOPED_TRACE(command);
        Arguments one = argumentsOf(command), many = one;
        one.insert(one.end(), {"-o", "one.npz", "--json"});
        many.insert(many.end(), {"-o", "many.npz", "--json"});
        const bool isOnGl = std::string_view(command).find("--backend gl") != std::string_view::npos;
        if (isOnGl && run(one).err.find("is not available") != std::string::npos) continue;
        const nlohmann::json alone = succeed(one).json();
        if (alone["backend"] != (isOnGl ? "gl" : "cpu")) continue;
        const Outcome outcome = runRanks(ranks, many);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_TRUE(read("many.npz") == read("one.npz"));
        const nlohmann::json report = outcome.json();
        EXPECT_EQ(report["variant"], alone["variant"]);
        EXPECT_EQ(report["violations"], alone["violations"]);
        EXPECT_EQ(report["shared"]["workers"], ranks);
        EXPECT_EQ(report["shared"]["exchangedBytes"], bytes);
        EXPECT_EQ(report["shared"]["expectedBytes"], bytes);
        EXPECT_GT(report["recount"]["elements"], 0);
    }
    const nlohmann::json plan =
        succeed("plan bounds --size 333 --machines 4 --tile 64 --backend cpu --rate 1 --json"_args).json();
    EXPECT_EQ(plan["movedBytes"], 5. * 384 * 384 * 4 * 2) << "what four ranks have exchanged above";
    EXPECT_EQ(plan["tiles"], 21);
    EXPECT_EQ(plan["blockBytes"], 2. * 384 * 384 * 4 / 4);
    EXPECT_THAT(run("plan bounds --size 333x4 --rate 1"_args).err, HasSubstr("bounds are square"));
}

// As between machines: tiles are flushed and compared by checksums, panels pass through MPI.
TEST_F(Mpi, WritesTheBytesOfOneProcessOnSeveralHosts) {
    succeed("generate genotypes --instances 60 --attributes 900 --missing 0.1 -o part.bed"_args);
    succeed("generate bounds --atoms 333 --known 0.3 -o dense.npz"_args);
    const struct {
        const char* command;
        const char* ending;
        int ranks;
    } cases[] = {
        {"distance part.bed --tile 9 --backend cpu", "npy", 3},
        {"mutualinfo e.tsv --tile 5 --backend cpu", "npy", 2},
        {"pairwise s.fa --tile 6 --backend cpu --measure distance", "tsv", 2},
        {"bounds dense.npz --backend cpu --variant dense", "npz", 2},
        {"bounds dense.npz --backend cpu --variant dense", "npz", 4},
    };
    for (const auto& [command, ending, ranks] : cases) {
        SCOPED_TRACE(testing::Message() << command << ' ' << ranks);
        Arguments one = argumentsOf(command), many = one;
        one.insert(one.end(), {"-o", std::string("one.") + ending, "--json"});
        many.insert(many.end(), {"-o", std::string("many.") + ending, "--json"});
        const nlohmann::json alone = succeed(one).json();
        const Outcome outcome = runRanks(ranks, many, {"GLYCINE_OWN_HOSTS=1"});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_TRUE(read(std::string("many.") + ending) == read(std::string("one.") + ending));
        EXPECT_EQ(outcome.json()["device"], alone["device"]) << "each has all threads of its host";
    }
}

TEST_F(Mpi, BoundsTakeTheMemoryOfThePlan) {
    if (const std::string lack = lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    constexpr double kAtoms = 2048;
    succeed("generate bounds --atoms 64 -o few.npz"_args);
    succeed("generate bounds --atoms 2048 --known 0.3 -o many.npz"_args);
    const auto peak = [&](const std::string& input) {
        const Outcome outcome = runRanks(2, {"bounds", input, "-o", "out.npz", "--backend", "cpu",
                                             "--variant", "dense", "--threads", "1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return 1024. * static_cast<double>(outcome.peakKibibytes);
    };
    const double taken = peak("many.npz") - peak("few.npz");
    const nlohmann::json plan =
        succeed("plan bounds --size 2048 --machines 2 --backend cpu --rate 1 --json"_args).json();
    EXPECT_EQ(plan["stageBytes"]["reading"], 8 * kAtoms * kAtoms);
    EXPECT_EQ(plan["stageBytes"]["smoothing"], 12 * kAtoms * kAtoms) << "half of the blocks";
    EXPECT_EQ(plan["stageBytes"]["checking"], 8 * kAtoms * kAtoms) << "a copy only if there is memory";
    EXPECT_EQ(plan["stageBytes"]["writing"], 8 * kAtoms * kAtoms);
    EXPECT_EQ(plan["hostBytes"], 12 * kAtoms * kAtoms);
    // Panels and rows of blocks in transit come on top. With the copy of the input for the re-count of whole
    // rows, for which there is memory, the factor is 1.18. With another copy next to the blocks it is 1.43.
    const double planned = 16 * kAtoms * kAtoms;
    EXPECT_LT(taken, 1.3 * planned);
    EXPECT_GT(taken, 0.9 * planned);
}

TEST_F(Mpi, EndsWithTheErrorOfTheProcessThatReadIt) {
    std::string numbers = read("g.npy");
    numbers.back() = 7;  // in the last rank's part
    std::ofstream(folder_ / "bad.npy", std::ios::binary) << numbers;
    const Outcome outcome = runRanks(3, "distance bad.npy --tile 7 --backend cpu -o d.npy"_args);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("bad.npy: (59, 89) is 7"));
    EXPECT_EQ(errorsIn(outcome), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "d.npy"));
    Matrix<double> values(60, 5, 1.5);
    values(59, 4) = std::numeric_limits<double>::infinity();
    io::writeNpy<double>(folder_ / "infinite.npy", std::as_const(values).view());
    for (const char* command : {"distance infinite.npy", "mutualinfo infinite.npy"}) {
        Arguments arguments = argumentsOf(command);
        arguments.insert(arguments.end(), {"--tile", "7", "--backend", "cpu", "-o", "d.npy"});
        const Outcome refused = runRanks(3, arguments);
        EXPECT_EQ(refused.exitCode, 2) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("infinite.npy: (59, 4) is inf"));
        EXPECT_FALSE(std::filesystem::exists(folder_ / "d.npy"));
    }
}

TEST_F(Mpi, EndsWithOneErrorOfBounds) {
    const Outcome missing = runRanks(2, "bounds no.npz -o out.npz --backend cpu"_args);
    EXPECT_EQ(missing.exitCode, 2) << missing.err;
    EXPECT_EQ(missing.err.find("no.npz"), missing.err.rfind("no.npz: ")) << missing.err;
    EXPECT_EQ(errorsIn(missing), 1) << missing.err;
    succeed("generate bounds --atoms 30 -o in.npz"_args);
    const Outcome reference = runRanks(2, "bounds in.npz -o out.npz --backend reference"_args);
    EXPECT_NE(reference.exitCode, 0);
    EXPECT_THAT(reference.err, HasSubstr("cpu, gl and cuda do"));
    EXPECT_EQ(errorsIn(reference), 1) << reference.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

// Every rank finds the error; the lowest one reports it.
TEST_F(Mpi, EndsWithOneErrorOfAllProcesses) {
    for (const auto& [command, message] :
         {std::pair("distance g.npy --missing weighted --backend cpu -o d.npy", "weighted"),
          std::pair("distance no.npy --backend cpu -o d.npy", "no.npy"),
          std::pair("pairwise s.fa --backend cpu --tile 0 -o d.npy", "--tile"),
          std::pair("crossapen g.npy --epoch 0 --backend cpu -o d.npz", "--epoch")}) {
        SCOPED_TRACE(command);
        const Outcome outcome = runRanks(3, argumentsOf(command));
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        EXPECT_EQ(errorsIn(outcome), 1) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(message));
    }
}

TEST_F(Mpi, ReportsWhatOneProcessWould) {
    const Arguments command = "distance g.npy --tile 7 --backend cpu --json -o d.npy"_args;
    nlohmann::json one = succeed(command).json();
    nlohmann::json many = runRanks(3, command).json();
    for (const char* figure : {"mean", "smallest", "smallestPair", "largest", "largestPair", "pairs"})
        EXPECT_EQ(many[figure], one[figure]) << figure;
}

TEST_F(Mpi, AKilledRunGoesOn) {
    const Arguments command = "distance g.npy --tile 7 --backend cpu --json -o d.npy"_args;
    succeed("distance g.npy --tile 7 --backend cpu -o w.npy"_args);
    EXPECT_NE(runRanks(2, command, stopAtEntry(3, ":kill")).exitCode, 0);
    ASSERT_TRUE(std::filesystem::exists(folder_ / "d.npy.unfinished"));
    const Outcome resumed = runRanks(4, command);
    ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
    EXPECT_GE(resumed.json()["tilesResumed"], 3);
    EXPECT_TRUE(read("d.npy") == read("w.npy"));
}

TEST_F(Mpi, AKilledRunOfOneFileGoesOn) {
    succeed("generate signals --channels 3 --samples 120 --epochs 3 -o x.edf"_args);
    succeed("crossapen x.edf --epoch 30 --backend cpu -o one.csv"_args);
    const Arguments command = "crossapen x.edf --epoch 30 --backend cpu --json -o many.csv"_args;
    EXPECT_NE(runRanks(2, command, stopAtEntry(3, ":kill")).exitCode, 0);
    ASSERT_TRUE(std::filesystem::exists(folder_ / "many.csv.unfinished"));
    const Outcome resumed = runRanks(3, command);
    ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
    EXPECT_GE(resumed.json()["epochsKept"], 3);
    EXPECT_TRUE(read("many.csv") == read("one.csv"));
}

TEST_F(Mpi, WhatCannotBeSharedIsRefused) {
    for (const auto& [command, message] :
         {std::pair("distance g.npy -o d.npy --part 1/2", "--part is for glycine"),
          std::pair("distance g.npy -o -", "expected no pipe and no standard output")}) {
        const Outcome outcome = runRanks(2, argumentsOf(command));
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(message));
    }
    EXPECT_THAT(files(), ElementsAre("e.tsv", "g.npy", "s.fa"));
}

}  // namespace
}  // namespace glycine::test
