#pragma once

#include "tests/arguments/wrong_calls.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/test.hpp"

/// Calls of typed functions that every backend must refuse, with the same text.
namespace glycine::test {

/// A backend without any implementation, which fails on every use.
class UntouchedBackend final : public Backend {
  public:
    std::string_view name() const override { return touched(), "untouched"; }
    std::string device() const override { return touched(), ""; }
    std::string driver() const override { return touched(), ""; }
    const Capabilities& capabilities() const override { return touched(), capabilities_; }

  private:
    static void touched() { ADD_FAILURE() << "the backend was involved before the arguments were checked"; }
    Capabilities capabilities_;
};

using WrongBackendCall = WrongCall<Backend&>;

/// An untouchable backend and all backends of the machine.
inline std::vector<std::unique_ptr<Backend>> everyBackend() {
    registerBackends();
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<UntouchedBackend>());
    for (const auto& entry : BackendRegistry::instance().entries()) {
        try {
            backends.push_back(BackendRegistry::instance().create(entry.name, {}));
        } catch (const UnavailableError&) {
            // The machine does not have it.
        }
    }
    return backends;
}

/// All backends refuse each call with the same error.
inline void expectRefused(const std::vector<WrongBackendCall>& calls) {
    const std::vector<std::unique_ptr<Backend>> backends = everyBackend();
    EXPECT_GE(backends.size(), 3U);  // at least reference and cpu
    for (const WrongBackendCall& wrong : calls) {
        SCOPED_TRACE(wrong.what);
        std::string first;
        for (const auto& backend : backends) {
            const std::string refusal = refusalOf([&] { wrong.call(*backend); });
            expectRefusal(wrong.refusal, refusal);
            if (first.empty()) first = refusal;
            EXPECT_EQ(refusal, first);
        }
    }
}

}  // namespace glycine::test
