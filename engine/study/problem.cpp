#include "engine/study/problem.hpp"

#include <fmt/format.h>

namespace glycine::study {

namespace {

class Told final : public Problem {
  public:
    explicit Told(ToldProblem told) : told_(std::move(told)) {}
    std::string name() const override { return told_.name; }
    Dimensions dimensions() const override { return told_.dimensions; }
    bool concerns(const Configuration& configuration) const override {
        return !told_.concerns || told_.concerns(configuration);
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return told_.supports(backend, configuration);
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, Depth,
                                       Progress&) override {
        return std::make_unique<Steps>(told_.start(backend, configuration));
    }
    std::vector<Need> needs(const Configuration& configuration) const override {
        return told_.needs ? told_.needs(configuration) : std::vector<Need>();
    }

  private:
    class Steps final : public Computation {
      public:
        explicit Steps(ToldComputation told) : told_(std::move(told)) {}
        Outcome run(Progress& progress) override { return told_.run(progress); }
        Comparison check(Progress& progress) override { return told_.check(progress); }
        std::optional<ResultDigest> digest() override { return told_.digest ? told_.digest() : std::nullopt; }

      private:
        ToldComputation told_;
    };
    ToldProblem told_;
};

}  // namespace

std::unique_ptr<Problem> problemOf(ToldProblem told) {
    return std::make_unique<Told>(std::move(told));
}

std::string ResultDigest::text() const {
    return fmt::format("{:016x}", bits);
}

ResultDigest ResultDigester::digest() const {
    ResultDigest result{mix(sum_ ^ mix(elements_)), elements_};
    for (const Sample& sample : samples_) result.samples.push_back(sample.value);
    return result;
}

ResultDigest digestOfRows(const std::vector<std::vector<std::uint32_t>>& rows) {
    ResultDigester digester;
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t column = 0; column < rows[row].size(); ++column)
            digester.take(0, row, column, rows[row][column]);
    return digester.digest();
}

void ResultDigester::keep(Sample sample) {
    const auto after = [](const Sample& one, const Sample& other) { return one.place < other.place; };
    samples_.insert(std::ranges::upper_bound(samples_, sample, after), sample);
    if (samples_.size() > kSamples) samples_.pop_back();
}

}  // namespace glycine::study
