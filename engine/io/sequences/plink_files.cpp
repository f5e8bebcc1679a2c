#include "engine/io/sequences/plink_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <unordered_map>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

constexpr std::array<std::uint8_t, 3> kVariantMajor{0x6c, 0x1b, 0x01};
constexpr std::array<std::uint8_t, 3> kIndividualMajor{0x6c, 0x1b, 0x00};
constexpr std::size_t kColumns = 6;
using Columns = std::array<std::string_view, kColumns>;

/// An object, since searches do not inline a function that they are given.
constexpr auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };

/// Format of the lines of a file.
struct LineForm {
    std::string_view columns;  ///< column names, for messages
    bool mayHaveMore = false;  ///< further columns are ignored
};

/// Calls use(line number, columns) for every non-empty line, with its first six columns.
template <class Use>
void forEachLine(std::string_view text, const std::string& name, const LineForm& form, const Use& use) {
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        ++number;
        Columns columns;
        std::size_t count = 0;
        for (;;) {
            line.remove_prefix(
                static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), isBlank) - line.begin()));
            if (line.empty()) break;
            const auto end =
                static_cast<std::size_t>(std::find_if(line.begin(), line.end(), isBlank) - line.begin());
            if (count < kColumns) columns[count] = line.substr(0, end);
            ++count;
            line.remove_prefix(end);
        }
        if (count == 0) continue;
        if (count < kColumns || (count > kColumns && !form.mayHaveMore))
            throw InputError(fmt::format("{}: line {} has {} columns; expected {}{}: {}", name, number, count,
                                         kColumns, form.mayHaveMore ? " or more" : "", form.columns));
        use(number, columns);
    }
}

template <class Number>
std::optional<Number> parseAs(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> parseDistance(std::string_view text) {
    const std::optional<double> value = parseAs<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Parses an integer, including ones written as real numbers ("1e+05").
std::optional<std::int64_t> parsePosition(std::string_view text) {
    if (const std::optional<std::int64_t> whole = parseAs<std::int64_t>(text)) return whole;
    const std::optional<double> real = parseDistance(text);
    constexpr double kLargest = 0x1p53;  // doubles are exact for integers up to this
    if (!real || *real != std::trunc(*real) || std::abs(*real) > kLargest) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

template <class Number>
Number require(const std::optional<Number>& value, const std::string& name, std::size_t line,
               std::string_view found, std::string_view expected) {
    if (!value)
        throw InputError(
            fmt::format("{}: line {}: '{}' was found; expected {}", name, line, excerpt(found), expected));
    return *value;
}

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <std::size_t count>
bool startsWith(std::span<const std::byte> bytes, const std::array<std::uint8_t, count>& magic) {
    return bytes.size() >= count && std::memcmp(bytes.data(), magic.data(), count) == 0;
}

[[noreturn]] void refuseMagic(std::span<const std::byte> bytes, const std::string& name) {
    if (startsWith(bytes, kIndividualMajor))
        throw InputError(
            fmt::format("{}: is in individual-major order (it begins 6c 1b 00); expected variant-major order "
                        "(6c 1b 01), as `plink --make-bed` writes it",
                        name));
    if (startsWith(bytes, std::array<std::uint8_t, 2>{0x1f, 0x8b}))
        throw InputError(
            fmt::format("{}: is packed by gzip and cannot be mapped; unpack it first (gunzip)", name));
    std::string found = "nothing";
    if (!bytes.empty()) {
        found.clear();
        for (const std::byte byte : bytes.first(std::min(bytes.size(), kVariantMajor.size())))
            found += fmt::format("{}{:02x}", found.empty() ? "" : " ", static_cast<unsigned>(byte));
    }
    throw InputError(fmt::format("{}: begins with {}; expected 6c 1b 01, a PLINK 1 .bed file", name, found));
}

/// A file that is written in large pieces.
class BufferedFile {
  public:
    explicit BufferedFile(const std::filesystem::path& path) : file_(path) {}
    void write(std::string_view bytes) {
        buffer_ += bytes;
        if (buffer_.size() >= kPieceBytes) flush();
    }
    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }
    void commit() { file_.commit(); }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    storage::AtomicFile file_;
    std::string buffer_;
};

/// A column that is empty or contains a blank would be read as another number of columns.
void requireWords(const std::filesystem::path& path, std::size_t line,
                  std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns)
        if (column.empty() || column.find_first_of(" \t\r\n") != std::string_view::npos)
            throw InputError(fmt::format("{}: cannot write '{}' in line {}: expected a name without blanks",
                                         path.string(), excerpt(column), line + 1));
}

}  // namespace

PlinkPaths plinkPaths(const std::filesystem::path& bedOrPrefix) {
    const std::string name = bedOrPrefix.string();
    const std::string prefix = name.substr(0, name.size() - bedOrPrefix.extension().string().size());
    if (bedOrPrefix.extension() == ".bed") return {name, prefix + ".bim", prefix + ".fam"};
    if (bedOrPrefix.extension() == ".BED") return {name, prefix + ".BIM", prefix + ".FAM"};
    return {name + ".bed", name + ".bim", name + ".fam"};
}

