// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "kernels/error.h"

namespace dimscope::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& cause, const std::string& advice) {
    throw kernels::FileError({path.string(), "/", cause, advice});
}

[[noreturn]] void refuse(const fs::path& path, int code) {
    refuse(path, fmt::format("it cannot be written: {}", std::strerror(code)),
           "check the folder, its permissions and the free space");
}

/// Where the bytes go in the end: a link keeps pointing at its file.
fs::path resolved(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path target = fs::weakly_canonical(path, error);
    if (error) refuse(path, error.value());
    return target;
}

void checkTarget(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) refuse(path, "this is a folder, not a file", "give the name of a file");
    if (fs::exists(status) && !fs::is_regular_file(status))
        refuse(path, "it is not an ordinary file", "give the name of a file");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) refuse(path, "its folder does not exist", "make the folder first");
}

/// A file beside the target that is gone again unless it was kept. The extension stays, for writers that go by it.
class Part {
public:
    explicit Part(const fs::path& target) : path_(target) {
        static std::atomic<unsigned> count{0};
        path_.replace_filename(
            fmt::format(".{}.{}-{}.part{}", target.stem().string(), ::getpid(), count++, target.extension().string()));
    }
    ~Part() {
        std::error_code error;
        if (!kept_) fs::remove(path_, error);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    const fs::path& path() const { return path_; }

    /// On the disk first, then under its name: a power cut leaves one of the two whole files.
    void keepAs(const fs::path& target) {
        const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) refuse(target, errno);
        const int failure = ::fsync(file) == 0 ? 0 : errno;
        ::close(file);
        if (failure != 0 && failure != EINVAL) refuse(target, failure);
        std::error_code error;
        if (const fs::file_status old = fs::status(target, error); fs::exists(old))
            fs::permissions(path_, old.permissions(), error);
        fs::rename(path_, target, error);
        if (error) refuse(target, error.value());
        kept_ = true;
    }

private:
    fs::path path_;
    bool kept_ = false;
};

}  // namespace

void writeFileAtomically(const fs::path& path, std::string_view content) {
    writeFileAtomically(path, [&](const fs::path& part) {
        errno = 0;
        std::ofstream file(part, std::ios::binary);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
        file.close();
        if (!file) refuse(path, errno != 0 ? errno : EIO);
    });
}

void writeFileAtomically(const fs::path& path, const std::function<void(const fs::path&)>& write) {
    const fs::path target = resolved(path);
    checkTarget(target);
    Part part(target);
    write(part.path());
    part.keepAs(target);
}

}  // namespace dimscope::io
