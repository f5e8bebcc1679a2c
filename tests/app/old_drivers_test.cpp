// Old and crippled drivers, emulated by Mesa's environment variables: supported work is done; unsupported
// work is refused before it starts, with the missing feature.

#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/gl/framework/gl_backend.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

struct DriverRun {
    int exitCode = -1;
    std::string text;  ///< both streams
};

DriverRun run(const std::string& environment, const std::string& arguments) {
    const std::string command = "env " + environment + " " GLYCINE_COMMAND " " + arguments + " 2>&1";
    DriverRun outcome;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
        outcome.text.append(buffer.data(), count);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) outcome.exitCode = WEXITSTATUS(status);
    return outcome;
}

class OldDriver : public testing::Test {
  protected:
    void SetUp() override {
        try {
            const gl::GlBackend backend(BackendOptions{});
            if (backend.driver().find("Mesa") == std::string::npos)
                GTEST_SKIP() << "the variables are Mesa's, and the driver is " << backend.driver();
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

constexpr const char* kOpenGl21 = "MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLSL_VERSION_OVERRIDE=120";
constexpr const char* kValidate = "validate bounds --sizes 3,17,65 --precision float32 --backend gl";

TEST_F(OldDriver, OfOpenGl21RunsThe2005Path) {
    const DriverRun outcome =
        run(kOpenGl21,
            std::string(kValidate) + " --dialects gl21 --variant scalar,triangle,packed,packed-branch");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("All 4 configurations agree"));
}

TEST_F(OldDriver, OfOpenGl21IsRefusedForTheDefaultDialect) {
    const DriverRun outcome = run(kOpenGl21, "bench bounds --sizes 16 --backend gl");
    EXPECT_NE(outcome.exitCode, 0);
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("gives no OpenGL 3.3 context"), HasSubstr("--dialect gl21")));
}

/// Runs with --backend gl only, and returns the message about the dialect.
std::string dialectOf(const std::string& environment) {
    const std::string file = testing::TempDir() + "old_driver.npz";
    EXPECT_EQ(run("", "generate bounds --atoms 12 -o " + file).exitCode, 0);
    const DriverRun outcome = run(environment, "bounds " + file + " -o " + file + ".out.npz --backend gl");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    return outcome.text;
}

TEST_F(OldDriver, GivesTheDialectThatItHas) {
    EXPECT_THAT(dialectOf("A=B"), AllOf(HasSubstr("dialect gl33"), Not(HasSubstr("cannot be had"))));
    EXPECT_THAT(dialectOf(kOpenGl21), AllOf(HasSubstr("float32, dialect es300"),
                                            HasSubstr("dialect es300, because gl33 cannot be had: "),
                                            HasSubstr("gives no OpenGL 3.3 context")));
    EXPECT_THAT(
        dialectOf(std::string(kOpenGl21) + " MESA_GLES_VERSION_OVERRIDE=2.0"),
        AllOf(HasSubstr("float32, dialect gl21"), HasSubstr("dialect gl21, because es300 cannot be had: ")));
    EXPECT_THAT(dialectOf("MESA_EXTENSION_OVERRIDE=-GL_EXT_color_buffer_float MESA_GL_VERSION_OVERRIDE=2.1"),
                HasSubstr("dialect gl21"));
}

TEST_F(OldDriver, GivesNoOtherDialectThanTheOneThatIsNamed) {
    const DriverRun outcome = run(kOpenGl21, "bench bounds --sizes 16 --backend gl --dialect gl33");
    EXPECT_NE(outcome.exitCode, 0);
    const std::string file = testing::TempDir() + "old_driver.npz";
    EXPECT_EQ(run("", "generate bounds --atoms 12 -o " + file).exitCode, 0);
    const DriverRun named =
        run(kOpenGl21, "bounds " + file + " -o " + file + ".out.npz --backend gl --dialect gl33");
    EXPECT_EQ(named.exitCode, 1);
    EXPECT_THAT(named.text, HasSubstr("gives no OpenGL 3.3 context"));
}

