#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands.hpp"
#include "app/network_outline.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/count_range.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/signal_filters.hpp"
#include "engine/crossapen/input/signal_source.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/io/arrays/hdf5.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/expression/hdf5_matrix.hpp"
#include "engine/io/restraints/restraint_file.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/sequences/variant_calls.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/sequences/files/alignment_reader.hpp"

namespace glycine {

namespace fs = std::filesystem;

namespace {

/// Contents of a file, and the commands that can use it.
struct Content {
    std::string kind;    ///< "recording"
    std::string format;  ///< "EDF+C"
    std::vector<std::string> notes{};
    std::vector<std::string> next{};  ///< suggested commands
    Fields fields{};
    Json json = Json::object();

    /// `key`: "samplingRate"; the printed label is "Sampling rate", followed by `text`.
    void add(std::string_view key, Json value, std::string text) {
        std::string label;
        for (const char c : key) {
            if (c >= 'A' && c <= 'Z') label += ' ';
            label += label.empty() ? static_cast<char>(c - 'a' + 'A') : lowerCase(std::string(1, c))[0];
        }
        fields.emplace_back(std::move(label), std::move(text));
        json[std::string(key)] = std::move(value);
    }
    void add(std::string_view key, std::size_t count) { add(key, count, formatCount(count)); }
    /// Adds a list of names; the printed report shows only the first ones.
    void addNames(std::string_view key, const std::vector<std::string>& names) {
        constexpr std::size_t kShown = 8;
        const std::size_t shown = std::min(kShown, names.size());
        std::string text =
            fmt::format("{}: {}", formatCount(names.size()),
                        fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
        if (shown < names.size()) text += ", …";
        add(key, names, names.empty() ? "none" : text);
    }
    /// Adds a count for each name, in order.
    void addCounts(std::string_view key, const std::vector<std::pair<std::string, std::size_t>>& counts) {
        std::vector<std::string> words;
        Json each = Json::object();
        for (const auto& [name, count] : counts) {
            words.push_back(fmt::format("{} ({})", name, formatCount(count)));
            each[name] = count;
        }
        add(key, std::move(each), fmt::format("{}", fmt::join(words, ", ")));
    }
};

/// Counts names in the order of first occurrence.
class Tally {
  public:
    void add(const std::string& name) {
        const auto [place, isNew] = places_.emplace(name, counts_.size());
        if (isNew) counts_.emplace_back(name, 0);
        ++counts_[place->second].second;
    }
    const std::vector<std::pair<std::string, std::size_t>>& counts() const { return counts_; }

