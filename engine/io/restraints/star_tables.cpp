#include "engine/io/restraints/star_tables.hpp"

#include <fmt/format.h>

#include <gemmi/cif.hpp>
#include <new>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

namespace rules = gemmi::cif::rules;

template <class Rule>
struct TableAction : tao::pegtl::nothing<Rule> {};
template <>
struct TableAction<rules::str_loop> {
    template <class Input>
    static void apply(const Input&, std::vector<StarTable>& tables) {
        tables.emplace_back();
    }
};
template <>
struct TableAction<rules::loop_tag> {
    template <class Input>
    static void apply(const Input& in, std::vector<StarTable>& tables) {
        const std::string tag = lowerCase(in.string());
        const std::size_t dot = tag.find('.');
        StarTable& table = tables.back();
        if (table.columns.empty()) table.category = tag.substr(0, dot);
        table.columns.push_back(dot == std::string::npos ? tag : tag.substr(dot + 1));
    }
};
template <>
struct TableAction<rules::loop_value> {
    template <class Input>
    static void apply(const Input& in, std::vector<StarTable>& tables) {
        StarTable& table = tables.back();
        if (table.values.size() % table.columns.size() == 0) table.lines.push_back(in.iterator().line);
        const std::string text = gemmi::cif::as_string(in.string());  // "." and "?" become ""
        table.values.push_back(text.empty() ? "." : text);
    }
};
/// gemmi's grammar follows CIF, where no value begins with '$'; names of STAR frames do. Restraints never use
/// them, so another character serves as well.
std::string withoutFrameReferences(std::string_view text) {
    std::string changed(text);
    for (std::size_t i = 1; i < changed.size(); ++i)
        if (changed[i] == '$' && static_cast<unsigned char>(changed[i - 1]) <= ' ') changed[i] = '&';
    return changed;
}

}  // namespace

std::vector<StarTable> readStarTables(std::string_view text, const std::string& name) {
    std::vector<StarTable> tables;
    const std::string readable = withoutFrameReferences(text);
    try {
        tao::pegtl::memory_input<> input(readable.data(), readable.size(), name);
        tao::pegtl::parse<rules::file, TableAction, gemmi::cif::Errors>(input, tables);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const tao::pegtl::parse_error& cause) {
        // All versions of PEGTL write "name:line:column: what".
        const std::string what = cause.what();
        const std::string place = what.size() > name.size() ? what.substr(name.size() + 1) : what;
        const std::size_t colon = what.rfind(": ");
        throw InputError(fmt::format("{}: line {}: {}; a frame or a loop may be cut short", name,
                                     place.substr(0, place.find(':')),
                                     what.substr(colon == std::string::npos ? 0 : colon + 2)));
    }
    return tables;
}

}  // namespace glycine::io
