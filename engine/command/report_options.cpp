#include "engine/command/report_options.hpp"

namespace glycine {

void addJsonOption(Options& options, bool& json, const std::string& help) {
    options.flag("--json", json, help).notASetting();
}

}  // namespace glycine
