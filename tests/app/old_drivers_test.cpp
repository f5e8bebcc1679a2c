// Old and crippled drivers, emulated by Mesa's environment variables: what they can do is done, what they
// cannot do is refused before any work, naming the missing feature.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "engine/core/error.hpp"
#include "engine/gl/gl_backend.hpp"

namespace glycine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Outcome {
    int exitCode = -1;
    std::string text;  ///< both streams
};

Outcome run(const std::string& environment, const std::string& arguments) {
    const std::string command = "env " + environment + " " GLYCINE_COMMAND " " + arguments + " 2>&1";
    Outcome outcome;
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
constexpr const char* kValidate = "validate bounds --sizes 3,17,65 --format float32 --backend gl";

TEST_F(OldDriver, OfOpenGl21RunsThe2005Path) {
    const Outcome outcome =
        run(kOpenGl21,
            std::string(kValidate) + " --dialects gl21 --variant scalar,triangle,packed,packed-branch");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("All 4 configurations agree"));
}

TEST_F(OldDriver, OfOpenGl21IsRefusedForTheDefaultDialect) {
    const Outcome outcome = run(kOpenGl21, "bench bounds --sizes 16 --backend gl");
    EXPECT_NE(outcome.exitCode, 0);
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("gives no OpenGL 3.3 context"), HasSubstr("--dialect gl21")));
}

TEST_F(OldDriver, OfEs30RunsEverything) {
    const Outcome outcome =
        run("MESA_GLES_VERSION_OVERRIDE=3.0", std::string(kValidate) + " --dialects es300");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("All 7 configurations agree"));
}

TEST_F(OldDriver, WithoutAnExtensionThatFloatTargetsNeedIsRefusedByItsName) {
    for (const char* extension : {"GL_ARB_texture_float", "GL_ARB_texture_rectangle"}) {
        const Outcome outcome = run(std::string(kOpenGl21) + " MESA_EXTENSION_OVERRIDE=-" + extension,
                                    "bench bounds --sizes 16 --backend gl --dialect gl21 --variant packed");
        EXPECT_NE(outcome.exitCode, 0);
        EXPECT_THAT(outcome.text, AllOf(HasSubstr("cannot render to float textures in dialect gl21"),
                                        HasSubstr(std::string(extension) + " is missing")));
    }
}

TEST_F(OldDriver, WithoutOneChannelTargetsKeepsThePackedVariants) {
    const std::string environment = std::string(kOpenGl21) + " MESA_EXTENSION_OVERRIDE=-GL_ARB_texture_rg";
    const Outcome packed = run(environment, std::string(kValidate) + " --dialects gl21 --variant packed");
    EXPECT_EQ(packed.exitCode, 0) << packed.text;
    EXPECT_THAT(packed.text, HasSubstr("1 configuration agrees"));
    const Outcome scalar = run(environment, std::string(kValidate) + " --dialects gl21 --variant scalar");
    EXPECT_THAT(scalar.text,
                HasSubstr("skipped: one-channel float render targets (GL_ARB_texture_rg) are missing"));
}

}  // namespace
}  // namespace glycine
