// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "analysis/orders/order_rows.h"
#include "analysis/orders/softmax_orders.h"

namespace dimscope::analysis {

/// Heads, prompts and query rows that the experiments on orders walk over.
struct OrderHeads {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    Index length = 0;                           ///< of every prompt that is looked at
    std::vector<std::pair<LayerInfo, HeadIndex>> heads;
};

/// Throws ArgumentError, FormatError (a layer without v).
OrderHeads orderHeads(const OrdersParams& params, HeadSource& source, std::vector<Warning>& warnings);
/// Rows, where they come from, and that what is fitted is a functional form.
void describeOrders(const OrdersParams& params, const OrderHeads& heads, Provenance& provenance);

/// Calls `visit` at every row of a head that sees a key, prompt after prompt. False: the head holds values that are not
/// finite, a warning says so, and what was visited before does not count.
bool visitOrderRows(const OrderHeads& heads, std::size_t head, HeadSource& source, std::vector<Warning>& warnings,
                    const RunControl& control,
                    const std::function<void(const OrderRows& rows, Index position, const OrderRow& row)>& visit);

}  // namespace dimscope::analysis
