"""The paths as which an origin may read a forwarded target: the oracle of the test "rule against origin"
(rules.py).

It does not use the library, which it judges. An origin decodes the path once, cuts off parameters if the
policy does, resolves dot segments and merges empty segments. If origins differ in a step that the policy
takes, both results are readings.
"""

import re

# The options of the presets of path policies that change the meaning of a path.
OPTIONS = ["backslash", "empty-segments", "parameters"]
PRESETS = {
    "default": ["refuse", "merge", "strip-from-dots"],
    "strict": ["refuse", "refuse", "refuse"],
    "rfc3986": ["keep", "keep", "keep"],
    "nginx": ["keep", "merge", "keep"],
    "envoy": ["to-slash", "merge", "strip-from-dots"],
    "lighttpd": ["keep", "merge", "keep"],
}


class Readings:
    """The paths that targets mean under a path policy, a text such as "default slash=refuse"."""

    def __init__(self, policy):
        words = policy.split()
        preset = words.pop(0) if words and "=" not in words[0] else "default"
        options = dict(zip(OPTIONS, PRESETS[preset])) | dict(word.split("=", 1) for word in words)
        self.separators = b"/" if options["backslash"] == "keep" else b"/\\"
        self.merges = options["empty-segments"] != "keep"
        # A refused segment must not occur, so every reading of it counts.
        self.parameters = {"refuse": "strip"}.get(options["parameters"], options["parameters"])

    def of(self, target):
        """The paths, decoded and resolved, that begin with a slash. `target` is in origin form or absolute form."""
        return {self.resolve(segments) for path in paths_of(target) for segments in self.segments(path)}

    def segments(self, path):
        decoded = re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), path)
        all_segments = [self.cut(segment) for segment in re.split(b"[" + re.escape(self.separators) + b"]", decoded)[1:]]
        yield all_segments
        if self.merges:
            # If slashes are merged before dot segments are resolved, "/a//../b" is "/b", otherwise "/a/b".
            yield [segment for segment in all_segments[:-1] if segment] + all_segments[-1:]

    def cut(self, segment):
        name = segment.split(b";")[0]
        return name if self.parameters == "strip" or self.parameters == "strip-from-dots" and name in (b".", b"..") else segment

    def resolve(self, segments):
        resolved = []
        for index, segment in enumerate(segments):
            is_last = index == len(segments) - 1
            if segment == b"..":
                del resolved[-1:]
            if segment not in (b".", b".."):
                resolved.append(segment)
            elif is_last:
                resolved.append(b"")
        if self.merges:
            resolved = [segment for segment in resolved[:-1] if segment] + resolved[-1:]
        return b"/" + b"/".join(resolved)


def paths_of(target):
    """The paths of a target in origin form or absolute form, without the query: one cut at a raw `#`, one not
    cut."""
    rest = target if target.startswith(b"/") else re.sub(rb"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", b"", target)
    path = rest.split(b"?")[0]
    return {each if each.startswith(b"/") else b"/" + each for each in [path, path.split(b"#")[0]]}


def below(prefix):
    """A rule: whether a path is this prefix or lies below it."""
    return lambda path: path == prefix or path.startswith(prefix + b"/")


def matches(expression):
    """A rule: whether a path matches a regular expression."""
    return lambda path: re.search(expression, path, re.S) is not None
