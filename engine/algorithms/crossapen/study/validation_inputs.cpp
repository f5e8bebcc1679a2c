#include "engine/algorithms/crossapen/study/validation_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/algorithms/crossapen/entropyhub.hpp"
#include "engine/algorithms/crossapen/random_signals.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

namespace {

/// Of quantised signals: their differences are exact in every format.
constexpr double kStep = 0.25;
/// Between two channels without a match, in units of their standard deviation.
constexpr double kSeparation = 100;
/// Epochs for which memberships are compared with m = 1 alone.
constexpr std::size_t kLongSamples = 1000;
/// Of signals that are shifted and scaled without rounding: the mean of a power of two of them is exact, too.
constexpr std::size_t kExactSamples = 64;

EpochBatch makeBatch(const std::vector<Matrix<double>>& epochs, const std::vector<double>& tolerance,
                     bool isNormalised, NumberFormat format) {
    EpochBatch batch(format, epochs.front().rows(), epochs.front().columns());
    batch.resize(epochs.size(), tolerance);
    for (std::size_t e = 0; e < epochs.size(); ++e)
        isNormalised ? batch.setNormalised(e, epochs[e].view()) : batch.set(e, epochs[e].view());
    return batch;
}

std::string describeShape(const SignalShape& shape) {
    return fmt::format("{} × {}{}", shape.channels, formatCount(shape.samples),
                       shape.epochs > 1 ? fmt::format(", {} epochs", shape.epochs) : "");
}

/// Makes the inputs of one m and shape.
class InputMaker {
  public:
    InputMaker(unsigned m, const SignalShape& shape, std::uint64_t seed, std::vector<ValidationInput>& inputs)
        : m_(m), shape_(shape), seed_(derivedSeed(seed, m)), inputs_(inputs) {}

    /// As a run does it.
    void addSignals(double r) {
        ValidationInput& input = add("signals", r);
        input.epochs = signals();
    }
    /// Differences are whole steps, and r is one.
    void addTies(bool isStrict) {
        ValidationInput& input = add(isStrict ? "ties at r, <" : "ties at r", kStep);
        input.rule.isStrict = isStrict;
        input.isNormalised = false;
        if (isStrict) input.isFuzzy = false;
        input.fuzzy.power = 1;
        input.epochs = quantisedSignals(kStep);
    }
    /// A seventh of the samples stands out.
    void addOutliers(double r) {
        ValidationInput& input = add("constant but for outliers", r);
        input.epochs = signals(
            [this](double value, std::size_t, std::size_t i) { return (i + m_) % 7 == 0 ? value : 0.5; });
    }
    void addSeparate(double r) {
        ValidationInput& input = add("no matches between channels", r);
        input.isFuzzy = false;
        input.isNormalised = false;
        input.epochs = signals([](double value, std::size_t channel, std::size_t) {
            return value + kSeparation * static_cast<double>(channel);
        });
    }
    /// Signals as they are, with an r of its own for each pair.
    void addPairTolerances(double r) {
        ValidationInput& input = add("r of each pair", r);
        input.isFuzzy = false;
        input.isNormalised = false;
        input.epochs = signals([](double value, std::size_t channel, std::size_t) {
            return value * (1 + 0.5 * static_cast<double>(channel));
        });
        const Matrix<double> tolerances = entropyHubTolerances(input.epochs.front().view(), r);
        input.tolerance.assign(tolerances.data(), tolerances.data() + tolerances.size());
    }
    /// Another unit and another zero: statistics of the signals before.
    void addTransformed(double r) {
        ValidationInput& input = add("signals shifted and scaled", r);
        input.plainEpochs = quantisedSignals(0x1p-8);
        for (const Matrix<double>& plain : input.plainEpochs) {
            Matrix<double>& epoch = input.epochs.emplace_back(plain.rows(), plain.columns());
            for (std::size_t channel = 0; channel < plain.rows(); ++channel)
                std::transform(plain.row(channel), plain.row(channel) + plain.columns(), epoch.row(channel),
                               [channel](double value) {
                                   return std::ldexp(value + 1000.0 * (1.0 + static_cast<double>(channel)),
                                                     20 - 30 * static_cast<int>(channel));
                               });
        }
    }
    /// A signal with a copy of itself: all four pairs are that of the signal with itself, as in ApEn.
    void addTwins(double r) {
        ValidationInput& input = add("a signal and its copy", r);
        input.isFuzzy = false;
        for (Matrix<double>& epoch : signals()) {
            Matrix<double>& twins = input.epochs.emplace_back(2, epoch.columns());
            for (std::size_t channel : {0, 1}) std::copy_n(epoch.row(0), epoch.columns(), twins.row(channel));
            input.plainEpochs.push_back(std::move(epoch));
        }
        input.plainChannels = {0, 0};
    }

