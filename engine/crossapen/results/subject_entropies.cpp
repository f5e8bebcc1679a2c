#include "engine/crossapen/results/subject_entropies.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace glycine::crossapen {

EpochSummary::EpochSummary(std::size_t rows, std::size_t columns, bool keepEpochs)
    : keepEpochs_(keepEpochs),
      mean_(rows, columns, 0),
      squares_(rows, columns, 0),
      infinite_(rows, columns, 0),
      finite_(rows, columns, 0),
      unbounded_(rows, columns, 0) {}

void EpochSummary::add(MatrixView<const double> values) {
    for (std::size_t i = 0; i < mean_.rows(); ++i)
        for (std::size_t j = 0; j < mean_.columns(); ++j) {
            const double value = values(i, j);
            if (std::isnan(value)) continue;
            if (std::isinf(value)) {
                infinite_(i, j) += value;
                ++unbounded_(i, j);
                continue;
            }
            const double difference = value - mean_(i, j);
            mean_(i, j) += difference / ++finite_(i, j);
            squares_(i, j) += difference * (value - mean_(i, j));
        }
    if (keepEpochs_) epochs_.emplace_back(values);
}

EntropyMatrix EpochSummary::finish(std::string name, std::string label) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    EntropyMatrix result;
    result.name = std::move(name);
    result.label = std::move(label);
    result.mean = std::move(mean_);
    result.deviation = std::move(squares_);
    result.epochsUsed = std::move(finite_);
    result.epochs = std::move(epochs_);
    for (std::size_t i = 0; i < result.mean.rows(); ++i)
        for (std::size_t j = 0; j < result.mean.columns(); ++j) {
            std::int32_t& used = result.epochsUsed(i, j);
            double& deviation = result.deviation(i, j);
            if (unbounded_(i, j) > 0) {
                used += unbounded_(i, j);
                result.mean(i, j) = infinite_(i, j);
                deviation = kNaN;
                continue;
            }
            if (used == 0) result.mean(i, j) = kNaN;
            deviation = used < 2 ? kNaN : std::sqrt(deviation / (used - 1));
        }
    return result;
}

}  // namespace glycine::crossapen
