#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/io/text/json_forward.hpp"

/// A report for people, before it becomes HTML or Markdown.
namespace glycine::study {

struct DocumentTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows{};  ///< each as wide as the head
    std::vector<bool> isNumber{};                  ///< a column; missing ones are text
};

/// A chart with what it shows.
struct DocumentChart {
    std::string name;  ///< of its files: charts/NAME.svg, tables/NAME.csv
    std::string title;
    std::string caption{};
    std::string svg{};
    DocumentTable data{};
};

struct DocumentBlock {
    enum class Kind { Section, Paragraph, Warning, Table, FoldedTable, Chart };
    Kind kind;
    std::string text{};  ///< of a table: its title
    DocumentTable table{};
    std::string name{};  ///< of a table that is a CSV file, too; may be empty
    DocumentChart chart{};
};

/// All texts are UTF-8 without markup.
struct Document {
    std::string title;
    std::vector<DocumentBlock> blocks{};

    void section(std::string text) { add(DocumentBlock::Kind::Section, std::move(text)); }
    void paragraph(std::string text) { add(DocumentBlock::Kind::Paragraph, std::move(text)); }
    void warning(std::string text) { add(DocumentBlock::Kind::Warning, std::move(text)); }
    /// Nothing for a table without rows. `isFolded`: shown when it is asked for.
    void table(std::string caption, DocumentTable content, std::string name = {}, bool isFolded = false);
    void chart(DocumentChart chart);
    void charts(std::vector<DocumentChart> all) {
        for (DocumentChart& one : all) chart(std::move(one));
    }

    /// As reports are kept between runs, and back.
    Json toJson() const;
    static Document fromJson(const Json& json);

  private:
    void add(DocumentBlock::Kind kind, std::string text) {
        blocks.push_back({.kind = kind, .text = std::move(text)});
    }
};

/// One page that needs nothing else: no network, no script; charts inside. Well-formed XML, too.
std::string toHtml(const Document& document);
/// For GitHub and the like; charts are links to charts/NAME.svg.
std::string toMarkdown(const Document& document);
/// RFC 4180.
std::string toCsv(const DocumentTable& table);

}  // namespace glycine::study