std::vector<PlinkSample> parseFam(std::string_view text, const std::string& name) {
    std::vector<PlinkSample> samples;
    std::unordered_map<std::string, std::size_t> lines;
    forEachLine(text, name, {"family, individual, father, mother, sex, phenotype", true},
                [&](std::size_t line, const Columns& columns) {
                    const auto word = [&](std::size_t k) { return std::string(columns[k]); };
                    samples.push_back({word(0), word(1), word(2), word(3), word(4), word(5)});
                    const auto [first, isNew] = lines.emplace(word(0) + '\t' + word(1), line);
                    if (!isNew)
                        throw InputError(
                            fmt::format("{}: line {}: the sample '{} {}' (family, individual) is already on "
                                        "line {}; expected each once",
                                        name, line, excerpt(columns[0]), excerpt(columns[1]), first->second));
                });
    if (samples.empty()) throw InputError(fmt::format("{}: has no samples; expected one a line", name));
    return samples;
}

std::size_t parseBim(std::string_view text, const std::string& name, const PlinkVariantVisitor& visit) {
    std::size_t count = 0;
    PlinkVariant variant;
    forEachLine(text, name, {"chromosome, identifier, centimorgans, base pairs, allele 1, allele 2", false},
                [&](std::size_t line, const Columns& columns) {
                    variant.chromosome = columns[0];
                    variant.id = columns[1];
                    variant.centimorgans = require(parseDistance(columns[2]), name, line, columns[2],
                                                   "a distance in centimorgans");
                    variant.position = require(parsePosition(columns[3]), name, line, columns[3],
                                               "a position in base pairs");
                    variant.allele1 = columns[4];
                    variant.allele2 = columns[5];
                    visit(count++, variant);
                });
    return count;
}

std::span<const std::byte> checkBed(std::span<const std::byte> bytes, const PlinkPaths& paths,
                                    std::size_t samples, std::size_t variants) {
    const std::string name = paths.bed.string();
    if (!startsWith(bytes, kVariantMajor)) refuseMagic(bytes, name);
    const std::size_t bytesPerVariant = PackedGenotypes::bytesFor(samples);
    const std::size_t genotypeBytes = bytes.size() - kVariantMajor.size();
    if (genotypeBytes / bytesPerVariant != variants || genotypeBytes % bytesPerVariant != 0)
        throw InputError(fmt::format(
            "{}: has {} bytes; expected 3 + {} × {} = {}: {} variants ({}) of {} bytes each for {} samples "
            "({})",
            name, bytes.size(), variants, bytesPerVariant, kVariantMajor.size() + variants * bytesPerVariant,
            variants, paths.bim.filename().string(), bytesPerVariant, samples,
            paths.fam.filename().string()));
    return bytes.subspan(kVariantMajor.size());
}

PlinkFiles openPlinkFiles(const PlinkPaths& paths, const PlinkVariantVisitor& visit) {
    const auto bed = std::make_shared<const storage::MappedFile>(paths.bed);
    // Recognise files of another kind by their first bytes, before missing companion files are reported.
    if (!startsWith(bed->bytes(), kVariantMajor)) refuseMagic(bed->bytes(), paths.bed.string());
    PlinkFiles files;
    const storage::MappedFile fam(paths.fam);
    files.samples = parseFam(withoutByteOrderMark(asText(fam.bytes())), paths.fam.string());
    fam.requireUnchanged();
    const storage::MappedFile bim(paths.bim);
    const std::size_t variants =
        parseBim(withoutByteOrderMark(asText(bim.bytes())), paths.bim.string(), visit);
    bim.requireUnchanged();
    const std::span<const std::byte> genotypes =
        checkBed(bed->bytes(), paths, files.samples.size(), variants);
    files.genotypes = {files.samples.size(), variants,
                       reinterpret_cast<const std::uint8_t*>(genotypes.data()), bed,
                       [bed] { bed->requireUnchanged(); }};
    return files;
}

void writePlinkFiles(const PlinkPaths& paths, std::span<const PlinkSample> samples, std::size_t variants,
                     const PlinkVariantSource& source) {
    BufferedFile bed(paths.bed);
    BufferedFile bim(paths.bim);
    BufferedFile fam(paths.fam);
    for (const PlinkSample& sample : samples) {
        requireWords(
            paths.fam, static_cast<std::size_t>(&sample - samples.data()),
            {sample.familyId, sample.id, sample.father, sample.mother, sample.sex, sample.phenotype});
        fam.write(fmt::format("{} {} {} {} {} {}\n", sample.familyId, sample.id, sample.father, sample.mother,
                              sample.sex, sample.phenotype));
    }
    bed.write("\x6c\x1b\x01");
    std::vector<std::uint8_t> copies(samples.size());
    std::string packed(PackedGenotypes::bytesFor(samples.size()), '\0');
    for (std::size_t k = 0; k < variants; ++k) {
        const PlinkVariant variant = source(k, copies);
        requireWords(paths.bim, k, {variant.chromosome, variant.id, variant.allele1, variant.allele2});
        bim.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", variant.chromosome, variant.id,
                              variant.centimorgans, variant.position, variant.allele1, variant.allele2));
        packGenotypes(copies, reinterpret_cast<std::uint8_t*>(packed.data()));
        bed.write(packed);
    }
    for (BufferedFile* file : {&bed, &bim, &fam}) file->flush();
    // Commit the genotypes last: a set without them cannot be mistaken for a complete one.
    fam.commit();
    bim.commit();
    bed.commit();
}

}  // namespace glycine::io
