#include "engine/study/reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "engine/core/embedded_files.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::study {

namespace {

using Kind = DocumentBlock::Kind;

bool isNumberColumn(const DocumentTable& table, std::size_t column) {
    return column < table.isNumber.size() && table.isNumber[column];
}

/// Escapes text and attributes in double quotes.
std::string markup(const std::string& text) {
    std::string escaped;
    for (const char c : escapeMarkup(drawableText(text)))
        if (c == '"')
            escaped += "&quot;";
        else if (c == '>')
            escaped += "&gt;";
        else
            escaped += c;
    return escaped;
}

Json tableJson(const DocumentTable& table) {
    return {{"head", table.head}, {"rows", table.rows}, {"isNumber", table.isNumber}};
}

DocumentTable tableFrom(const Json& json) {
    DocumentTable table;
    json.at("head").get_to(table.head);
    json.at("rows").get_to(table.rows);
    json.at("isNumber").get_to(table.isNumber);
    return table;
}

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --ink: #26262a; --faint: #5c5c64; --line: #dcdce1; --rule: #8c8c96;
  --link: #00607a; --answer: #eef6f7; --edge: #187c8c; --caution: #fff3d6; }
@media (prefers-color-scheme: dark) { :root { --page: #17181b; --ink: #e8e8ec; --faint: #b0b0ba; --line: #3c3d44;
  --rule: #8c8c96; --link: #7fcfe0; --answer: #1b2a2e; --edge: #4fb3c4; --caution: #3b3014; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 "DejaVu Sans", Verdana, sans-serif; color: var(--ink); background: var(--page); margin: 0 auto;
  max-width: 74rem; padding: 1.5rem; overflow-wrap: break-word; }
a { color: var(--link); }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.6rem; border-bottom: 1px solid var(--rule); }
p { max-width: 48rem; }
.answers { border-left: 6px solid var(--edge); background: var(--answer); list-style: none; margin: 1rem 0; max-width: 62rem;
  padding: .4rem 1.2rem; }
.answers li { margin: .5rem 0; }
.warning { border-left: 6px solid #c98a00; padding: .4rem 1rem; background: var(--caution); max-width: 48rem; }
.scroll, .chart { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .82rem; margin: .6rem 0 1.2rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 4rem;
  max-width: 26rem; overflow-wrap: normal; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; } .number { text-align: right; }
td.number { font-variant-numeric: tabular-nums; }
thead button { all: unset; cursor: pointer; font-weight: bold; } thead button:hover { text-decoration: underline; }
thead button::after { content: "\00a0↕"; color: var(--faint); font-weight: normal; }
[aria-sort="ascending"] button::after { content: "\00a0↑"; color: var(--ink); }
[aria-sort="descending"] button::after { content: "\00a0↓"; color: var(--ink); }
:focus-visible, thead button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.title { font-weight: bold; margin: .6rem 0 0; }
summary { cursor: pointer; padding: .2rem 0; } figure { margin: 1rem 0 1.6rem; }
.chart svg { display: block; height: auto; max-width: max(100%, 46rem); background: #ffffff; border-radius: 6px; }
.value:hover, .value.shown { stroke: #000000; stroke-width: 1.5; }
output { display: block; font-size: .9rem; font-weight: bold; padding: .3rem 0; }
figcaption { max-width: 48rem; font-size: .9rem; color: var(--faint); }
nav ul { columns: 16rem 2; list-style: none; padding: 0; }
@media (max-width: 40rem) { body { padding: .8rem; } h1 { font-size: 1.35rem; } .answers { padding: .2rem .8rem; }
  table { width: max-content; } th, td { max-width: 15rem; } }
@media print { :root { color-scheme: light; } thead button::after { content: ""; } body { max-width: none; font-size: 11px; }
  .chart svg { max-width: 100%; } }
)";

std::string htmlTable(const DocumentTable& table, const std::string& caption) {
    std::string html;
    if (!caption.empty()) html += "<p class=\"title\">" + markup(caption) + "</p>\n";
    // A single row needs no order.
    html +=
        fmt::format("<div class=\"scroll\"><table{}{}>", table.rows.size() > 1 ? " class=\"sortable\"" : "",
                    caption.empty() ? "" : " aria-label=\"" + markup(caption) + "\"");
    html += "<thead><tr>";
    for (std::size_t c = 0; c < table.head.size(); ++c)
        html += fmt::format("<th scope=\"col\"{}>{}</th>",
                            isNumberColumn(table, c) ? " class=\"number\"" : "", markup(table.head[c]));
    html += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
        html += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool isNumber = isNumberColumn(table, c);
            const std::optional<double> value = isNumber ? sortValue(row[c]) : std::nullopt;
            html += fmt::format("<td{}{}>{}</td>", isNumber ? " class=\"number\"" : "",
                                value ? fmt::format(" data-value=\"{}\"", *value) : "", markup(row[c]));
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string folded(const std::string& title, const std::string& content) {
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", markup(title), content);
}

/// Removes the first line, and prefixes names so that they are unique on the page.
std::string inlineSvg(std::string svg, const std::string& prefix) {
    if (const std::size_t begin = svg.find("<svg"); begin != std::string::npos) svg.erase(0, begin);
    for (const std::string_view mark : {"id=\"", "url(#", "href=\"#"})
        for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1))
            svg.insert(at + mark.size(), prefix + "-");
    return svg;
}

std::string htmlChart(const DocumentChart& chart) {
    return fmt::format(
        "<figure id=\"{}\" aria-label=\"{}\">\n<div class=\"chart\">{}</div>\n"
        "<figcaption>{}</figcaption>\n{}</figure>\n",
        markup(chart.name), markup(chart.title), inlineSvg(chart.svg, chart.name), markup(chart.caption),
        folded("Data of this chart", htmlTable(chart.data, "")));
}

std::string markdownText(const std::string& text) {
    std::string escaped;
    for (const char c : text)
        if (c == '|' || c == '*' || c == '_' || c == '<' || c == '`' || c == '[')
            escaped += std::string("\\") + c;
        else
            escaped += c == '\n' ? ' ' : c;
    return escaped;
}

std::string markdownTable(const DocumentTable& table) {
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        text += "|";
        for (const std::string& cell : cells) text += " " + markdownText(cell) + " |";
        text += '\n';
    };
    line(table.head);
    text += "|";
    for (std::size_t c = 0; c < table.head.size(); ++c) text += isNumberColumn(table, c) ? "--:|" : "---|";
    text += '\n';
    for (const std::vector<std::string>& row : table.rows) line(row);
    return text + '\n';
}

}  // namespace

