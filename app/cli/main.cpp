// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program.h"
#include "app/core/dump_opening.h"

int main(int argumentCount, char** arguments) {
    if (const auto code = dimscope::app::serveFirstLook(argumentCount, arguments)) return *code;
    return dimscope::app::runProgram(argumentCount, arguments);
}
