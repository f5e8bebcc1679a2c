#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/implementation.hpp"

/// How a backend declares its variants of an algorithm: one table provides the list of variants, the refusal
/// of others, and the object that computes.
namespace glycine {

/// One variant of a backend, in a VariantTable.
template <class Variant>
struct VariantRow {
    Variant variant;
    std::string summary;
    std::string source;             ///< empty if it is our own
    std::vector<Dialect> dialects;  ///< `gl` only
    bool isDefault;
    std::vector<std::string> numberFormats;  ///< empty: those of the table

    // Written out: GCC 12 fails on default member initializers here.
    VariantRow(Variant theVariant, std::string_view theSummary, std::string_view theSource = {},
               std::vector<Dialect> theDialects = {}, bool isTheDefault = false,
               std::vector<std::string> theNumberFormats = {})
        : variant(theVariant),
          summary(theSummary),
          source(theSource),
          dialects(std::move(theDialects)),
          isDefault(isTheDefault),
          numberFormats(std::move(theNumberFormats)) {}
};

/// The variants of one backend, each declared once. `Variant` is the algorithm's enumeration: it has
/// `Default`, and a namesOf() function.
template <class Variant>
class VariantTable {
  public:
    /// `numberFormats`: the formats of all rows that name none. `standIns`: what Default runs, in this order,
    /// if the default does not suit a request.
    VariantTable(const std::string& backend, const std::vector<std::string>& numberFormats,
                 const std::vector<VariantRow<Variant>>& rows, const std::vector<Variant>& standIns = {})
        : backend_(backend) {
        for (const VariantRow<Variant>& row : rows) {
            infos_.push_back({backend, std::string(toString(row.variant)), row.summary, row.source,
                              row.numberFormats.empty() ? numberFormats : row.numberFormats, row.dialects,
                              row.isDefault});
            if (row.isDefault) defaults_.push_back(row.variant);
        }
        candidates_ = defaults_;
        candidates_.insert(candidates_.end(), standIns.begin(), standIns.end());
    }

    const std::string& backend() const { return backend_; }
    const std::vector<VariantInfo>& infos() const { return infos_; }
    /// The default variant. Throws std::logic_error unless exactly one row is the default: if kinds of data
    /// have different defaults, the backend chooses among them.
    Variant defaultVariant() const {
        if (defaults_.size() != 1)
            throw std::logic_error(
                fmt::format("the backend '{}' has {} default variants, not one", backend_, defaults_.size()));
        return defaults_.front();
    }
    /// `variant`, with Default replaced by the default variant.
    Variant resolve(Variant variant) const {
        return variant == Variant::Default ? defaultVariant() : variant;
    }
    /// `variant`, with Default replaced by the first among defaults and stand-ins for which
    /// `suits(candidate)` is true, or else by the last stand-in.
    template <class Suits>
    Variant resolve(Variant variant, const Suits& suits) const {
        if (variant != Variant::Default) return variant;
        if (candidates_.empty()) return defaultVariant();
        const auto found = std::ranges::find_if(candidates_, suits);
        return found == candidates_.end() ? candidates_.back() : *found;
    }
    /// Default is always supported.
    Support supports(Variant variant) const {
        if (variant == Variant::Default) return Support::yes();
        const std::string missing = missingVariant(backend_, toString(variant), infos_);
        return missing.empty() ? Support::yes() : Support::misuse(missing);
    }

  private:
    std::string backend_;
    std::vector<VariantInfo> infos_;
    std::vector<Variant> defaults_;
    std::vector<Variant> candidates_;  ///< the defaults, then their stand-ins
};

/// `backend` as the class that a computation was written for. Throws UsageError if it has another class.
template <class Device>
Device& backendAs(Backend& backend) {
    if (auto* device = dynamic_cast<Device*>(&backend)) return *device;
    throw UsageError(fmt::format("this computation was not written for the backend '{}'", backend.name()));
}

/// An implementation whose objects, `Computation`, are constructed from the backend as a `Device`, or without
/// arguments if they need no device.
template <class Interface, class Computation, class Device, class Variant>
Implementation<Interface> implementWith(const VariantTable<Variant>& variants) {
    return {variants.backend(), variants.infos(), [](Backend& backend) -> std::unique_ptr<Interface> {
                if constexpr (std::is_constructible_v<Computation, Device&>)
                    return std::make_unique<Computation>(backendAs<Device>(backend));
                else
                    return std::make_unique<Computation>();
            }};
}

}  // namespace glycine
