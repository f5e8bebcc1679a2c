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
    const Heading heading(options, "Computation");
    options.flag("--restart", restart, "Forget what a stopped run has left (default: go on from there)")
        .notASetting();
}

void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose) {
    options.choice("--header H", target.header, kHeaders, header)
        .decidesResult()
        .readBy("input", {"table"}, "tables");
    options.flag("--transpose", target.transpose, transpose)
        .decidesResult()
        .readBy("input", {"table", "array"}, "tables and .npy");
}

}  // namespace glycine
