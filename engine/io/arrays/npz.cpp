#include "engine/io/arrays/npz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kSuffix = ".npy";

/// The CRC-32 of bytes whose first have `crc`, and `bytes` behind them: pieces side by side.
uLong extendCrc(uLong crc, std::span<const std::byte> bytes) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    const std::vector<Range> pieces = splitRange(bytes.size(), kPiece);
    std::vector<uLong> found(pieces.size());
#pragma omp parallel for schedule(static) if (pieces.size() > 1)
    for (std::size_t i = 0; i < pieces.size(); ++i)
        found[i] =
            crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data() + pieces[i].begin), pieces[i].size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
        crc = crc32_combine(crc, found[i], static_cast<z_off_t>(pieces[i].size()));
    return crc;
}

class ZipMember : public ByteSource {
  public:
    ZipMember(zip_t* archive, zip_uint64_t index, std::string name) : name_(std::move(name)) {
        zip_stat_t status;
        if (zip_stat_index(archive, index, 0, &status) != 0) fail(zip_strerror(archive));
        size_ = status.size;
        // No deflated data unpack to more; a size beyond it would only serve to make us reserve memory.
        constexpr std::uint64_t kLargestDeflateRatio = 1032;
        if (status.comp_method == ZIP_CM_DEFLATE && size_ / kLargestDeflateRatio > status.comp_size)
            fail(fmt::format("{} bytes cannot unpack to {}", status.comp_size, size_));
        if (status.comp_method == ZIP_CM_STORE && size_ != status.comp_size)
            fail(fmt::format("stored as {} bytes, yet {} long", status.comp_size, size_));
        // As it lies in the archive: libzip would find the CRC-32 with one processor, byte after byte.
        constexpr zip_uint64_t kKnown = ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
        if ((status.valid & kKnown) == kKnown && status.comp_method == ZIP_CM_STORE &&
            status.encryption_method == ZIP_EM_NONE)
            expectedCrc_ = status.crc;
        file_ = zip_fopen_index(archive, index, expectedCrc_ ? ZIP_FL_COMPRESSED : 0);
        if (file_ == nullptr) fail(zip_strerror(archive));
        work_ = BackgroundWork(fmt::format("reading {}", name_), static_cast<double>(size_));
    }
    ZipMember(const ZipMember&) = delete;
    ZipMember& operator=(const ZipMember&) = delete;
    ~ZipMember() override { zip_fclose(file_); }

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    std::size_t read(std::span<std::byte> target) override {
        std::size_t filled = 0;
        while (filled < target.size()) {
            const std::size_t count = readSome(target.subspan(filled));
            if (count == 0) break;
            if (expectedCrc_) crc_ = extendCrc(crc_, target.subspan(filled, count));
            filled += count;
            work_.advance(static_cast<double>(count));
        }
        position_ += filled;
        if (position_ == size_ && expectedCrc_ && crc_ != *expectedCrc_) failDamaged("CRC error");
        // libzip compares the CRC-32 when it is asked for more than there is.
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
    std::size_t readSome(std::span<std::byte> target) {
        // Between two questions whether to go on.
        constexpr std::size_t kLargestRead = std::size_t{16} << 20;
        const zip_int64_t count = zip_fread(file_, target.data(), std::min(target.size(), kLargestRead));
        if (count < 0) failDamaged(zip_file_strerror(file_));
        return static_cast<std::size_t>(count);
    }

    std::string name_;
    zip_file_t* file_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    std::optional<zip_uint32_t> expectedCrc_;  ///< libzip does not check it
    uLong crc_ = 0;                            ///< of what has been read
    BackgroundWork work_{"", 0};
};

/// What libzip asks of a source through callbacks, with exceptions kept from crossing its C code.
class ZipCallbacks {
  public:
    virtual ~ZipCallbacks() = default;

    static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
        auto& callbacks = *static_cast<ZipCallbacks*>(self);
        if (command == ZIP_SOURCE_FREE) return 0;
        if (command == ZIP_SOURCE_ERROR) return zip_error_to_data(&callbacks.error_, data, length);
        try {
            return callbacks.handle(data, length, command);
        } catch (...) {
            callbacks.exception_ = std::current_exception();
            zip_error_set(&callbacks.error_, ZIP_ER_WRITE, 0);
            return -1;
        }
    }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

  protected:
    ZipCallbacks() { zip_error_init(&error_); }
    virtual zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) = 0;
    zip_int64_t refuse() {
        zip_error_set(&error_, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
    zip_int64_t status(void* data, zip_uint64_t bytes) {
        auto* answer = static_cast<zip_stat_t*>(data);
        zip_stat_init(answer);
        answer->size = bytes;
        answer->valid = ZIP_STAT_SIZE;
        return sizeof(zip_stat_t);
    }
    zip_error_t error_;

  private:
    std::exception_ptr exception_;
};

/// Lets libzip write the archive into a storage::AtomicFile.
class ArchiveTarget : public ZipCallbacks {
  public:
    explicit ArchiveTarget(storage::AtomicFile& file) : file_(file) {}

  private:
    zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) override {
        switch (command) {
            case ZIP_SOURCE_SUPPORTS:
                // The reading half is never used, but libzip opens no archive without it.
                return zip_source_make_command_bitmap(
                    ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                    ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_BEGIN_WRITE,
                    ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_COMMIT_WRITE,
                    ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE, -1);
            case ZIP_SOURCE_STAT:
                // There is no archive yet.
                zip_error_set(&error_, ZIP_ER_READ, ENOENT);
                return -1;
            case ZIP_SOURCE_WRITE:
                file_.write(data, length);
                end_ = std::max(end_, file_.position());
                return static_cast<zip_int64_t>(length);
            case ZIP_SOURCE_TELL_WRITE:
                return static_cast<zip_int64_t>(file_.position());
            case ZIP_SOURCE_SEEK_WRITE: {
                const zip_int64_t offset =
                    zip_source_seek_compute_offset(file_.position(), end_, data, length, &error_);
                if (offset < 0) return -1;
                file_.seek(static_cast<std::uint64_t>(offset));
                return 0;
            }
            case ZIP_SOURCE_BEGIN_WRITE:
            case ZIP_SOURCE_COMMIT_WRITE:
            case ZIP_SOURCE_ROLLBACK_WRITE:
                return 0;
            default:
                return refuse();
        }
    }

    storage::AtomicFile& file_;
    std::uint64_t end_ = 0;
};

