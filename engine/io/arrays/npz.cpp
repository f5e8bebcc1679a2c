#include "engine/io/arrays/npz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/stored_zip.hpp"
#include "engine/io/text/deflate.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kSuffix = ".npy";

/// A member that is read through libzip, or unpacked whole as soon as a large piece of it is wanted.
class ZipMember : public ByteSource {
  public:
    ZipMember(zip_t* archive, zip_uint64_t index, std::string path, std::string member, std::string name)
        : path_(std::move(path)), member_(std::move(member)), index_(index), name_(std::move(name)) {
        zip_stat_t status;
        if (zip_stat_index(archive, index, 0, &status) != 0) fail(zip_strerror(archive));
        size_ = status.size;
        // Deflated data cannot unpack to more; a larger size would only make us reserve memory.
        constexpr std::uint64_t kLargestDeflateRatio = 1032;
        if (status.comp_method == ZIP_CM_DEFLATE && size_ / kLargestDeflateRatio > status.comp_size)
            fail(fmt::format("{} bytes cannot unpack to {}", status.comp_size, size_));
        if (status.comp_method == ZIP_CM_STORE && size_ != status.comp_size)
            fail(fmt::format("stored as {} bytes, yet {} long", status.comp_size, size_));
        file_ = zip_fopen_index(archive, index, 0);
        if (file_ == nullptr) fail(zip_strerror(archive));
        work_ = BackgroundWork(fmt::format("reading {}", name_), static_cast<double>(size_));
        constexpr zip_uint64_t kKnown = ZIP_STAT_CRC | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
        if (status.comp_method == ZIP_CM_DEFLATE && (status.valid & kKnown) == kKnown &&
            status.encryption_method == ZIP_EM_NONE && size_ <= kLargestWhole &&
            status.comp_size <= kLargestWhole)
            whenWhole_ = DeflatedSize{.packed = status.comp_size, .size = size_, .crc = status.crc};
    }
    ZipMember(const ZipMember&) = delete;
    ZipMember& operator=(const ZipMember&) = delete;
    ~ZipMember() override { zip_fclose(file_); }

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    std::size_t read(std::span<std::byte> target) override {
        // Headers are read in small pieces, sometimes nothing else.
        constexpr std::size_t kLarge = std::size_t{64} << 10;
        if (whenWhole_ && target.size() >= kLarge) {
            whole_ = unpackDeflatedMember(path_, index_, member_, *whenWhole_);
            whenWhole_.reset();
        }
        if (whole_ != nullptr) return copy(target);
        std::size_t filled = 0;
        while (filled < target.size()) {
            const std::size_t count = readSome(target.subspan(filled));
            if (count == 0) break;
            filled += count;
            work_.advance(static_cast<double>(count));
        }
        position_ += filled;
        // libzip compares the CRC-32 when a read goes past the end.
        std::byte beyond;
        if (position_ == size_ && readSome({&beyond, 1}) != 0)
            fail(fmt::format("longer than its {} bytes", size_));
        return filled;
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("{}: {}", name_, what));
    }
    [[noreturn]] void failDamaged(std::string_view what) const {
        fail(fmt::format("damaged or truncated at byte {}: {}", position_, what));
    }
    std::size_t copy(std::span<std::byte> target) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(target.size(), size_ - position_));
        std::copy_n(whole_->data() + position_, count, target.begin());
        position_ += count;
        work_.advance(static_cast<double>(count));
        return count;
    }
    std::size_t readSome(std::span<std::byte> target) {
        // Bytes read between two checks for cancellation.
        constexpr std::size_t kLargestRead = std::size_t{16} << 20;
        const zip_int64_t count = zip_fread(file_, target.data(), std::min(target.size(), kLargestRead));
        if (count < 0) failDamaged(zip_file_strerror(file_));
        return static_cast<std::size_t>(count);
    }

    std::string path_;  ///< of the archive
    std::string member_;
    zip_uint64_t index_;
    std::string name_;  ///< for messages
    std::optional<DeflatedSize> whenWhole_;
    std::unique_ptr<LargeArray> whole_;
    zip_file_t* file_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    BackgroundWork work_{"", 0};
};

}  // namespace

struct NpzReader::Archive {
    std::string path;
    std::unique_ptr<zip_t, decltype(&zip_discard)> zip{nullptr, &zip_discard};
};

