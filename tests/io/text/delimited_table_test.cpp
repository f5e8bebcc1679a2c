#include "engine/io/text/delimited_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/io/text/number_rows.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// Marks a missing entry in expectations, because NaN is not equal to itself.
constexpr float kMissing = -99;

DelimitedTable parse(const std::string& text, std::optional<bool> header = std::nullopt) {
    return readDelimitedTable(*streamOf(text, "test.csv"), {.header = header});
}

std::string refusal(const std::string& text, std::optional<bool> header = std::nullopt) {
    return messageOf<InputError>([&] { parse(text, header); });
}

std::vector<float> values(const DelimitedTable& table) {
    std::vector<float> found(table.values.data(), table.values.data() + table.values.size());
    for (float& value : found)
        if (std::isnan(value)) value = kMissing;
    return found;
}

TEST(DelimitedTable, NumbersAlone) {
    const DelimitedTable table = parse("0,1,2\n-1.5,+2e3,.25\n");
    EXPECT_EQ(table.values.rows(), 2U);
    EXPECT_EQ(table.values.columns(), 3U);
    EXPECT_THAT(values(table), ElementsAre(0, 1, 2, -1.5F, 2000, 0.25F));
    EXPECT_THAT(table.rowNames, IsEmpty());
    EXPECT_THAT(table.columnNames, IsEmpty());
    EXPECT_THAT(table.lines, ElementsAre(1, 2));
    EXPECT_EQ(table.place(1, 2), "line 2, column 3");
}

TEST(DelimitedTable, LinesThatEndWithCarriageReturns) {
    EXPECT_THAT(refusal("a,b\r1,2\r3,x\r"), HasSubstr("line 3, column 2: 'x'"));
    // Tabs of later lines separate nothing.
    EXPECT_THAT(values(parse("a,b\r1,2\r3,4\t\r")), ElementsAre(1, 2, 3, 4));
}

