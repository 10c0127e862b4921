// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_handle.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

static_assert(sizeof(hid_t) == sizeof(Hdf5Id));

constexpr const char* kSayWhatADumpIs = "an attention dump is an HDF5 file with q and k of each layer";

std::recursive_mutex& processLock() {
    static std::recursive_mutex mutex;
    return mutex;
}

/// H5Ewalk2 callback: keeps the first line that names a reason. A missing filter is reported after the failed search
/// for its plug-in, which says less.
herr_t keepReason(unsigned, const H5E_error2_t* error, void* text) {
    auto& reason = *static_cast<std::string*>(text);
    const std::string_view line = error->desc != nullptr ? error->desc : "";
    if (reason.empty() && !line.empty() && line.find("plugins") == std::string_view::npos) reason = line;
    return 0;
}

/// HDF5 adds the time, addresses and sizes to what the system says of a failed write.
std::string withoutWriteDetails(const std::string& reason) {
    static constexpr std::string_view kStart = "file write failed", kBefore = "error message = '";
    const std::size_t found = reason.find(kBefore);
    if (!reason.starts_with(kStart) || found == std::string::npos) return reason;
    const std::size_t from = found + kBefore.size();
    return fmt::format("{}: {}", kStart, reason.substr(from, reason.find('\'', from) - from));
}

[[noreturn]] void refuseFile(const std::filesystem::path& path, const std::string& cause, const std::string& advice) {
    const FilePlace place = FilePlace::ofFile(path);
    throw kernels::FileError({place.file, place.object, cause, advice});
}

void checkRegularFile(const std::filesystem::path& path) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (status.type() == std::filesystem::file_type::not_found)
        refuseFile(path, "no such file", "check the path and its spelling");
    if (failure) refuseFile(path, failure.message(), "check the path and the rights on its folders");
    if (status.type() == std::filesystem::file_type::directory)
        refuseFile(path, "is a directory, not a file", "name a file inside it");
    if (status.type() != std::filesystem::file_type::regular)
        refuseFile(path, "is not a regular file", "copy its content to a file and open that");
}

/// An HDF5 file starts with its signature, or has it after a user block of 512, 1024, 2048, ... bytes.
bool hasSignature(std::FILE* file, long long size) {
    static constexpr unsigned char kSignature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    for (long long at = 0; at + 8 <= size; at = at == 0 ? 512 : at * 2) {
        unsigned char bytes[8] = {};
        if (std::fseek(file, static_cast<long>(at), SEEK_SET) != 0 || std::fread(bytes, 1, 8, file) != 8) return false;
        if (std::memcmp(bytes, kSignature, 8) == 0) return true;
    }
    return false;
}

void checkSignature(const std::filesystem::path& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file || !hasSignature(file.get(), static_cast<long long>(std::filesystem::file_size(path))))
        refuseFile(path, "is not an HDF5 file (no HDF5 signature)", kSayWhatADumpIs);
}

/// The sentence for an HDF5 file that HDF5 itself refuses to open.
[[noreturn]] void refuseUnopened(const std::filesystem::path& path, const std::string& reason) {
    unsigned long long present = 0, base = 0, expected = 0;
    if (std::sscanf(reason.c_str(), "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu", &present,
                    &base, &expected) == 3)
        refuseFile(path, fmt::format("is cut off (truncated): {} of {} bytes are there", present, base + expected),
                   "copy or download it again");
    if (reason.find("already open") != std::string::npos)
        refuseFile(path, "was left open by the program that wrote it (HDF5: " + reason + ")",
                   "close that program, or clear the mark with h5clear -s");
    refuseFile(path, "is cut off or damaged (HDF5: " + reason + ")",
               "copy or write it again; a file of a newer HDF5 needs h5repack --high=v110");
}

}  // namespace

Hdf5Lock::Hdf5Lock() : lock_(processLock()) {
    // At the end of a program whose disk was full, HDF5's own cleaning up crashes on what it could not write. Every
    // identifier is released by its handle, so that nothing is left for it to do.
    static const herr_t noCleaningUp = H5dont_atexit();
    static_cast<void>(noCleaningUp);
    // Errors become exceptions with text; HDF5 keeps this setting per thread.
    thread_local bool quiet = false;
    if (!quiet) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    quiet = true;
}

Hdf5Handle::~Hdf5Handle() {
    if (id_ < 0) return;
    const Hdf5Lock lock;
    H5Idec_ref(id_);
}

std::string takeHdf5Error() {
    const Hdf5Lock lock;
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keepReason, &reason);
    H5Eclear2(H5E_DEFAULT);
    return reason.empty() ? "no reason given" : printable(withoutWriteDetails(reason), 300);
}

void FilePlace::refuse(const std::string& cause, const std::string& advice) const {
    throw kernels::FormatError({file, object, cause, advice});
}

void FilePlace::refuseFailedCall(const std::string& what) const {
    const std::string reason = takeHdf5Error();
    refuse(what + " (HDF5: " + reason + ")", "the file may be damaged: copy or write it again");
}

FilePlace FilePlace::ofFile(const std::filesystem::path& path) { return {printable(path.string(), 1000), "/"}; }

FilePlace FilePlace::child(const std::string& name) const {
    return {file, object + (object.ends_with('/') ? "" : "/") + printable(name)};
}

void checkReadableFile(const std::filesystem::path& path) {
    checkRegularFile(path);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) {
        const std::string reason = std::generic_category().message(errno);
        refuseFile(path, "cannot be opened: " + reason, "check that you may read it (ls -l shows its rights)");
    }
    if (std::filesystem::file_size(path) == 0)
        refuseFile(path, "the file is empty (0 bytes)", "write or copy it again");
}

Hdf5Handle openHdf5ForReading(const std::filesystem::path& path) {
    checkReadableFile(path);
    checkSignature(path);
    const Hdf5Lock lock;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access.get(), false, true);
#endif
    Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
    if (file) return file;
    const std::string reason = takeHdf5Error();
    if (reason.find("already open") == std::string::npos) refuseUnopened(path, reason);
    // Its writer was killed, or still writes: what it wrote completely can be read.
    file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()));
    takeHdf5Error();
    if (!file) refuseUnopened(path, reason);
    return file;
}

}  // namespace dimscope::io
