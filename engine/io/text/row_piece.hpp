#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/core/quantity.hpp"
#include "engine/io/text/short_number.hpp"
#include "engine/io/text/table_entry.hpp"

namespace glycine::io {

/// Shape of all rows, which the first row determines.
struct RowShape {
    std::size_t width = 0;  ///< fields per row
    bool hasNames = false;
    std::size_t firstValue = 0;  ///< its column
    bool namesAreText = false;
    std::vector<char> mayHoldText;  ///< one per field; empty if none may
};

/// The rows of a piece of text, which one thread parses. Takes only lines without any fault, each of which is
/// a row by itself: TableBuilder, which reads the others, has the messages. Its memory is used again for the
/// next text.
template <class T>
class RowPiece {
  public:
    /// A decimal mark, found for the first time.
    struct Mark {
        std::size_t line = 0;  ///< from 0, of the piece
        std::size_t column = 0;
        std::string_view field;
    };

    RowPiece(const RowShape& shape, char separator, char lineEnd,
             const std::function<bool(std::string_view)>& isComment)
        : shape_(&shape), separator_(separator), lineEnd_(lineEnd), isComment_(&isComment) {}

    /// Parses whole lines, up to the first one that is not taken.
    void parse(std::string_view text) {
        clear();
        hasQuotes_ = text.find('"') != std::string_view::npos;
        hasReturns_ = text.find('\r') != std::string_view::npos;
        const std::size_t columns = this->columns();
        // A field that is not empty takes two characters at least.
        reserve(text.size() / 2 + columns);
        while (!text.empty()) {
            const std::size_t end = text.find(lineEnd_);
            const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
            if ((!*isComment_ || !(*isComment_)(line)) && !isBlankLine(line)) {
                reserve((rows() + 1) * columns);
                if (!parseLine(line, values_.get() + rows() * columns)) {
                    isWhole_ = false;
                    return;
                }
                lines_.push_back(lineCount_);
            }
            ++lineCount_;
            bytes_ += line.size();
            text.remove_prefix(line.size());
        }
    }

    /// Whether all lines were taken.
    bool isWhole() const { return isWhole_; }
    /// Bytes and lines taken.
    std::size_t bytes() const { return bytes_; }
    std::size_t lineCount() const { return lineCount_; }
    std::size_t rows() const { return lines_.size(); }
    const T* row(std::size_t index) const { return values_.get() + index * columns(); }
    /// Line of each row, from 0, of the piece.
    const std::vector<std::size_t>& lines() const { return lines_; }
    std::vector<std::string>& names() { return names_; }
    /// One per field, if some may hold text.
    const std::vector<char>& holdsText() const { return holdsText_; }
    const std::optional<Mark>& comma() const { return comma_; }
    const std::optional<Mark>& point() const { return point_; }

  private:
    std::size_t columns() const { return shape_->width - shape_->firstValue; }

    void clear() {
        isWhole_ = true;
        bytes_ = lineCount_ = 0;
        lines_.clear();
        names_.clear();
        holdsText_.clear();
        comma_.reset();
        point_.reset();
    }

    /// Makes room for `count` values; keeps those of rows().
    void reserve(std::size_t count) {
        if (count <= capacity_) return;
        const std::size_t capacity = std::max(count, 2 * capacity_);
        std::unique_ptr<T[]> larger = std::make_unique_for_overwrite<T[]>(capacity);
        std::copy_n(values_.get(), rows() * columns(), larger.get());
        values_ = std::move(larger);
        capacity_ = capacity;
    }

