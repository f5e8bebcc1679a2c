#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "engine/core/error.hpp"
#include "engine/io/text/delimited_table.hpp"

/// Any text either gives a table whose names fit its values, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    using Names = io::TableForm::Names;
    // The length selects the form of the header, so that one execution reads the bytes once.
    const std::optional<bool> headers[] = {std::nullopt, true, false};
    const Names names[] = {Names::FindOut, Names::None, Names::AllOrNone};
    const io::TableForm form{.header = headers[size % 3], .names = names[size / 3 % 3]};
    try {
        io::TextStream stream(io::openMemory(std::as_bytes(std::span(data, size)), "fuzz"));
        const io::DelimitedTable table = io::readDelimitedTable(stream, form);
        const auto fits = [](std::size_t names, std::size_t count) { return names == 0 || names == count; };
        if (table.values.empty() || table.lines.size() != table.values.rows() ||
            !fits(table.rowNames.size(), table.values.rows()) ||
            !fits(table.columnNames.size(), table.values.columns()))
            std::abort();
        (void)table.place(table.values.rows() - 1, table.values.columns() - 1);
    } catch (const InputError&) {
    }
    return 0;
}
