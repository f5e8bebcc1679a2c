#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <ostream>

#include "app/commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

/// A variant with one answer per dialect; backends other than `gl` have one answer without a dialect.
struct ListedVariant {
    std::string algorithm;
    VariantInfo info;
    std::vector<std::pair<std::optional<Dialect>, Support>> answers;

    bool isAvailable() const {
        return std::ranges::any_of(answers, [](const auto& answer) { return bool(answer.second); });
    }
};

Support ask(BackendPool& backends, const Algorithm& algorithm, const VariantInfo& info,
            std::optional<Dialect> dialect) {
    try {
        const Configuration configuration{info.backend, info.name, dialect, ""};
        return algorithm.supports(backends.use(configuration), configuration, {});
    } catch (const UnavailableError& error) {
        return Support::no(error.what());
    }
}

/// The variants of all algorithms, and a nameless one for each backend without variants.
std::vector<ListedVariant> listVariants() {
    std::vector<ListedVariant> all;
    for (const auto& algorithm : AlgorithmRegistry::instance().algorithms()) {
        const std::vector<VariantInfo> variants = algorithm->variants();
        for (const auto& entry : BackendRegistry::instance().entries()) {
            const std::size_t before = all.size();
            for (const VariantInfo& info : variants)
                if (info.backend == entry.name) all.push_back({std::string(algorithm->name()), info, {}});
            if (all.size() > before) continue;
            ListedVariant& missing = all.emplace_back();
            missing.algorithm = algorithm->name();
            missing.info.backend = entry.name;
        }
    }
    return all;
}

/// Checks dialect by dialect, to create few contexts.
void askAll(std::vector<ListedVariant>& variants) {
    BackendPool backends{BackendOptions{}};
    std::vector<std::optional<Dialect>> dialects{std::nullopt};
    for (const Dialect dialect : allDialects()) dialects.emplace_back(dialect);
    for (const auto& dialect : dialects) {
        for (ListedVariant& variant : variants) {
            const auto& spoken = variant.info.dialects;
            const bool isSpoken =
                dialect ? std::find(spoken.begin(), spoken.end(), *dialect) != spoken.end() : spoken.empty();
            if (!isSpoken) continue;
            const Algorithm& algorithm = AlgorithmRegistry::instance().find(variant.algorithm);
            variant.answers.emplace_back(dialect, ask(backends, algorithm, variant.info, dialect));
        }
    }
}

/// Reasons why variants are unavailable. A reason that several variants share, or that has several lines, is
/// printed once, below the table.
class Reasons {
  public:
    explicit Reasons(const std::vector<ListedVariant>& variants) {
        std::map<std::string, int> counts;
        for (const ListedVariant& variant : variants)
            for (const auto& [dialect, support] : variant.answers) {
                if (support) continue;
                const bool isShared = ++counts[support.reason()] > 1;
                const bool isLong = support.reason().find('\n') != std::string::npos;
                if ((isShared || isLong) && find(support.reason()) == notes_.size())
                    notes_.push_back(support.reason());
            }
    }
    /// The reason, or a reference to it: "see [1]".
    std::string text(const std::string& reason) const {
        const std::size_t note = find(reason);
        return note == notes_.size() ? reason : fmt::format("see [{}]", note + 1);
    }
    void print(std::ostream& out) const {
        for (std::size_t i = 0; i < notes_.size(); ++i) {
            if (i == 0) out << '\n';
            std::string note = notes_[i];
            for (std::size_t at = note.find('\n'); at != std::string::npos; at = note.find('\n', at + 1))
                note.insert(at + 1, "    ");
            out << fmt::format("[{}] {}\n", i + 1, note);
        }
    }

  private:
    std::size_t find(const std::string& reason) const {
        return static_cast<std::size_t>(std::ranges::find(notes_, reason) - notes_.begin());
    }
    std::vector<std::string> notes_;
};

std::string describe(const ListedVariant& variant, const Reasons& reasons) {
    if (!variant.isAvailable())
        return "not available: " + reasons.text(variant.answers.front().second.reason());
    std::string text = variant.info.summary;
    if (!variant.info.source.empty()) text += fmt::format(" ({})", variant.info.source);
    for (const auto& [dialect, support] : variant.answers)
        if (!support)
            text += fmt::format("; not in {}: {}", dialect ? toString(*dialect) : "",
                                reasons.text(support.reason()));
    return text;
}

void printTable(std::ostream& out, const std::vector<ListedVariant>& variants) {
    TableOf<ListedVariant> table;
    table.add({"algorithm"}, std::mem_fn(&ListedVariant::algorithm));
    table.add({"backend"}, [](const auto& variant) { return variant.info.backend; });
    table.add({"variant"},
              [](const auto& variant) { return variant.info.name + (variant.info.isDefault ? " *" : ""); });
    table.add({"number formats"}, [](const auto& variant) {
        return fmt::format("{}", fmt::join(variant.info.numberFormats, " "));
    });
    table.add({"dialects"}, [](const auto& variant) {
        std::vector<std::string_view> dialects;
        for (const Dialect dialect : variant.info.dialects) dialects.push_back(toString(dialect));
        return fmt::format("{}", fmt::join(dialects, " "));
    });
    table.add({"here"}, [](const auto& variant) { return variant.isAvailable() ? "yes" : "no"; });
    const Reasons reasons(variants);
    table.add({"idea"}, [&reasons](const auto& variant) { return describe(variant, reasons); });
    table.print(out, variants, terminalWidth());
    reasons.print(out);
    out << "\n* runs when no variant is named; `glycine info` says which backend runs when none is named\n";
}

Json toJson(const std::vector<ListedVariant>& variants) {
    Json list = Json::array();
    for (const ListedVariant& variant : variants) {
        Json json{{"algorithm", variant.algorithm},
                  {"backend", variant.info.backend},
                  {"variant", variant.info.name},
                  {"isDefault", variant.info.isDefault},
                  {"summary", variant.info.summary},
                  {"source", variant.info.source},
                  {"numberFormats", variant.info.numberFormats},
                  {"available", variant.isAvailable()}};
        if (variant.info.dialects.empty()) {
            if (!variant.isAvailable()) json["reason"] = variant.answers.front().second.reason();
        } else {
            for (const auto& [dialect, support] : variant.answers) {
                Json& answer = json["dialects"][std::string(toString(*dialect))];
                answer["available"] = bool(support);
                if (!support) answer["reason"] = support.reason();
            }
        }
        list.push_back(std::move(json));
    }
    return {{"command", "list"}, {"variants", list}};
}

}  // namespace

CommandAction declareList(Options& options) {
    auto json = std::make_shared<bool>(false);
    addJsonOption(options, *json, "Print the list as one JSON object");
    return [json](CommandContext& context) {
        std::vector<ListedVariant> variants = listVariants();
        askAll(variants);
        if (*json)
            printJson(context.out(), toJson(variants));
        else
            printTable(context.out(), variants);
        return 0;
    };
}

}  // namespace glycine
