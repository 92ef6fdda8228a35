#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Finds names of the project whose header a file does not include, directly or through other headers.

Usage: own_includes.py [ROOT]     prints one line per name, exit code 1 if there is any.

Where several sources are compiled at once (CMAKE_UNITY_BUILD), a compiler does not miss an #include that
another one of them has. This looks for qualified names (core::Error) and for types of the file's own
namespace; it reads text, so what a macro or a template hides it does not see.
"""

import functools
import pathlib
import re
import sys

import project_rules

NAMESPACE = re.compile(r"^namespace dlbench((?:::\w+)*) \{")
TYPE = re.compile(r"^(?:class|struct|enum class|enum)\s+(?:\[\[\w+\]\]\s+|alignas\([^)]*\)\s+)*(\w+)")  # announced ones too
ALIAS = re.compile(r"^using (\w+) =")
CONSTANT = re.compile(r"^(?:inline )?constexpr [^=({]*?(\w+)\s*[={]")
FUNCTION = re.compile(r"^(?!using |namespace |static_assert|template|#|//|\}|struct |class |enum )[^(=;]*?(\w+)\(")
QUALIFIED = re.compile(r"(?<![\w:])((?:\w+::)+)(\w+)")
PLAIN_TYPE = re.compile(r"(?<![\w:.>])([A-Z]\w*[a-z]\w*)\b(?!::\*)")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
TEST = re.compile(r"^TEST(?:_[FP])?\(")
LOCAL = re.compile(r"\b(?:class|struct|enum class|enum|using|typename|namespace)\s+(\w+)")


def code_of(text):
    """Its lines without comments and texts."""
    for line in text.splitlines():
        yield STRING.sub('""', line).split("//")[0] if not line.startswith("#include") else line


def declarations(text):
    """(namespace, name, is it a type) of what a header declares outside of classes."""
    namespace = None
    for line in code_of(text):
        if match := NAMESPACE.match(line):
            namespace = match.group(1).removeprefix("::")
        elif namespace is not None and line[:1] not in ("", " "):
            if match := TYPE.match(line) or ALIAS.match(line):
                yield namespace, match.group(1), True
            elif match := CONSTANT.match(line) or FUNCTION.match(line):
                yield namespace, match.group(1), False


class Project:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {path: (self.root / path).read_text(encoding="utf-8")
                      for path in project_rules.project_files(self.root)
                      if pathlib.PurePath(path).suffix in project_rules.CXX}
        self.headers = {}  # (namespace, name): paths
        self.types = {}  # namespace: names
        for path, text in self.texts.items():
            if path.endswith((".h", ".cuh")):
                for namespace, name, is_type in declarations(text):
                    self.headers.setdefault((namespace, name), set()).add(path)
                    if is_type:
                        self.types.setdefault(namespace, set()).add(name)

    @functools.cache
    def reached(self, path):
        """The project's headers that a file includes, itself among them."""
        found, waiting = set(), [path]
        while waiting:
            here = waiting.pop()
            if here not in found and here in self.texts:
                found.add(here)
                waiting += [name for _, _, name in
                            project_rules.includes_of(self.texts[here].splitlines())]
        return found

    def missing(self, path):
        text = self.texts[path]
        match = re.search(NAMESPACE.pattern, text, re.MULTILINE)
        own = match.group(1).removeprefix("::") if match else ""
        local = set(LOCAL.findall(text))
        reached, told = self.reached(path), set()
        for number, line in enumerate(code_of(text), 1):
            if TEST.match(line):
                continue
            names = [(scope.removesuffix("::").removeprefix("dlbench::"), name)
                     for scope, name in QUALIFIED.findall(line)]
            names += [(own, name) for name in PLAIN_TYPE.findall(line)
                      if name in self.types.get(own, ()) and name not in local]
            for key in names:
                headers = self.headers.get(key, set())
                if headers and not headers & reached and key not in told:
                    told.add(key)
                    yield f"{path}:{number}: '{'::'.join(key)}' is declared in {' or '.join(sorted(headers))}"


def breaches(root):
    project = Project(root)
    for path in sorted(project.texts):
        yield from project.missing(path)


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    found = list(breaches(root))
    for line in found:
        print(line)
    print(f"{len(found)} names without their header")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