NpzReader::NpzReader(const std::filesystem::path& path) {
    // Reports the system's reason if the file cannot be opened, which is clearer than libzip's.
    const std::unique_ptr<ByteSource> file = openFile(path);
    archive_ = std::make_unique<Archive>();
    archive_->path = path.string();
    int code = 0;
    archive_->zip.reset(zip_open(storage::openablePath(path).c_str(), ZIP_RDONLY, &code));
    if (archive_->zip) {
        const std::vector<std::string> members = names();
        if (const auto repeated = firstRepeated(members))
            throw InputError(fmt::format(
                "{}: members {} and {} are both named '{}{}'; expected each name once", archive_->path,
                repeated->first + 1, repeated->second + 1, excerpt(members[repeated->first]), kSuffix));
        return;
    }
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string cause = zip_error_strerror(&error);
    zip_error_fini(&error);
    // The directory of an archive is at its end.
    constexpr std::string_view kFirstMember = "PK\x03\x04";
    std::string begin(kFirstMember.size(), '\0');
    if (file->read(std::as_writable_bytes(std::span(begin))) == begin.size() && begin == kFirstMember)
        throw InputError(fmt::format(
            "{}: truncated or damaged: it begins as an NPZ file does (a ZIP archive), but the archive's "
            "directory is not at the end of its {} bytes",
            archive_->path, file->size()));
    throw InputError(fmt::format("{}: not an NPZ file, which is a ZIP archive: {}", archive_->path, cause));
}

NpzReader::~NpzReader() = default;

std::vector<std::string> NpzReader::names() const {
    std::vector<std::string> names;
    const zip_int64_t count = zip_get_num_entries(archive_->zip.get(), 0);
    for (zip_int64_t index = 0; index < count; ++index) {
        const char* raw = zip_get_name(archive_->zip.get(), static_cast<zip_uint64_t>(index), 0);
        const std::string_view name = raw != nullptr ? raw : "";
        if (name.ends_with(kSuffix)) names.emplace_back(name.substr(0, name.size() - kSuffix.size()));
    }
    return names;
}

bool NpzReader::contains(std::string_view name) const {
    const std::vector<std::string> all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
}

std::unique_ptr<ByteSource> NpzReader::open(std::string_view name) const {
    const std::string member = fmt::format("{}{}", name, kSuffix);
    const zip_int64_t index = zip_name_locate(archive_->zip.get(), member.c_str(), 0);
    if (index < 0)
        throw InputError(
            fmt::format("{}: has no array '{}'; it has: {}", archive_->path, name, fmt::join(names(), ", ")));
    std::string shown = fmt::format("{}: member {}", archive_->path, member);
    zip_stat_t status;
    constexpr zip_uint64_t kKnown =
        ZIP_STAT_CRC | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    const auto number = static_cast<zip_uint64_t>(index);
    if (zip_stat_index(archive_->zip.get(), number, 0, &status) == 0 && (status.valid & kKnown) == kKnown &&
        status.comp_method == ZIP_CM_STORE && status.comp_size == status.size &&
        status.encryption_method == ZIP_EM_NONE)
        if (auto stored = openStoredMember(archive_->path, number, member,
                                           {.size = status.size, .crc = status.crc}, shown))
            return stored;
    return std::make_unique<ZipMember>(archive_->zip.get(), number, archive_->path, member, std::move(shown));
}

void NpzWriter::add(std::string name, NpyMatrixSource source) {
    std::string header = npyHeaderText(source);
    members_.push_back({std::move(name), std::move(header), std::move(source)});
}

void NpzWriter::add(std::string name, const std::vector<std::string>& strings) {
    members_.push_back({std::move(name), npyStringArray(strings), {}});
}

void NpzWriter::write(const std::filesystem::path& path) const {
    storage::AtomicFile file(path);
    StoredArchive archive(file);
    for (const Member& member : members_) {
        archive.begin(member.name + std::string(kSuffix), member.header.size() + member.matrix.dataBytes());
        archive.write(std::as_bytes(std::span(member.header)));
        writeNpyRows(member.matrix, [&](std::span<const std::byte> rows) { archive.write(rows); });
        archive.end();
    }
    archive.finish();
    file.commit();
}

}  // namespace glycine::io
