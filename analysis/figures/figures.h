// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that turns results into figures and sentences. Each function takes an immutable result and gives a value.
#include "analysis/figures/budget_figures.h"
#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/fidelity_figures.h"
#include "analysis/figures/findings.h"
#include "analysis/figures/grouping_figures.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/overview.h"
#include "analysis/figures/profile_figures.h"
