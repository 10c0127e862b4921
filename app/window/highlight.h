// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <vector>

namespace dimscope::app {

/// The dimensions that are marked in every figure and table at once: those brushed, and the one under the pointer.
class Highlight : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const std::vector<int>& brushed() const { return brushed_; }
    int hovered() const { return hovered_; }  ///< -1: none
    bool locked() const { return locked_; }   ///< the hovered dimension stays when the pointer leaves

    void brush(std::vector<int> dimensions);  ///< ascending afterwards, each once
    void hover(int dimension);                ///< no effect while locked
    void lock(int dimension);                 ///< the same dimension again releases it
    void clear();
    /// Takes back the last kind of mark: the lock first, then the brush. False: there was nothing.
    bool release();

signals:
    void changed();

private:
    std::vector<int> brushed_;
    int hovered_ = -1;
    bool locked_ = false;
};

}  // namespace dimscope::app
