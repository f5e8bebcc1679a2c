#include "engine/pairs/cpu/row_digest_kernel.hpp"

#include <cstring>

namespace glycine::pairs {

namespace {

/// One SIMD register. Values fit into 31 bits, so signed comparisons work, which every x86-64 processor has.
/// A comparison gives −1 where it holds, else 0.
using Lanes [[gnu::vector_size(kRegisterBytes)]] = std::int32_t;
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(std::int32_t);
constexpr std::int32_t kMaxValue = INT32_MAX;
/// Number of values after which sums of their 16-bit halves might overflow a lane.
constexpr std::size_t kValuesOfSums = kLanes << 14U;

Lanes load(const std::uint32_t* values, std::size_t count) {
    Lanes lanes = {};
    std::memcpy(&lanes, values, (count < kLanes ? count : kLanes) * sizeof(std::uint32_t));
    return lanes;
}

std::uint64_t sumOf(const Lanes& lanes) {
    std::uint64_t sum = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum += static_cast<std::uint32_t>(lanes[lane]);
    return sum;
}

/// Partial digest of few enough values for sums in lanes.
struct PartOfRow {
    Lanes low = {}, high = {}, known = {}, zeros = {}, close = {};

    /// `counts`: mask of the lanes that hold values.
    void add(const Lanes& value, const Lanes& counts, std::int32_t closest, Lanes& smallest, Lanes& most) {
        low += value & 0xffff & counts;
        high += (value >> 16) & counts;
        known -= counts;
        zeros -= (value == 0) & counts;
        close -= (value <= closest) & counts;
        const Lanes orMost = (value & counts) | (~counts & kMaxValue);
        smallest = orMost < smallest ? orMost : smallest;
        const Lanes orLess = value | ~counts;  // −1 where there is no value
        most = orLess > most ? orLess : most;
    }
};

/// The first column with this value, among pairs that have one. Requires that there is one.
std::uint32_t columnOf(std::uint32_t value, const std::uint32_t* values, const std::uint32_t* inCommon,
                       std::size_t count, std::int32_t least) {
    constexpr std::size_t kBlock = 16 * kLanes;
    for (std::size_t begin = 0;; begin += kBlock) {
        const std::size_t end = count - begin < kBlock ? count : begin + kBlock;
        if (end - begin == kBlock) {
            Lanes found = {};
            for (std::size_t k = begin; k < end; k += kLanes)
                found |= load(values + k, kLanes) == static_cast<std::int32_t>(value);
            if (sumOf(found) == 0) continue;
        }
        for (std::size_t k = begin; k < end; ++k)
            if (values[k] == value &&
                (inCommon == nullptr || inCommon[k] >= static_cast<std::uint32_t>(least)))
                return static_cast<std::uint32_t>(k);
    }
}

RowDigest digestOf(const std::uint32_t* values, const std::uint32_t* inCommon, std::size_t count,
                   std::int32_t least, std::int32_t closest) {
    RowDigest digest;
    Lanes smallest = Lanes{} + kMaxValue;
    Lanes most = Lanes{} - 1;
    for (std::size_t begin = 0; begin < count; begin += kValuesOfSums) {
        const std::size_t end = count - begin < kValuesOfSums ? count : begin + kValuesOfSums;
        PartOfRow part;
        std::size_t k = begin;
        for (; k + kLanes <= end; k += kLanes) {
            Lanes counts = Lanes{} - 1;
            if (inCommon != nullptr) counts = load(inCommon + k, kLanes) >= least;
            part.add(load(values + k, kLanes), counts, closest, smallest, most);
        }
        if (k < end) {
            Lanes counts = {};
            for (std::size_t lane = 0; lane < end - k; ++lane) counts[lane] = -1;
            if (inCommon != nullptr) counts &= load(inCommon + k, end - k) >= least;
            part.add(load(values + k, end - k), counts, closest, smallest, most);
        }
        digest.sum += sumOf(part.low) + (sumOf(part.high) << 16U);
        digest.known += static_cast<std::uint32_t>(sumOf(part.known));
        digest.zeros += static_cast<std::uint32_t>(sumOf(part.zeros));
        digest.close += static_cast<std::uint32_t>(sumOf(part.close));
    }
    if (digest.known == 0) return digest;
    digest.smallest = static_cast<std::uint32_t>(kMaxValue);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const auto low = static_cast<std::uint32_t>(smallest[lane]);
        const auto high = static_cast<std::uint32_t>(most[lane] < 0 ? 0 : most[lane]);
        digest.smallest = low < digest.smallest ? low : digest.smallest;
        digest.largest = high > digest.largest ? high : digest.largest;
    }
    digest.smallestColumn = columnOf(digest.smallest, values, inCommon, count, least);
    digest.largestColumn = columnOf(digest.largest, values, inCommon, count, least);
    return digest;
}

}  // namespace

template <>
RowDigestKernel RowDigestKernel::compiled<kCompiledSet>() {
    return {digestOf};
}

}  // namespace glycine::pairs
