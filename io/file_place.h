// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace dimscope::io {

/// File and object, as messages name them.
struct FilePlace {
    std::string file;
    std::string object;

    /// Throws FormatError.
    [[noreturn]] void refuse(const std::string& cause, const std::string& advice) const;
    /// Throws FormatError with HDF5's own reason after `what`: "cannot read the data (HDF5: ...)".
    [[noreturn]] void refuseFailedCall(const std::string& what) const;
    /// The id or status of a call, where it is not negative; else as refuseFailedCall.
    template <class Status>
    Status checked(Status status, const char* what) const {
        if (status < 0) refuseFailedCall(what);
        return status;
    }
    FilePlace child(const std::string& name) const;
    /// The file itself, "/".
    static FilePlace ofFile(const std::filesystem::path& path);
};

}  // namespace dimscope::io
