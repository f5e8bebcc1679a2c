#include "engine/study/problem.hpp"

#include <fmt/format.h>

namespace glycine::study {

namespace {

class AdaptedProblem final : public Problem {
  public:
    explicit AdaptedProblem(CallbackProblem callbacks) : callbacks_(std::move(callbacks)) {}
    std::string name() const override { return callbacks_.name; }
    Dimensions dimensions() const override { return callbacks_.dimensions; }
    bool concerns(const Configuration& configuration) const override {
        return !callbacks_.concerns || callbacks_.concerns(configuration);
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return callbacks_.supports(backend, configuration);
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, CheckScope,
                                       Progress&) override {
        return std::make_unique<AdaptedComputation>(callbacks_.start(backend, configuration));
    }
    std::vector<RequiredWork> needs(const Configuration& configuration) const override {
        return callbacks_.needs ? callbacks_.needs(configuration) : std::vector<RequiredWork>();
    }
    double referenceSeconds() const override {
        return callbacks_.referenceSeconds ? callbacks_.referenceSeconds() : 0;
    }

  private:
    class AdaptedComputation final : public Computation {
      public:
        explicit AdaptedComputation(CallbackComputation callbacks) : callbacks_(std::move(callbacks)) {}
        Outcome run(Progress& progress) override { return callbacks_.run(progress); }
        Comparison check(Progress& progress) override { return callbacks_.check(progress); }
        std::optional<ResultDigest> digest() override {
            return callbacks_.digest ? callbacks_.digest() : std::nullopt;
        }

      private:
        CallbackComputation callbacks_;
    };
    CallbackProblem callbacks_;
};

}  // namespace

std::unique_ptr<Problem> problemOf(CallbackProblem callbacks) {
    return std::make_unique<AdaptedProblem>(std::move(callbacks));
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