TEST(DelimitedTable, CommentsBeginLinesAndNotFieldsThatGoOn) {
    std::vector<std::string> fields;
    std::vector<std::size_t> lines;
    const auto visit = [&](const DelimitedRow& row) {
        for (std::size_t k = 0; k < row.size(); ++k) fields.emplace_back(row[k]);
        lines.push_back(row.line());
    };
    const auto isComment = [](std::string_view line) { return line.starts_with('!'); };
    visitDelimitedRows(*streamOf("!one\na,\"b\n!c\",d\n!two\ne,f,g\n", "test.csv"), visit, isComment);
    EXPECT_THAT(fields, ElementsAre("a", "b\n!c", "d", "e", "f", "g"));
    fields.clear();
    lines.clear();
    visitDelimitedRows(*streamOf("!one\ra,b\r!two\rc,d\r", "test.csv"), visit, isComment);
    EXPECT_THAT(fields, ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(lines, ElementsAre(2, 4));
}

TEST(DelimitedTable, HeaderAndNames) {
    const DelimitedTable table = parse("id,height,weight\nann,1.5,60\nbob,1.8,80\n");
    EXPECT_THAT(table.columnNames, ElementsAre("height", "weight"));
    EXPECT_THAT(table.rowNames, ElementsAre("ann", "bob"));
    EXPECT_THAT(values(table), ElementsAre(1.5F, 60, 1.8F, 80));
    EXPECT_EQ(table.place(1, 0), "line 3, column 2 ('height')");
}

TEST(DelimitedTable, HeaderWithoutNames) {
    const DelimitedTable table = parse("height,weight\n1.5,60\n");
    EXPECT_THAT(table.columnNames, ElementsAre("height", "weight"));
    EXPECT_THAT(table.rowNames, IsEmpty());
    EXPECT_THAT(values(table), ElementsAre(1.5F, 60));
}

TEST(DelimitedTable, NamesWithoutHeader) {
    const DelimitedTable table = parse("ann,0,1\nbob,2,0\n");
    EXPECT_THAT(table.columnNames, IsEmpty());
    EXPECT_THAT(table.rowNames, ElementsAre("ann", "bob"));
    EXPECT_THAT(values(table), ElementsAre(0, 1, 2, 0));
}

TEST(DelimitedTable, NamesThatAreNumbersNeedAHeader) {
    for (const char* title : {"", "ID", "Sample", "sample_id", "#name", "\"id\""}) {
        const DelimitedTable table = parse(std::string(title) + ",a,b\n1001,0,1\n1002,2,0\n");
        EXPECT_THAT(table.rowNames, ElementsAre("1001", "1002")) << title;
        EXPECT_THAT(table.columnNames, ElementsAre("a", "b")) << title;
    }
    // As NumPy-based programs write it: an index, and numbered columns.
    const DelimitedTable table = parse(",0,1\n0,5.5,6.5\n1,7.5,8.5\n");
    EXPECT_THAT(table.rowNames, ElementsAre("0", "1"));
    EXPECT_THAT(table.columnNames, ElementsAre("0", "1"));
    EXPECT_THAT(values(table), ElementsAre(5.5F, 6.5F, 7.5F, 8.5F));
    EXPECT_THAT(parse("k,a,b\n1001,0,1\n").columnNames, ElementsAre("k", "a", "b"));
}

TEST(DelimitedTable, HeaderOneFieldShorter) {
    const DelimitedTable table = parse("\"V1\"\t\"V2\"\n\"1\"\t0.5\t1\n\"2\"\t2\t0\n");
    EXPECT_THAT(table.columnNames, ElementsAre("V1", "V2"));
    EXPECT_THAT(table.rowNames, ElementsAre("1", "2"));
    EXPECT_THAT(values(table), ElementsAre(0.5F, 1, 2, 0));
}

TEST(DelimitedTable, HeaderAsRequested) {
    EXPECT_THAT(parse("1,2\n3,4\n", true).columnNames, ElementsAre("1", "2"));
    EXPECT_THAT(values(parse("1,2\n3,4\n", true)), ElementsAre(3, 4));
    EXPECT_THAT(values(parse(",2\n3,4\n", false)), ElementsAre(kMissing, 2, 3, 4));
    EXPECT_THAT(refusal("a,b\n1,2\n", false), HasSubstr("line 1, column 2: 'b' was found"));
}

TEST(DelimitedTable, OneColumn) {
    const DelimitedTable table = parse("height\n1.5\n\n2.5\n");
    EXPECT_THAT(table.columnNames, ElementsAre("height"));
    EXPECT_THAT(values(table), ElementsAre(1.5F, 2.5F));
    EXPECT_THAT(table.lines, ElementsAre(2, 4));
    EXPECT_THAT(values(parse("1\n2\n")), ElementsAre(1, 2));
}

TEST(DelimitedTable, Separators) {
    EXPECT_THAT(values(parse("1\t2\t3\n")), ElementsAre(1, 2, 3));
    EXPECT_THAT(values(parse("1;2;3\n")), ElementsAre(1, 2, 3));
    EXPECT_THAT(parse("\"a;b\",\"c\td\"\n1,2\n").columnNames, ElementsAre("a;b", "c\td"));
}

TEST(DelimitedTable, DecimalCommas) {
    const DelimitedTable table = parse("u;v\n0,5;1\n-1,25e1;+,5\n");
    EXPECT_THAT(values(table), ElementsAre(0.5F, 1, -12.5F, 0.5F));
    EXPECT_TRUE(table.hasDecimalCommas);
    EXPECT_FALSE(parse("u;v\n0.5;1\n").hasDecimalCommas);
    EXPECT_THAT(values(parse("1,5\t2\n")), ElementsAre(1.5F, 2));
    EXPECT_THAT(refusal("u;v\n0,5;1,234,567\n"), HasSubstr("line 2, column 2: '1,234,567' was found"));
    EXPECT_THAT(refusal("u;v\n0,5;1.234,5\n"), HasSubstr("line 2, column 2: '1.234,5' was found"));
    EXPECT_THAT(refusal("u;v\n0.5;1\n1;0,5\n"), HasSubstr("a decimal comma at line 3, column 2 ('0,5')"));
    // Within quotes, a comma may group thousands.
    EXPECT_THAT(refusal("u,v\n1,\"0,5\"\n"), HasSubstr("line 2, column 2: '0,5' was found"));
    EXPECT_THAT(refusal("u,v\n0,5,0,7\n"), HasSubstr("decimal commas can only be read where"));
}

DelimitedTable parseWith(const std::string& text, const TableForm& form) {
    return readDelimitedTable(*streamOf(text, "test.csv"), form);
}

TEST(DelimitedTable, WithoutNames) {
    const TableForm form{.names = TableForm::Names::None};
    const DelimitedTable table = parseWith("id,a\n1,2\n3,4\n", form);
    EXPECT_THAT(table.columnNames, ElementsAre("id", "a"));
    EXPECT_THAT(table.rowNames, IsEmpty());
    EXPECT_THAT(values(table), ElementsAre(1, 2, 3, 4));
    const auto refusalOf = [&](const std::string& text) {
        return messageOf<InputError>([&] { parseWith(text, form); });
    };
    EXPECT_THAT(refusalOf("a,b\nx,2\n"), HasSubstr("line 2, column 1: 'x' was found; expected a number, or"));
    EXPECT_THAT(refusalOf("1,x\n2,3\n"), HasSubstr("line 1 holds text ('x' in column 2) and numbers"));
    EXPECT_THAT(refusalOf("a,b\n1,2,3\n"), HasSubstr("line 2 has 3 fields; expected 2, as the header has ("));
    EXPECT_THAT(parseWith(",0,1\n0,5,6\n", form).columnNames, ElementsAre("", "0", "1"));
}

TEST(DelimitedTable, ColumnsOfText) {
    TableForm form{.names = TableForm::Names::None};
    form.mayHoldText = [](std::string_view title) { return title == "when"; };
    const DelimitedTable table = parseWith("when,a\n10:00,2\n7,4\n", form);
    EXPECT_THAT(values(table), ElementsAre(kMissing, 2, 7, 4));
    EXPECT_THAT(table.holdsText, ElementsAre(1, 0));
}

TEST(DelimitedTable, BlanksAroundFieldsDoNotCount) {
    EXPECT_THAT(values(parse(" 1 , 2,3  \n")), ElementsAre(1, 2, 3));
}

TEST(DelimitedTable, Quotes) {
    const DelimitedTable table = parse("name,\"a, b\",\"say \"\"c\"\"\"\n\"x\ny\",1,\"2\"\nz,3,4\n");
    EXPECT_THAT(table.columnNames, ElementsAre("a, b", "say \"c\""));
    EXPECT_THAT(table.rowNames, ElementsAre("x\ny", "z"));
    EXPECT_THAT(values(table), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(table.lines, ElementsAre(3, 4));
}

TEST(DelimitedTable, LineEndsAndByteOrderMark) {
    for (const char* text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\n1,2\n3,4",
                             "\xef\xbb\xbf"
                             "a,b\r\n1,2\r\n3,4",
                             "\xef\xbb\xbf\r\n\na,b\n\n1,2\n\n\n3,4\n\n"}) {
        const DelimitedTable table = parse(text);
        EXPECT_THAT(table.columnNames, ElementsAre("a", "b")) << text;
        EXPECT_THAT(values(table), ElementsAre(1, 2, 3, 4)) << text;
    }
}

TEST(DelimitedTable, MissingEntries) {
    EXPECT_THAT(values(parse("1,NA,na,N/A,n/a,NaN,nan,.,,\"\",-nan\n")),
                ElementsAre(1, kMissing, kMissing, kMissing, kMissing, kMissing, kMissing, kMissing, kMissing,
                            kMissing, kMissing));
}

TEST(DelimitedTable, ExtremeNumbers) {
    EXPECT_THAT(values(parse("inf,-INF,3.4e38,1e-46,-1e-300,1e-40\n")),
                ElementsAre(kInfinity, -kInfinity, 3.4e38F, 0, -0.0F, 1e-40F));
    EXPECT_THAT(refusal("1,2\n1,1e39\n"),
                HasSubstr("line 2, column 2: '1e39' was found; expected a number within"));
    EXPECT_THAT(refusal("1,2\n1,-1e400\n"), HasSubstr("line 2, column 2: '-1e400' was found"));
}

TEST(DelimitedTable, RefusesWholeNumbersThatItWouldRound) {
    const auto refused = [](const std::string& text, const TableForm& form = {}) {
        return messageOf<InputError>([&] { readDelimitedTable<double>(*streamOf(text, "test.csv"), form); });
    };
    EXPECT_EQ(
        refused("1,2\n9007199254740993,9007199254740992\n"),
        "test.csv: line 2, column 1: '9007199254740993' was found; expected a whole number that float64 "
        "holds exactly (up to 2^53 = 9007199254740992 each is)");
    EXPECT_THAT(refused("1;2\n1;-1152921504606846977\n"),
                HasSubstr("line 2, column 2: '-1152921504606846977'"));
    EXPECT_THAT(refusal("1,16777217\n"), HasSubstr("a whole number that float32 holds exactly"));
    const auto table = readDelimitedTable<double>(
        *streamOf("id,x,y\n9007199254740993,1152921504606846976,9007199254740993.0\n", "test.csv"));
    EXPECT_THAT(table.rowNames, ElementsAre("9007199254740993"));
    EXPECT_EQ(table.values(0, 0), 0x1p60);
    EXPECT_EQ(table.values(0, 1), 0x1p53);
    // Columns of times are exempt: nanoseconds since 1970 do no harm.
    TableForm timed;
    timed.names = TableForm::Names::None;
    timed.mayHoldText = [](std::string_view title) { return title == "time"; };
    EXPECT_EQ(readDelimitedTable<double>(*streamOf("time,x\n1700000000000000001,2\n", "test.csv"), timed)
                  .values(0, 1),
              2);
    EXPECT_THAT(refused("time,x\n1,1700000000000000001\n", timed), HasSubstr("line 2, column 2"));
}

TEST(DelimitedTable, RefusesRaggedRows) {
    EXPECT_EQ(refusal("1,2,3\n\n1,2\n"), "test.csv: line 3 has 2 fields; expected 3, as line 1 has");
    EXPECT_THAT(refusal("a,b\n1,2\n1,2,3\n"), HasSubstr("line 3 has 3 fields; expected 2, as line 2 has"));
    EXPECT_THAT(refusal("a,b\n1,2,3,4\n"),
                HasSubstr("line 2 has 4 fields; expected 2, as the header has, or one more"));
    EXPECT_THAT(refusal("a,b,c\n1,2\n"), HasSubstr("line 2 has 2 fields; expected 3"));
}

TEST(DelimitedTable, RefusesFields) {
    EXPECT_EQ(refusal("1,2\n3,x\n"),
              "test.csv: line 2, column 2: 'x' was found; expected a number, or NA for missing");
    EXPECT_THAT(refusal("1,2\nx,3\n"),
                HasSubstr("line 2, column 1: 'x' was found; expected a number, as in the rows"));
    EXPECT_THAT(refusal("1;2\n3;1,5,\n"), HasSubstr("line 2, column 2: '1,5,' was found"));
    EXPECT_THAT(refusal("1 2 3\n4 5 6\n"),
                HasSubstr("'4 5 6' was found; expected fields with numbers, separated by"));
    EXPECT_THAT(refusal("1,2\n3,+-4\n"), HasSubstr("'+-4'"));
    EXPECT_THAT(refusal("1,2\n3,0x10\n"), HasSubstr("'0x10'"));
}

TEST(DelimitedTable, QuotesInTheMiddleOfFieldsAreLetters) {
    const DelimitedTable table =
        parse("name\t5\" end\t a\"b\" \t\"\"\"c\"\" \td\"\nx\"\t1\t2\t3\r\n\"y\nz\"\t4\t\"5\"\t6\n");
    EXPECT_THAT(table.columnNames, ElementsAre("5\" end", "a\"b\"", "\"c\" \td"));
    EXPECT_THAT(table.rowNames, ElementsAre("x\"", "y\nz"));
    EXPECT_THAT(values(table), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(parse("a\"\";b\"\n1;2\n").columnNames, ElementsAre("a\"\"", "b\""));
    EXPECT_THAT(parse("\"a\"\"b;\",c\n1,2\n").columnNames, ElementsAre("a\"b;", "c"));
}

TEST(DelimitedTable, RefusesQuotes) {
    EXPECT_THAT(refusal("1,2\n3,\"4\n5,6\n"), HasSubstr("double quotes do not pair"));
    EXPECT_THAT(refusal("1,2\n3,\"4\"x\n5,6\n"), HasSubstr("line 2: double quotes do not pair"));
}

TEST(DelimitedTable, RefusesEmptyTables) {
    EXPECT_THAT(refusal(""), HasSubstr("test.csv: is empty"));
    EXPECT_THAT(refusal("\n \r\n\n"), HasSubstr("is empty"));
    EXPECT_THAT(refusal("\xef\xbb\xbf"), HasSubstr("is empty"));
    EXPECT_THAT(refusal("id,a,b\n"), HasSubstr("has no rows of values"));
    EXPECT_THAT(refusal("ann\nbob\n"), HasSubstr("line 2: 'bob' was found; expected fields with numbers"));
}

TEST(DelimitedTable, ReadsPackedFiles) {
    const TemporaryFolder folder;
    writeGzip(folder / "a.csv.gz", "a,b\n1,2\n");
    EXPECT_THAT(values(readDelimitedTable(folder / "a.csv.gz")), ElementsAre(1, 2));
}

/// A table that several threads parse: names, 20 columns of numbers, and their text.
struct LongTable {
    std::vector<float> values{};
    std::size_t rows = 0;
    std::string text{};
};
LongTable longTable(const std::string& end, char separator = ',') {
    std::mt19937 random(13);
    LongTable table;
    table.text = "id";
    for (int k = 0; k < 20; ++k) table.text += separator + std::string("c") + std::to_string(k);
    table.text += end;
    for (; table.text.size() < 3000000; ++table.rows) {
        table.text += table.rows % 7 == 0 ? "\"r " + std::to_string(table.rows) + "\""
                                          : "r " + std::to_string(table.rows);
        for (int k = 0; k < 20; ++k) {
            const auto number = static_cast<int>(random() % 200000) - 100000;
            const bool isMissing = number % 101 == 0;
            table.values.push_back(isMissing ? std::numeric_limits<float>::quiet_NaN()
                                             : static_cast<float>(number) / 8);
            table.text += separator;
            if (random() % 9 == 0) table.text += ' ';
            table.text += isMissing ? "NA" : fmt::format("{}", static_cast<float>(number) / 8);
        }
        table.text += end;
        if (random() % 40 == 0) table.text += end;
    }
    return table;
}

void expectEqual(const DelimitedTable& found, const LongTable& expected) {
    ASSERT_EQ(found.values.rows(), expected.rows);
    ASSERT_EQ(found.values.columns(), 20U);
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const float value = found.values.data()[i];
        ASSERT_TRUE(value == expected.values[i] || (std::isnan(value) && std::isnan(expected.values[i])))
            << i;
    }
    ASSERT_EQ(found.rowNames.size(), expected.rows);
    for (std::size_t i = 0; i < expected.rows; i += 101)
        EXPECT_EQ(found.rowNames[i], "r " + std::to_string(i));
}

TEST(LongTables, AllLineEnds) {
    for (const std::string& end : {std::string("\n"), std::string("\r\n"), std::string("\r")}) {
        const LongTable table = longTable(end);
        expectEqual(parse(table.text), table);
        expectEqual(parse(table.text.substr(0, table.text.find_last_not_of("\r\n") + 1)), table);
    }
    const LongTable tabs = longTable("\n", '\t');
    const DelimitedTable found = parse(tabs.text);
    expectEqual(found, tabs);
    // The lines are those of the file.
    std::size_t line = 0, row = 0;
    for (std::size_t at = 0; at < tabs.text.size(); at = tabs.text.find('\n', at) + 1) {
        ++line;
        if (tabs.text.compare(at, 1, "r") == 0 || tabs.text.compare(at, 1, "\"") == 0) {
            ASSERT_EQ(found.lines[row], line);
            ++row;
        }
    }
    EXPECT_EQ(row, tabs.rows);
}

TEST(LongTables, FaultsInTheLastPiece) {
    const LongTable table = longTable("\n");
    const auto lines = std::to_string(std::ranges::count(table.text, '\n') + 1);
    std::string row = "x";
    for (int k = 0; k < 20; ++k) row += ",1";
    EXPECT_THAT(refusal(table.text + row.substr(0, 4) + "y" + row.substr(5)),
                AllOf(HasSubstr("line " + lines), HasSubstr("column 3: 'y' was found")));
    EXPECT_THAT(refusal(table.text + row + ",1\n"),
                HasSubstr("line " + lines + " has 22 fields; expected 21"));
    EXPECT_THAT(refusal(table.text + "\"" + row + "\n"), HasSubstr("double quotes do not pair"));
    EXPECT_THAT(refusal(table.text + "x,16777217" + row.substr(3)),
                HasSubstr("line " + lines + ", column 2"));
    // The first of two.
    std::string text = table.text + "x\n";
    const std::size_t middle = text.find('\n', text.size() / 2) + 1;
    const auto before = std::ranges::count(text.substr(0, middle), '\n');
    text.insert(middle, row.substr(0, 4) + "y" + row.substr(5) + "\n");
    EXPECT_THAT(refusal(text), HasSubstr("line " + std::to_string(before + 1) + ", column 3"));
}

TEST(LongTables, RowsThatOneThreadParses) {
    LongTable table = longTable("\n");
    // A name of two lines, one with a quote inside, and a row that ends in the middle of a line.
    std::size_t middle = table.text.find('\n', table.text.size() / 2) + 1;
    const std::size_t row = parse(table.text.substr(0, middle)).values.rows();
    std::string ones;
    for (int k = 0; k < 20; ++k) ones += ",1";
    table.text.insert(middle, "\"two\nlines\"" + ones + "\na\"b" + ones + "\rc" + ones + "\n");
    const DelimitedTable found = parse(table.text);
    ASSERT_EQ(found.values.rows(), table.rows + 3);
    EXPECT_EQ(found.rowNames[row], "two\nlines");
    EXPECT_EQ(found.rowNames[row + 1], "a\"b");
    EXPECT_EQ(found.rowNames[row + 2], "c");
    EXPECT_EQ(found.rowNames.back(), "r " + std::to_string(table.rows - 1));
    EXPECT_EQ(found.lines[row + 2], found.lines[row + 1]);
}

TEST(LongTables, OneDecimalMark) {
    std::string text = "u;v\n";
    for (int k = 0; k < 100000; ++k) text += "0,5;" + std::to_string(k) + "\n";
    EXPECT_EQ(parse(text).values(99999, 0), 0.5F);
    EXPECT_TRUE(parse(text).hasDecimalCommas);
    EXPECT_THAT(refusal(text + "1;2.5\n"),
                HasSubstr("a decimal comma at line 2, column 1 ('0,5') and a decimal point at line 100002, "
                          "column 2 ('2.5')"));
}

TEST(LongTables, LinesLongerThanAPiece) {
    constexpr std::size_t kColumns = 100000;
    std::string text;
    for (int row = 0; row < 5; ++row) {
        for (std::size_t k = 0; k < kColumns; ++k)
            text += (k > 0 ? "\t" : "") + std::to_string(k % 1000 + row);
        text += '\n';
    }
    const DelimitedTable found = parse(text, false);
    ASSERT_EQ(found.values.rows(), 5U);
    ASSERT_EQ(found.values.columns(), kColumns);
    for (std::size_t k = 0; k < kColumns; k += 777)
        ASSERT_EQ(found.values(4, k), static_cast<float>(k % 1000 + 4));
}

TEST(LongTables, EmptyFieldsTakeOneCharacter) {
    // Several blocks, which use the same memory; those in the middle have the most values.
    constexpr std::size_t kColumns = 50, kRows = 120000;
    const auto isEmpty = [](std::size_t row) { return row > kRows / 3 && row < 2 * kRows / 3; };
    std::string full, empty(kColumns - 1, ',');
    for (std::size_t k = 0; k < kColumns; ++k) full += (k > 0 ? "," : "") + std::to_string(k);
    std::string text;
    for (std::size_t row = 0; row < kRows; ++row) text += (isEmpty(row) ? empty : full) + "\n";
    const DelimitedTable found = parse(text, false);
    ASSERT_EQ(found.values.rows(), kRows);
    ASSERT_EQ(found.values.columns(), kColumns);
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t k = 0; k < kColumns; k += 7) {
            const float value = found.values(row, k);
            ASSERT_TRUE(isEmpty(row) ? std::isnan(value) : value == static_cast<float>(k)) << row << " " << k;
        }
}

