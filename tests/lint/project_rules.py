#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what a compiler does not: who may include whom, file sizes, names, licence lines, links.

Usage: project_rules.py [ROOT]     prints one line per breach, exit code 1 if there is any.
The table of docs/architecture.md ("Who may include whom") is EDGES below.
"""

import pathlib
import re
import sys

CXX = {".h", ".cpp", ".cu", ".cuh"}
CHECKED = CXX | {".py", ".sh"}
SOURCE_FOLDERS = ("engine", "data", "workloads", "harness", "probes", "reports", "launchers", "tests")
MAX_LINES = 500
FORBIDDEN_NAMES = {"util", "utils", "misc", "common", "helper", "helpers"}
SPDX = (
    "SPDX-FileCopyrightText: 2026 The dlbench authors",
    "SPDX-License-Identifier: Apache-2.0",
)

# A folder may include itself and what is listed. Longest name wins, so a backend's own folder is not
# "engine/backend".
BACKEND = ("engine/core", "engine/graph", "engine/backend")
ENGINE = BACKEND + ("engine/comm", "engine/exec", "engine/conformance")
PROBES = ("probes", "probes/gpu", "probes/node")
REPORTS = ("reports", "reports/text", "reports/validation")
BELOW_HARNESS = ENGINE + ("data", "workloads", "launchers") + PROBES + REPORTS
BELOW_ANALYSIS = BELOW_HARNESS + ("harness", "harness/peaks")
BELOW_SESSION = BELOW_ANALYSIS + ("harness/faults", "harness/analysis")
BELOW_TRIALS = BELOW_SESSION + ("harness/session",)
BELOW_COMMANDS = BELOW_TRIALS + ("harness/trials",)
EDGES = {
    "engine/core": (),
    "engine/graph": ("engine/core",),
    "engine/backend": ("engine/core", "engine/graph"),
    "engine/backend/ref": BACKEND,
    "engine/backend/cpu": BACKEND + ("engine/backend/cpu/kernels",),
    # Compiled for AVX2: an inline function of core would be too, and the linker may keep that copy.
    "engine/backend/cpu/kernels": ("engine/backend",),
    "engine/backend/cuda": BACKEND,
    "engine/backend/cuda/libraries": BACKEND + ("engine/backend/cuda", "engine/comm"),
    "engine/comm": ("engine/core", "engine/backend"),
    "engine/comm/mpi": ("engine/core", "engine/backend", "engine/comm"),
    "engine/exec": ("engine/core", "engine/graph", "engine/backend", "engine/comm"),
    "engine/conformance": BACKEND + ("engine/comm", "engine/exec"),
    "data": ("engine/core",),
    "probes": ("engine/core", "probes/gpu", "probes/node"),
    "probes/cupti": ("engine/core", "probes", "probes/gpu"),
    "probes/gpu": ("engine/core",),
    "probes/node": ("engine/core",),
    "reports": ("engine/core",),
    "reports/text": ("engine/core", "reports"),
    "reports/validation": ("engine/core", "reports"),
    "launchers": ("engine/core",),
    "workloads": ("engine/core", "engine/graph", "data"),
    "harness": BELOW_HARNESS,
    "harness/faults": BELOW_HARNESS + ("harness",),
    "harness/peaks": BELOW_HARNESS + ("harness",),
    "harness/analysis": BELOW_ANALYSIS,
    "harness/session": BELOW_SESSION,
    "harness/trials": BELOW_TRIALS,
    "harness/verification": BELOW_COMMANDS,
    "harness/training": BELOW_COMMANDS,
    "harness/scaling": BELOW_COMMANDS,
    "harness/commands": BELOW_COMMANDS + ("harness/verification", "harness/training", "harness/scaling"),
    "harness/main.cpp": ("engine/core", "harness/commands"),
    "tests": None,  # may include everything
}

# The one folder that owns a library, for headers of vendors. Their names appear nowhere else, and
# inside the folder only in sources.
VENDOR_HEADERS = (
    (re.compile(r"^(dnnl|oneapi/dnnl/).*"), "engine/backend/cpu"),
    (re.compile(r"^(cuda|cudnn|cublas|curand).*\.h(pp)?$"), "engine/backend/cuda"),
    (re.compile(r"^nccl.*\.h$"), "engine/backend/cuda"),
    (re.compile(r"^cupti.*"), "probes/cupti"),
    (re.compile(r"^nvml\.h$"), "probes"),
    (re.compile(r"^hwloc(\.h$|/)"), "probes/node"),
    (re.compile(r"^nvtx3/.*"), "probes"),
    (re.compile(r"^mpi\.h$"), "engine/comm/mpi"),
    (re.compile(r"^hdf5.*"), "data"),
)
# Libraries that make compiling slow: in sources, and in headers called *_internal.h, which only sources
# of their own folder and those below it may include.
HEAVY_HEADERS = re.compile(r"^(nlohmann/|CLI/|boost/|valijson/|turbojpeg\.h|jpeglib\.h|jerror\.h|png\.h|zlib\.h)")
# Written by CMake into the build folder.
GENERATED = {"build_id.h"}
# What a header names of these it includes itself: quickstart.sh precompiles them, so that a compiler
# would not miss the line.
PRECOMPILED = {
    "algorithm": r"std::(ranges::\w+|all_of|any_of|clamp|copy|copy_n|count|count_if|equal|fill|fill_n"
                 r"|find|find_if|for_each|generate|lower_bound|max|max_element|min|min_element"
                 r"|none_of|nth_element|remove_if|replace|reverse|rotate|shuffle|sort|stable_sort"
                 r"|transform|unique|upper_bound)\(",
    "array": r"std::array\b",
    "chrono": r"std::chrono\b",
    "filesystem": r"std::filesystem\b",
    "fstream": r"std::[io]?fstream\b",
    "functional": r"std::(function|greater|hash|plus|ref|cref)\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::(unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|allocator)\b",
    "optional": r"std::(optional|nullopt)\b",
    "span": r"std::(span|as_bytes|as_writable_bytes)\b",
    "sstream": r"std::[io]?stringstream\b",
    "string": r"std::(string|to_string)\b",
    "string_view": r"std::string_view\b",
    "vector": r"std::vector\b",
    "fmt/format.h": r"fmt::(format|format_to|join|memory_buffer)\b",
}
PRECOMPILED_IN_CMAKE = re.compile(r"set\(precompiled ([^)]*)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINK = re.compile(r"\]\(([^)\s]+)\)")
FEATURE_CONDITIONAL = re.compile(r"^\s*#\s*(?:el)?if.*\bDLBENCH_(?:ENABLE|HAVE|WITH|USE)_")


def folder_of(path):
    """The row of EDGES that a path relative to the root belongs to, or None."""
    best = None
    for folder in EDGES:
        if (path + "/").startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def includes_of(lines):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def check_project_include(root, path, number, included):
    here, there = folder_of(path), folder_of(included)
    if there is None:
        yield f"{path}:{number}: '{included}' is not a path from the repository root"
        return
    if not (root / included).is_file():
        yield f"{path}:{number}: '{included}' does not exist"
    allowed = EDGES[here]
    if there != here and allowed is not None and there not in allowed:
        yield f"{path}:{number}: {here} may not include {there} ('{included}')"
    if included.endswith("_internal.h") and here != "tests":
        own = pathlib.PurePath(path).is_relative_to(pathlib.PurePath(included).parent)
        public = path.endswith((".h", ".cuh")) and not path.endswith("_internal.h")
        if not own or public:
            yield f"{path}:{number}: '{included}' is for the sources of its own folder and those below it"


def check_vendor_include(path, number, included):
    in_tests = path.startswith("tests/")
    is_header = path.endswith((".h", ".cuh"))
    for pattern, owner in VENDOR_HEADERS:
        if not pattern.match(included):
            continue
        mirror = "tests/" + owner
        if not path.startswith((owner + "/", mirror + "/")):
            yield f"{path}:{number}: <{included}> belongs to {owner} alone"
        elif is_header and not owner.startswith(("engine/backend/cpu", "engine/backend/cuda")):
            yield f"{path}:{number}: <{included}> in a header; include it in a source"
    private = in_tests or path.endswith("_internal.h")
    if is_header and not private and HEAVY_HEADERS.match(included):
        yield f"{path}:{number}: <{included}> is heavy; include it in a source, not in a header"


def check_includes_of_header(path, lines):
    included = {name for _, _, name in includes_of(lines)}
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        for header, pattern in PRECOMPILED.items():
            if header not in included and re.search(pattern, code):
                included.add(header)  # one line per header
                yield f"{path}:{number}: <{header}> is missing, for '{code.strip()}'"


def check_own_header_first(root, path, lines):
    """A header that its source includes before anything else is known to compile alone."""
    own = path.removesuffix(".cpp") + ".h"
    if (root / own).is_file():
        first = next(includes_of(lines), (1, None, None))
        if first[2] != own:
            yield f"{path}:{first[0]}: '{own}' must be the first include, which shows that it needs no other"


def check_file(root, path):
    text = (root / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    name = pathlib.PurePath(path)
    if len(lines) > MAX_LINES:
        yield f"{path}: {len(lines)} lines, at most {MAX_LINES}; look for the second thing hiding in it"
    for part in name.with_suffix("").parts:
        if part.lower() in FORBIDDEN_NAMES:
            yield f"{path}: '{part}' says nothing; name the file after what is in it"
    start = 1 if lines and lines[0].startswith("#!") else 0
    for offset, wanted in enumerate(SPDX):
        if len(lines) <= start + offset or not lines[start + offset].endswith(wanted):
            yield f"{path}:{start + offset + 1}: the line '{wanted}' is missing"
    if name.suffix not in CXX:
        return
    if name.suffix in (".h", ".cuh"):
        if "#pragma once" not in lines:
            yield f"{path}: '#pragma once' is missing"
        for number, line in enumerate(lines, 1):
            if re.match(r"^\s*using namespace\b", line):
                yield f"{path}:{number}: 'using namespace' in a header"
        yield from check_includes_of_header(path, lines)
    if name.suffix == ".cpp":
        yield from check_own_header_first(root, path, lines)
    for number, line in enumerate(lines, 1):
        if FEATURE_CONDITIONAL.match(line):
            yield f"{path}:{number}: a missing library drops whole files in CMake, not lines by #if"
    if folder_of(path) is None:
        yield f"{path}: not in a folder of the table in docs/architecture.md"
        return
    for number, quoted, included in includes_of(lines):
        if quoted and included not in GENERATED:
            yield from check_project_include(root, path, number, included)
        elif not quoted:
            yield from check_vendor_include(path, number, included)


def check_links(root, path):
    """Links of a Markdown file to other files of the project lead somewhere."""
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(line):
            if "://" in target or target.startswith(("#", "mailto:")):
                continue
            if not ((root / path).parent / target.split("#")[0]).exists():
                yield f"{path}:{number}: the link to '{target}' leads nowhere"


def documents(root):
    for folder in (root, root / "docs"):
        for file in sorted(folder.glob("*.md")) + sorted(folder.glob("*/*.md")):
            if "build" not in file.parts:
                yield file.relative_to(root).as_posix()


def project_files(root):
    for folder in SOURCE_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and file.suffix in CHECKED and "__pycache__" not in file.parts:
                yield file.relative_to(root).as_posix()
    for path in ("quickstart.sh",):
        if (root / path).is_file():
            yield path


def check_precompiled(root):
    """The table above has what CMake precompiles."""
    build = root / "CMakeLists.txt"
    listed = PRECOMPILED_IN_CMAKE.search(build.read_text(encoding="utf-8")) if build.is_file() else None
    if listed:
        for header in sorted(set(re.findall(r"<([^>]+)>", listed.group(1))) - set(PRECOMPILED)):
            yield f"CMakeLists.txt: <{header}> is precompiled and not in the table of project_rules.py"


def spelt_out(name):
    """"a/{b,c}" is a/b and a/c."""
    before, brace, rest = name.partition("{")
    inner, _, after = rest.partition("}")
    return [before + word + after for word in inner.split(",")] if brace else [name]


def check_documented(root):
    """The document's table and EDGES have the same folders."""
    document = root / "docs/architecture.md"
    if not document.is_file():
        return
    table = document.read_text(encoding="utf-8").partition("## Who may include whom")[2].partition("\n\n- ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    documented = {folder for row in rows for name in re.findall(r"`([^`]+)`", row) for folder in spelt_out(name)}
    wanted = {folder for folder in EDGES if folder not in ("tests", "harness/main.cpp")}
    for folder in sorted(documented ^ wanted):
        where = "EDGES of project_rules.py" if folder in documented else "the table of docs/architecture.md"
        yield f"docs/architecture.md: {folder} is missing in {where}"


def breaches(root):
    root = pathlib.Path(root)
    yield from check_precompiled(root)
    yield from check_documented(root)
    for path in project_files(root):
        yield from check_file(root, path)
    for path in sorted(set(documents(root))):
        yield from check_links(root, path)


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[2]
    count = sum(1 for _ in project_files(root))
    if count == 0:
        print(f"no source files below {root}")
        return 1
    found = list(breaches(root))
    for line in found:
        print(line)
    print(f"{count} files, {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
