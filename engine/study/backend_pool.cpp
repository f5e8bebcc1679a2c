#include "engine/study/backend_pool.hpp"

#include "engine/core/error.hpp"

namespace glycine::study {

Backend& BackendPool::use(const Configuration& configuration, int threads) {
    const Key key{configuration.backend, configuration.dialect, threads};
    if (const auto found = held_.find(key); found != held_.end()) return *found->second;
    if (const auto refusal = refusals_.find(key); refusal != refusals_.end())
        throw UnavailableError(refusal->second);
    BackendOptions options = options_;
    if (threads > 0) options.threads = threads;
    if (configuration.dialect) {
        options.dialect = *configuration.dialect;
        std::erase_if(held_, [](const auto& entry) { return std::get<1>(entry.first).has_value(); });
    }
    try {
        return *held_.emplace(key, BackendRegistry::instance().create(configuration.backend, options))
                    .first->second;
    } catch (const UnavailableError& error) {
        refusals_.emplace(key, error.what());
        throw;
    }
}

}  // namespace glycine::study
