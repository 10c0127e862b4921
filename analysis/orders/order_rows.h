// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

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

/// What takes the place of u in linear ZeroS' radial score s_j = -scale u_j.ubar_j (section 8): the projection W_u is
/// not in a dump.
enum class RadialScore { Key, Query, Value };

/// A linear form of ZeroS.
struct LinearForm {
    RadialScore radial = RadialScore::Key;
    bool angular = true;  ///< weights times cos(q_i, k_j); false: the radial weights alone
};

/// Rows of one head and prompt; outlives nothing: `tensors` must live on.
class OrderRows {
public:
    explicit OrderRows(const PromptTensors& tensors);
    /// Softmax; false: the row sees no key or is not finite.
    bool softmaxRow(Index i, OrderRow& row) const;
    /// Outputs of linear ZeroS' three parts with u = k: radial weights times the cosine of q and k (section 8).
    OrderRow linearRow(Index i) const { return linearRows(i, {LinearForm{}}).front(); }
    /// The same of other forms, one entry per form.
    std::vector<OrderRow> linearRows(Index i, const std::vector<LinearForm>& forms) const;

private:
    struct Seen {
        Eigen::MatrixXd key, value;  // (t, dim)
        std::vector<Index> positions;
    };
    Seen seenBy(Index i) const;
    static OrderRow parts(const Eigen::VectorXd& logits, const Eigen::MatrixXd& value);

    const PromptTensors& tensors_;
    std::array<Eigen::VectorXd, 3> radial_;  // by RadialScore: (rows) logits of linear ZeroS
};

}  // namespace dimscope::analysis
