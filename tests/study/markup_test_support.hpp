#pragma once

#include "tests/test.hpp"

/// Checks of pages in tests.
namespace glycine::study::test {

/// The first violation of well-formed XML with respect to elements: every element is closed in order, and
/// attribute values have double quotes. Empty if there is none.
inline std::string firstMarkupFault(std::string_view page) {
    std::vector<std::string> open;
    while (true) {
        const std::size_t begin = page.find('<');
        if (page.substr(0, begin).find('>') != std::string_view::npos) return "a '>' outside of elements";
        if (begin == std::string_view::npos) break;
        page.remove_prefix(begin + 1);
        std::size_t end = 0;
        for (bool isQuoted = false; end < page.size() && (isQuoted || page[end] != '>'); ++end) {
            if (page[end] == '"') isQuoted = !isQuoted;
            if (page[end] == '<') return "a '<' inside of an element: " + std::string(page.substr(0, end));
        }
        if (end == page.size()) return "an element without an end";
        const std::string_view tag = page.substr(0, end);
        page.remove_prefix(end + 1);
        if (tag.starts_with("!") || tag.starts_with("?") || tag.ends_with("/")) continue;
        const std::string name(tag.substr(tag.starts_with("/") ? 1 : 0,
                                          tag.find_first_of(" \n") - (tag.starts_with("/") ? 1 : 0)));
        if (!tag.starts_with("/"))
            open.push_back(name);
        else if (open.empty() || open.back() != name)
            return "</" + name + "> ends " + (open.empty() ? "nothing" : "<" + open.back() + ">");
        else
            open.pop_back();
    }
    return open.empty() ? "" : "<" + open.back() + "> has no end";
}

/// The first reference that a browser would load; empty if there is none. Namespace names are not
/// references.
inline std::string firstReference(std::string_view page) {
    for (const std::string_view mark : {"src=", "<link", "<iframe", "@import", "url(http", "url(//",
                                        "href=\"http", "href=\"//", "href=\"file", "srcset="})
        if (const std::size_t at = page.find(mark); at != std::string_view::npos)
            return std::string(page.substr(at, 80));
    return "";
}

}  // namespace glycine::study::test