/// Small whole numbers and missing entries, and other values at the end of some rows.
std::string smallTable(const std::map<std::size_t, std::string>& others) {
    std::string text = "id,a,b,c,d\n";
    for (std::size_t row = 0; row < 100000; ++row) {
        const auto other = others.find(row);
        text += fmt::format("r{},{},-9,{},{}\n", row, row % 3, row % 128 == 7 ? "NA" : "-127",
                            other == others.end() ? fmt::to_string(row % 128) : other->second);
    }
    return text;
}

void expectSameValues(const Matrix<double>& found, const Matrix<double>& expected) {
    ASSERT_EQ(found.rows(), expected.rows());
    ASSERT_EQ(found.columns(), expected.columns());
    std::size_t differing = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const double a = found.data()[k], b = expected.data()[k];
        differing += std::isnan(b) ? !std::isnan(a) : a != b || std::signbit(a) != std::signbit(b);
    }
    EXPECT_EQ(differing, 0U);
}

TEST(LongTables, OfSmallWholeNumbersTakeAByteAValue) {
    const TableForm form{.keepsSmall = true};
    const std::string text = smallTable({});
    const auto wide = readDelimitedTable<double>(*streamOf(text, "test.csv"));
    EXPECT_TRUE(wide.small.empty());
    auto found = readDelimitedTable<double>(*streamOf(text, "test.csv"), form);
    EXPECT_TRUE(found.values.empty());
    ASSERT_EQ(found.small.rows(), 100000U);
    EXPECT_EQ(found.small(7, 2), kNoSmall);
    EXPECT_EQ(found.small(8, 2), -127);
    EXPECT_EQ(found.small(8, 3), 8);
    EXPECT_EQ(found.columnNames, wide.columnNames);
    EXPECT_EQ(found.rowNames, wide.rowNames);
    EXPECT_EQ(found.lines, wide.lines);
    found.widen();
    EXPECT_TRUE(found.small.empty());
    expectSameValues(found.values, wide.values);
}

