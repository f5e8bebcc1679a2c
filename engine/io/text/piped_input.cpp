#include "engine/io/text/piped_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/system/machine.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

/// Contents recognised by their first bytes.
struct Beginning {
    std::string_view bytes;
    std::string_view ending;
};
constexpr Beginning kBeginnings[] = {
    {"\x93NUMPY", ".npy"},
    {"PK\x03\x04", ".npz"},
    {"BCF\x02", ".bcf"},
    {"##fileformat=VCF", ".vcf"},
    {">", ".fa"},
    {"0       ", ".edf"},
    {"\xff"
     "BIOSEMI",
     ".bdf"},
    {"HEADER ", ".pdb"},
    {"OBSLTE ", ".pdb"},
    {"TITLE ", ".pdb"},
    {"COMPND ", ".pdb"},
    {"REMARK ", ".pdb"},
    {"CRYST1 ", ".pdb"},
    {"MODEL ", ".pdb"},
    {"ATOM ", ".pdb"},
    {"HETATM", ".pdb"},
    // Others of the title section and below, with two blanks at least: "AUTHOR name" may be a table's titles.
    {"SPLIT  ", ".pdb"},
    {"CAVEAT  ", ".pdb"},
    {"SOURCE  ", ".pdb"},
    {"KEYWDS  ", ".pdb"},
    {"EXPDTA  ", ".pdb"},
    {"NUMMDL  ", ".pdb"},
    {"MDLTYP  ", ".pdb"},
    {"AUTHOR  ", ".pdb"},
    {"REVDAT  ", ".pdb"},
    {"SPRSDE  ", ".pdb"},
    {"JRNL  ", ".pdb"},
    {"DBREF  ", ".pdb"},
    {"SEQADV ", ".pdb"},
    {"SEQRES  ", ".pdb"},
    {"MODRES ", ".pdb"},
    {"HELIX  ", ".pdb"},
    {"SHEET  ", ".pdb"},
    {"SSBOND  ", ".pdb"},
    {"ORIGX1 ", ".pdb"},
    {"SCALE1 ", ".pdb"},
};

bool isText(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    });
}

/// Returns "" if unknown.
std::string_view endingOfUnpacked(std::string_view head) {
    head = withoutByteOrderMark(head);
    for (const Beginning& beginning : kBeginnings)
        if (head.starts_with(beginning.bytes)) return beginning.ending;
    if (!isText(head)) return "";
    if (isMmcifText(head)) {
        // Files of restraints consist of frames, files of coordinates have none.
        if (head.find("\nsave_") == head.npos) return ".cif";
        return head.find("\nsave_nef_") == head.npos ? ".str" : ".nef";
    }
    const std::string_view firstLine = head.substr(0, head.find('\n'));
    return firstLine.find('\t') != std::string_view::npos ? ".tsv" : ".csv";
}

bool isPacked(std::string_view head) {
    return head.starts_with("\x1f\x8b");
}

bool isStandardInput(const std::string& given) {
    return given == "-" || given == "/dev/stdin" || given == "/dev/fd/0" ||
           given == openFilePath(STDIN_FILENO);
}

/// Waits until there are bytes to read, or the end; checks for cancellation between waits.
void waitForBytes(int descriptor) {
    constexpr int kMilliseconds = 200;
    pollfd waiting{descriptor, POLLIN, 0};
    for (;;) {
        throwIfCancellationRequested();
        const int ready = ::poll(&waiting, 1, kMilliseconds);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    }
}

/// Reads the available bytes; returns 0 at the end.
std::size_t readSome(const storage::Descriptor& source, const std::string& name, std::span<char> target) {
    for (;;) {
        waitForBytes(source.number());
        const ssize_t count = ::read(source.number(), target.data(), target.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN)
            throw InputError(storage::systemErrorText(name, "read", errno));
    }
}

/// Copies `text`, followed by the rest of `source`, to a file without a name.
storage::Descriptor copyAll(const storage::Descriptor& source, const std::string& name, std::string text) {
    const fs::path folder = storage::temporaryFolder();
    storage::Descriptor target = storage::createNamelessFile(folder);
    const std::string action = fmt::format("keep a copy of {} in it", name);
    constexpr std::size_t kBuffer = std::size_t{1} << 20;
    BackgroundWork work(fmt::format("reading {}", name), 0);
    while (!text.empty()) {
        storage::writeAll(target, folder, text, action);
        work.advance(static_cast<double>(text.size()));
        text.resize(kBuffer);
        text.resize(readSome(source, name, text));
    }
    return target;
}

}  // namespace

std::string endingOfContents(std::span<const std::byte> head) {
    const std::string_view bytes(reinterpret_cast<const char*>(head.data()), head.size());
    if (!isPacked(bytes)) return std::string(endingOfUnpacked(bytes));
    // Unpack only a little: the head may end in the middle of the packed data.
    std::array<char, 512> unpacked{};
    std::size_t count = 0;
    try {
        TextStream stream(openMemory(head, "head"));
        while (count < unpacked.size()) {
            if (stream.read(std::span(unpacked).subspan(count, 1)) == 0) break;
            ++count;
        }
    } catch (const InputError&) {
        // Use what was unpacked before the error.
    }
    const std::string_view ending = endingOfUnpacked({unpacked.data(), count});
    // BCF is always packed, which its name does not say.
    if (ending.empty() || ending == ".bcf") return std::string(ending);
    return fmt::format("{}.gz", ending);
}

std::string PipedInputs::fileOf(const std::string& given) {
    const bool isStandard = isStandardInput(given);
    struct stat status {};
    if (!isStandard && (::stat(given.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode))) return given;
    const std::string name = isStandard ? "standard input" : given;
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    storage::Descriptor source(isStandard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                          : ::open(given.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!source.isOpen()) throw InputError(storage::systemErrorText(name, "read", errno));
    // Readers reopen a file at its beginning, so bytes already consumed by others would come back.
    const bool isWholeFile = ::fstat(source.number(), &status) == 0 && S_ISREG(status.st_mode) &&
                             ::lseek(source.number(), 0, SEEK_CUR) == 0;

    std::string head(kHeadBytes, '\0');
    std::size_t filled = 0;
    for (std::size_t came = 1; came > 0 && filled < kHeadBytes; filled += came)
        came = readSome(source, name, std::span(head).subspan(filled));
    head.resize(filled);
    if (head.empty()) throw InputError(fmt::format("{}: is empty", name));
    // Trust a name that has an extension.
    const std::string stem = isStandard ? name : given;
    const bool isNamed = fs::path(stem).has_extension();
    const std::string ending = isNamed ? "" : endingOfContents(std::as_bytes(std::span(head)));
    if (ending.empty() && !isNamed)
        throw InputError(
            fmt::format("{}: the contents fit no format that pipes may hold; expected NPY, NPZ, VCF, BCF, "
                        "FASTA, EDF, BDF, PDB, mmCIF or a table as text: give other formats as files",
                        name));
    // Move to the end, as every program that reads its input leaves it.
    if (isWholeFile) (void)::lseek(source.number(), 0, SEEK_END);
    inputs_.emplace_back(stem + ending,
                         isWholeFile ? std::move(source) : copyAll(source, name, std::move(head)));
    return stem + ending;
}

}  // namespace glycine::io