void Document::table(std::string caption, DocumentTable content, std::string name, bool isFolded) {
    if (content.rows.empty()) return;
    blocks.push_back({.kind = isFolded ? Kind::FoldedTable : Kind::Table,
                      .text = std::move(caption),
                      .table = std::move(content),
                      .name = std::move(name)});
}

void Document::chart(DocumentChart chart) {
    blocks.push_back({.kind = Kind::Chart, .chart = std::move(chart)});
}

void Document::answer(std::string subject, std::string text) {
    blocks.push_back({.kind = Kind::Answer, .text = std::move(text), .subject = std::move(subject)});
}

Fields Document::answers() const {
    Fields fields;
    for (const DocumentBlock& block : blocks)
        if (block.kind == Kind::Answer) fields.emplace_back(block.subject, block.text);
    return fields;
}

std::string toHtml(const Document& document) {
    std::string lead, body, contents;
    std::size_t sections = 0;
    bool isInAnswers = false;
    for (const DocumentBlock& block : document.blocks) {
        std::string& page = sections == 0 ? lead : body;
        const bool isAnswer = block.kind == Kind::Answer;
        if (isAnswer != isInAnswers) page += isAnswer ? "<ul class=\"answers\">\n" : "</ul>\n";
        isInAnswers = isAnswer;
        switch (block.kind) {
            case Kind::Section:
                ++sections;
                contents += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", sections, markup(block.text));
                body += fmt::format("<h2 id=\"s{}\">{}</h2>\n", sections, markup(block.text));
                break;
            case Kind::Answer:
                page += fmt::format("<li><strong>{}.</strong> {}</li>\n", markup(block.subject),
                                    markup(block.text));
                break;
            case Kind::Paragraph:
                page += "<p>" + markup(block.text) + "</p>\n";
                break;
            case Kind::Warning:
                page += "<p class=\"warning\">" + markup(block.text) + "</p>\n";
                break;
            case Kind::Table:
                page += htmlTable(block.table, block.text);
                break;
            case Kind::FoldedTable:
                page += folded(block.text, htmlTable(block.table, ""));
                break;
            case Kind::Chart:
                page += htmlChart(block.chart);
                break;
        }
    }
    if (isInAnswers) (sections == 0 ? lead : body) += "</ul>\n";
    return fmt::format(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\" />\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" "
        "/>\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}"
        "<nav aria-label=\"Contents\">\n<ul>\n{3}</ul>\n</nav>\n"
        "{4}<script>\n{5}</script>\n</body>\n</html>\n",
        markup(document.title), kStyle, lead, contents, body, embeddedResources().at("pages/report.js"));
}

