// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <exception>

namespace dimscope::benchmarks {

/// For C functions that a script calls: 0, or 1 with the text of the exception in `error`.
template <class Call>
int reported(char* error, std::size_t room, Call&& call) {
    try {
        call();
        return 0;
    } catch (const std::exception& failure) {
        std::snprintf(error, room, "%s", failure.what());
        return 1;
    }
}

}  // namespace dimscope::benchmarks
