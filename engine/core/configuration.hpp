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

/// The ways to run an algorithm that `list`, `validate` and `bench` iterate over.
namespace glycine {

struct Configuration {
    std::string backend;
    std::string variant;             ///< empty: the algorithm has no variant for this backend, or not in this
                                     ///< build
    std::optional<Dialect> dialect;  ///< `gl` only
    std::string numberFormat;

    /// The dialect's name, or empty.
    std::string dialectName() const;
    /// "gl/packed es300 float32".
    std::string label() const;
};

/// The user's selection; an empty list means everything.
struct ConfigurationFilter {
    std::vector<std::string> backends{};
    std::vector<std::string> variants{};
    std::vector<std::string> numberFormats{};
    std::vector<Dialect> dialects{};
    bool defaultVariantsOnly = false;  ///< only applies if `variants` is empty
};

/// Throws UsageError if no backend has a variant of this name, and lists the variants per backend: "cpu:
/// dense, sparse; gl: packed".
void requireVariant(const Algorithm& algorithm, std::string_view variant);
/// The same for one backend: throws if `algorithm` has variants for `backend`, but none of this name.
void requireVariant(const Algorithm& algorithm, std::string_view backend, std::string_view variant);

/// All configurations that pass the filter: in the order of `filter.backends` (or of the registry), then
/// dialects, variants in the order of `filter.variants` (or of the algorithm) and number formats. Throws
/// UsageError for a backend, variant or format that the algorithm does not have, and if no configuration
/// remains.
std::vector<Configuration> selectConfigurations(const Algorithm& algorithm,
                                                const ConfigurationFilter& filter);

/// The backends of the configurations, each once, in order. Configurations of one backend must be adjacent.
std::vector<std::string> backendsOf(const std::vector<Configuration>& configurations);

/// Keeps backends alive so that configurations can take turns without setup. Holds each backend once, `cpu`
/// once per number of threads, and only one OpenGL context, because contexts should not alternate on one
/// thread.
class BackendPool {
  public:
    explicit BackendPool(BackendOptions options) : options_(std::move(options)) {}

    /// `threads` is for `cpu`; 0 means the number in the options. Using another dialect destroys the current
    /// OpenGL context, so no object may still use it. Throws UnavailableError with the reason; a context that
    /// could not be created is not tried again.
    Backend& use(const std::string& backend, std::optional<Dialect> dialect, int threads = 0);
    /// As above; also refuses a configuration without a variant.
    Backend& use(const Configuration& configuration, int threads = 0);

    /// Destroys all backends.
    void release() { held_.clear(); }

  private:
    using Key = std::tuple<std::string, std::optional<Dialect>, int>;
    BackendOptions options_;
    std::map<Key, std::unique_ptr<Backend>> held_;
    std::map<Key, std::string> refusals_;
};

}  // namespace glycine
