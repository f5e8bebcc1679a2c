#include <algorithm>

#include "engine/io/restraints/restraint_formats.hpp"

/// Parses `assign` statements of X-PLOR and CNS: A. T. Brünger, "X-PLOR Version 3.1" (1992), chapters 2.15
/// (selections) and 18 (distance restraints).
namespace glycine::io {

namespace {

constexpr std::size_t kMaxSelections = 4096;

struct Token {
    std::string text;
    std::size_t line = 0;
    bool isQuoted = false;
    bool startsLine = false;
    bool is(std::string_view word) const { return !isQuoted && lowerCase(text) == word; }
    /// Words may be abbreviated to four letters.
    bool isWord(std::string_view word) const {
        return !isQuoted && text.size() >= std::min<std::size_t>(4, word.size()) &&
               word.starts_with(lowerCase(text));
    }
};

class XplorParser {
  public:
    XplorParser(std::string_view text, RestraintFile& file) : file_(file) { tokenize(text); }

    void parse() {
        while (next_ < tokens_.size()) {
            if (peek().isWord("assign"))
                parseAssign();
            else
                passOther();
        }
        const auto note = [this](std::size_t count, std::size_t line, std::string_view what) {
            if (count > 0)
                file_.notes.push_back(fmt::format("{} {}, the first in line {}", count, what, line));
        };
        note(otherLines_, firstOther_, "lines of other text");
        note(otherKinds_, firstKind_, "assign statements of neither distances nor torsion angles");
    }

  private:
    void tokenize(std::string_view text) {
        std::size_t line = 1, depth = 0, opened = 0;
        bool startsLine = true;
        for (std::size_t i = 0; i < text.size();) {
            const char c = text[i];
            if (c == '\n') {
                ++line, ++i;
                startsLine = true;
            } else if (depth > 0 || c == '{') {
                if (c == '{' && depth++ == 0) opened = line;
                if (c == '}') --depth;
                ++i;
            } else if (c == '!') {
                while (i < text.size() && text[i] != '\n') ++i;
            } else if (static_cast<unsigned char>(c) <= ' ') {
                ++i;
            } else if (c == '"') {
                const std::size_t end = text.find_first_of("\"\n", i + 1);
                if (end == std::string_view::npos || text[end] == '\n')
                    failAt(file_, line, "a quote is not closed in its line");
                std::string_view inside = text.substr(i + 1, end - i - 1);
                while (inside.starts_with(' ')) inside.remove_prefix(1);
                while (inside.ends_with(' ')) inside.remove_suffix(1);
                tokens_.push_back({std::string(inside), line, true, std::exchange(startsLine, false)});
                i = end + 1;
            } else {
                std::size_t end = i + 1;
                if (c != '(' && c != ')')
                    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' &&
                           std::string_view("(){}!\"").find(text[end]) == std::string_view::npos)
                        ++end;
                tokens_.push_back(
                    {std::string(text.substr(i, end - i)), line, false, std::exchange(startsLine, false)});
                i = end;
            }
        }
        if (depth > 0) failAt(file_, opened, "a comment '{' is not closed");
        lastLine_ = line;
    }

    const Token& peek() const { return tokens_[next_]; }
    bool atEnd() const { return next_ >= tokens_.size(); }
    bool atParenthesis() const { return !atEnd() && peek().is("("); }
    const Token& take(std::string_view expected) {
        if (atEnd())
            failAt(file_, tokens_.empty() ? lastLine_ : tokens_.back().line,
                   fmt::format("the file ends where {} should follow", expected));
        return tokens_[next_++];
    }
    void takeExactly(std::string_view text) {
        const Token& token = take(fmt::format("'{}'", text));
        if (!token.is(text))
            failAt(file_, token.line, fmt::format("'{}' where '{}' should stand", excerpt(token.text), text));
    }

