#include "grader/class/zip.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include "grader/store/errors.h"

namespace coalesce::grader {
namespace {

la_ssize_t append_to_string(archive*, void* text, const void* bytes, std::size_t count) {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), count);
    return static_cast<la_ssize_t>(count);
}

void add_entry(archive* archive_handle, const ZipEntry& file) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_pathname(entry.get(), file.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.mode);
    // Use a fixed time, so that the same files always produce the same archive. January 1980 is the
    // earliest time that a zip file can store.
    archive_entry_set_mtime(entry.get(), 315532800, 0);
    if (archive_write_header(archive_handle, entry.get()) != ARCHIVE_OK ||
        archive_write_data(archive_handle, file.bytes.data(), file.bytes.size()) < 0) {
        throw InfrastructureError("packing " + file.name + ": " +
                                  archive_error_string(archive_handle));
    }
}

using SetFormat = int (*)(archive*);

std::string create_archive(const std::vector<ZipEntry>& files, SetFormat set_format) {
    std::string text;
    const std::unique_ptr<archive, decltype(&archive_write_free)> archive_handle(
        archive_write_new(), archive_write_free);
    set_format(archive_handle.get());
    // Do not pad the archive to the block size of a tape.
    archive_write_set_bytes_in_last_block(archive_handle.get(), 1);
    if (archive_write_open(archive_handle.get(), &text, nullptr, append_to_string, nullptr) !=
        ARCHIVE_OK) {
        throw InfrastructureError("the archive could not be created");
    }
    for (const ZipEntry& file : files) add_entry(archive_handle.get(), file);
    if (archive_write_close(archive_handle.get()) != ARCHIVE_OK) {
        throw InfrastructureError("the archive could not be written completely");
    }
    return text;
}

}  // namespace

std::string create_zip(const std::vector<ZipEntry>& files) {
    return create_archive(files, archive_write_set_format_zip);
}

std::string create_tar(const std::vector<ZipEntry>& files) {
    return create_archive(files, archive_write_set_format_ustar);
}

}  // namespace coalesce::grader