  private:
    using Change = std::function<double(double value, std::size_t channel, std::size_t sample)>;

    ValidationInput& add(const char* kind, double r) {
        ValidationInput& input = inputs_.emplace_back();
        input.name = fmt::format("{}, m {}, r {}, {}", kind, m_, r, describeShape(shape_));
        input.rule.m = m_;
        input.fuzzy.m = m_;
        input.fuzzy.tolerance = r;
        input.tolerance = {r};
        // Memberships need r > 0, and the reference takes long for them.
        input.isFuzzy = r > 0 && (shape_.samples < kLongSamples || m_ == 1);
        return input;
    }

    std::vector<Matrix<double>> signals(const Change& change = {}) const {
        std::vector<Matrix<double>> epochs;
        for (std::size_t e = 0; e < shape_.epochs; ++e) {
            Matrix<double>& epoch = epochs.emplace_back(
                randomSignals({}, shape_.channels, shape_.samples, derivedSeed(seed_, e)));
            if (!change) continue;
            for (std::size_t channel = 0; channel < epoch.rows(); ++channel)
                for (std::size_t i = 0; i < epoch.columns(); ++i)
                    epoch(channel, i) = change(epoch(channel, i), channel, i);
        }
        return epochs;
    }
    std::vector<Matrix<double>> quantisedSignals(double step) const {
        return signals(
            [step](double value, std::size_t, std::size_t) { return std::round(value / step) * step; });
    }

    unsigned m_;
    SignalShape shape_;
    std::uint64_t seed_;
    std::vector<ValidationInput>& inputs_;
};

std::vector<SignalShape> defaultShapes(unsigned m) {
    std::vector<SignalShape> shapes{
        {1, m + std::size_t{2}, 1}, {3, m + std::size_t{3}, 1}, {2, 65, 2}, {5, 131, 1}};
    if (m <= 2) shapes.push_back({2, 1025, 1});
    return shapes;
}

}  // namespace

EpochBatch ValidationInput::batch(NumberFormat format) const {
    return makeBatch(epochs, tolerance, isNormalised, format);
}

EpochBatch ValidationInput::plainBatch(NumberFormat format) const {
    return makeBatch(plainEpochs.empty() ? epochs : plainEpochs, tolerance, isNormalised, format);
}

std::vector<ValidationInput> makeValidationInputs(const ValidationPlan& plan) {
    std::vector<ValidationInput> inputs;
    const double r = plan.r.front();
    for (const unsigned m : plan.m) {
        for (const SignalShape& shape : plan.shapes.empty() ? defaultShapes(m) : plan.shapes) {
            if (!isLongEnough(shape.samples, m)) continue;
            InputMaker maker(m, shape, plan.seed, inputs);
            for (const double tolerance : m == plan.m.front() ? plan.r : std::vector{r})
                maker.addSignals(tolerance);
            maker.addTies(false);
            maker.addTies(true);
            maker.addOutliers(r);
            if (shape.channels == 1) continue;
            maker.addSeparate(r);
            maker.addPairTolerances(r);
        }
        if (!isLongEnough(kExactSamples, m)) continue;
        InputMaker(m, {3, kExactSamples, 1}, plan.seed, inputs).addTransformed(r);
        InputMaker(m, {1, kExactSamples - 1, 1}, plan.seed, inputs).addTwins(r);
    }
    return inputs;
}

std::vector<ValidationInput> makeFileInputs(const LimitedSignals& signals, const ValidationPlan& plan) {
    std::vector<ValidationInput> inputs;
    for (const unsigned m : plan.m)
        for (const double r : plan.r) {
            ValidationInput& input = inputs.emplace_back();
            input.name = fmt::format("m {}, r {}", m, r);
            input.rule.m = m;
            input.fuzzy.m = m;
            input.fuzzy.tolerance = r;
            input.isFuzzy = r > 0;
            input.tolerance = {r};
            for (std::size_t e = 0; e < signals.epochs(); ++e) input.epochs.emplace_back(signals.epoch(e));
        }
    return inputs;
}

}  // namespace glycine::crossapen
