#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glycine::io {

/// The whole numbers in the tables of an mmCIF file, checked one value after the other while it is parsed. A
/// parser that adds up digits without looking takes a number with too many of them for another number.
///
/// Of `_atom_site`: residue and model numbers, formal charges, and what is not used here but converted,
/// serial numbers and TLS groups. Everything else passes.
class AtomSiteNumbers {
  public:
    /// `file` is named in messages; it must outlive this.
    explicit AtomSiteNumbers(const std::string& file) : file_(file) {}

    /// A loop, or a tag with its value, begins.
    void beginTable();
    /// The table's next column: "_atom_site.id", in letters of any case.
    void addColumn(std::string_view tag);
    /// The next value, row by row, as it is written there, which begins in `line` (counted from 1).
    /// Throws InputError, naming line and column, for a number that is none, or beyond ±2147483647.
    void checkNext(std::string_view value, std::size_t line);

  private:
    enum class Kind {
        Other,
        Whole,    ///< or unknown
        Residue,  ///< the same, with an insertion code behind it in old files
        Label,    ///< any text; digits that it begins with are converted
    };
    struct Column {
        std::string tag;
        Kind kind = Kind::Other;
    };
    static Kind kindOf(std::string_view tag);

    const std::string& file_;
    std::vector<Column> columns_;
    std::size_t next_ = 0;
};

}  // namespace glycine::io