std::string toMarkdown(const Document& document) {
    std::string text = "# " + markdownText(document.title) + "\n\n";
    bool isInAnswers = false;
    for (const DocumentBlock& block : document.blocks) {
        const bool isAnswer = block.kind == Kind::Answer;
        if (isInAnswers && !isAnswer) text += '\n';
        isInAnswers = isAnswer;
        switch (block.kind) {
            case Kind::Answer:
                text += fmt::format("- **{}.** {}\n", markdownText(block.subject), markdownText(block.text));
                break;
            case Kind::Section:
                text += "## " + markdownText(block.text) + "\n\n";
                break;
            case Kind::Paragraph:
                text += markdownText(block.text) + "\n\n";
                break;
            case Kind::Warning:
                text += "> " + markdownText(block.text) + "\n\n";
                break;
            case Kind::Table:
                if (!block.text.empty()) text += "**" + markdownText(block.text) + "**\n\n";
                text += markdownTable(block.table);
                break;
            case Kind::FoldedTable:
                if (block.name.empty())
                    text += "**" + markdownText(block.text) + "**\n\n" + markdownTable(block.table);
                else
                    text += fmt::format("{}: [tables/{}.csv](tables/{}.csv)\n\n", markdownText(block.text),
                                        block.name, block.name);
                break;
            case Kind::Chart:
                text += fmt::format("![{}](charts/{}.svg)\n\n{} Data: [tables/{}.csv](tables/{}.csv)\n\n",
                                    markdownText(block.chart.title), block.chart.name,
                                    markdownText(block.chart.caption), block.chart.name, block.chart.name);
                break;
        }
    }
    return text;
}

Json Document::toJson() const {
    return {{"title", title}, {"blocks", jsonArray(blocks, [](const DocumentBlock& block) {
                                   const DocumentChart& chart = block.chart;
                                   return Json{{"kind", static_cast<int>(block.kind)},
                                               {"text", block.text},
                                               {"subject", block.subject},
                                               {"name", block.name},
                                               {"table", tableJson(block.table)},
                                               {"chart",
                                                {{"name", chart.name},
                                                 {"title", chart.title},
                                                 {"caption", chart.caption},
                                                 {"svg", chart.svg},
                                                 {"data", tableJson(chart.data)}}}};
                               })}};
}

Document Document::fromJson(const Json& json) {
    Document document{.title = json.at("title").get<std::string>()};
    for (const Json& block : json.at("blocks")) {
        const Json& chart = block.at("chart");
        document.blocks.push_back({.kind = static_cast<Kind>(block.at("kind").get<int>()),
                                   .text = block.at("text").get<std::string>(),
                                   .subject = block.at("subject").get<std::string>(),
                                   .table = tableFrom(block.at("table")),
                                   .name = block.at("name").get<std::string>(),
                                   .chart = {.name = chart.at("name").get<std::string>(),
                                             .title = chart.at("title").get<std::string>(),
                                             .caption = chart.at("caption").get<std::string>(),
                                             .svg = chart.at("svg").get<std::string>(),
                                             .data = tableFrom(chart.at("data"))}});
    }
    return document;
}

std::optional<double> sortValue(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789";
    constexpr std::pair<std::string_view, double> kUnits[] = {{"h", 3600},  {"min", 60},  {"s", 1},
                                                              {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}};
    const std::size_t begin = text.find_first_of(kDigits);
    if (begin == text.npos) return {};
    const bool isNegative = begin > 0 && text[begin - 1] == '-';
    text.remove_prefix(begin);
    double sum = 0;
    // "3 min 07 s": quantities of time follow each other; of anything else, the first one counts.
    for (bool isFirst = true; !text.empty() && kDigits.find(text.front()) != kDigits.npos; isFirst = false) {
        std::string digits;
        std::size_t end = 0;
        for (; end < text.size() &&
               (kDigits.find(text[end]) != kDigits.npos || text[end] == ',' || text[end] == '.');
             ++end) {
            const bool isSeparator = text[end] == ',';
            // A comma that no three digits follow ends the number.
            if (isSeparator &&
                (end + 3 >= text.size() || text.substr(end + 1, 3).find_first_not_of(kDigits) != text.npos))
                break;
            if (!isSeparator) digits += text[end];
        }
        if (end < text.size() && text[end] == 'e') {
            const std::size_t exponent =
                end + 1 + (end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+'));
            std::size_t last = exponent;
            while (last < text.size() && kDigits.find(text[last]) != kDigits.npos) ++last;
            if (last > exponent) {
                digits += text.substr(end, last - end);
                end = last;
            }
        }
        text.remove_prefix(end);
        double value = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) return {};
        const std::string_view word =
            text.starts_with(' ') ? text.substr(1, text.find_first_of(" ,;()", 1) - 1) : std::string_view();
        const auto* unit = std::ranges::find(kUnits, word, [](const auto& one) { return one.first; });
        if (unit == std::end(kUnits)) {
            if (isFirst) sum = value;
            break;
        }
        sum += value * unit->second;
        text.remove_prefix(1 + word.size());
        if (!text.starts_with(' ')) break;
        text.remove_prefix(1);
    }
    return isNegative ? -sum : sum;
}

std::string toCsv(const DocumentTable& table) {
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string joined;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (c > 0) joined += ',';
            io::appendCsvField(joined, cells[c]);
        }
        text += joined + '\n';
    };
    line(table.head);
    for (const std::vector<std::string>& row : table.rows) line(row);
    return text;
}

}  // namespace glycine::study
