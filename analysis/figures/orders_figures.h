// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"
#include "analysis/figures/findings.h"
#include "analysis/orders/order_ablations.h"
#include "analysis/orders/softmax_orders.h"

namespace dimscope::analysis {

/// Shares of the weight energy in the zero-, first- and higher-order part (first and higher split at right angles, so
/// that they add up to 1): layers × heads, one matrix per order.
Figure ordersMapFigure(const OrdersResult& result);
/// The same shares of the output's energy by query position, and what the cross terms take back: mean over heads of
/// every layer.
Figure dilutionFigure(const OrdersResult& result);
/// RelMSE of zero-sum attention with fitted gates, per head: gates in the box, linear proxy, linear proxy with zero
/// order.
Figure zeroSumErrorFigure(const OrdersResult& result);

/// RelMSE of every ablation of linear ZeroS, one row each: single heads small, pooled over all heads large; dashed
/// where the unchanged proxy stands.
Figure ablationFigure(const OrderAblations& result);

/// At most five, strongest first.
std::vector<Finding> ordersFindings(const OrdersResult& result);
/// One sentence about the changes that help and harm most; none without a usable head.
std::vector<Finding> ablationFindings(const OrderAblations& result);

}  // namespace dimscope::analysis
