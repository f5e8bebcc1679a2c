#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/crossapen/results/result_files.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::crossapen {

namespace {

struct Element {
    std::size_t row = 0;
    std::size_t column = 0;
};

/// What is told of some elements of a matrix.
class ElementSummary {
  public:
    explicit ElementSummary(const Matrix<double>& matrix) : matrix_(matrix) {}

    void add(Element element) {
        const double value = matrix_(element.row, element.column);
        ++elements_;
        if (std::isnan(value)) {
            ++undefined_;
            return;
        }
        if (std::isinf(value)) ++infinite_;
        if (defined_++ == 0) smallest_ = largest_ = element;
        if (value < valueOf(smallest_)) smallest_ = element;
        if (value > valueOf(largest_)) largest_ = element;
        if (!std::isinf(value)) sum_ += value;
    }

    std::size_t elements() const { return elements_; }

    /// `place` names an element, as a JSON object.
    template <class Place>
    Json toJson(const char* counted, const Place& place) const {
        Json json{{counted, elements_}, {"undefined", undefined_}, {"infinite", infinite_}};
        const std::size_t finite = defined_ - infinite_;
        json["mean"] = finite > 0 ? Json(sum_ / static_cast<double>(finite)) : Json();
        json["smallest"] = defined_ > 0 ? describe(smallest_, place) : Json();
        json["largest"] = defined_ > 0 ? describe(largest_, place) : Json();
        return json;
    }

  private:
    double valueOf(Element element) const { return matrix_(element.row, element.column); }
    template <class Place>
    Json describe(Element element, const Place& place) const {
        Json json = place(element);
        json["value"] = valueOf(element);
        return json;
    }

    const Matrix<double>& matrix_;
    std::size_t elements_ = 0;
    std::size_t defined_ = 0;  ///< the infinite ones among them
    std::size_t undefined_ = 0;
    std::size_t infinite_ = 0;
    double sum_ = 0;
    Element smallest_;
    Element largest_;
};

/// Mean and largest |M − Mᵀ| over the pairs that have a finite value in both directions; null without any.
void addAsymmetry(Json& json, const Matrix<double>& matrix) {
    double sum = 0;
    double largest = 0;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double difference = std::abs(matrix(i, j) - matrix(j, i));
            if (!std::isfinite(difference)) continue;
            sum += difference;
            largest = std::max(largest, difference);
            ++pairs;
        }
    json["meanAsymmetry"] = pairs > 0 ? Json(sum / static_cast<double>(pairs)) : Json();
    json["largestAsymmetry"] = pairs > 0 ? Json(largest) : Json();
}

Json quantityJson(const EntropyMatrix& quantity, const std::vector<std::string>& channels) {
    ElementSummary pairs(quantity.mean);
    ElementSummary self(quantity.mean);
    for (std::size_t row = 0; row < quantity.mean.rows(); ++row)
        for (std::size_t column = 0; column < quantity.mean.columns(); ++column)
            (quantity.isPairwise() && row != column ? pairs : self).add({row, column});

    Json json{{"name", quantity.name}, {"label", quantity.label}};
    if (pairs.elements() > 0) {
        json["pairs"] = pairs.toJson("count", [&](Element element) {
            return Json{{"templates", channels[element.row]}, {"partner", channels[element.column]}};
        });
        addAsymmetry(json["pairs"], quantity.mean);
    }
    json["channelsWithThemselves"] = self.toJson("count", [&](Element element) {
        return Json{{"channel", channels[element.row]}};
    });
    return json;
}

Json originJson(const EpochOrigin& origin) {
    return {{"number", origin.number}, {"onset", origin.onset}};
}

/// One entry a channel and reason, with the epochs it concerns, and the share of the samples of each.
Json unusableJson(const SubjectEntropies& subject) {
    struct Epochs {
        Json numbers = Json::array();
        Json shares = Json::array();
    };
    std::map<std::pair<std::size_t, std::string>, Epochs> causes;
    for (const UnusableChannel& unusable : subject.unusable) {
        Epochs& epochs = causes[{unusable.channel, unusable.reason}];
        epochs.numbers.push_back(subject.epochs[unusable.epoch].number);
        epochs.shares.push_back(unusable.share);
    }
    Json json = Json::array();
    for (const auto& [cause, epochs] : causes)
        json.push_back({{"channel", subject.channels[cause.first]},
                        {"reason", cause.second},
                        {"epochs", epochs.numbers},
                        {"shares", epochs.shares}});
    return json;
}

}  // namespace

Json subjectJson(const SubjectEntropies& subject) {
    Json json{{"file", subject.name}, {"description", subject.description}, {"channels", subject.channels}};
    json["epochs"] = jsonArray(subject.epochs, originJson);
    json["skippedEpochs"] = jsonArray(subject.skipped, [](const SkippedEpoch& skipped) {
        Json epoch = originJson(skipped.origin);
        epoch["reason"] = skipped.reason;
        return epoch;
    });
    json["unusableChannels"] = unusableJson(subject);
    json["notes"] = subject.notes;
    json["quantities"] = jsonArray(subject.quantities, [&](const EntropyMatrix& quantity) {
        return quantityJson(quantity, subject.channels);
    });
    return json;
}

}  // namespace glycine::crossapen
