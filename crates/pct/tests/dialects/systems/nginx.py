"""Answers with the results of nginx: a request's path decoded to $uri, and a changed path escaped for a proxied server.

One question per line on standard input, "OPERATION HEX"; one answer per line: HEX, "error" for a 400, or "-" if the input
would not be only a path, or nginx would do more than decode it.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log crit;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    large_client_header_buffers 8 64k;
    default_type application/octet-stream;
    server {{
        listen unix:{folder}/front;
        merge_slashes off;
        location / {{ return 200 $uri; }}
        location /encode/ {{ proxy_pass http://unix:{folder}/back:/; }}
    }}
    server {{
        listen unix:{folder}/back;
        merge_slashes off;
        location / {{ return 200 $request_uri; }}
    }}
}}
"""


def ask(folder, path):
    """The body of the response, or None for 400."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"{folder}/front")
        connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        response = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = response.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1]
    if status == b"400":
        return None
    assert status == b"200" and b"chunked" not in head, response
    return body


def decode(folder, value):
    # Bytes that end the path or are illegal in a request line, and dot segments, which nginx
    # resolves after decoding.
    if re.search(rb"[\x00-\x20\x7F?#]", value) or re.search(rb"(/|%2[Ff])(\.|%2[Ee])", value):
        return "-"
    body = ask(folder, b"/_" + value)
    return "error" if body is None else body.removeprefix(b"/_").hex()


def encode(folder, value):
    if b"\x00" in value or b"/." in value:
        return "-"
    path = b"".join(b"%%%02X" % byte for byte in value)
    return ask(folder, b"/encode/_" + path).removeprefix(b"/_").hex()


def main():
    with tempfile.TemporaryDirectory() as folder:
        configuration = f"{folder}/nginx.conf"
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(folder=folder))
        nginx = subprocess.Popen(["nginx", "-p", folder, "-c", configuration], stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(f"{folder}/front"):
                assert nginx.poll() is None, "nginx does not start"
                time.sleep(0.01)
            for question in sys.stdin:
                operation, _, digits = question.rstrip("\n").partition(" ")
                print({"decode": decode, "encode": encode}[operation](folder, bytes.fromhex(digits)))
        finally:
            nginx.terminate()
            nginx.wait()


main()
