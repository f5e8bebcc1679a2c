#include "engine/core/configuration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/error.hpp"
#include "engine/core/implementation.hpp"

namespace glycine {

namespace {

template <class Value>
bool contains(const std::vector<Value>& values, const Value& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

template <class Value>
bool passes(const std::vector<Value>& filter, const Value& value) {
    return filter.empty() || contains(filter, value);
}

void requireKnown(std::string_view what, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& known) {
    for (const std::string& name : wanted)
        if (!contains(known, name)) throwUnknownName(what, name, {known.begin(), known.end()});
}

/// The variants of one backend that pass the filter, in the order of the filter.
std::vector<VariantInfo> selectVariants(const std::vector<VariantInfo>& all, const std::string& backend,
                                        const ConfigurationFilter& filter) {
    std::vector<VariantInfo> result;
    for (const VariantInfo& info : all) {
        if (info.backend != backend || !passes(filter.variants, info.name)) continue;
        if (filter.variants.empty() && filter.defaultVariantsOnly && !info.isDefault) continue;
        result.push_back(info);
    }
    const auto rank = [&filter](const VariantInfo& info) {
        return std::find(filter.variants.begin(), filter.variants.end(), info.name) - filter.variants.begin();
    };
    std::stable_sort(result.begin(), result.end(),
                     [&rank](const VariantInfo& a, const VariantInfo& b) { return rank(a) < rank(b); });
    return result;
}

}  // namespace

std::string Configuration::dialectName() const {
    return dialect ? std::string(toString(*dialect)) : std::string();
}

std::string Configuration::label() const {
    std::string result = backend;
    if (!variant.empty()) result.append("/").append(variant);
    if (dialect) result.append(" ").append(toString(*dialect));
    if (!numberFormat.empty()) result.append(" ").append(numberFormat);
    return result;
}

void requireVariant(const Algorithm& algorithm, std::string_view variant) {
    const std::vector<VariantInfo> infos = algorithm.variants();
    if (std::ranges::find(infos, variant, &VariantInfo::name) != infos.end()) return;
    std::string known;
    for (std::size_t k = 0; k < infos.size(); ++k) {
        const bool isFirst = k == 0 || infos[k].backend != infos[k - 1].backend;
        known += isFirst ? fmt::format("{}{}: ", k == 0 ? "" : "; ", infos[k].backend) : ", ";
        known += infos[k].name;
    }
    throw UsageError(fmt::format("unknown variant '{}'; known: {}", variant, known));
}

void requireVariant(const Algorithm& algorithm, std::string_view backend, std::string_view variant) {
    if (const std::string missing = missingVariant(backend, variant, algorithm.variants()); !missing.empty())
        throw UsageError(missing);
}

std::vector<Configuration> selectConfigurations(const Algorithm& algorithm,
                                                const ConfigurationFilter& filter) {
    const std::vector<VariantInfo> infos = algorithm.variants();
    std::vector<std::string> registered, formatNames;
    for (const auto& entry : BackendRegistry::instance().entries()) registered.push_back(entry.name);
    for (const VariantInfo& info : infos)
        for (const std::string& format : info.numberFormats)
            if (!contains(formatNames, format)) formatNames.push_back(format);
    requireKnown("backend", filter.backends, registered);
    for (const std::string& variant : filter.variants) requireVariant(algorithm, variant);
    requireKnown("number format", filter.numberFormats, formatNames);

    std::vector<Configuration> result;
    for (const std::string& backend : filter.backends.empty() ? registered : filter.backends) {
        const bool isImplemented = std::any_of(
            infos.begin(), infos.end(), [&](const VariantInfo& info) { return info.backend == backend; });
        if (!isImplemented) {
            // Stays visible with the reason why it cannot run, unless the filter names variants.
            if (filter.variants.empty()) result.push_back({backend, "", {}, ""});
            continue;
        }
        const std::vector<VariantInfo> variants = selectVariants(infos, backend, filter);
        std::vector<std::optional<Dialect>> dialects;
        for (const Dialect dialect : allDialects()) {
            const bool isSpoken = std::any_of(variants.begin(), variants.end(), [&](const VariantInfo& info) {
                return contains(info.dialects, dialect);
            });
            if (isSpoken && passes(filter.dialects, dialect)) dialects.emplace_back(dialect);
        }
        if (std::any_of(variants.begin(), variants.end(),
                        [](const auto& info) { return info.dialects.empty(); }))
            dialects.emplace_back();
        for (const auto& dialect : dialects) {
            for (const VariantInfo& info : variants) {
                if (dialect ? !contains(info.dialects, *dialect) : !info.dialects.empty()) continue;
                for (const std::string& format : info.numberFormats) {
                    if (passes(filter.numberFormats, format))
                        result.push_back({backend, info.name, dialect, format});
                }
            }
        }
    }
    if (result.empty())
        throw UsageError(
            "no backend has this combination of variant, number format and dialect; see `glycine list`");
    return result;
}

std::vector<std::string> backendsOf(const std::vector<Configuration>& configurations) {
    std::vector<std::string> backends;
    for (const Configuration& configuration : configurations)
        if (backends.empty() || backends.back() != configuration.backend)
            backends.push_back(configuration.backend);
    return backends;
}

Backend& BackendPool::use(const std::string& backend, std::optional<Dialect> dialect, int threads) {
    const Key key{backend, dialect, threads};
    if (const auto found = held_.find(key); found != held_.end()) return *found->second;
    if (const auto refusal = refusals_.find(key); refusal != refusals_.end())
        throw UnavailableError(refusal->second);
    BackendOptions options = options_;
    if (threads > 0) options.threads = threads;
    if (dialect) options.dialect = *dialect;
    std::erase_if(held_, [&](const auto& entry) {
        return std::get<0>(entry.first) == backend && std::get<1>(entry.first) != dialect;
    });
    try {
        return *held_.emplace(key, BackendRegistry::instance().create(backend, options)).first->second;
    } catch (const UnavailableError& error) {
        refusals_.emplace(key, error.what());
        throw;
    }
}

Backend& BackendPool::use(const Configuration& configuration, int threads) {
    Backend& backend = use(configuration.backend, configuration.dialect, threads);
    if (configuration.variant.empty()) throw UnavailableError("the algorithm has no implementation for it");
    return backend;
}

}  // namespace glycine
