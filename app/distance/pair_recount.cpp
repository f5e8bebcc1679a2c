#include "app/distance/pair_recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/samples.hpp"
#include "engine/distance/recount_distances.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::distance {

PairRecount::PairRecount(const Backend& backend, const BackendRequest& request, const DataSet& data,
                         const DistanceOptions& options)
    : backend_(backend), request_(request), data_(data), options_(options) {
    const std::size_t n = data.view().instances();
    numbers_ = spreadSamples(n * (n - 1) / 2, Recount::kMost, Recount::kSeed);
    firstOf_.resize(n + 1, 0);
    for (const std::size_t number : numbers_) firstOf_[pairs::pairNumber(number).rows.begin + 1] += 1;
    std::partial_sum(firstOf_.begin(), firstOf_.end(), firstOf_.begin());
}

bool PairRecount::samples(std::size_t row, std::size_t column) const {
    const auto place = [this](std::size_t first) {
        return numbers_.begin() + static_cast<std::ptrdiff_t>(first);
    };
    return std::binary_search(place(firstOf_[row]), place(firstOf_[row + 1]), number(row, column));
}

std::optional<RecountReport> PairRecount::compare(
    const DistanceReport& found, double runSeconds, pairs::ValueType type,
    const std::function<double(std::size_t row, std::size_t column)>& valueOf, Progress& progress) const {
    Recount recount(backend_, request_, "pair");
    const RecountCost cost = costOfRecount(data_.view(), options_);
    const std::size_t wanted = recount.begin(numbers_.size(), {cost.each, runSeconds, cost.once});
    if (wanted == 0) return recount.report();
    // Files of variants take long to read an instance of: time may be over before the last pair.
    const std::vector<std::size_t> numbers = Recount::someOf(numbers_, wanted);
    const auto take = [&](const RecountedPair& pair) {
        recount.compare(found.variant, valueOf(pair.row, pair.column), pair.value,
                        pair.allowed + pairs::roundingOf(pair.value, type), [&] {
                            return fmt::format("{} of {} and {}", toString(options_.measure),
                                               data_.names.at(pair.column), data_.names.at(pair.row));
                        });
        return recount.goesOnAfter(1);
    };
    countAgain(recount.reference(), data_.view(), options_, found, numbers, progress, take);
    return recount.report();
}

}  // namespace glycine::distance
