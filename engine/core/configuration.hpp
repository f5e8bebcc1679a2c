#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"

/// The ways to run an algorithm that `list`, `validate` and `bench` go through.
namespace glycine {

struct Configuration {
    std::string backend;
    std::string variant;             ///< empty: the algorithm has none for this backend, or not in this build
    std::optional<Dialect> dialect;  ///< `gl` only
    std::string numberFormat;

    /// The dialect's name, or empty.
    std::string dialectName() const;
    /// "gl/packed es300 float32".
    std::string label() const;
};

/// What the user asked for; empty lists mean everything.
struct ConfigurationFilter {
    std::vector<std::string> backends{};
    std::vector<std::string> variants{};
    std::vector<std::string> numberFormats{};
    std::vector<Dialect> dialects{};
    bool defaultVariantsOnly = false;  ///< where `variants` is empty
};

/// Throws UsageError when no backend has a variant of this name, and says which have what: "cpu: dense,
/// sparse; gl: packed".
void requireVariant(const Algorithm& algorithm, std::string_view variant);
/// The same where `algorithm` has variants for `backend` and none of this name.
void requireVariant(const Algorithm& algorithm, std::string_view backend, std::string_view variant);

/// All configurations that pass the filter: in the order of `filter.backends` (or of the registry), then
/// dialects, variants in the order of `filter.variants` (or of the algorithm) and number formats.
/// Throws UsageError for a backend, variant or format that the algorithm does not have, and when nothing is
/// left.
std::vector<Configuration> selectConfigurations(const Algorithm& algorithm,
                                                const ConfigurationFilter& filter);

/// The backends of the configurations, each once, in their order (those of a backend stand together).
std::vector<std::string> backendsOf(const std::vector<Configuration>& configurations);

/// Holds backends side by side, so that configurations can take turns without being set up anew: each backend
/// once, `cpu` once for each number of threads, and one OpenGL context at a time, because contexts are not
/// meant to take turns on one thread.
class BackendPool {
  public:
    explicit BackendPool(BackendOptions options) : options_(std::move(options)) {}

    /// `threads`: of `cpu`; 0: what the options say. The first use of another dialect lets go of the OpenGL
    /// context that was held: nothing may be alive on that. Throws UnavailableError with the reason, which is
    /// remembered: a context that could not be made is not tried again.
    Backend& use(const std::string& backend, std::optional<Dialect> dialect, int threads = 0);
    /// As above; also refuses a configuration without a variant.
    Backend& use(const Configuration& configuration, int threads = 0);

    /// Lets go of all backends.
    void release() { held_.clear(); }

  private:
    using Key = std::tuple<std::string, std::optional<Dialect>, int>;
    BackendOptions options_;
    std::map<Key, std::unique_ptr<Backend>> held_;
    std::map<Key, std::string> refusals_;
};

}  // namespace glycine
