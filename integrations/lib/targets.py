"""Random request targets on which servers disagree, for the test "rule against origin" (rules.py)."""

import random

# The meaning of each piece depends on the server. A target is a few pieces, one after the other.
DELIMITERS = [b"/", b"/", b"/", b"/", b"//", b"%2f", b"%2F", b"\\", b"%5C", b"%5c", b"%252f", b"%255c"]
DOTS = [b".", b"..", b"..", b"/..", b"/../", b"%2e", b"%2E%2e", b".%2e", b"%252e", b"..;", b"..;x", b"..%3B", b"..%3Bx=1",
        b"..%2F", b"%2F..", b"..%5C", b"..%3F", b"..%23", b"/./", b"/.;/"]
PARAMETERS = [b";", b";x", b";x=/../", b"%3B", b"%3b", b"/;/", b"/;x/"]
ENDS = [b"#", b"?", b"?a=/../", b"%3F", b"%3f", b"%23", b"#/../", b"%00", b"%20", b"%0a", b"%09"]
TEXTS = [b"a", b"x", b"~", b"%7e", b"%61", b"%", b"%2", b"%25", b"%zz", b"%ff", b"%c3%a9", b"\xc3\xa9", b"\xff", b"|", b"+",
         b":", b"&", b"=", b"@", b"%40", b"\"", b"<", b"%c0%ae", b"%c0%af", b"%u002e"]
# Bytes that are sent raw if the protocol allows it. In HTTP/1.1, a space ends the target, and a line break
# ends the line.
RAW = {"HTTP/1.1": [b" ", b"\t", b"\x01", b"\x7f"], "HTTP/2": [b" ", b"\t", b"\x01", b"\x7f", b"\n", b"\r\n", b"\0"]}
WORDS = [b"admin", b"admin", b"admin", b"/admin", b"/admin", b"/admin/", b"/admin/x", b"%61dmin", b"adm%69n", b"public",
         b"/public/", b"api", b"/api/", b"internal", b"images", b"/images/", b"secret", b".php", b"/x.php", b".jpg"]
STARTS = [b"/", b"/", b"/", b"/", b"//", b"/public/", b"/api/", b"/images/", b"/admin", b"/./", b"/;/", b"/x/", b"/.;/",
          b"/%2e/", b"/%2F"]
# Absolute form (RFC 9112 3.2.2), for HTTP/1.1 only.
AUTHORITIES = [b"http://localhost", b"http://localhost", b"http://localhost:80", b"HTTP://localhost", b"http://other.example",
               b"https://localhost", b"x://localhost"]

# Targets that once passed a rule, or nearly did. All runs begin with these.
KNOWN = [
    b"/admin", b"/admin/x", b"/administrator", b"/api/..;/internal/secret", b"/api/..;/admin/x", b"/x#/../admin/x",
    b"/x%2fy/../admin/x", b"//admin/x", b"/x\\..\\admin", b"/images/..;/api/me", b"/images/..;/admin", b"/public/..%2Fadmin",
    b"/a%2F../admin", b"/public/..%3Bx/admin", b"/public/..%3F/admin", b"/public/..%23/admin", b"/public/..%5Cadmin",
    b"/;/admin", b"/;x/admin", b"/.;/admin", b"/.//admin", b"/%2e//admin", b"/admin?x", b"/admin;x", b"/admin%3Fx",
    b"/admin%23", b"/admin%2Fx", b"/%61dmin", b"/%2561dmin", b"/x/%2e%2e/admin", b"/x/.%2E/admin", b"/%2F/admin", b"/%2Fadmin",
    b"/x/..//admin", b"/x//../admin", b"/x/%2F../../admin", b"/public/%2e%2e%2fadmin", b"/public/%252e%252e%252fadmin",
    b"/public?/../admin", b"/public%3F/../admin", b"/public%23/../admin", b"/public#/../admin", b"/..;/admin", b"/../admin",
    b"/admin/..;/public", b"/admin/../public", b"/x/y/..;a/..;b/admin", b"/x.php", b"/x%2Ephp", b"/x.php;a", b"/x.ph%70",
    b"http://localhost/admin", b"http://localhost/x/../admin", b"http://localhost", b"http://localhost?/admin",
    b"https://localhost/admin", b"x://localhost/admin",
]


def random_targets(count, seed, protocol="HTTP/1.1"):
    """`count` targets: the known targets, then random targets. For HTTP/1.1, none has a line break."""
    generator = random.Random(seed)
    pieces = [DELIMITERS, DELIMITERS, DOTS, DOTS, PARAMETERS, ENDS, TEXTS, WORDS, WORDS]
    known = KNOWN if protocol == "HTTP/1.1" else [target for target in KNOWN if target.startswith(b"/")]
    yield from known[:count]
    for _ in range(count - len(known)):
        target = generator.choice(STARTS)
        for _ in range(generator.randrange(1, 9)):
            kind = RAW[protocol] if generator.random() < 0.01 else generator.choice(pieces)
            target += generator.choice(kind)
        if generator.random() < 0.5:
            # Most random targets would never come near a rule.
            target += generator.choice([b"/admin", b"/admin/x", b"admin", b"/x.php", b"/api/me"])
        if protocol == "HTTP/1.1" and generator.random() < 0.05:
            target = generator.choice(AUTHORITIES) + target
        yield target