/// Gives libzip the header and then the rows of a matrix.
class MatrixMember : public ZipCallbacks {
  public:
    MatrixMember(const std::string& header, const NpyMatrixSource& matrix)
        : header_(header), matrix_(matrix), row_(matrix.columns * matrix.itemBytes) {}

  private:
    zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) override {
        switch (command) {
            case ZIP_SOURCE_SUPPORTS:
                return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                                      ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
            case ZIP_SOURCE_STAT:
                return status(data, header_.size() + matrix_.dataBytes());
            case ZIP_SOURCE_OPEN:
                nextRow_ = 0;
                pending_ = std::as_bytes(std::span(header_));
                return 0;
            case ZIP_SOURCE_READ:
                return copyNext({static_cast<std::byte*>(data), length});
            case ZIP_SOURCE_CLOSE:
                return 0;
            default:
                return refuse();
        }
    }

    zip_int64_t copyNext(std::span<std::byte> target) {
        std::size_t filled = 0;
        while (filled < target.size()) {
            if (pending_.empty()) {
                if (nextRow_ == matrix_.rows) break;
                matrix_.copyRow(nextRow_, row_.data());
                pending_ = std::span<const std::byte>(row_).first(matrix_.rowBytes(nextRow_++));
                continue;
            }
            const std::size_t count = std::min(pending_.size(), target.size() - filled);
            std::memcpy(target.data() + filled, pending_.data(), count);
            pending_ = pending_.subspan(count);
            filled += count;
        }
        return static_cast<zip_int64_t>(filled);
    }

    const std::string& header_;
    const NpyMatrixSource& matrix_;
    std::vector<std::byte> row_;
    std::size_t nextRow_ = 0;
    std::span<const std::byte> pending_;
};

}  // namespace

struct NpzReader::Archive {
    std::string path;
    std::unique_ptr<zip_t, decltype(&zip_discard)> zip{nullptr, &zip_discard};
};

NpzReader::NpzReader(const std::filesystem::path& path) : archive_(std::make_unique<Archive>()) {
    archive_->path = path.string();
    // Gives the system's reason for a file that cannot be opened, which libzip words less clearly.
    const std::unique_ptr<ByteSource> file = openFile(path);
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
    // The directory of an archive stands at its end.
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
    return std::make_unique<ZipMember>(archive_->zip.get(), static_cast<zip_uint64_t>(index),
                                       fmt::format("{}: member {}", archive_->path, member));
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
    ArchiveTarget target(file);
    // The sources must outlive the archive, which asks them when it is closed.
    std::vector<std::unique_ptr<MatrixMember>> sources;

    zip_error_t error;
    zip_error_init(&error);
    const auto fail = [&](const char* cause) {
        target.rethrow();
        for (const auto& source : sources) source->rethrow();
        throw Error(fmt::format("{}: cannot write: {}", path.string(), cause));
    };
    zip_source_t* archiveSource =
        zip_source_function_create(&ZipCallbacks::call, static_cast<ZipCallbacks*>(&target), &error);
    if (archiveSource == nullptr) fail(zip_error_strerror(&error));
    std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
        zip_open_from_source(archiveSource, ZIP_CREATE, &error), &zip_discard);
    if (!archive) {
        zip_source_free(archiveSource);
        fail(zip_error_strerror(&error));
    }
    for (const Member& member : members_) {
        sources.push_back(std::make_unique<MatrixMember>(member.header, member.matrix));
        zip_source_t* source = zip_source_function(archive.get(), &ZipCallbacks::call,
                                                   static_cast<ZipCallbacks*>(sources.back().get()));
        if (source == nullptr) fail(zip_strerror(archive.get()));
        const zip_int64_t index =
            zip_file_add(archive.get(), (member.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(source);
            fail(zip_strerror(archive.get()));
        }
        // The earliest date of the format, so that equal arrays give equal files.
        constexpr zip_uint16_t kFirstOfJanuary1980 = (1 << 5) | 1;
        const auto entry = static_cast<zip_uint64_t>(index);
        if (zip_set_file_compression(archive.get(), entry, ZIP_CM_STORE, 0) != 0 ||
            zip_file_set_dostime(archive.get(), entry, 0, kFirstOfJanuary1980, 0) != 0)
            fail(zip_strerror(archive.get()));
    }
    if (zip_close(archive.get()) != 0) fail(zip_strerror(archive.get()));
    (void)archive.release();  // a successful zip_close has freed it
    file.commit();
}

}  // namespace glycine::io
