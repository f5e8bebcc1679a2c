#include "engine/study/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/core/embedded_files.hpp"

namespace glycine::study {

namespace {

/// Reads a figure at one scale, with the members that its file shares among figures.
class FigureReader {
  public:
    FigureReader(const Json& file, const Json& figure, Scale scale) : json_(file), scale_(scale) {
        json_.erase("figures");
        for (const auto& [name, value] : figure.items())
            if ((name == "texts" || name == "tables") && json_.contains(name))
                json_[name].update(value);
            else
                json_[name] = value;
        const Json texts = json_.value("texts", Json::object());
        for (const auto& [name, value] : texts.items()) texts_[name] = expanded(value, {});
    }

    std::string text(const char* name, const char* otherwise = "") const {
        return json_.contains(name) ? expanded(json_[name], texts_).get<std::string>() : otherwise;
    }
    Json list(const char* name) const { return expanded(json_.value(name, Json::array()), texts_); }
    std::vector<PublishedRow> rows() const {
        std::vector<PublishedRow> all;
        for (const Json& row : list("rows")) all.push_back(rowOf(withDefaults("row", row)));
        return all;
    }
    std::vector<Claim> claims() const {
        std::vector<Claim> all;
        for (const Json& claim : list("claims")) all.push_back(claimOf(withDefaults("claim", claim)));
        return all;
    }
    /// Rows of a table, keyed by column.
    std::vector<Json> table(const Json& which) const {
        std::vector<Json> rows;
        if (which.is_object()) {
            for (const auto& [column, values] : which.items())
                for (const Json& value : values) rows.push_back({{column, value}});
            return rows;
        }
        const Json& table = json_.at("tables").at(which.get<std::string>());
        const Json quick = scale_ == Scale::Quick ? table.value("quick", Json()) : Json();
        const Json& values = quick.is_array() ? quick : table.at("rows");
        const std::size_t count = quick.is_number() ? quick.get<std::size_t>() : values.size();
        for (std::size_t i = 0; i < count; ++i) {
            Json& row = rows.emplace_back(Json::object());
            for (std::size_t k = 0; k < table.at("columns").size(); ++k)
                row[table["columns"][k].get<std::string>()] = values[i].at(k);
        }
        return rows;
    }

  private:
    using Bindings = std::map<std::string, Json, std::less<>>;

    /// `json` with bindings substituted and the scale selected.
    Json expanded(const Json& json, const Bindings& bindings) const {
        if (json.is_string()) return replaced(json.get<std::string>(), bindings);
        if (json.is_object() && json.contains("quick") && json.contains("published"))
            return expanded(json[scaleName_], bindings);
        if (json.is_object()) {
            Json result = Json::object();
            for (const auto& [name, value] : json.items()) result[name] = expanded(value, bindings);
            if (const auto index = bindings.find("i"); index != bindings.end()) result["i"] = index->second;
            return result;
        }
        if (!json.is_array()) return json;
        Json result = Json::array();
        for (const Json& element : json) {
            if (element.is_object() && element.value("scale", scaleName_) != scaleName_) continue;
            if (!element.is_object() || !element.contains("for")) {
                result.push_back(expanded(element, bindings));
                continue;
            }
            std::size_t index = 0;
            for (const Json& row : table(element["for"])) {
                Bindings inner = bindings;
                if (element["for"] == "inputs") inner["i"] = index++;
                for (const auto& [column, value] : row.items()) inner[column] = value;
                for (Json& one : expanded(element.at("each"), inner)) result.push_back(std::move(one));
            }
        }
        return result;
    }

    /// Returns the bound value itself for "{name}", and otherwise text.
    static Json replaced(const std::string& text, const Bindings& bindings) {
        std::string result;
        std::size_t done = 0;
        for (std::size_t begin = text.find('{'); begin != std::string::npos; begin = text.find('{', done)) {
            const std::size_t end = text.find('}', begin);
            const Json& value = bindings.at(text.substr(begin + 1, end - begin - 1));
            if (begin == 0 && end + 1 == text.size()) return value;
            result.append(text, done, begin - done);
            result += value.is_string() ? value.get<std::string>() : value.dump();
            done = end + 1;
        }
        return result + text.substr(done);
    }

    Json withDefaults(const char* name, const Json& own) const {
        Json all = expanded(json_.value(name, Json::object()), texts_);
        all.update(own);
        return all;
    }