    /// Skips headers and control statements line by line, since they have no grammar here. A selection among
    /// them belongs to no statement and is an error.
    void passOther() {
        const Token& first = peek();
        if (!first.startsLine || first.is("(") || first.is("or"))
            failAt(file_, first.line, fmt::format("'{}' where 'assign' should stand", excerpt(first.text)));
        if (otherLines_++ == 0) firstOther_ = first.line;
        const std::size_t line = first.line;
        for (; !atEnd() && peek().line == line; ++next_)
            if (peek().isWord("residue") && next_ > 0 && tokens_[next_ - 1].is("("))
                failAt(file_, line, fmt::format("'{}' where 'assign' should stand", excerpt(first.text)));
    }

    static void restrict(AtomSelection& target, const AtomSelection& by, bool& isEmpty) {
        const auto merge = [&isEmpty](auto& into, const auto& from, bool isGiven, bool isSet) {
            if (!isGiven) return;
            if (isSet && into != from) isEmpty = true;
            into = from;
        };
        merge(target.chain, by.chain, by.chain.has_value(), target.chain.has_value());
        merge(target.residue, by.residue, by.residue.has_value(), target.residue.has_value());
        merge(target.residueName, by.residueName, !by.residueName.empty(), !target.residueName.empty());
        merge(target.atom, by.atom, !by.atom.empty(), !target.atom.empty());
    }

    AtomSet parseFactor() {
        const Token& token = take("a selection");
        if (token.is("(")) {
            AtomSet inside = parseSelection();
            takeExactly(")");
            return inside;
        }
        AtomSet set(1);
        AtomSelection& one = set.front();
        if (token.isWord("residue") || token.is("resi") || token.is("resid")) {
            const Token& value = take("a residue number");
            const std::size_t colon = value.text.find(':');
            const int first = residueAt(file_, value.line, std::string_view(value.text).substr(0, colon));
            int last = first;
            if (colon != std::string::npos)
                last = residueAt(file_, value.line, std::string_view(value.text).substr(colon + 1));
            if (last < first || static_cast<long>(last) - first >= static_cast<long>(kMaxSelections))
                failAt(file_, value.line,
                       fmt::format("residues '{}'; expected first:last", excerpt(value.text)));
            set.clear();
            for (int number = first; number <= last; ++number) set.push_back({.residue = number});
        } else if (token.is("resn") || token.isWord("resname")) {
            one.residueName = take("a residue name").text;
        } else if (token.is("name")) {
            one.atom = take("an atom name").text;
        } else if (token.isWord("segid")) {
            const std::string& segment = take("a segment").text;
            if (segment != "*") one.chain = segment;
        } else if (token.is("atom")) {
            const std::string& segment = take("a segment").text;
            if (segment != "*") one.chain = segment;
            const Token& number = take("a residue number");
            one.residue = residueAt(file_, number.line, number.text);
            one.atom = take("an atom name").text;
        } else if (!token.is("all")) {
            failAt(file_, token.line,
                   fmt::format("the selection says '{}'; expected segid, resid, resn, name, atom or all, "
                               "joined by and, or",
                               excerpt(token.text)));
        }
        return set;
    }

    AtomSet parseTerm() {
        AtomSet set = parseFactor();
        while (!atEnd() && peek().is("and")) {
            const std::size_t line = tokens_[next_++].line;
            const AtomSet with = parseFactor();
            if (set.size() * with.size() > kMaxSelections)
                failAt(file_, line, "the selection has too many cases");
            AtomSet both;
            for (const AtomSelection& a : set)
                for (const AtomSelection& b : with) {
                    AtomSelection merged = a;
                    bool isEmpty = false;
                    restrict(merged, b, isEmpty);
                    if (!isEmpty) both.push_back(std::move(merged));
                }
            if (both.empty()) failAt(file_, line, "the selection contradicts itself: no atom is in it");
            set = std::move(both);
        }
        return set;
    }

    AtomSet parseSelection() {
        if (++depth_ > 64) failAt(file_, tokens_[next_ - 1].line, "more than 64 nested parentheses");
        AtomSet set = parseTerm();
        while (!atEnd() && peek().is("or")) {
            ++next_;
            AtomSet more = parseTerm();
            if (set.size() + more.size() > kMaxSelections)
                failAt(file_, tokens_[next_ - 1].line, "the selection has too many cases");
            set.insert(set.end(), more.begin(), more.end());
        }
        --depth_;
        return set;
    }
    AtomSet parseParenthesis() {
        takeExactly("(");
        AtomSet set = parseSelection();
        takeExactly(")");
        return set;
    }

