// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dimscope::io {

/// A name from a file as it may stand in a one-line message: control characters and bytes that are not UTF-8 as \xNN,
/// cut after `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 200);

/// In lower case, letters of ASCII alone.
std::string lowered(std::string text);

/// Bytes for people: "3072 bytes", "1.5 MiB".
std::string bytesText(double bytes);

}  // namespace dimscope::io
