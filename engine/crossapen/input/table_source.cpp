#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/core/matrix.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/input/matrix_source.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::crossapen {

namespace {

constexpr std::string_view kHowToTake = "--keep-time or --channels takes it for a signal";

class TableSource : public MatrixSource {
  public:
    TableSource(const std::filesystem::path& path, const SignalOptions& options) : options_(options) {
        segments.emplace_back();
        name = path.string();
        format = "table";
        io::TableForm form;
        form.header = options.header;
        // A column of samples has no names in front of it; a line of samples may begin with one.
        form.names = options.transpose ? io::TableForm::Names::AllOrNone : io::TableForm::Names::None;
        if (!options.transpose)
            form.mayHoldText = [this](std::string_view title) {
                return isTimeName(title) && !options_.keepTime && !isAskedFor(title);
            };
        io::NumberTable<double> table = io::readDelimitedTable<double>(path, form);
        if (table.hasDecimalCommas) notes.emplace_back("its numbers are read with decimal commas");
        values_ = options.transpose ? std::move(table.values) : transposed(table.values);
        samples_ = values_.columns();
        nameChannels(values_.rows(), options.transpose ? table.rowNames : table.columnNames,
                     options.keepTime);
        if (!options.keepTime) leaveOutTimes(table.holdsText);
    }

  private:
    bool isAskedFor(std::string_view title) const {
        return std::any_of(options_.channels.begin(), options_.channels.end(),
                           [&](const std::string& one) { return lowerCase(one) == lowerCase(title); });
    }

    void leaveOutTimes(const std::vector<char>& holdsText) {
        io::RepeatedNote named, ramps;
        for (std::size_t k = 0; k < channels.size(); ++k) {
            SourceChannel& channel = channels[k];
            if (isAskedFor(channel.name)) continue;
            if (channel.kind == io::ChannelKind::Time) {
                named.add(fmt::format("'{}' is left out, a column of times by its name{}", channel.name,
                                      !holdsText.empty() && holdsText[k] != 0
                                          ? ", and of text"
                                          : fmt::format("; {}", kHowToTake)));
            } else if (const double step = rampStep({values_.row(k), samples_});
                       step != 0 && channel.kind == io::ChannelKind::Signal) {
                channel.kind = io::ChannelKind::Time;
                ramps.add(
                    fmt::format("'{}' is left out: it rises evenly, by {:.6g} a sample, as times and "
                                "counters do; {}",
                                channel.name, step, kHowToTake));
            }
        }
        named.appendTo(notes);
        ramps.appendTo(notes);
    }

    const SignalOptions& options_;
};

}  // namespace

std::unique_ptr<SignalSource> tableSource(const std::filesystem::path& path, const SignalOptions& options) {
    return std::make_unique<TableSource>(path, options);
}

}  // namespace glycine::crossapen
