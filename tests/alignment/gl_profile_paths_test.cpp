// Paths through profiles by fragments against those of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/core/error.hpp"
#include "engine/gl/alignment/profile_passes.hpp"
#include "engine/gl/framework/context.hpp"
#include "tests/alignment/profile_fixtures.hpp"

namespace glycine::align::gl {
namespace {

using clustalw::expectLinearPaths;
using clustalw::expectPathsOfHost;
using clustalw::linearPairs;
using clustalw::PairsOfProfiles;
using clustalw::ProfilePaths;

class GlProfilePaths : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        try {
            backend_ = std::make_unique<glycine::gl::GlBackend>(optionsFor());
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }

    /// Textures of such sides and so much memory; 0: what the device has.
    static BackendOptions optionsFor(std::size_t side = 0, std::size_t bytes = 0) {
        BackendOptions options;
        options.dialect = GetParam();
        options.maxTextureSize = side;
        options.maxDeviceBytes = bytes;
        return options;
    }

    std::unique_ptr<glycine::gl::GlBackend> backend_;
};

TEST_P(GlProfilePaths, AreTheHosts) {
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), seed).pairs);
    expectLinearPaths(paths, linearPairs(3).pairs);
    ProfilePaths top(profilePassesOn(*backend_), 5000);
    expectPathsOfHost(top, PairsOfProfiles(clustalw::oddSizes(), 7).pairs);
    EXPECT_TRUE(paths.note().empty());
    EXPECT_TRUE(top.note().empty());
}

TEST_P(GlProfilePaths, MakeTheAlignmentOfTheHost) {
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    clustalw::expectAlignmentsOfHost(paths);
    EXPECT_TRUE(paths.note().empty());
}

TEST_P(GlProfilePaths, GoInPortionsOrToTheHostWhereTexturesAreSmall) {
    const auto noteWith = [&](std::size_t side, std::size_t bytes) {
        glycine::gl::GlBackend small(optionsFor(side, bytes));
        ProfilePaths paths(profilePassesOn(small), 0);
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), 8).pairs);
        return paths.note();
    };
    glycine::gl::GlBackend portions(optionsFor(128));
    ProfilePaths linear(profilePassesOn(portions), 0);
    expectLinearPaths(linear, linearPairs(4).pairs);
    EXPECT_EQ(noteWith(128, 0), "");
    EXPECT_EQ(noteWith(64, 0), "3 alignments of profiles on the host, for which the device has no room");
    EXPECT_EQ(noteWith(0, std::size_t{1} << 20), "");
    EXPECT_NE(noteWith(0, std::size_t{1} << 15), "");
}

TEST_P(GlProfilePaths, StopWhenAsked) {
    const PairsOfProfiles all(clustalw::oddSizes(), 9);
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    int asked = 0;
    Progress cancelled({}, [&] { return ++asked > 50; });
    EXPECT_THROW(paths.align(all.pairs, cancelled), CancelledError);
    expectPathsOfHost(paths, all.pairs);
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlProfilePaths, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& dialect) { return std::string(toString(dialect.param)); });

}  // namespace
}  // namespace glycine::align::gl
