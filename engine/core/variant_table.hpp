#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/implementation.hpp"

/// How a backend tells what it has for an algorithm: one table, from which follow the list of variants, the
/// refusal of others, and the object that computes.
namespace glycine {

/// One variant of a backend, in a VariantTable.
template <class Variant>
struct VariantRow {
    Variant variant;
    std::string summary;
    std::string source;             ///< empty when it is our own
    std::vector<Dialect> dialects;  ///< `gl` only
    bool isDefault;
    std::vector<std::string> numberFormats;  ///< empty: those of the table

    // By hand: GCC 12 fails on default initializers of members here.
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

/// The variants of one backend, each said once. `Variant` is the algorithm's enumeration: it has `Default`,
/// and namesOf() beside it.
template <class Variant>
class VariantTable {
  public:
    /// `numberFormats`: those of all rows that name none.
    VariantTable(const std::string& backend, const std::vector<std::string>& numberFormats,
                 const std::vector<VariantRow<Variant>>& rows)
        : backend_(backend) {
        for (const VariantRow<Variant>& row : rows) {
            infos_.push_back({backend, std::string(toString(row.variant)), row.summary, row.source,
                              row.numberFormats.empty() ? numberFormats : row.numberFormats, row.dialects,
                              row.isDefault});
            if (row.isDefault) defaults_.push_back(row.variant);
        }
    }

    const std::string& backend() const { return backend_; }
    const std::vector<VariantInfo>& infos() const { return infos_; }
    /// The variant whose row is the default. Throws std::logic_error unless exactly one is: where kinds of
    /// data have a default each, the backend chooses among them.
    Variant defaultVariant() const {
        if (defaults_.size() != 1)
            throw std::logic_error(
                fmt::format("the backend '{}' has {} default variants, not one", backend_, defaults_.size()));
        return defaults_.front();
    }
    /// `variant`, or the default variant in the place of Default.
    Variant resolve(Variant variant) const {
        return variant == Variant::Default ? defaultVariant() : variant;
    }
    /// Yes for Default, too; a backend may take another variant for it than the table's default.
    Support supports(Variant variant) const {
        if (variant == Variant::Default) return Support::yes();
        const std::string missing = missingVariant(backend_, toString(variant), infos_);
        return missing.empty() ? Support::yes() : Support::misuse(missing);
    }

  private:
    std::string backend_;
    std::vector<VariantInfo> infos_;
    std::vector<Variant> defaults_;
};

/// `backend` as the class of the one that a computation was written for; throws UsageError when it is
/// another.
template <class Device>
Device& backendAs(Backend& backend) {
    if (auto* device = dynamic_cast<Device*>(&backend)) return *device;
    throw UsageError(fmt::format("this computation was not written for the backend '{}'", backend.name()));
}

/// The implementation whose objects, `Computation`, are made from the backend as a `Device`, or from nothing
/// where they need no device.
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
