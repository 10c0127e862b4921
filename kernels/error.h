// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace dimscope::kernels {

/// Base of everything that can fail. The text says what, which, expected, got; it is one line and meant for a person.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Tensors or parameters whose sizes do not fit together.
class ShapeError : public Error {
public:
    using Error::Error;
};

/// A value that a person chose and that cannot be used (unknown kernel, position out of range).
class ArgumentError : public Error {
public:
    using Error::Error;
};

/// Content of a file that cannot be used; keeps the parts of the message for machine-readable refusals.
class FormatError : public Error {
public:
    struct Parts {
        std::string file;
        std::string object;  ///< path inside the file, "/" for the file as a whole
        std::string cause;
        std::string advice;
    };
    explicit FormatError(Parts parts) : Error(text(parts)), parts_(std::move(parts)) {}
    const Parts& parts() const { return parts_; }

private:
    static std::string text(const Parts& p) {
        std::string line = p.file;
        if (!p.object.empty() && p.object != "/") line += ": " + p.object;
        line += ": " + p.cause;
        return p.advice.empty() ? line : line + "; " + p.advice;
    }
    Parts parts_;
};

/// The operating system or HDF5 refused a file: missing, unreadable, cut off, not HDF5. Same parts as FormatError.
class FileError : public FormatError {
public:
    using FormatError::FormatError;
};

/// A device call failed; the text names operation and place.
class DeviceError : public Error {
public:
    using Error::Error;
};

class OutOfMemory : public Error {
public:
    using Error::Error;
};

/// The chosen backend cannot be used here; the text is its reason.
class BackendUnavailable : public Error {
public:
    using Error::Error;
};

/// A person stopped the work. Not an Error: cancelled is not failed.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace dimscope::kernels
