// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace dimscope::tests {

/// Code under a sanitizer runs five to fifteen times slower: times that the documents promise, and times after which a
/// program is surely at work, count so much longer there.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr int kSlowdown = 10;
#else
inline constexpr int kSlowdown = 1;
#endif

}  // namespace dimscope::tests
