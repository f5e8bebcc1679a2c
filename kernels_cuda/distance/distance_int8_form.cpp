#include "kernels_cuda/distance/distance_int8_form.hpp"

#include <array>
#include <cstdint>

/// Genotypes 0, 1, 2 as d = −1, 0, 1; q = d² (homozygous), h = 1 − q (heterozygous), v = 1; all 0 where the
/// genotype is missing. Primes belong to the other instance. Of one attribute:
///
///     same genotype       (dd′ + qq′)/2 + hh′
///     opposite            (qq′ − dd′)/2
///     both there          vv′
///
/// Nothing missing: h = 1 − q turns the first into dd′/2 + 3qq′/2 + 1 − q − q′. So one product over two
/// slices, d·d′ + q·3q′, and the sums of q of both instances (the margins) give the attributes that differ.
///
/// Missing entries, `differing` alone: d differs exactly in u(h + w)′ + h(u + w)′ + w(u + h)′ with the
/// indicators u, h, w of the genotypes. With `valid` beside it: for e = (1, −2, 1), 3dd′ + ee′ is 4 where the
/// genotypes are the same and −2 where they differ, so that differing = (4Σvv′ − Σ(3dd′ + ee′))/6.
///
/// Four symbols: the characters x = (1, −1, 1, −1), y = (1, 1, −1, −1), z = xy give xx′ + yy′ + zz′ = 3 where
/// the symbols are the same and −1 where they differ. Two symbols: x = (1, −1).
///
/// Bits past the last attribute are the symbol 0 in both instances where nothing can be missing: equal, hence
/// without effect, as long as all terms count them.
namespace glycine::cuda {

namespace {

/// Values of the codes 0 … 3 of the planes (the first plane is the low bit).
using Values = std::array<int, 4>;

// Thermometer: code 0 = genotype 0, 1 = genotype 1, 3 = genotype 2; 2 does not occur.
constexpr Values kDosage{-1, 0, 0, 1};
constexpr Values kHomozygous{1, 0, 0, 1};
constexpr Values kHeterozygous{0, 1, 0, 0};
constexpr Values kNone{1, 0, 0, 0};
constexpr Values kTwo{0, 0, 0, 1};
constexpr Values kSpread{1, -2, 0, 1};

constexpr Values kFirstCharacter{1, -1, 1, -1};
constexpr Values kSecondCharacter{1, 1, -1, -1};
constexpr Values kThirdCharacter{1, -1, -1, 1};

constexpr Values kPresent{1, 1, 1, 1};

constexpr Values operator*(int factor, Values values) {
    for (int& value : values) value *= factor;
    return values;
}
constexpr Values operator+(Values a, const Values& b) {
    for (std::size_t code = 0; code < a.size(); ++code) a[code] += b[code];
    return a;
}

std::uint32_t packed(const Values& values) {
    std::uint32_t word = 0;
    for (std::size_t code = 0; code < values.size(); ++code)
        word |= std::uint32_t(std::uint8_t(std::int8_t(values[code]))) << (8 * code);
    return word;
}

class FormBuilder {
  public:
    explicit FormBuilder(const PlaneFormat& format) : hasMissing_(format.hasMissing) {}
    /// The slices that follow belong to a new product.
    FormBuilder& product() {
        form_.slicesOfProduct.push_back(0);
        return *this;
    }
    FormBuilder& slice(const Values& left, const Values& right) {
        append(form_.left, left);
        append(form_.right, right);
        ++form_.slicesOfProduct.back();
        return *this;
    }
    FormBuilder& slice(const Values& both) { return slice(both, both); }
    FormBuilder& differing(Combination combination) {
        form_.differing = combination;
        return *this;
    }
    FormBuilder& opposite(Combination combination) {
        form_.opposite = combination;
        return *this;
    }
    FormBuilder& valid(Combination combination) {
        form_.valid = combination;
        return *this;
    }
    Int8Form done() const { return form_; }

