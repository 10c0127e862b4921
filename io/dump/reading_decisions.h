// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/open_policy.h"
#include "io/stored_array.h"

namespace dimscope::io {

/// What a person decided about how a file is to be read, where the file does not say it, or says it wrongly. What is
/// left out is read from the file (formats.md, section 4).
struct ReadingDecisions {
    std::vector<std::pair<std::string, std::string>> map;  ///< role ("q") and path of an array
    /// Attributes by name that win over those of the file: axes, encoding, scale, scale_factor, gqa, align, rope,
    /// n_heads, n_kv_heads, head_dim, rope_theta, rope_layout, rotary_dim.
    std::map<std::string, AttributeValue> attributes;
    std::string valid;    ///< "length", "mask", "content" (padding is what repeats at the ends) or empty
    bool rotate = false;  ///< apply RoPE to q and k
    OpenPolicy::Outside outside = OpenPolicy::Outside::Never;
};

/// The decided attributes, as if they stood nearest to every tensor.
class DecidedAttributes final : public AttributeHolder {
public:
    DecidedAttributes(FilePlace place, std::map<std::string, AttributeValue> values)
        : place_(std::move(place)), values_(std::move(values)) {}
    const FilePlace& place() const override { return place_; }
    std::optional<AttributeValue> attribute(const std::string& name) const override {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }
    std::vector<std::string> attributeNames() const override {
        std::vector<std::string> names;
        for (const auto& [name, value] : values_) names.push_back(name);
        return names;
    }

private:
    FilePlace place_;
    std::map<std::string, AttributeValue> values_;
};

}  // namespace dimscope::io
