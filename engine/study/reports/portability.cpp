#include "engine/study/reports/portability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace glycine::study {

namespace {

/// Result of one application on one platform.
struct Standing {
    std::optional<double> seconds{};
    bool isUnknown = false;
    double ceilingShare = 0;
};

struct Standings {
    std::vector<std::string> order;                ///< application names
    std::map<std::string, std::string> backendOf;  ///< by application
    /// By application, one entry per platform; nothing if the platform has no row.
    std::map<std::string, std::vector<std::optional<Standing>>> of;
    std::vector<bool> hasRows;  ///< per platform: whether it has any row of the problem

    void take(const std::string& application, std::size_t platform, std::size_t platforms,
              const TimedRow& row) {
        auto [found, isNew] = of.try_emplace(application, platforms);
        if (isNew) order.push_back(application);
        backendOf.emplace(application, row.contender.backend);
        hasRows.resize(platforms, false);
        hasRows[platform] = true;
        std::optional<Standing>& standing = found->second[platform];
        if (!standing) standing.emplace();
        if (row.hasTime()) {
            // Several dialects, or several variants of a backend: the fastest row counts.
            if (!standing->seconds || row.seconds.minimum < *standing->seconds) {
                standing->seconds = row.seconds.minimum;
                // Launch overhead says nothing about how well a device's rates are used.
                standing->ceilingShare = row.isByOverhead ? 0 : row.ceilingShare;
            }
        } else if (row.isBeyondLimit) {
            standing->isUnknown = true;
        }
    }
};

Portability judged(const std::string& problem, const std::string& application, const Standings& standings,
                   const std::vector<double>& best, std::span<const StudyReport> reports) {
    Portability result;
    result.problem = problem;
    result.application = application;
    const auto& own = standings.of.at(application);
    for (std::size_t platform = 0; platform < own.size(); ++platform) {
        std::optional<double> byTime, byCeiling;
        const std::optional<Standing>& standing = own[platform];
        if (standings.hasRows[platform] && best[platform] > 0 &&
            reports[platform].requested(standings.backendOf.at(application))) {
            if (standing && standing->seconds) {
                byTime = best[platform] / *standing->seconds;
                if (standing->ceilingShare > 0) byCeiling = standing->ceilingShare;
            } else if (!standing || !standing->isUnknown) {
                byTime = byCeiling = 0;
            }
        }
        result.applicationEfficiency.push_back(byTime);
        result.architecturalEfficiency.push_back(byCeiling);
    }
    return result;
}

}  // namespace

double performancePortability(std::span<const double> efficiencies) {
    double inverses = 0;
    for (const double efficiency : efficiencies) {
        if (!(efficiency > 0)) return 0;
        inverses += 1 / efficiency;
    }
    return efficiencies.empty() ? 0 : static_cast<double>(efficiencies.size()) / inverses;
}

std::optional<double> Portability::metric(const std::vector<std::optional<double>>& efficiencies) {
    std::vector<double> known;
    for (const std::optional<double>& efficiency : efficiencies) {
        if (!efficiency) return {};
        known.push_back(*efficiency);
    }
    return performancePortability(known);
}

std::vector<Portability> portabilities(std::span<const StudyReport> reports) {
    std::vector<std::string> order;
    std::map<std::string, Standings> problems;
    for (std::size_t platform = 0; platform < reports.size(); ++platform)
        for (const TimedRow& row : reports[platform].times()) {
            const auto [found, isNew] = problems.try_emplace(row.problem());
            if (isNew) order.push_back(row.problem());
            found->second.take(row.contender.application(), platform, reports.size(), row);
            found->second.take(row.contender.backend + " (best variant)", platform, reports.size(), row);
        }
    std::vector<Portability> results;
    for (const std::string& problem : order) {
        const Standings& standings = problems.at(problem);
        std::vector<double> best(reports.size(), 0);
        for (const auto& [application, all] : standings.of)
            for (std::size_t platform = 0; platform < all.size(); ++platform)
                if (all[platform] && all[platform]->seconds &&
                    (best[platform] == 0 || *all[platform]->seconds < best[platform]))
                    best[platform] = *all[platform]->seconds;
        for (const std::string& application : standings.order)
            results.push_back(judged(problem, application, standings, best, reports));
    }
    return results;
}

DocumentTable figuresOfMerit(std::span<const StudyReport> reports) {
    DocumentTable table{{"problem", "application", "platform", "fom"}};
    const std::vector<std::string> names = platformNames(reports);
    for (std::size_t platform = 0; platform < reports.size(); ++platform)
        for (const TimedRow& row : reports[platform].times()) {
            if (!row.hasTime()) continue;
            std::string application = row.contender.application();
            if (!row.contender.dialect.empty()) application += " " + row.contender.dialect;
            table.rows.push_back(
                {row.problem(), application, names[platform], fmt::format("{}", row.seconds.minimum)});
        }
    return table;
}

std::vector<std::string> platformNames(std::span<const StudyReport> reports) {
    std::vector<std::string> names;
    for (const StudyReport& report : reports) {
        std::string name = report.label;
        for (int number = 2; std::ranges::find(names, name) != names.end(); ++number)
            name = fmt::format("{} ({})", report.label, number);
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace glycine::study
