// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/hdf5_read.h"
#include "kernels/indices.h"

namespace dimscope::io {

/// Attributes of an object and of the groups above it; the nearest wins. Holds pointers: the objects outlive it.
class AttributeScope {
public:
    AttributeScope() = default;
    /// `object` is nearer than everything in `outer`.
    AttributeScope(const Hdf5Object& object, const AttributeScope& outer);

    std::optional<AttributeValue> find(const std::string& name) const;
    /// Whether the nearest object itself has it.
    bool isOwn(const std::string& name) const;
    /// Numbers may stand as text ("0.125"), as other programs write them. Throw FormatError for anything else.
    std::optional<double> number(const std::string& name) const;
    std::optional<kernels::Index> integer(const std::string& name) const;
    /// A list of texts is joined by spaces.
    std::optional<std::string> text(const std::string& name) const;
    std::vector<double> numbers(const std::string& name) const;
    /// Every attribute of every object, as one text that changes when any of them does.
    std::string everything() const;

private:
    [[noreturn]] void refuse(const std::string& name, const char* expected) const;
    std::vector<const Hdf5Object*> objects_;  ///< nearest first
};

}  // namespace dimscope::io
