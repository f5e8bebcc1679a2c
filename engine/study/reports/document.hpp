#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/command/text_table.hpp"
#include "engine/io/text/json_forward.hpp"

/// A report for readers, independent of HTML and Markdown.
namespace glycine::study {

struct DocumentTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows{};  ///< each as long as the head
    std::vector<bool> isNumber{};                  ///< one per column; missing entries mean text
};

/// A chart with its data.
struct DocumentChart {
    std::string name;  ///< name of its files: charts/NAME.svg, tables/NAME.csv
    std::string title;
    std::string caption{};
    std::string svg{};
    DocumentTable data{};
};

struct DocumentBlock {
    enum class Kind { Section, Paragraph, Warning, Table, FoldedTable, Chart, Answer };
    Kind kind;
    std::string text{};     ///< for a table, its title
    std::string subject{};  ///< of an answer: what it is about
    DocumentTable table{};
    std::string name{};  ///< name of the CSV file that a table is also written to; may be empty
    DocumentChart chart{};
};

/// All texts are UTF-8 without markup. Blocks before the first section open the page; its contents follow
/// them.
struct Document {
    std::string title;
    std::vector<DocumentBlock> blocks{};

    void section(std::string text) { add(DocumentBlock::Kind::Section, std::move(text)); }
    void paragraph(std::string text) { add(DocumentBlock::Kind::Paragraph, std::move(text)); }
    void warning(std::string text) { add(DocumentBlock::Kind::Warning, std::move(text)); }
    /// Adds an item of the list that answers what the page is about.
    void answer(std::string subject, std::string text);
    /// Adds a table unless it has no rows. `isFolded`: the reader has to open it.
    void table(std::string caption, DocumentTable content, std::string name = {}, bool isFolded = false);
    void chart(DocumentChart chart);
    void charts(std::vector<DocumentChart> all) {
        for (DocumentChart& one : all) chart(std::move(one));
    }

    /// The answers, each with its subject, for text.
    Fields answers() const;

    /// Conversion to the JSON that is kept between runs, and back.
    Json toJson() const;
    static Document fromJson(const Json& json);

  private:
    void add(DocumentBlock::Kind kind, std::string text) {
        blocks.push_back({.kind = kind, .text = std::move(text)});
    }
};

/// A self-contained page: no network, charts embedded. Also well-formed XML. A script of its own sorts tables
/// by their heads, and shows values of charts for arrow keys; without it, everything is still there.
std::string toHtml(const Document& document);
/// Markdown for GitHub and similar renderers; charts are links to charts/NAME.svg.
std::string toMarkdown(const Document& document);
/// Sort key of a cell: its first quantity, times in seconds ("3 min 07 s" → 187), shares and counts as
/// they are
/// ("undecided (1.02 ×)" → 1.02). Nothing if the text has no number.
std::optional<double> sortValue(std::string_view text);
/// RFC 4180.
std::string toCsv(const DocumentTable& table);

}  // namespace glycine::study