TEST_F(OldDriver, IsReportedDialectByDialect) {
    const DriverRun outcome = run(kOpenGl21, "info --json");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.text;
    const auto backends = nlohmann::json::parse(outcome.text)["backends"];
    const auto gl = *std::ranges::find_if(backends, [](const auto& one) { return one["name"] == "gl"; });
    EXPECT_EQ(gl["dialects"]["gl33"]["available"], false);
    EXPECT_THAT(gl["dialects"]["gl33"]["reason"].get<std::string>(), HasSubstr("no OpenGL 3.3 context"));
    EXPECT_EQ(gl["dialects"]["es300"]["available"], true);
    EXPECT_THAT(gl["dialects"]["es300"]["driver"].get<std::string>(), HasSubstr("OpenGL ES 3"));
    const auto& variants = gl["dialects"]["gl21"]["variants"]["bounds"];
    EXPECT_TRUE(std::ranges::find(variants, "packed") != variants.end());
    EXPECT_TRUE(std::ranges::find(variants, "blocked") == variants.end());
    EXPECT_EQ(gl["dialect"], "es300");
    EXPECT_THAT(run(kOpenGl21, "info").text, AllOf(HasSubstr("dialect gl33"), HasSubstr("dialect gl21")));
}

TEST_F(OldDriver, ThatIsMissingIsExplainedOnce) {
    const DriverRun outcome =
        run("-u DISPLAY -u WAYLAND_DISPLAY __EGL_VENDOR_LIBRARY_DIRS=/nonexistent", "list");
    EXPECT_EQ(outcome.exitCode, 0);
    std::size_t explained = 0;
    for (std::size_t at = outcome.text.find("EGL gives no context"); at != std::string::npos;
         at = outcome.text.find("EGL gives no context", at + 1))
        ++explained;
    EXPECT_EQ(explained, 1U) << outcome.text;
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("not available: see [1]"), HasSubstr("\n[1] ")));
}

TEST(SoftwareRenderer, IsRecognisedByItsName) {
    for (const char* name :
         {"llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "Google SwiftShader",
          "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)",
          "zink Vulkan 1.3(llvmpipe (LLVM 17.0.6, 256 bits) (MESA_LLVMPIPE))",
          "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))", "llvmpipe, swrast", "Mesa DRI swrast",
          "Software Rasterizer", "Mesa OffScreen", "SWR (LLVM 12.0, 256 bits)", "lavapipe", "D3D12 (WARP)",
          "ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11)", "Google SwiftShader 4.1", "SOFTPIPE",
          "Apple Software Renderer", "GDI Generic"})
        EXPECT_TRUE(isSoftwareRenderer(name)) << name;
    for (const char* name : {"NVIDIA H200/PCIe/SSE2", "AMD Radeon RX 6600 (radeonsi, navi23)",
                             "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "V3D 4.2", "warpcore 3", "SWRX 200",
                             "Apple M1", "virgl (AMD Radeon)", ""})
        EXPECT_FALSE(isSoftwareRenderer(name)) << name;
}

TEST_F(OldDriver, OfEs30RunsEverything) {
    const DriverRun outcome =
        run("MESA_GLES_VERSION_OVERRIDE=3.0", std::string(kValidate) + " --dialects es300");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("All 9 configurations agree"));
}

TEST_F(OldDriver, WithoutAnExtensionThatFloatTargetsNeedIsRefusedByItsName) {
    for (const char* extension : {"GL_ARB_texture_float", "GL_ARB_texture_rectangle"}) {
        const DriverRun outcome = run(std::string(kOpenGl21) + " MESA_EXTENSION_OVERRIDE=-" + extension,
                                      "bench bounds --sizes 16 --backend gl --dialect gl21 --variant packed");
        EXPECT_NE(outcome.exitCode, 0);
        EXPECT_THAT(outcome.text, AllOf(HasSubstr("cannot render to float textures in dialect gl21"),
                                        HasSubstr(std::string(extension) + " is missing")));
    }
}

TEST_F(OldDriver, WithoutOneChannelTargetsKeepsThePackedVariants) {
    const std::string environment = std::string(kOpenGl21) + " MESA_EXTENSION_OVERRIDE=-GL_ARB_texture_rg";
    const DriverRun packed = run(environment, std::string(kValidate) + " --dialects gl21 --variant packed");
    EXPECT_EQ(packed.exitCode, 0) << packed.text;
    EXPECT_THAT(packed.text, HasSubstr("1 configuration agrees"));
    const DriverRun scalar = run(environment, std::string(kValidate) + " --dialects gl21 --variant scalar");
    EXPECT_THAT(scalar.text,
                HasSubstr("skipped: one-channel float render targets (GL_ARB_texture_rg) are missing"));
}

}  // namespace
}  // namespace glycine
