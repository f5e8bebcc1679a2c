#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/study/data_sizes.hpp"
#include "engine/study/subject.hpp"

namespace glycine::study {

/// Problems about generated data of some sizes, or about one file.
class SizedSet : public ProblemSet {
  public:
    std::vector<std::string> inputFiles() const override {
        return file_.empty() ? std::vector<std::string>() : std::vector{file_};
    }

  protected:
    explicit SizedSet(std::vector<DataSize> sizes) : sizes_(std::move(sizes)) {}
    /// Declares --sizes, with what N and M count as its help, and --seed.
    void declareGenerated(Options& options, const std::string& help) {
        isForGenerated(sizes_.declare(options, help));
        isForGenerated(options.value("--seed S", seed_, "Which inputs are generated"));
    }

    DataSizes sizes_;
    std::string file_;  ///< empty: generated data
    std::uint64_t seed_ = 1;
};

}  // namespace glycine::study
