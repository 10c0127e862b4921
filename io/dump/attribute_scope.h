// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/stored_array.h"
#include "kernels/indices.h"

namespace dimscope::io {

/// Attributes of an object and of the groups above it; the nearest wins. Holds pointers: the objects outlive it.
class AttributeScope {
public:
    /// Nearest first. `decided`: what a person decided, null: nothing.
    explicit AttributeScope(std::vector<const AttributeHolder*> holders, const AttributeHolder* decided = nullptr);

    std::optional<AttributeValue> find(const std::string& name) const;
    /// Whether the object itself has it, or a person decided it.
    bool isOwn(const std::string& name) const;
    /// Whether a person decided it, whatever the file says.
    bool isDecided(const std::string& name) const;
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
    std::vector<const AttributeHolder*> objects_;  ///< nearest first
    const AttributeHolder* decided_;
};

}  // namespace dimscope::io
