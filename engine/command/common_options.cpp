#include "engine/command/common_options.hpp"

#include "engine/core/names.hpp"

namespace glycine {

namespace {

constexpr NameTable<std::optional<bool>, 3> kHeaders{{{std::nullopt, "auto"}, {true, "yes"}, {false, "no"}}};

}  // namespace

void addJsonOption(Options& options, bool& json, const std::string& help) {
    options.flag("--json", json, help).notASetting();
}

void addRestartOption(Options& options, bool& restart) {
    options.flag("--restart", restart, "Forget what a stopped run has left (default: go on from there)")
        .notASetting()
        .group("Computation");
}

void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose, const std::string& group) {
    options
        .parsed(
            "--header",
            [target](const std::string& text) { target.header = valueOf("--header", text, kHeaders); },
            [target] { return target.header ? (*target.header ? "yes" : "no") : "auto"; }, header)
        .type("H")
        .decidesResult()
        .group(group);
    options.flag("--transpose", target.transpose, transpose).decidesResult().group(group);
}

}  // namespace glycine
