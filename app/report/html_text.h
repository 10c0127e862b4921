// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dimscope::app {

/// Text from a file or a person as it can stand in HTML, also within quotes. Control characters become "?".
std::string htmlText(std::string_view text);
/// A sentence of ours: "<i>", "<sub>", "<b>", "<br>" and their ends stay, everything else is escaped.
std::string htmlMarkup(std::string_view text);
std::string base64(std::string_view bytes);

}  // namespace dimscope::app
