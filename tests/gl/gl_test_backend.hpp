#pragma once

#include "engine/api/backends.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/test.hpp"

/// OpenGL fixtures.
namespace glycine::test {

/// A backend, or the reason why it is missing.
struct OwnedBackend {
    std::unique_ptr<gl::GlBackend> backend;
    std::string reason;
    explicit OwnedBackend(const BackendOptions& options) {
        registerBackends();
        BackendRegistry::instance().loadAll();
        try {
            backend = std::make_unique<gl::GlBackend>(options);
        } catch (const UnavailableError& error) {
            reason = error.what();
        }
    }
};

inline std::map<Dialect, OwnedBackend>& sharedBackends() {
    static std::map<Dialect, OwnedBackend> backends;
    return backends;
}

/// One context per dialect for the whole program.
inline OwnedBackend& sharedBackend(Dialect dialect) {
    BackendOptions options;
    options.dialect = dialect;
    return sharedBackends().try_emplace(dialect, options).first->second;
}

/// The shared context of a dialect. At the end of each test, the driver must not have reported anything.
class OnGl : public testing::Test {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(dialect());
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        backend_->makeCurrent();
        gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(gl::DebugLog::take(), IsEmpty()); }
    virtual Dialect dialect() const { return Dialect::Gl33; }

    gl::GlBackend* backend_ = nullptr;
};
class OnDialects : public OnGl, public testing::WithParamInterface<Dialect> {
  protected:
    Dialect dialect() const override { return GetParam(); }
};

/// Releases contexts before the program ends: a driver may be unloaded before static objects are destroyed.
class ReleaseBackends : public testing::Environment {
  public:
    void TearDown() override { sharedBackends().clear(); }
};
[[maybe_unused]] inline const testing::Environment* const kReleaseBackends =
    testing::AddGlobalTestEnvironment(new ReleaseBackends);

}  // namespace glycine::test
