#include "engine/study/result_digest.hpp"

#include <fmt/format.h>

namespace glycine::study {

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
