#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/data_size.hpp"
#include "engine/study/subject.hpp"

namespace glycine::study {

/// The sizes N × M of generated inputs: --sizes NxM,…
class DataSizes {
  public:
    explicit DataSizes(std::vector<DataSize> usual) : sizes_(std::move(usual)) {}
    /// Declares --sizes; `help` states what N and M count.
    Option& declare(Options& options, const std::string& help) {
        return options.parsedList(
            "--sizes NxM,…", [this](const std::vector<std::string>& texts) { read(texts); },
            [this] { return joined(dataSizeText, ","); }, help);
    }
    /// "3 × 63, 17 × 65".
    std::string text() const { return joined(formatDataSize, ", "); }
    std::size_t size() const { return sizes_.size(); }
    DataSize operator[](std::size_t index) const { return sizes_[index]; }
    auto begin() const { return sizes_.begin(); }
    auto end() const { return sizes_.end(); }

  private:
    void read(const std::vector<std::string>& texts);
    std::string joined(std::string (*format)(DataSize), std::string_view separator) const;

    std::vector<DataSize> sizes_;
};

/// Problems on generated data of several sizes, or on one file.
class SizedSet : public ProblemSet {
  public:
    std::vector<std::string> inputFiles() const override {
        return file_.empty() ? std::vector<std::string>() : std::vector{file_};
    }

  protected:
    explicit SizedSet(std::vector<DataSize> sizes) : sizes_(std::move(sizes)) {}
    /// Declares --seed and --sizes; `help` states what N and M count.
    void declareGenerated(Options& options, const std::string& help) {
        isForGenerated(sizes_.declare(options, help));
        isForGenerated(options.value("--seed S", seed_, "Random seed of the generated inputs"));
    }

    DataSizes sizes_;
    std::string file_;  ///< empty: generated data
    std::uint64_t seed_ = 1;
};

}  // namespace glycine::study
