// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include "analysis/calibration/prompt_tensors.h"
#include "analysis/orders/softmax_orders.h"

namespace dimscope::analysis {

/// Parts of one row's weights and of its output. Vectors of weights have one entry per visible key.
struct OrderRow {
    double visible = 0.0;           ///< t
    Eigen::VectorXd first, higher;  ///< delta / t, epsilon
    Eigen::VectorXd y0, y1, yh;     ///< (value_dim)
    Eigen::VectorXd zeroSum() const { return first + higher; }
    Eigen::VectorXd output() const { return y0 + y1 + yh; }
};

/// Rows of one head and prompt; outlives nothing: `tensors` must live on.
class OrderRows {
public:
    explicit OrderRows(const PromptTensors& tensors);
    /// Softmax; false: the row sees no key or is not finite.
    bool softmaxRow(Index i, OrderRow& row) const;
    /// Outputs of linear ZeroS' three parts with u = k: radial weights times the cosine of q and k (section 8).
    OrderRow linearRow(Index i) const;

private:
    struct Seen {
        Eigen::MatrixXd key, value;  // (t, dim)
        std::vector<Index> positions;
    };
    Seen seenBy(Index i) const;
    static OrderRow parts(const Eigen::VectorXd& logits, const Eigen::MatrixXd& value);

    const PromptTensors& tensors_;
    Eigen::VectorXd radial_;  // (rows) logits of linear ZeroS
};

}  // namespace dimscope::analysis
