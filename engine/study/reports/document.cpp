#include "engine/study/reports/document.hpp"

#include <fmt/format.h>

#include <utility>

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
body { font: 16px/1.5 "DejaVu Sans", Verdana, sans-serif; color: #26262a; margin: 0 auto; max-width: 70rem; padding: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2.6rem; border-bottom: 1px solid #b9b9c0; } h3 { margin-top: 1.8rem; }
p { max-width: 48rem; }
.warning { border: 2px solid #26262a; border-left-width: 10px; padding: .4rem 1rem; background: #fff3d6; max-width: 48rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; margin: .6rem 0 1.2rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #dcdce1; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #26262a; } td.number, th.number { text-align: right; white-space: nowrap; }
caption { text-align: left; font-weight: bold; padding: .3rem 0; }
summary { cursor: pointer; padding: .2rem 0; } figure { margin: 1rem 0 1.6rem; }
figure svg { max-width: 100%; height: auto; } figcaption { max-width: 48rem; font-size: .9rem; }
nav ul { columns: 2; list-style: none; padding: 0; }
@media print { details { display: block; } body { max-width: none; font-size: 11px; } }
)";

std::string htmlTable(const DocumentTable& table, const std::string& caption) {
    std::string html = "<div class=\"scroll\"><table>";
    if (!caption.empty()) html += "<caption>" + markup(caption) + "</caption>";
    const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
        html += fmt::format("<{}{}>{}</{}>", tag, isNumberColumn(table, column) ? " class=\"number\"" : "",
                            markup(text), tag);
    };
    html += "<thead><tr>";
    for (std::size_t c = 0; c < table.head.size(); ++c) cell("th", c, table.head[c]);
    html += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
        html += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c) cell("td", c, row[c]);
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
    return fmt::format("<figure id=\"{}\" aria-label=\"{}\">\n{}\n<figcaption>{}</figcaption>\n{}</figure>\n",
                       markup(chart.name), markup(chart.title), inlineSvg(chart.svg, chart.name),
                       markup(chart.caption), folded("Data of this chart", htmlTable(chart.data, "")));
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

std::string toHtml(const Document& document) {
    std::string body, contents;
    std::size_t sections = 0;
    for (const DocumentBlock& block : document.blocks) switch (block.kind) {
            case Kind::Section:
                ++sections;
                contents += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", sections, markup(block.text));
                body += fmt::format("<h2 id=\"s{}\">{}</h2>\n", sections, markup(block.text));
                break;
            case Kind::Paragraph:
                body += "<p>" + markup(block.text) + "</p>\n";
                break;
            case Kind::Warning:
                body += "<p class=\"warning\">" + markup(block.text) + "</p>\n";
                break;
            case Kind::Table:
                body += htmlTable(block.table, block.text);
                break;
            case Kind::FoldedTable:
                body += folded(block.text, htmlTable(block.table, ""));
                break;
            case Kind::Chart:
                body += htmlChart(block.chart);
                break;
        }
    return fmt::format(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\" />\n<meta name=\"viewport\" content=\"width=device-width\" />\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<nav>\n<ul>\n{2}</ul>\n</"
        "nav>\n"
        "{3}</body>\n</html>\n",
        markup(document.title), kStyle, contents, body);
}

std::string toMarkdown(const Document& document) {
    std::string text = "# " + markdownText(document.title) + "\n\n";
    for (const DocumentBlock& block : document.blocks) switch (block.kind) {
            case Kind::Section:
                text += "## " + markdownText(block.text) + "\n\n";
                break;
            case Kind::Paragraph:
                text += markdownText(block.text) + "\n\n";
                break;
            case Kind::Warning:
                text += "> **" + markdownText(block.text) + "**\n\n";
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
    return text;
}

Json Document::toJson() const {
    return {{"title", title}, {"blocks", jsonArray(blocks, [](const DocumentBlock& block) {
                                   const DocumentChart& chart = block.chart;
                                   return Json{{"kind", static_cast<int>(block.kind)},
                                               {"text", block.text},
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
