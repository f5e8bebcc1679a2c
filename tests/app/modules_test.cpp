// The backends gl and cuda are libraries that are loaded at run time. If a module is missing, comes from
// another build, or lacks a library, one line says so and what to install; everything else works.

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

class Modules : public test::ProgramTest {
  protected:
    void SetUp() override {
        test::ProgramTest::SetUp();
        if (std::string_view(GLYCINE_MODULE_FOLDER).empty())
            GTEST_SKIP() << "backends are parts of this program (GLYCINE_BACKENDS=builtin)";
    }
    static std::filesystem::path builtModule(const std::string& backend) {
        return std::filesystem::path(GLYCINE_MODULE_FOLDER) / ("libglycine-" + backend + ".so");
    }
    /// Runs `glycine` with an environment variable.
    test::Outcome runWith(const std::string& variable, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {variable, GLYCINE_COMMAND});
        return runProgram("env", arguments);
    }
    /// Runs `glycine` without access to these libraries: the loader finds empty files instead.
    test::Outcome runWithout(const std::vector<std::string>& libraries, std::vector<std::string> arguments) {
        for (const std::string& library : libraries) std::ofstream(scratch_.path() / library).flush();
        return runWith("LD_LIBRARY_PATH=" + scratch_.path().string(), std::move(arguments));
    }
    /// Runs `glycine` with modules from the scratch folder.
    test::Outcome runWithModules(std::vector<std::string> arguments) {
        return runWith("GLYCINE_MODULES=" + scratch_.path().string(), std::move(arguments));
    }
    /// The section about gl in the output of `info`.
    static std::string aboutGl(const test::Outcome& info) {
        // The reasons for the default backend come before it.
        const std::size_t gl = info.out.find("\ngl: ");
        return gl == std::string::npos ? std::string()
                                       : info.out.substr(gl, info.out.find("\n\n", gl + 1) - gl);
    }
    const std::vector<std::string> linked_{"libGLEW.so.2.2", "libglfw.so.3", "libOpenGL.so.0", "libEGL.so.1"};
    TemporaryFolder scratch_;
};

TEST_F(Modules, AloneLinkOpenGl) {
    const test::Outcome program = runProgram("readelf", {"--dynamic", GLYCINE_COMMAND});
    if (program.exitCode != 0) GTEST_SKIP() << "needs: readelf";
    const test::Outcome library = runProgram(
        "readelf", {"--dynamic", (std::filesystem::path(GLYCINE_MODULE_FOLDER) / "libglycine.so").string()});
    for (const test::Outcome& outcome : {program, library})
        EXPECT_THAT(outcome.out,
                    AllOf(HasSubstr("libc.so"), Not(HasSubstr("libEGL")), Not(HasSubstr("libGL")),
                          Not(HasSubstr("libOpenGL")), Not(HasSubstr("libglfw")), Not(HasSubstr("libcuda"))));
    const test::Outcome gl = runProgram("readelf", {"--dynamic", builtModule("gl").string()});
    for (const std::string& name : linked_) EXPECT_THAT(gl.out, HasSubstr(name));
}

TEST_F(Modules, NameTheLibraryThatTheyLackAndItsPackage) {
    const std::pair<const char*, const char*> packages[] = {{"libGLEW.so.2.2", "apt install libglew2.2"},
                                                            {"libglfw.so.3", "apt install libglfw3"},
                                                            {"libOpenGL.so.0", "apt install libopengl0"},
                                                            {"libEGL.so.1", "apt install libegl1"},
                                                            {"libGLdispatch.so.0", "the package glycine-gl"}};
    for (const auto& [library, package] : packages) {
        const test::Outcome info = runWithout({library}, {"info"});
        EXPECT_EQ(info.exitCode, 0) << info.err;
        EXPECT_THAT(aboutGl(info), AllOf(HasSubstr(library), HasSubstr(package)));
        std::filesystem::remove(scratch_.path() / library);
    }
    const test::Outcome list = runWithout(linked_, {"list"});
    EXPECT_EQ(list.exitCode, 0) << list.err;
    const std::size_t said = list.out.find("(Debian and Ubuntu: apt install");
    ASSERT_NE(said, std::string::npos) << list.out;
    EXPECT_EQ(list.out.find("(Debian and Ubuntu: apt install", said + 1), std::string::npos) << list.out;
}