  private:
    std::map<std::string, std::size_t> places_;
    std::vector<std::pair<std::string, std::size_t>> counts_;
};

/// "Commands that read it"; FILE is replaced by the file's name.
std::vector<std::string> commandsFor(const fs::path& path, std::initializer_list<std::string_view> commands) {
    std::vector<std::string> result;
    for (const std::string_view command : commands) {
        std::string text(command);
        text.replace(text.find("FILE"), 4, path.string());
        result.push_back("glycine " + text);
    }
    return result;
}

/// Whether `distance` reads a file of this name.
bool isForDistance(const fs::path& path) {
    try {
        distance::inputFamily(path);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

/// The command for signals whose longest stretch without gaps has `samples` samples: one epoch if it is
/// shorter than the usual epoch, nothing if it is too short for any.
std::vector<std::string> entropiesFor(const fs::path& path, std::size_t samples) {
    if (samples < crossapen::MatchRule{}.m + 2) return {};
    std::string command = "crossapen FILE -o entropies.npz -o entropies.png";
    if (samples < crossapen::SignalOptions{}.epochSamples) command += fmt::format(" --epoch {}", samples);
    return commandsFor(path, {command});
}

/// The columns of a table as signals; absent if crossapen cannot read them, or would take a column of row
/// names for a signal. `columns`: columns that are no row names.
std::unique_ptr<crossapen::SignalSource> signalsIn(const fs::path& path, std::size_t columns) {
    try {
        auto source = crossapen::openSignals(path, {});
        const auto isSignal = [](const auto& one) { return one.kind == io::ChannelKind::Signal; };
        const bool isOfNames = source->channels.size() > columns && isSignal(source->channels.front());
        if (source->format != "table" || isOfNames || std::ranges::none_of(source->channels, isSignal))
            return nullptr;
        return source;
    } catch (const InputError&) {
        return nullptr;
    }
}

/// The commands for a recording: one rate for all channels, an epoch that fits, and a band below half of the
/// rate. None if the longest segment is too short for any epoch, or no rate suits all channels.
std::vector<std::string> commandsForRecording(const fs::path& path, const crossapen::SignalSource& source) {
    std::vector<std::size_t> signals;
    std::map<double, std::size_t> channelsOf;  // by rate
    for (std::size_t c = 0; c < source.channels.size(); ++c) {
        if (source.channels[c].kind != io::ChannelKind::Signal) continue;
        signals.push_back(c);
        ++channelsOf[source.channels[c].samplingRate];
    }
    if (signals.empty()) return {};
    // The rate of most channels; the higher one of two.
    const double rate = std::ranges::max_element(channelsOf, {}, [](const auto& one) {
                            return std::pair(one.second, one.first);
                        })->first;
    const double least = channelsOf.begin()->first, most = channelsOf.rbegin()->first;
    constexpr double kLargestChange = 1000;
    if (least < most && (least <= 0 || rate / least > kLargestChange || most / rate > kLargestChange))
        return {};
    std::size_t longest = 0;
    for (std::size_t s = 0; s < source.segments.size(); ++s) {
        double samples = INFINITY;
        for (const std::size_t c : signals) {
            const double own = source.channels[c].samplingRate;
            samples =
                std::min(samples, static_cast<double>(source.sampleCount(s, c)) * (own > 0 ? rate / own : 1));
        }
        longest = std::max(longest, static_cast<std::size_t>(samples));
    }
    std::vector<std::string> commands = entropiesFor(path, longest);
    constexpr crossapen::FrequencyBand kBand{0.5, 40};
    constexpr double kLowestRate = 100;
    if (rate >= kLowestRate && longest >= std::max(crossapen::SignalOptions{}.epochSamples,
                                                   crossapen::BandPass::tapsOf(kBand, rate)))
        commands.push_back(commandsFor(path, {"crossapen FILE -o entropies.csv --measure crosssampen --band "
                                              "0.5-40"})[0]);
    if (least < most)
        for (std::string& command : commands) command += fmt::format(" --resample {}", rate);
    return commands;
}

Content recording(const fs::path& path) {
    const auto source = crossapen::openSignals(path, {});
    Content content{"recording", source->format, source->notes};
    Tally types, texts;
    std::vector<std::string> names;
    std::set<double> rates;
    double seconds = 0;
    std::size_t samples = 0;
    for (std::size_t c = 0; c < source->channels.size(); ++c) {
        const crossapen::SourceChannel& channel = source->channels[c];
        if (channel.kind != io::ChannelKind::Signal) continue;
        names.push_back(channel.name);
        types.add(channel.type.empty() ? "no type" : channel.type);
        rates.insert(channel.samplingRate);
        std::size_t own = 0;
        for (std::size_t s = 0; s < source->segments.size(); ++s) own += source->sampleCount(s, c);
        samples = std::max(samples, own);
        if (channel.samplingRate > 0)
            seconds = std::max(seconds, static_cast<double>(own) / channel.samplingRate);
    }
    for (const io::RecordingAnnotation& annotation : source->annotations) texts.add(annotation.text);
    content.addNames("channels", names);
    if (!texts.counts().empty()) content.addCounts("annotations", texts.counts());
    if (names.empty()) return content;
    content.addCounts("types", types.counts());
    content.add("samplingRates", rates,
                rates == std::set<double>{0} ? "not in the file: give --rate HZ"
                                             : fmt::format("{} Hz", fmt::join(rates, ", ")));
    content.add("samples", samples,
                fmt::format("{}{} a channel", rates.size() > 1 ? "up to " : "", formatCount(samples)));
    if (seconds > 0) content.add("duration", seconds, formatSeconds(seconds));
    content.add("segments", source->segments.size());
    content.next = commandsForRecording(path, *source);
    return content;
}

std::vector<std::string> commandsForGenotypes(const fs::path& path) {
    return commandsFor(path, {"distance FILE -o distances.tsv -o distances.png --order cluster",
                              "distance FILE -o cohort.relatives.tsv --measure king"});
}

Content plink(const fs::path& path) {
    fs::path bed = path;
    if (path.extension() == ".bim" || path.extension() == ".fam") bed.replace_extension(".bed");
    Content content{"genotypes", "PLINK 1"};
    Tally chromosomes, sexes;
    std::size_t variants = 0, founders = 0;
    std::vector<std::string> names;
    const io::PlinkFiles files =
        io::openPlinkFiles(io::plinkPaths(bed), [&](std::size_t, const io::PlinkVariant& variant) {
            ++variants;
            chromosomes.add(variant.chromosome);
        });
    for (const io::PlinkSample& sample : files.samples) {
        names.push_back(sample.id);
        founders += sample.isFounder() ? 1 : 0;
        sexes.add(sample.sex == "1" ? "male" : sample.sex == "2" ? "female" : "unknown");
    }
    content.addNames("samples", names);
    content.addCounts("sexes", sexes.counts());
    content.add("founders", founders);
    content.add("variants", variants);
    content.addCounts("chromosomes", chromosomes.counts());
    content.next = commandsForGenotypes(bed);
    return content;
}

Content calls(const fs::path& path) {
    Tally chromosomes;
    io::CallOptions reading;
    reading.anyAlleles = true;
    reading.keeps = [&](std::string_view chromosome, std::int64_t, std::string_view, const auto&) {
        chromosomes.add(std::string(chromosome));
        return true;
    };
    const io::VariantCalls read = io::readVariantCalls(path, reading);
    Content content{"genotypes", withoutPacking(path.string()).ends_with(".bcf") ? "BCF" : "VCF"};
    content.addNames("samples", read.samples);
    content.add("sites", read.sites);
    content.add("multiAllelicSites", read.symbolSites.size() + read.multiAllelic);
    content.addCounts("chromosomes", chromosomes.counts());
    content.next = commandsForGenotypes(path);
    return content;
}

Content structure(const fs::path& path) {
    const io::Structure read = io::readStructure(path);
    const bool isCif = withoutPacking(lowerCase(path.string())).ends_with("cif");
    Content content{"structure", isCif ? "mmCIF" : "PDB"};
    std::vector<std::pair<std::string, std::size_t>> chains;
    std::string last;
    std::size_t hydrogens = 0;
    for (const io::StructureAtom& atom : read.atoms) {
        hydrogens += atom.isHydrogen() ? 1 : 0;
        if (chains.empty() || chains.back().first != atom.chain) {
            chains.emplace_back(atom.chain, 0);
            last.clear();
        }
        if (atom.residueNumber == last) continue;
        last = atom.residueNumber;
        ++chains.back().second;
    }
    content.add("models", read.models.size());
    content.addCounts("residuesOfChains", chains);
    content.add(
        "atoms", read.atoms.size(),
        fmt::format("{}, of which {} are hydrogens", formatCount(read.atoms.size()), formatCount(hydrogens)));
    content.json["hydrogens"] = hydrogens;
    content.next = commandsFor(path, {"view FILE", "bounds FILE -o bounds.npz -o bounds.png",
                                      "bounds restraints.upl --topology FILE -o bounds.npz",
                                      "fold restraints.nef --reference FILE -o models.pdb"});
    return content;
}

Content restraints(const fs::path& path) {
    const io::RestraintFile read = io::readRestraintFile(path);
    Content content{"restraints", std::string(io::describe(read.format)), read.notes};
    const auto ambiguous = static_cast<std::size_t>(std::ranges::count_if(
        read.distances, [](const io::StatedDistance& one) { return one.alternatives.size() > 1; }));
    content.add(
        "distances", read.distances.size(),
        formatCount(read.distances.size()) +
            (ambiguous > 0 ? fmt::format(", of which {} are ambiguous", formatCount(ambiguous)) : ""));
    content.json["ambiguousDistances"] = ambiguous;
    content.add("torsionAngles", read.dihedrals.size());
    if (!read.sequence.empty()) {
        Tally chains;
        for (const io::StatedResidue& residue : read.sequence) chains.add(residue.chain);
        content.addCounts("residuesOfChains", chains.counts());
    }
    const bool hasOwn = !read.sequence.empty();
    content.next =
        hasOwn ? commandsFor(path, {"fold FILE -o models.pdb -o models.png", "bounds FILE -o bounds.npz"})
               : commandsFor(path, {"fold FILE --sequence protein.fa -o models.pdb",
                                    "bounds FILE --sequence protein.fa -o bounds.npz"});
    return content;
}

Content sequences(const fs::path& path) {
    const ReadSequences read = readUnaligned(path, {.fewest = 1});
    const auto [shortest, longest] = std::ranges::minmax(read.sequences.letters, {}, &std::string::size);
    Content content{"sequences", "FASTA", read.notes};
    content.addNames("sequences", read.sequences.names);
    content.add("alphabet", toString(read.sequences.alphabet),
                std::string(toString(read.sequences.alphabet)));
    content.add("letters", Json{shortest.size(), longest.size()},
                formatCounts(shortest.size(), longest.size()));
    content.next =
        commandsFor(path, {"align FILE -o aligned.fa -o aligned.html", "pairwise FILE -o distances.tsv"});
    return content;
}

Content alignment(const fs::path& path) {
    const ReadAlignment read = readAlignment(path, {});
    Content content{"alignment", std::string(toString(read.format)), read.notes};
    const MultipleAlignment& rows = read.alignment;
    std::size_t gaps = 0;
    for (const std::string& row : rows.rows) gaps += static_cast<std::size_t>(std::ranges::count(row, '-'));
    const double share = static_cast<double>(gaps) / static_cast<double>(rows.size() * rows.columns());
    content.addNames("sequences", rows.names);
    content.add("alphabet", toString(rows.alphabet), std::string(toString(rows.alphabet)));
    content.add("columns", rows.columns());
    content.add("gaps", share, formatShare(share, 1));
    content.next = commandsFor(path, {"tree FILE -o tree.nwk --bootstrap 100"});
    if (isForDistance(path))
        content.next.push_back(commandsFor(path, {"distance FILE -o differences.tsv"})[0]);
    content.next.push_back(commandsFor(path, {"align new.fa --to FILE -o larger.fa"})[0]);
    return content;
}

/// A FASTA file counts as aligned if its rows have equal lengths and contain a gap.
Content sequencesOrAlignment(const fs::path& path) {
    const auto format = formatOfFile(path);
    if (!format)
        throw InputError(fmt::format(
            "{}: the contents fit no format of sequences; expected FASTA, Clustal, PHYLIP, Stockholm or MSF",
            path.string()));
    if (*format != AlignmentFormat::Fasta) return alignment(path);
    const ReadSequences read = readSequences(path, {.areAligned = false, .fewest = 1});
    try {
        Content aligned = alignment(path);
        if (aligned.json["gaps"] > 0 || read.sequences.size() > 1) return aligned;
    } catch (const InputError&) {
        // Rows of different lengths are unaligned sequences.
    }
    return sequences(path);
}

Content tree(const fs::path& path) {
    const io::NamedTree read = io::readNewick(path);
    Content content{"tree", "Newick"};
    const auto leaves = static_cast<long>(read.tree.leaves);
    content.addNames("leaves", {read.labels.begin(), read.labels.begin() + leaves});
    content.add("branchLengths", read.hasLengths, read.hasLengths ? "yes" : "no");
    content.next = commandsFor(path, {"align sequences.fa -o aligned.fa --stage progressive --tree-in FILE"});
    return content;
}

std::vector<std::string> commandsForMatrices(const fs::path& path) {
    return commandsFor(path, {"tree FILE -o tree.nwk", "network FILE --matrix -o net.tsv"});
}

/// PLINK's matrix of pairs as text: the names are in a file of their own.
Content plinkMatrix(const fs::path& names) {
    Content content{"matrix of pairs", "PLINK"};
    std::vector<std::string> instances;
    io::visitDelimitedRows(
        *io::openText(names),
        [&](const io::DelimitedRow& row) { instances.emplace_back(row[row.size() - 1]); },
        [](std::string_view line) { return line.starts_with('#'); });
    content.addNames("instances", instances);
    content.notes.emplace_back(
        "no command reads it; glycine distance also writes .npy and .phy, for glycine tree and others");
    return content;
}

/// A matrix of values of all pairs: symmetric, with one name per row and column.
Content matrix(const fs::path& path) {
    if (const fs::path names = path.string() + ".id"; fs::exists(names)) return plinkMatrix(names);
    const pairs::MatrixReader reader(path);
    Content content{"matrix of pairs", path.extension().string().substr(1)};
    content.addNames("instances", reader.head().names);
    content.next = commandsForMatrices(path);
    return content;
}

Content expression(const fs::path& path, const io::ExpressionTable& table, std::string format) {
    Content content{"table of numbers", std::move(format), table.notes};
    double least = INFINITY, most = -INFINITY;
    for (std::size_t k = 0; k < table.values.size(); ++k) {
        if (std::isnan(table.values.data()[k])) continue;
        least = std::min(least, table.values.data()[k]);
        most = std::max(most, table.values.data()[k]);
    }
    content.addNames("rows", table.genes);
    content.addNames("columns", table.samples);
    if (least <= most)
        content.add("values", Json{least, most},
                    fmt::format("{} to {}", formatNumber(least), formatNumber(most)));
    content.add("missing", table.missing);
    if (const auto signals = signalsIn(path, table.samples.size())) {
        content.next = entropiesFor(path, signals->sampleCount(0, 0));
        for (const std::string& note : signals->notes) content.notes.push_back("as signals: " + note);
    }
    std::ranges::move(commandsFor(path, {"network FILE -o net.tsv", "mutualinfo FILE -o mi.npy -o mi.png"}),
                      std::back_inserter(content.next));
    if (isForDistance(path))
        content.next.push_back(
            commandsFor(path, {"distance FILE -o distances.tsv --measure correlation"})[0]);
    return content;
}

bool isSymmetric(const Matrix<double>& values) {
    if (values.rows() != values.columns()) return false;
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!(values(i, j) == values(j, i) || (std::isnan(values(i, j)) && std::isnan(values(j, i)))))
                return false;
    return true;
}

/// "tsv" of "x.tsv.gz".
std::string formatOfTable(const fs::path& path) {
    return fs::path(withoutPacking(path.string())).extension().string().substr(1);
}

/// Whether `distance --measure king` writes such a table of pairs.
bool isOfRelatives(const fs::path& path) {
    const std::string name = lowerCase(path.string());
    return withoutPacking(name).ends_with(".kin0") || withoutPacking(name).ends_with(".relatives.tsv");
}

/// A table of names and words, with titles in its first line.
Content wordTable(const fs::path& path, const io::ColumnTable& words) {
    const std::vector<std::string>& titles = words.titles;
    Content content{"table of words", formatOfTable(path)};
    content.addNames("columns", titles);
    content.add("lines", words.rows.size());
    if (isOfRelatives(path))
        content.notes.emplace_back(
            "pairs of relatives, which no command reads; all kinships as a matrix: glycine distance "
            "cohort.bed -o kinships.npy --measure king");
    if (words.column("file") < titles.size() && words.column("group") < titles.size())
        content.next = {"glycine crossapen *.edf -o OUT --groups " + path.string()};
    else if (titles.size() >= 2 && !titles.front().starts_with('#') && !isOfRelatives(path))
        content.next = {"glycine network expression.tsv -o net.tsv --gold " + path.string()};
    if (titles.size() == 2)
        content.next.push_back("glycine distance cohort.bed -o map.png --groups " + path.string());
    return content;
}

Content kinshipTable(const fs::path& path) {
    return wordTable(path, io::readColumnTable(*io::openText(path)));
}

/// A text table: restraints, a matrix of pairs, a table of numbers, or otherwise names and words.
Content table(const fs::path& path) {
    const std::string format = formatOfTable(path);
    std::optional<Content> ofWords;
    try {
        const io::ColumnTable words = io::readColumnTable(*io::openText(path));
        ofWords = wordTable(path, words);
        if (words.column("lower") < words.titles.size() && words.column("upper") < words.titles.size() &&
            io::isRestraintFile(path))
            return restraints(path);
    } catch (const InputError&) {
        // If it is no table of numbers either, that reader's message is the one that is shown.
    }
    try {
        io::ExpressionReading reading;
        reading.duplicates = io::DuplicateRule::MaxVariance;
        const io::ExpressionTable numbers = io::readExpression(path, reading);
        if (numbers.genes == numbers.samples && isSymmetric(numbers.values)) {
            Content content{"matrix of pairs", format, numbers.notes};
            content.addNames("instances", numbers.genes);
            content.next = commandsForMatrices(path);
            return content;
        }
        return expression(path, numbers, format);
    } catch (const InputError&) {
        if (!ofWords) throw;
    }
    return *std::move(ofWords);
}

Content hdf5(const fs::path& path) {
    const io::ExpressionFamily family = io::expressionFamily(path);
    const auto opened = io::openHdf5(path);
    const io::Hdf5File& file = *opened;
    const std::vector<std::string> matrices = io::matricesOf(file);
    const bool isLoom = lowerCase(path.extension().string()) == ".loom";
    Content content{"arrays", isLoom ? "Loom" : family.name == "anndata" ? "AnnData" : "HDF5"};
    Json json = Json::object();
    std::vector<std::string> words;
    for (const std::string& name : matrices) {
        const io::Hdf5Matrix one(file, name);
        words.push_back(fmt::format("{} ({} × {}, {})", name, formatCount(one.rows()),
                                    formatCount(one.columns()), one.form()));
        json[name] = {one.rows(), one.columns()};
    }
    content.add("matrices", std::move(json), fmt::format("{}", fmt::join(words, ", ")));
    try {
        const io::MatrixNames names = io::namesOfHdf5(file);
        if (!names.genes.empty()) content.addNames("genes", names.genes);
        if (!names.samples.empty()) content.addNames("samples", names.samples);
    } catch (const InputError& error) {
        content.notes.emplace_back(error.what());
        return content;
    }
    content.next = family.name == "anndata" || matrices.size() < 2
                       ? commandsFor(path, {"network FILE -o net.tsv", "mutualinfo FILE -o mi.npy"})
                       : commandsFor(path, {"network FILE -o net.tsv --dataset " + matrices.front()});
    return content;
}

/// The command for an archive of signals; none if crossapen would refuse it.
std::vector<std::string> commandsForSignals(const fs::path& path) {
    try {
        const auto source = crossapen::openSignals(path, {});
        return commandsForRecording(path, *source);
    } catch (const InputError&) {
        return {};
    }
}

Content arrays(const fs::path& path) {
    Content content{"arrays", lowerCase(path.extension().string()).substr(1)};
    Json json = Json::object();
    std::vector<std::string> words;
    bool hasMatrix = false;
    const auto add = [&](const std::string& name, io::ByteSource& source) {
        const io::NpyHeader header = io::readNpyHeader(source);
        hasMatrix |= header.shape.size() > 1 && header.kind != io::NpyKind::Text;
        words.push_back(fmt::format("{}{}{}", name.empty() ? "" : name + ": ", fmt::join(header.shape, " × "),
                                    header.shape.empty() ? header.dtype : ", " + header.dtype));
        json[name.empty() ? "array" : name] = {{"shape", header.shape}, {"dtype", header.dtype}};
        return header;
    };
    if (content.format == "npy") {
        const auto source = io::openFile(path);
        const io::NpyHeader header = add("", *source);
        const bool isSquare = header.shape.size() == 2 && header.shape[0] == header.shape[1];
        if (isSquare && fs::exists(io::npyNamesFile(path)))
            content.next = commandsForMatrices(path);
        else if (hasMatrix && header.shape.size() == 2)
            content.next = commandsFor(path, {"distance FILE -o distances.tsv", "network FILE -o net.tsv",
                                              "crossapen FILE -o entropies.npz --rate 250"});
    } else {
        const io::NpzReader reader(path);
        for (const std::string& name : reader.names()) add(name, *reader.open(name));
        const auto hasAll = [&](std::initializer_list<const char*> names) {
            return std::ranges::all_of(names, [&](const char* name) { return reader.contains(name); });
        };
        if (reader.contains("upper"))
            content.next = commandsFor(path, {"bounds FILE -o smoothed.npz -o smoothed.png"});
        else if (reader.contains("values"))
            content.next = commandsForMatrices(path);
        else if (hasAll({"confidence", "columns", "names"}))
            content.notes.emplace_back(
                "confidence of an alignment (align -o FILE.confidence.npz), which no command reads");
        else if (hasAll({"channels", "epoch_numbers", "parameters"}))
            content.notes.emplace_back("entropies of a recording (crossapen), which no command reads");
        else if (hasMatrix)
            content.next = commandsForSignals(path);
    }
    content.add("arrays", std::move(json), fmt::format("{}", fmt::join(words, "\n")));
    return content;
}

/// A network in a file for other programs.
Content network(const fs::path& path) {
    const NetworkOutline outline = outlineOfNetwork(path);
    Content content{"network", outline.format};
    content.add("nodes", outline.nodes);
    content.add("edges", outline.edges);
    content.notes.emplace_back(
        "for other programs, no command reads it; glycine network and distance --clusters also write "
        ".tsv and pictures");
    return content;
}

Content report(const fs::path& path) {
    const auto text = io::openText(path);
    std::string all, piece(1 << 16, '\0');
    for (std::size_t count = 0; (count = text->read(piece)) > 0;) all.append(piece, 0, count);
    const Json json = readJson(all, path.string(), "a report of this program");
    if (!json.is_object() || !json.contains("command"))
        throw InputError(fmt::format("{}: JSON, but no report of this program", path.string()));
    Content content{"report", "JSON"};
    content.add("command", json["command"], json["command"].get<std::string>());
    if (json["command"] == "study")
        content.next = commandsFor(path, {"report FILE other.json -o comparison"});
    return content;
}

/// File kinds by extension, also compressed if the reader decompresses. The first row with a matching
/// extension applies.
struct Kind {
    std::string_view endings;
    Content (*look)(const fs::path&);
};
constexpr Kind kKinds[] = {
    {".bed .bim .fam", plink},
    {".vcf .bcf", calls},
    {".pdb .ent .cif .mmcif", structure},
    {".nef .str .tbl .mr .upl .lol .aco .bounds", restraints},
    {".edf .bdf .vhdr .vmrk .eeg .fif .set", recording},
    {".nwk .tree .dnd .ph .newick", tree},
    {".dist .dst .mdist .mibs .rel", matrix},
    {".h5ad .h5 .hdf5 .loom", hdf5},
    {".npy .npz", arrays},
    {".tsv .csv .txt .exp", table},
    {".kin0", kinshipTable},
    {".sif .adj .graphml", network},
    {".json", report},
    {".fa .fasta .fas .fna .faa .afa .aln .clustal .phy .phylip .sto .stk .stockholm .msf",
     sequencesOrAlignment}};

Content look(const fs::path& path) {
    if (fs::is_directory(path))
        throw InputError(fmt::format("{} is a folder; name files in it", path.string()));
    if (fs::is_regular_file(path) && fs::file_size(path) == 0)
        throw InputError(fmt::format("{}: is empty", path.string()));
    const std::string ending = fs::path(withoutPacking(lowerCase(path.string()))).extension().string();
    for (const Kind& kind : kKinds)
        if (!ending.empty() &&
            (" " + std::string(kind.endings) + " ").find(" " + ending + " ") != std::string::npos)
            return kind.look(path);
    if (fs::exists(io::plinkPaths(path).bed)) return plink(path);
    if (ending == ".pgen" || ending == ".pvar" || ending == ".psam") distance::inputFamily(path);  // refuses
    // Otherwise, the contents decide.
    io::openFile(path);
    for (const auto& one : {sequencesOrAlignment, recording}) {
        try {
            if (Content content = one(path); content.format != "table") return content;
        } catch (const InputError&) {
            // Not this kind.
        }
    }
    std::vector<std::string_view> known;
    for (const Kind& kind : kKinds) known.push_back(kind.endings);
    throw InputError(fmt::format("{}: neither the ending nor the contents fit a known format; known: {}",
                                 path.string(), fmt::join(known, " ")));
}

int inspect(CommandContext& context, const std::vector<std::string>& files, bool asJson) {
    Json all = Json::array();
    for (const std::string& file : files) {
        Content content = look(file);
        if (asJson) {
            Json one{{"file", file}, {"kind", content.kind}, {"format", content.format}};
            one.update(content.json);
            one["notes"] = content.notes;
            one["next"] = content.next;
            all.push_back(std::move(one));
            continue;
        }
        Fields fields{{"File", file}, {"Kind", fmt::format("{} ({})", content.kind, content.format)}};
        std::ranges::move(content.fields, std::back_inserter(fields));
        for (std::size_t k = 0; k < content.notes.size(); ++k)
            fields.emplace_back(k == 0 ? "Note" : "", content.notes[k]);
        for (std::size_t k = 0; k < content.next.size(); ++k)
            fields.emplace_back(k == 0 ? "Next" : "", content.next[k]);
        if (file != files.front()) context.out() << '\n';
        printFields(context.out(), fields, terminalWidth());
    }
    if (asJson) printJson(context.out(), {{"command", "inspect"}, {"files", std::move(all)}});
    return 0;
}

}  // namespace

CommandAction declareInspect(Options& options) {
    struct InspectOptions {
        std::vector<std::string> files;
        bool json = false;
    };
    auto given = std::make_shared<InspectOptions>();
    options.value("FILE", given->files, "Files of any kind that a command reads").required();
    addJsonOption(options, given->json, "Print everything as one JSON object");
    options.footer(
        "Examples:\n"
        "  glycine inspect recording.edf\n"
        "  glycine inspect cohort.bed expression.tsv.gz family.fa --json");
    return [given](CommandContext& context) { return inspect(context, given->files, given->json); };
}

}  // namespace glycine