    std::vector<std::string> takeNumbers() {
        std::vector<std::string> numbers;
        while (!atEnd() && !peek().isQuoted && asNumber<double>(peek().text))
            numbers.push_back(tokens_[next_++].text);
        return numbers;
    }

    void parseAssign() {
        const Token& assign = tokens_[next_++];
        const std::size_t line = assign.line;
        std::vector<AtomSet> selections;
        while (atParenthesis()) selections.push_back(parseParenthesis());
        std::vector<std::pair<AtomSet, AtomSet>> more;
        const auto parseAlternatives = [&] {
            while (!atEnd() && peek().is("or")) {
                ++next_;
                AtomSet first = parseParenthesis();
                more.emplace_back(std::move(first), parseParenthesis());
            }
        };
        parseAlternatives();
        const std::vector<std::string> numbers = takeNumbers();
        // ARIA's "weight 1.0", "peak 12": words with a number each.
        while (!atEnd() && !peek().startsLine && !peek().isQuoted &&
               asNumber<double>(peek().text) == std::nullopt && !peek().isWord("assign") &&
               !peek().is("or") && !peek().is("(") && !peek().is(")")) {
            ++next_;
            takeNumbers();
        }
        parseAlternatives();
        if (!atEnd() && !peek().isWord("assign") && !peek().startsLine)
            failAt(file_, peek().line,
                   fmt::format("'{}' after the assign statement of line {}", excerpt(peek().text), line));

        const std::string id = fmt::format("{}", ++statements_);
        if (selections.size() == 2) {
            if (numbers.size() < 3)
                failAt(file_, line,
                       fmt::format("the statement has {} numbers; expected distance, minus and plus",
                                   numbers.size()));
            StatedDistance stated{.id = id, .line = line, .alternatives = {}};
            stated.alternatives.emplace_back(std::move(selections[0]), std::move(selections[1]));
            for (auto& pair : more) stated.alternatives.push_back(std::move(pair));
            const double distance = distanceAt(file_, line, "the distance", numbers[0]);
            stated.lower = std::max(0.0, distance - distanceAt(file_, line, "minus", numbers[1]));
            stated.upper = distance + distanceAt(file_, line, "plus", numbers[2]);
            file_.distances.push_back(std::move(stated));
        } else if (selections.size() == 4) {
            if (numbers.size() < 3)
                failAt(file_, line,
                       fmt::format("the statement has {} numbers; expected weight, angle and range",
                                   numbers.size()));
            StatedDihedral stated{.id = id, .line = line, .atoms = {}, .angle = {}};
            for (std::size_t a = 0; a < 4; ++a) {
                if (selections[a].size() != 1)
                    failAt(file_, line, "an end of a torsion angle is several atoms; expected one each");
                stated.atoms[a] = std::move(selections[a].front());
            }
            const double angle = degreesAt(file_, line, "the angle", numbers[1]);
            const double range = std::abs(degreesAt(file_, line, "the range", numbers[2]));
            stated.lower = angle - range;
            stated.upper = angle + range;
            file_.dihedrals.push_back(std::move(stated));
        } else if (selections.size() < 2) {
            failAt(file_, line,
                   fmt::format(
                       "assign with {} selections; expected two for a distance, four for a torsion angle",
                       selections.size()));
        } else if (otherKinds_++ == 0) {
            firstKind_ = line;
        }
    }

    RestraintFile& file_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    std::size_t lastLine_ = 1;
    std::size_t depth_ = 0;
    std::size_t statements_ = 0;
    std::size_t otherLines_ = 0, firstOther_ = 0;
    std::size_t otherKinds_ = 0, firstKind_ = 0;
};

}  // namespace

void parseXplor(std::string_view text, RestraintFile& file) {
    XplorParser(text, file).parse();
}

}  // namespace glycine::io