TEST_F(Modules, OfOtherLibrariesAreLoadedWhereTheyAreNeeded) {
    std::ofstream(folder_.path() / "in.fa") << ">a\nACGT\n>b\nACGA\n";
    std::ofstream(folder_.path() / "in.vcf") << "##fileformat=VCFv4.2\n";
    const std::vector<std::string> lacking{"libcairo.so.2", "libgvc.so.6", "libhdf5_serial.so.103",
                                           "libzip.so.4", "libhts.so.3"};
    const test::Outcome table = runWithout(lacking, {"distance", "in.fa", "-o", "table.csv"});
    EXPECT_EQ(table.exitCode, 0) << table.err;
    const test::Outcome picture =
        runWithout(lacking, {"distance", "in.fa", "-o", "other.csv", "-o", "picture.png"});
    EXPECT_EQ(picture.exitCode, 1);
    EXPECT_THAT(picture.err,
                AllOf(HasSubstr("the module pictures: "), HasSubstr("libcairo.so.2 cannot be loaded"),
                      HasSubstr("apt install libcairo2")));
    EXPECT_EQ(std::count(picture.err.begin(), picture.err.end(), '\n'), 1) << picture.err;
    const test::Outcome calls = runWithout(lacking, {"distance", "in.vcf", "-o", "calls.csv"});
    EXPECT_EQ(calls.exitCode, 1);
    EXPECT_THAT(calls.err, AllOf(HasSubstr("the module hts: "), HasSubstr("libhts.so.3 cannot be loaded"),
                                 HasSubstr("apt install libhts3")));
    EXPECT_EQ(std::count(calls.err.begin(), calls.err.end(), '\n'), 1) << calls.err;
    EXPECT_EQ(files(), (std::vector<std::string>{"in.fa", "in.vcf", "table.csv"}));
}

TEST_F(Modules, WithoutThemTheProcessorIsTheDefault) {
    ASSERT_EQ(runWithModules("generate bounds --atoms 40 -o in.npz"_args).exitCode, 0);
    const test::Outcome named = runWithModules("bounds in.npz -o a.npz --backend cpu --json"_args);
    ASSERT_EQ(named.exitCode, 0) << named.err;
    const test::Outcome usual = runWithModules("bounds in.npz -o b.npz --json"_args);
    ASSERT_EQ(usual.exitCode, 0) << usual.err;
    EXPECT_EQ(usual.json()["device"]["backend"], "cpu");
    EXPECT_EQ(readFile(folder_.path() / "a.npz"), readFile(folder_.path() / "b.npz"));
}

TEST_F(Modules, ABackendWithoutItsModuleIsRefusedBeforeAnyWork) {
    ASSERT_EQ(runWithModules("generate bounds --atoms 40 -o in.npz"_args).exitCode, 0);
    for (const std::string backend : {"gl", "cuda"}) {
        const test::Outcome outcome =
            runWithModules({"bounds", "in.npz", "-o", "out.npz", "--backend", backend});
        EXPECT_EQ(outcome.exitCode, 1);
        EXPECT_THAT(outcome.err,
                    AllOf(HasSubstr("libglycine-" + backend + ".so is not in " + scratch_.path().string()),
                          HasSubstr("GLYCINE_MODULES"), HasSubstr("the package glycine-" + backend)));
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(files(), std::vector<std::string>{"in.npz"});
    }
}

TEST_F(Modules, OfAnotherBuildAreRefused) {
    std::string bytes = readFile(builtModule("gl"));
    const std::size_t build = bytes.find(" (commit ");
    ASSERT_NE(build, std::string::npos);
    bytes.replace(build, 9, " (Commit ");
    std::ofstream(scratch_.path() / "libglycine-gl.so", std::ios::binary) << bytes;
    const test::Outcome info = runWithModules({"info"});
    EXPECT_EQ(info.exitCode, 0) << info.err;
    EXPECT_THAT(aboutGl(info), AllOf(HasSubstr("its module is of another build"), HasSubstr("(Commit ")));
}

TEST_F(Modules, ThatAreNoneAreRefused) {
    std::ofstream(scratch_.path() / "libglycine-gl.so") << "no library";
    EXPECT_THAT(aboutGl(runWithModules({"info"})),
                HasSubstr((scratch_.path() / "libglycine-gl.so").string() + " cannot be loaded: "));
    std::filesystem::copy_file(std::filesystem::path(GLYCINE_MODULE_FOLDER) / "libglycine.so",
                               scratch_.path() / "libglycine-gl.so",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(aboutGl(runWithModules({"info"})), HasSubstr("libglycine-gl.so is no module of Glycine"));
}

}  // namespace
}  // namespace glycine