TEST(LongTables, OneOtherValueMakesThemWide) {
    // Values of each kind, and rows of each part of the file.
    for (const char* other : {"128", "-128", "0.5", "-0", "1e300", "inf"})
        for (const std::size_t row :
             {std::size_t{0}, std::size_t{1}, std::size_t{50000}, std::size_t{99999}}) {
            if (row != 50000 && other != std::string_view("128")) continue;
            SCOPED_TRACE(testing::Message() << other << " in row " << row);
            const std::string text = smallTable({{row, other}});
            const auto found = readDelimitedTable<double>(*streamOf(text, "test.csv"), {.keepsSmall = true});
            EXPECT_TRUE(found.small.empty());
            expectSameValues(found.values, readDelimitedTable<double>(*streamOf(text, "test.csv")).values);
        }
}

TEST(LongTables, CommentsAndText) {
    std::string text = "a,b\n";
    for (int k = 0; k < 100000; ++k) text += k % 10 == 5 ? "# " + std::to_string(k) + "\n" : "1,no\n";
    TableForm form{.header = true, .names = TableForm::Names::None};
    form.mayHoldText = [](std::string_view title) { return title == "b"; };
    form.isComment = [](std::string_view line) { return line.starts_with('#'); };
    const DelimitedTable found = parseWith(text, form);
    EXPECT_EQ(found.values.rows(), 90000U);
    EXPECT_EQ(found.values(89999, 0), 1);
    EXPECT_TRUE(std::isnan(found.values(89999, 1)));
    EXPECT_THAT(found.holdsText, ElementsAre(0, 1));
    EXPECT_EQ(found.lines.back(), 100001U);
}

}  // namespace
}  // namespace glycine::io
