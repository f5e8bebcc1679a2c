#include "engine/io/structures/atom_site_numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

bool isUnknown(std::string_view value) {
    return value == "?" || value == ".";
}

/// Where the whole number ends that `text` begins with; nullptr where there is none, or beyond what fits.
const char* endOfNumber(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && number != std::numeric_limits<int>::min() ? end : nullptr;
}
bool isWhole(std::string_view text) {
    return endOfNumber(text) == text.data() + text.size();
}
bool isResidue(std::string_view text) {
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.front() == text.back())
        text = text.substr(1, text.size() - 2);
    const char* const end = endOfNumber(text);
    return end != nullptr && text.data() + text.size() - end <= (text.back() >= 'A' ? 1 : 0);
}
/// Text without a number is no number that is too large.
bool fits(std::string_view text) {
    const std::size_t first = text.find_first_not_of("+-");
    return first > 1 || text[first] < '0' || text[first] > '9' || endOfNumber(text) != nullptr;
}

}  // namespace

AtomSiteNumbers::Kind AtomSiteNumbers::kindOf(std::string_view tag) {
    const std::string name = lowerCase(tag);
    if (name == "_atom_site.auth_seq_id") return Kind::Residue;
    if (name == "_atom_site.id" || name == "_atom_site.pdbx_tls_group_id") return Kind::Label;
    for (const char* whole :
         {"_atom_site.label_seq_id", "_atom_site.pdbx_pdb_model_num", "_atom_site.pdbx_formal_charge"})
        if (name == whole) return Kind::Whole;
    return Kind::Other;
}

void AtomSiteNumbers::beginTable() {
    columns_.clear();
    next_ = 0;
}

void AtomSiteNumbers::addColumn(std::string_view tag) {
    columns_.push_back({std::string(tag), kindOf(tag)});
}

void AtomSiteNumbers::checkNext(std::string_view value, std::size_t line) {
    const Column& column = columns_[next_];
    next_ = (next_ + 1) % columns_.size();
    const auto refuseUnless = [&](bool isRight, const char* expected) {
        if (!isRight)
            throw InputError(fmt::format("{}: line {}: {} is '{}'; expected {} within ±{}", file_, line,
                                         column.tag, excerpt(value), expected,
                                         std::numeric_limits<int>::max()));
    };
    switch (column.kind) {
        case Kind::Other:
            return;
        case Kind::Whole:
            return refuseUnless(isUnknown(value) || isWhole(value), "a whole number");
        case Kind::Residue:
            return refuseUnless(isUnknown(value) || isResidue(value), "a residue number");
        case Kind::Label:
            return refuseUnless(fits(value), "a number");
    }
}

}  // namespace glycine::io
