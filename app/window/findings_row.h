// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "analysis/figures/findings.h"

class QHBoxLayout;

namespace dimscope::app {

class Appearance;

/// Up to five sentences about the head, fewer where the page is narrow; the words that name dimensions or kernels are
/// links to them.
class FindingsRow : public QWidget {
    Q_OBJECT

public:
    explicit FindingsRow(const Appearance& appearance, QWidget* parent = nullptr);

    void setFindings(std::vector<analysis::Finding> findings);

signals:
    void followed(const dimscope::analysis::Finding& finding);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    /// As many as have room.
    std::size_t shown() const;

    const Appearance& appearance_;
    std::vector<analysis::Finding> findings_;
    std::size_t built_ = 0;
    QHBoxLayout* row_;
};

}  // namespace dimscope::app
