// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/hdf5_array_file.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "io/dump/tensor_name.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

constexpr int kDeepest = 16;  ///< groups inside each other
constexpr std::size_t kMostObjects = 200000;

/// Walks the groups of a file and gathers what is named like a tensor.
class HierarchyWalk {
public:
    std::vector<ArrayRef> arrays;
    std::vector<analysis::Warning> oddities;

    explicit HierarchyWalk(const Hdf5Group& root) {
        isFirstVisit(root, ".");
        visit(root, "", 0);
    }

    /// What was met on the way and not followed.
    void conclude() {
        if (links_ > 0)
            oddities.push_back(
                {"external_links", "/",
                 fmt::format("{} external link(s) are not followed, the first: {}", links_, firstLink_)});
    }

private:
    void visit(const Hdf5Group& group, const std::string& path, int depth) {
        for (const std::string& name : group.names()) {
            if (++objects_ > kMostObjects) return noteLimit(fmt::format("more than {} objects", kMostObjects));
            const std::string child = path + "/" + name;
            const Hdf5Kind kind = kindOf(group, name);
            if (kind == Hdf5Kind::Group && isFirstVisit(group, name)) {
                if (depth < kDeepest)
                    visitChild(group, name, child, depth + 1);
                else
                    noteLimit(fmt::format("groups more than {} deep", kDeepest));
            } else if (kind != Hdf5Kind::Group) {
                add(group, name, child, kind);
            }
        }
    }

    /// An external link is not followed to find out what it leads to, unless that is allowed.
    Hdf5Kind kindOf(const Hdf5Group& group, const std::string& name) {
        const std::string target = group.externalTarget(name);
        if (!target.empty() && group.policy().outside == OpenPolicy::Outside::Never) {
            if (links_++ == 0) firstLink_ = printable(name, 80) + " -> " + target;
            return Hdf5Kind::ExternalLink;
        }
        return group.kind(name);
    }

    /// A damaged group does not end the walk.
    void visitChild(const Hdf5Group& group, const std::string& name, const std::string& path, int depth) {
        try {
            visit(group.group(name), path, depth);
        } catch (const kernels::FormatError& error) {
            oddities.push_back({"group_unreadable", error.parts().object,
                                fmt::format("{} {}", error.parts().object, error.parts().cause)});
        }
    }

    bool isFirstVisit(const Hdf5Group& group, const std::string& name) {
        const std::optional<Hdf5ObjectId> object = group.objectId(name);
        return !object || seen_.insert(*object).second;
    }

    void add(const Hdf5Group& group, const std::string& name, const std::string& path, Hdf5Kind kind) {
        const std::optional<TensorName> meaning = readTensorName(path);
        if (!meaning) return;
        if (kind == Hdf5Kind::Dataset && meaning->role == TensorRole::Fused && addFields(group, name, path)) return;
        arrays.push_back({path, ""});
    }

    /// A compound dataset stands for one array per field that is named like a tensor.
    bool addFields(const Hdf5Group& group, const std::string& name, const std::string& path) {
        try {
            const Hdf5Dataset dataset = group.dataset(name);
            bool found = false;
            for (const std::string& field : dataset.layout().type.fields) {
                const ArrayRef ref{path, field};
                if (!readTensorName(ref.ownPath())) continue;
                arrays.push_back(ref);
                found = true;
            }
            return found;
        } catch (const kernels::FormatError&) {
            return false;  // refused where it is used, with its cause
        }
    }

    void noteLimit(const std::string& what) {
        if (limited_) return;
        limited_ = true;
        oddities.push_back({"walk_limited", "/", "the file holds " + what + "; not all of it was looked at"});
    }

    std::set<Hdf5ObjectId> seen_;
    std::size_t objects_ = 0, links_ = 0;
    std::string firstLink_;
    bool limited_ = false;
};

bool startsAsMatlab(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    char start[6] = {};
    return file.read(start, sizeof start) && std::string_view(start, sizeof start) == "MATLAB";
}

std::string parentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

Hdf5ArrayFile::Hdf5ArrayFile(const std::filesystem::path& path, const OpenPolicy& policy)
    : root_(Hdf5Group::openFile(path, policy)), matlab_(startsAsMatlab(path)) {
    HierarchyWalk walk(root_);
    walk.conclude();
    arrays_ = std::move(walk.arrays);
    oddities_ = std::move(walk.oddities);
    if (root_.isMarkedOpen())
        oddities_.push_back({"marked_open", "/",
                             "the file is marked as open for write: its writer still runs or was killed; what was "
                             "written completely is read (SWMR), h5clear -s removes the mark"});
}

const Hdf5Group& Hdf5ArrayFile::group(const std::string& path) const {
    if (path.empty()) return root_;
    std::unique_ptr<Hdf5Group>& known = groups_[path];
    if (!known) known = std::make_unique<Hdf5Group>(root_.group(path.substr(1)));
    return *known;
}

std::shared_ptr<const Hdf5Dataset> Hdf5ArrayFile::dataset(const std::string& path) const {
    std::shared_ptr<const Hdf5Dataset>& known = datasets_[path];
    if (!known) known = std::make_shared<const Hdf5Dataset>(root_.dataset(path.substr(1)));
    return known;
}

std::shared_ptr<const StoredArray> Hdf5ArrayFile::open(const ArrayRef& array, std::size_t cacheBytes) const {
    if (cacheBytes == 0 && array.field.empty()) return dataset(array.path);
    return std::make_shared<const Hdf5Dataset>(root_.dataset(array.path.substr(1), cacheBytes, array.field));
}

std::vector<const AttributeHolder*> Hdf5ArrayFile::attributes(const ArrayRef& array) const {
    std::vector<const AttributeHolder*> holders{dataset(array.path).get()};
    for (std::string path = array.path; !path.empty();) {
        path = parentOf(path);
        holders.push_back(&group(path));
    }
    return holders;
}

std::vector<std::string> Hdf5ArrayFile::axisNames(const ArrayRef& array) const {
    return dataset(array.path)->axisNames();
}

std::vector<std::string> Hdf5ArrayFile::topNames() const { return root_.names(); }

}  // namespace dimscope::io
