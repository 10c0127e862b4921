// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/array_file.h"

#include <fstream>
#include <string_view>

#include "io/dump/flat_file.h"
#include "io/dump/hdf5_array_file.h"
#include "io/hdf5_handle.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

using namespace std::string_view_literals;

std::string leadingBytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(512, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

/// Files that people open by mistake, by how they begin.
void refuseKnownKinds(const std::string& start, const FilePlace& place) {
    std::string text = start;
    text.erase(0, text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"));
    text = lowered(std::move(text));
    if (start.starts_with("\x0E\x03\x13\x01"sv)) place.refuse("is an HDF4 file, not HDF5", "convert it (h4toh5)");
    if (text.starts_with("version https://git-lfs"))
        place.refuse("is a Git LFS pointer: the data themselves were not downloaded", "run: git lfs pull");
    if (text.starts_with("<!doctype html") || text.starts_with("<html"))
        place.refuse("is an HTML web page, probably a failed download", "download the file again");
    if (start.starts_with("\x80\x02"sv) || start.starts_with("\x80\x04"sv) || start.starts_with("\x80\x05"sv))
        place.refuse("is a Python pickle (.pkl or an old torch.save .pt), which is never unpickled here",
                     "convert it in Python: torch.load, then safetensors.torch.save_file or numpy.savez");
    if (start.starts_with("GGUF"sv)) place.refuse("is a GGUF model file: weights, not activations", "capture a dump");
    if (start.starts_with("\x1F\x8B"sv)) place.refuse("is compressed with gzip", "unpack it first (gunzip)");
}

/// Eight bytes of length, then a JSON object.
bool looksLikeSafetensors(const std::filesystem::path& path, const std::string& start) {
    return start.size() > 8 && start[8] == '{' && (path.extension() == ".safetensors" || start[7] == 0);
}

}  // namespace

std::unique_ptr<ArrayFile> openArrayFile(const std::filesystem::path& path, const OpenPolicy& policy) {
    checkReadableFile(path);
    const FilePlace place = FilePlace::ofFile(path);
    const std::string start = leadingBytes(path);
    refuseKnownKinds(start, place);
    if (start.starts_with("PK\x03\x04"sv) || start.starts_with("PK\x05\x06"sv) || start.starts_with("\x93NUMPY"sv))
        return openNpz(path);
    if (looksLikeSafetensors(path, start)) return openSafetensors(path);
    return std::make_unique<Hdf5ArrayFile>(path, policy);
}

}  // namespace dimscope::io
