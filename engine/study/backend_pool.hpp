#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "engine/core/backend.hpp"
#include "engine/core/configuration.hpp"

namespace glycine::study {

/// Holds backends side by side, so that configurations can take turns without being set up anew: each backend
/// once, `cpu` once for each number of threads, and one OpenGL context at a time, because contexts are not
/// meant to take turns on one thread.
class BackendPool {
  public:
    explicit BackendPool(BackendOptions options) : options_(std::move(options)) {}

    /// `threads`: of `cpu`; 0: what the options say. The first use of another dialect lets go of the OpenGL
    /// context that was held: nothing may be alive on that. Throws UnavailableError with the reason, which is
    /// remembered.
    Backend& use(const Configuration& configuration, int threads = 0);

  private:
    using Key = std::tuple<std::string, std::optional<Dialect>, int>;
    BackendOptions options_;
    std::map<Key, std::unique_ptr<Backend>> held_;
    std::map<Key, std::string> refusals_;
};

}  // namespace glycine::study
