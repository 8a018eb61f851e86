"""The results of the crawl queries, computed in plain Python: a function for each, from the tables to columns and sorted rows.

They use what the generator knows, such as which captures have one content, or rules of their own, and none of the functions under test.
"""

import re
from collections import Counter, defaultdict
from urllib.parse import parse_qsl

MALFORMED, DOUBLE = re.compile("%(?![0-9A-Fa-f]{2})"), re.compile("%25[0-9A-Fa-f]{2}")
UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
TRIPLET = re.compile("%([0-9A-Fa-f]{2})")


def in_bytes(text):
    """Engines compare strings as bytes; NULL is last."""
    return text is None, (text or "").encode()


def normal_triplets(text):
    """RFC 3986 6.2.2.1 and 6.2.2.2; also escapes what is not ASCII."""

    def normal(found):
        character = chr(int(found[1], 16))
        return character if UNRESERVED.fullmatch(character) else found[0].upper()

    return re.sub("[^\0-\x7f]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), TRIPLET.sub(normal, text))


def without_dots(path, is_merged):
    """RFC 3986 5.2.4, on segments; optionally drops empty ones."""
    kept = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        if segment == "..":
            del kept[-1:]
        if segment in (".", ".."):
            if is_last:
                kept.append("")
        elif segment or is_last or not is_merged:
            kept.append(segment)
    return "/" + "/".join(kept)


def new_urls(tables):
    """A normal form stands for one content: the generator gives the spellings of a page the same digest."""
    known = {row["content_digest"] for row in tables["known"]}
    spellings = defaultdict(list)
    for row in tables["crawl"]:
        if row["content_digest"] not in known:
            spellings[row["content_digest"]].append(row)
    rows = []
    for captures in spellings.values():
        row = captures[0]
        # What is malformed stays as it is, except for the scheme and the host.
        path = without_dots(normal_triplets(row["url_path"]), is_merged=False)
        query = "" if row["url_query"] is None else "?" + normal_triplets(row["url_query"])
        normal = f"{row['url_protocol']}://{row['url_host_name']}{path}{query}"
        rows.append((normal, min((capture["url"] for capture in captures), key=in_bytes), len(captures)))
    return ("normal", "url", "captures"), rows


def domains(tables):
    """The generator knows the domain of each host that it makes."""
    captures, hosts, successful = Counter(), defaultdict(set), Counter()
    for row in tables["crawl"]:
        domain = row["url_host_private_domain"]
        captures[domain] += 1
        hosts[domain].add(row["url_host_name"])
        successful[domain] += row["fetch_status"] == 200
    rows = [(domain, count, len(hosts[domain]), successful[domain]) for domain, count in captures.items()]
    return ("domain", "captures", "hosts", "successful"), sorted(rows, key=lambda row: (-row[1], in_bytes(row[0])))


def query_keys(tables):
    keys, pairs = Counter(), Counter()
    for row in tables["crawl"]:
        # A dictionary of reversed pairs keeps the first of each key.
        found = dict(reversed(parse_qsl(row["url_query"] or "", keep_blank_values=True, errors="replace")))
        keys.update(found.keys())
        pairs.update(found.items())
    rows = [(key, keys[key], value, count) for (key, value), count in pairs.items()]
    rows.sort(key=lambda row: (-row[3], in_bytes(row[0]), in_bytes(row[2])))
    return ("key", "key_captures", "value", "captures"), rows[:1000]


def dirty_hosts(tables):
    captures, malformed, double, examples = Counter(), Counter(), Counter(), defaultdict(list)
    for row in tables["crawl"]:
        host, url = row["url_host_name"], row["url"]
        captures[host] += 1
        malformed[host] += bool(MALFORMED.search(url))
        double[host] += bool(DOUBLE.search(url))
        if MALFORMED.search(url) or DOUBLE.search(url):
            examples[host].append(url)
    rows = [(host, captures[host], malformed[host], double[host], min(urls, key=in_bytes)) for host, urls in examples.items()]
    rows.sort(key=lambda row: (-(row[2] + row[3]), in_bytes(row[0])))
    return ("url_host_name", "captures", "malformed", "double_encoded", "example"), rows


def access_paths(tables):
    targets, sent = defaultdict(list), Counter()
    for row in tables["access"]:
        path = row["target"].partition("?")[0]
        # The policy "default" refuses a malformed path.
        path = None if MALFORMED.search(path) else without_dots(normal_triplets(path), is_merged=True)
        targets[path].append(row["target"])
        sent[path] += row["bytes"]
    rows = [(path, len(all_), len(set(all_)), min(all_, key=in_bytes), sent[path]) for path, all_ in targets.items()]
    return ("path", "requests", "spellings", "example", "bytes"), sorted(rows, key=lambda row: (-row[1], in_bytes(row[0])))


EXPECTED = {
    "new-urls": new_urls,
    "domains": domains,
    "query-keys": query_keys,
    "dirty-hosts": dirty_hosts,
    "access-paths": access_paths,
}
