// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dimscope::app {

/// The command line itself is wrong: exit code 2. Not an Error: no file was touched yet.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// "4,12,20", "0-8", "0-3,7" in the order written. Throws UsageError naming the option for anything else, for a number
/// that comes twice and for more than a million numbers.
std::vector<std::int64_t> parseIntegers(std::string_view option, std::string_view text);

/// The same, all of them int. "all" is an empty list.
std::vector<int> parseSelection(std::string_view option, std::string_view text);

/// "a,b": names without repetition. "all" is nullopt.
std::optional<std::vector<std::string>> parseNames(std::string_view option, std::string_view text);

/// A whole number of at least `least`.
std::int64_t parseInteger(std::string_view option, std::string_view text, std::int64_t least);

}  // namespace dimscope::app