  private:
    void append(SliceTables& tables, const Values& values) const {
        SliceTable& table = tables.table[tables.count++];
        (hasMissing_ ? table.high : table.low) = packed(values);
    }
    bool hasMissing_;
    Int8Form form_;
};

/// Σ weight[p] · product[p] / divisor.
Combination weighted(std::array<int, 4> weights, int divisor) {
    Combination combination;
    for (std::size_t p = 0; p < weights.size(); ++p) combination.weight[p] = weights[p];
    combination.divisor = divisor;
    return combination;
}

Combination withMargins(Combination combination, int margin) {
    combination.margin = margin;
    return combination;
}

Combination withAttributes(Combination combination, int attributes) {
    combination.attributes = attributes;
    return combination;
}

Int8Form genotypes(const PlaneFormat& format, WantedCounts wanted) {
    FormBuilder form(format);
    if (!format.hasMissing) {
        if (!wanted.opposite)
            return form.product()
                .slice(kDosage)
                .slice(kHomozygous, 3 * kHomozygous)
                .differing(withMargins(weighted({-1, 0, 0, 0}, 2), 2))
                .done();
        return form.product()
            .slice(kDosage)
            .product()
            .slice(kHomozygous)
            .differing(withMargins(weighted({-1, -3, 0, 0}, 2), 2))
            .opposite(weighted({-1, 1, 0, 0}, 2))
            .done();
    }
    if (wanted.opposite) {
        form.product()
            .slice(kDosage)
            .product()
            .slice(kHomozygous)
            .product()
            .slice(kHeterozygous)
            .product()
            .slice(kPresent);
        form.differing(weighted({-1, -1, -2, 2}, 2)).opposite(weighted({-1, 1, 0, 0}, 2));
        if (wanted.valid) form.valid(weighted({0, 0, 0, 1}, 1));
        return form.done();
    }
    if (wanted.valid)
        return form.product()
            .slice(kDosage, 3 * kDosage)
            .slice(kSpread)
            .product()
            .slice(kPresent)
            .differing(weighted({-1, 4, 0, 0}, 6))
            .valid(weighted({0, 1, 0, 0}, 1))
            .done();
    return form.product()
        .slice(kNone, kHeterozygous + kTwo)
        .slice(kHeterozygous, kNone + kTwo)
        .slice(kTwo, kNone + kHeterozygous)
        .differing(weighted({1, 0, 0, 0}, 1))
        .done();
}

/// Two or four symbols by their characters; `sign` and `factor` tell the right operand's share.
Int8Form characters(const PlaneFormat& format, WantedCounts wanted) {
    FormBuilder form(format);
    const bool isFour = format.planes == 2;
    const int symbols = isFour ? 4 : 2;
    const auto slices = [&](int factor) {
        form.slice(kFirstCharacter, factor * kFirstCharacter);
        if (isFour)
            form.slice(kSecondCharacter, factor * kSecondCharacter)
                .slice(kThirdCharacter, factor * kThirdCharacter);
    };
    form.product();
    if (!format.hasMissing) {
        slices(1);
        return form.differing(withAttributes(weighted({-1, 0, 0, 0}, symbols), symbols - 1)).done();
    }
    if (!wanted.valid) {
        form.slice(kPresent, (symbols - 1) * kPresent);
        slices(-1);
        return form.differing(weighted({1, 0, 0, 0}, symbols)).done();
    }
    slices(1);
    return form.product()
        .slice(kPresent)
        .differing(weighted({-1, symbols - 1, 0, 0}, symbols))
        .valid(weighted({0, 1, 0, 0}, 1))
        .done();
}

}  // namespace

Int8Form int8Form(const PlaneFormat& format, WantedCounts wanted) {
    return format.isThermometer ? genotypes(format, wanted) : characters(format, wanted);
}

}  // namespace glycine::cuda
