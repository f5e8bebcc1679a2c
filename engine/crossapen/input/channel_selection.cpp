#include "engine/crossapen/input/channel_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"

namespace glycine::crossapen {

namespace {

/// Without type in front and dots behind.
std::string_view bareName(std::string_view name) {
    const std::string_view type = io::standardSignalType(name);
    if (!type.empty() && name.size() > type.size() + 1) name.remove_prefix(type.size() + 1);
    while (name.size() > 1 && (name.back() == '.' || name.back() == ' ')) name.remove_suffix(1);
    return name;
}

class Selection {
  public:
    Selection(const SignalSource& source, const SignalOptions& options)
        : source_(source), options_(options) {}

    std::vector<std::size_t> choose() {
        requireSignals();
        for (const std::string& type : options_.types) requireType(type);
        if (options_.channels.empty()) addMatching("*");
        for (const std::string& name : options_.channels) addNamed(name);
        for (const std::string& name : options_.excluded) exclude(name);
        if (chosen_.empty())
            throw InputError(
                fmt::format("{}: no channel is left to compute with; the signals of the file are {}",
                            source_.name, quoteNames(names())));
        return chosen_;
    }

  private:
    const SourceChannel& channel(std::size_t k) const { return source_.channels[k]; }

    bool isSignal(std::size_t k) const { return channel(k).kind == io::ChannelKind::Signal; }

    bool hasChosenType(std::size_t k) const {
        return options_.types.empty() ||
               std::any_of(options_.types.begin(), options_.types.end(), [&](const std::string& type) {
                   return lowerCase(type) == lowerCase(channel(k).type);
               });
    }

    /// Of what can be asked for.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const SourceChannel& one : source_.channels)
            if (one.kind != io::ChannelKind::Annotations) all.push_back(one.name);
        return all;
    }

    void requireSignals() const {
        const auto isKind = [&](io::ChannelKind kind) {
            return std::any_of(source_.channels.begin(), source_.channels.end(),
                               [&](const SourceChannel& one) { return one.kind == kind; });
        };
        const bool hasOthers = isKind(io::ChannelKind::Status) || isKind(io::ChannelKind::Time);
        if (isKind(io::ChannelKind::Signal) || (hasOthers && !options_.channels.empty())) return;
        std::string_view found = ", only annotations";
        if (source_.channels.empty()) found = ", no channels at all";
        if (isKind(io::ChannelKind::Status)) found = ", only status channels, which are taken by name";
        if (isKind(io::ChannelKind::Time))
            found = ", only columns of times or counters, which are taken by name or with --keep-time";
        throw InputError(fmt::format("{}: has no signals{}", source_.name, found));
    }

    void requireType(const std::string& type) const {
        std::map<std::string, std::size_t> counts;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (!isSignal(k)) continue;
            if (lowerCase(channel(k).type) == lowerCase(type)) return;
            ++counts[channel(k).type];
        }
        std::string found;
        for (const auto& [name, count] : counts)
            found +=
                fmt::format("{}{} ({})", found.empty() ? "" : ", ", name.empty() ? "no type" : name, count);
        throw InputError(fmt::format(
            "{}: no channel is of the type '{}'; the labels tell these types: {}. A type is a word of EDF+'s "
            "list at the beginning of a label, as in 'EEG Fz'; channels without one are chosen by name",
            source_.name, type, found));
    }

    void add(std::size_t k) {
        if (std::find(chosen_.begin(), chosen_.end(), k) == chosen_.end()) chosen_.push_back(k);
    }

    bool matches(std::string_view pattern, std::size_t k) const {
        return matchesWildcards(pattern, channel(k).name) ||
               matchesWildcards(pattern, bareName(channel(k).name));
    }

    void addMatching(std::string_view pattern) {
        bool isMatched = false;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (!isSignal(k) || !matches(pattern, k)) continue;
            isMatched = true;
            if (hasChosenType(k)) add(k);
        }
        if (!isMatched) refuseName(std::string(pattern));
    }

    [[noreturn]] void refuseName(const std::string& name) const {
        const std::vector<std::string> known = names();
        // Suggestions go by what distinguishes channels.
        std::vector<std::string> bare;
        for (const std::string& one : known) bare.emplace_back(bareName(one));
        std::vector<std::string> near;
        for (const std::string& one : nearestNames(bareName(name), bare)) {
            const auto found =
                static_cast<std::size_t>(std::find(bare.begin(), bare.end(), one) - bare.begin());
            near.push_back(known[found]);
        }
        throw InputError(fmt::format("{}: no {} '{}'; {}", source_.name,
                                     hasWildcard(name) ? "signal matches" : "channel is called", name,
                                     near.empty() || hasWildcard(name) ? "there are: " + quoteNames(known)
                                                                       : "nearest: " + quoteNames(near)));
    }

    /// The channel that answers to `name`, if one does; annotation channels do not count.
    std::optional<std::size_t> find(const std::string& name) const {
        const std::string lower = lowerCase(name), bare = lowerCase(bareName(name));
        std::vector<std::size_t> sameLower, sameBare;
        for (std::size_t k = 0; k < source_.channels.size(); ++k) {
            if (channel(k).kind == io::ChannelKind::Annotations) continue;
            const std::string& own = channel(k).name;
            if (own == name) return k;
            if (lowerCase(own) == lower) sameLower.push_back(k);
            if (lowerCase(bareName(own)) == bare) sameBare.push_back(k);
        }
        const std::vector<std::size_t>& found = sameLower.empty() ? sameBare : sameLower;
        if (found.size() > 1) {
            std::vector<std::string> all;
            for (const std::size_t k : found) all.push_back(channel(k).name);
            throw InputError(
                fmt::format("{}: several channels answer to '{}': {}; expected one of these names",
                            source_.name, name, quoteNames(all)));
        }
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    void addNamed(const std::string& name) {
        if (const std::optional<std::size_t> k = find(name))
            add(*k);
        else if (hasWildcard(name))
            addMatching(name);
        else
            refuseName(name);
    }

    void exclude(const std::string& name) {
        std::set<std::size_t> excluded;
        if (const std::optional<std::size_t> k = find(name)) {
            excluded.insert(*k);
        } else if (hasWildcard(name)) {
            for (std::size_t other = 0; other < source_.channels.size(); ++other)
                if (matches(name, other)) excluded.insert(other);
        }
        if (excluded.empty()) refuseName(name);
        std::erase_if(chosen_, [&](std::size_t k) { return excluded.contains(k); });
    }

    const SignalSource& source_;
    const SignalOptions& options_;
    std::vector<std::size_t> chosen_;
};

}  // namespace

std::vector<std::size_t> selectChannels(const SignalSource& source, const SignalOptions& options) {
    return Selection(source, options).choose();
}

}  // namespace glycine::crossapen