    bool isSpace(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
    static bool isEnd(char c) { return c == '\n' || c == '\r'; }

    bool isBlankLine(std::string_view line) const {
        return std::all_of(line.begin(), line.end(), [&](char c) { return isSpace(c) || isEnd(c); });
    }

    bool parseLine(std::string_view line, T* values) {
        while (!line.empty() && isEnd(line.back())) line.remove_suffix(1);
        if (hasReturns_ && line.find_first_of("\r\n") != std::string_view::npos) return false;
        std::string_view name;
        const char* place = line.data();
        const char* const end = place + line.size();
        for (std::size_t k = 0;; ++k) {
            while (place < end && isSpace(*place)) ++place;
            if (k == shape_->width) return false;
            if (k >= shape_->firstValue) {
                if (!parseValue(place, end, k, values[k - shape_->firstValue])) return false;
            } else {
                std::string_view field;
                if (!takeField(place, end, field)) return false;
                if (k == 0) name = field;
            }
            if (place == end) {
                if (k + 1 != shape_->width) return false;
                break;
            }
            ++place;  // the separator
        }
        if (comma_ && point_) return false;
        if (!shape_->hasNames) return true;
        if (shape_->namesAreText && EntryParser<T>::parse(name, separator_).kind != EntryKind::Other)
            return false;
        names_.emplace_back(name);
        return true;
    }

    /// Moves `place` past the field, to the separator or the end; returns false for quotes inside it.
    bool takeField(const char*& place, const char* end, std::string_view& field) const {
        const char* stop = std::find(place, end, separator_);
        const char* begin = place;
        if (hasQuotes_) {
            const char* const quote = std::find(place, stop, '"');
            if (quote == place && place < end) {
                const char* const close = std::find(place + 1, end, '"');
                if (close == end) return false;
                field = {place + 1, static_cast<std::size_t>(close - place - 1)};
                for (place = close + 1; place < end && isSpace(*place);) ++place;
                return place == end || *place == separator_;
            }
            if (quote != stop) return false;
        }
        place = stop;
        while (stop > begin && isSpace(stop[-1])) --stop;
        field = {begin, static_cast<std::size_t>(stop - begin)};
        return true;
    }

    bool parseValue(const char*& place, const char* end, std::size_t k, T& value) {
        // Genotypes are digits.
        if (place < end && *place >= '0' && *place <= '9' && (place + 1 == end || place[1] == separator_)) {
            value = static_cast<T>(*place - '0');
            ++place;
            return true;
        }
        // The usual case otherwise: a number up to the separator, without its end being searched for before.
        bool hasPoint = false;
        const char* const shortEnd = parseShortNumber(place, end, value, hasPoint);
        if (shortEnd != nullptr && (shortEnd == end || *shortEnd == separator_)) {
            if (hasPoint && !point_)
                point_ = Mark{lineCount_, k, {place, static_cast<std::size_t>(shortEnd - place)}};
            place = shortEnd;
            return true;
        }
        if (place < end && (*place == '-' || (*place >= '0' && *place <= '9'))) {
            const auto [stop, error] = std::from_chars(place, end, value);
            const std::string_view field(place, static_cast<std::size_t>(stop - place));
            if (error == std::errc{} && (stop == end || *stop == separator_) &&
                !isRoundedWholeNumber(field, value)) {
                if (!point_ && field.find('.') != std::string_view::npos) point_ = Mark{lineCount_, k, field};
                place = stop;
                return true;
            }
        }
        std::string_view field;
        if (!takeField(place, end, field)) return false;
        const Entry<T> entry = EntryParser<T>::parse(field, separator_);
        value = entry.value;
        if (entry.kind == EntryKind::Number) {
            if (!comma_ && EntryParser<T>::hasComma(field, separator_)) comma_ = Mark{lineCount_, k, field};
            if (!point_ && field.find('.') != std::string_view::npos) point_ = Mark{lineCount_, k, field};
        } else if (entry.kind != EntryKind::Missing) {
            if (shape_->mayHoldText.empty() || shape_->mayHoldText[k] == 0) return false;
            holdsText_.resize(shape_->width);
            if (entry.kind != EntryKind::Rounded) holdsText_[k] = 1;
        }
        return true;
    }

    const RowShape* shape_;
    char separator_;
    char lineEnd_;
    const std::function<bool(std::string_view)>* isComment_;
    bool hasQuotes_ = false;
    bool hasReturns_ = false;
    bool isWhole_ = true;
    std::size_t bytes_ = 0;
    std::size_t lineCount_ = 0;
    std::unique_ptr<T[]> values_;
    std::size_t capacity_ = 0;  ///< of values_
    std::vector<std::size_t> lines_;
    std::vector<std::string> names_;
    std::vector<char> holdsText_;
    std::optional<Mark> comma_, point_;
};

}  // namespace glycine::io