    PublishedRow rowOf(const Json& json) const {
        // "cuda shifted" means a backend and one of its variants.
        const auto use = json.at("use").get<std::string>();
        const std::size_t space = use.find(' ');
        PublishedRow row;
        row.method = json.value("method", use);
        row.problem = json.value("i", std::size_t{0}) * json_.value("problemsAnInput", std::size_t{1}) +
                      json.value("problem", std::size_t{0});
        row.configuration = {use.substr(0, space), use.substr(space + 1), {}, json.at("format")};
        row.threads = json.value("threads", 0);
        row.stage = json.value("stage", "");
        row.key = json.value("key", row.stage.empty() ? row.method : row.method + " " + row.stage);
        row.paperSeconds = json.value("seconds", 0.0);
        if (json.contains("milliseconds")) {
            const Json& parts = json["milliseconds"];
            for (const Json& part : parts.is_array() ? parts : Json::array({parts}))
                row.paperSeconds += part.get<double>() / 1e3;
        }
        row.paperWork = json.value("work", 0.0);
        row.standsFor = json.value("standsFor", "");
        row.over = json.value("over", "");
        row.paperFactor = json.value("factor", 0.0);
        return row;
    }

    static Claim claimOf(const Json& json) {
        const auto ratioOf = [&json](const Json& rows) {
            return Ratio{rows.at(0).get<std::string>(), rows.at(1).get<std::string>(),
                         json.value("perWork", false)};
        };
        Claim claim{json.at("text"), json.at("place"), {}, json.at("paper")};
        if (json.contains("ratio"))
            claim.quantity = ratioOf(json["ratio"]);
        else if (json.contains("growth"))
            claim.quantity = Growth{ratioOf(json["growth"].at(0)), ratioOf(json["growth"].at(1))};
        else if (json.contains("exponent"))
            claim.quantity = Exponent{json["exponent"], json.at("dimension")};
        else if (json.contains("score"))
            claim.quantity = ScoreRatio{json["score"], json.at("rows"), json.at("others")};
        else if (json.contains("fact"))
            claim.quantity = Fact{json["fact"]};
        else if (json.contains("printed")) {
            Printed printed;
            for (const Json& one : json["printed"])
                printed.shares.push_back(one.at(0).get<double>() / one.at(1).get<double>() /
                                         one.at(2).get<double>());
            claim.quantity = std::move(printed);
        } else
            claim.quantity = Seconds{json.at("seconds")};
        if (json.contains("low")) claim.low = json["low"].get<double>();
        if (json.contains("high")) claim.high = json["high"].get<double>();
        if (json.contains("around")) {
            const auto middle = json["around"].at(0).get<double>(), half = json["around"].at(1).get<double>();
            claim.low = middle - half;
            claim.high = middle + half;
        }
        claim.otherwise = json.value("otherwise", "");
        claim.column = json.value("column", "");
        return claim;
    }

    Json json_;
    Scale scale_;
    std::string scaleName_ = std::string(toString(scale_));
    Bindings texts_;
};

}  // namespace

PublishedData::PublishedData(std::string_view name)
    : json_(Json::parse(embeddedResources().at(fmt::format("published/{}.json", name)))) {}

std::vector<PublishedFigure> PublishedData::figures() const {
    std::vector<PublishedFigure> all;
    for (const Json& figure : json_.at("figures")) {
        const FigureReader published(json_, figure, Scale::Published);
        PublishedFigure& one = all.emplace_back();
        one.id = published.text("id");
        one.title = published.text("title");
        one.source = published.text("source");
        one.about = published.text("about");
        one.quick = published.text("quick");
        one.sizeLabel = published.text("sizeLabel");
        one.rateUnit = published.text("rateUnit", "G/s");
        one.rows = [file = json_, figure](Scale scale) { return FigureReader(file, figure, scale).rows(); };
        one.claims = [file = json_, figure](Scale scale) {
            return FigureReader(file, figure, scale).claims();
        };
        one.charts = [file = json_, figure](Scale scale) {
            return FigureReader(file, figure, scale).list("charts");
        };
        for (const Json& claim : published.list("untested"))
            one.untested.emplace_back(claim.at(0), claim.at(1));
    }
    return all;
}

std::vector<Json> PublishedData::inputs(std::string_view figure, Scale scale) const {
    for (const Json& one : json_.at("figures"))
        if (one.at("id") == figure) return FigureReader(json_, one, scale).table("inputs");
    return {};
}

}  // namespace glycine::study
