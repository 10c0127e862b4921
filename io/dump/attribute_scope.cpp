// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/attribute_scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace dimscope::io {
namespace {

std::optional<double> parsedNumber(const std::string& text) {
    double value = 0.0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::vector<double>> asNumbers(const AttributeValue& value) {
    return std::visit(
        [](const auto& v) -> std::optional<std::vector<double>> {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_arithmetic_v<T>) {
                return std::vector<double>{static_cast<double>(v)};
            } else if constexpr (std::is_same_v<T, std::string>) {
                const std::optional<double> number = parsedNumber(v);
                return number ? std::optional(std::vector<double>{*number}) : std::nullopt;
            } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
                return std::nullopt;
            } else {
                return std::vector<double>(v.begin(), v.end());
            }
        },
        value);
}

}  // namespace

AttributeScope::AttributeScope(std::vector<const AttributeHolder*> holders, const AttributeHolder* decided)
    : objects_(std::move(holders)), decided_(decided) {}

std::optional<AttributeValue> AttributeScope::find(const std::string& name) const {
    if (isDecided(name)) return decided_->attribute(name);
    for (const AttributeHolder* object : objects_)
        if (std::optional<AttributeValue> value = object->attribute(name)) return value;
    return std::nullopt;
}

bool AttributeScope::isOwn(const std::string& name) const {
    return isDecided(name) || (!objects_.empty() && objects_.front()->attribute(name).has_value());
}

bool AttributeScope::isDecided(const std::string& name) const {
    return decided_ != nullptr && decided_->attribute(name).has_value();
}

void AttributeScope::refuse(const std::string& name, const char* expected) const {
    const auto holder = std::find_if(objects_.begin(), objects_.end(), [&](const AttributeHolder* object) {
        return object->attribute(name).has_value();
    });
    const AttributeHolder& named = isDecided(name) || holder == objects_.end() ? *objects_.front() : **holder;
    named.place().refuse(fmt::format("attribute {} is {}, expected {}", name, attributeText(*find(name)), expected),
                         "correct the attribute");
}

std::vector<double> AttributeScope::numbers(const std::string& name) const {
    const std::optional<AttributeValue> value = find(name);
    if (!value) return {};
    const std::optional<std::vector<double>> found = asNumbers(*value);
    if (!found) refuse(name, "a number or a list of numbers");
    return *found;
}

std::optional<double> AttributeScope::number(const std::string& name) const {
    const std::optional<AttributeValue> value = find(name);
    if (!value) return std::nullopt;
    const std::optional<std::vector<double>> found = asNumbers(*value);
    if (!found || found->size() != 1) refuse(name, "a number");
    return found->front();
}

std::optional<kernels::Index> AttributeScope::integer(const std::string& name) const {
    const std::optional<double> value = number(name);
    if (!value) return std::nullopt;
    if (std::trunc(*value) != *value || std::abs(*value) > 9e15) refuse(name, "an integer");
    return static_cast<kernels::Index>(*value);
}

std::optional<std::string> AttributeScope::text(const std::string& name) const {
    const std::optional<AttributeValue> value = find(name);
    if (!value) return std::nullopt;
    if (const auto* single = std::get_if<std::string>(&*value)) return *single;
    if (const auto* several = std::get_if<std::vector<std::string>>(&*value))
        return fmt::format("{}", fmt::join(*several, " "));
    refuse(name, "text");
}

std::string AttributeScope::everything() const {
    std::string all;
    for (const AttributeHolder* object : objects_)
        for (const std::string& name : object->attributeNames())
            if (const std::optional<AttributeValue> value = object->attribute(name))
                all += fmt::format("{}@{}={}\n", object->place().object, name, attributeText(*value));
    return all;
}

}  // namespace dimscope::io
