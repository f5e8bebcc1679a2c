#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "engine/api/backends.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// OpenGL for tests.
namespace glycine::test {

/// A backend, or the reason why there is none.
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

/// A context a dialect for the whole program.
inline OwnedBackend& sharedBackend(Dialect dialect) {
    BackendOptions options;
    options.dialect = dialect;
    return sharedBackends().try_emplace(dialect, options).first->second;
}

/// Contexts go before the program ends: a driver may be unloaded before static objects are.
class ReleaseBackends : public testing::Environment {
  public:
    void TearDown() override { sharedBackends().clear(); }
};
[[maybe_unused]] inline const testing::Environment* const kReleaseBackends =
    testing::AddGlobalTestEnvironment(new ReleaseBackends);

}  // namespace glycine::test
