"""Starts nginx with its module on the loopback interface, for the tests of the module."""

import os
import re
import signal
import tempfile
from pathlib import Path

from servers import Checks, Server, free_ports, request

HEAD = r"""
load_module MODULE;
pid FOLDER/nginx.pid;
error_log FOLDER/error.log info;
worker_processes 2;
events { worker_connections 512; }
"""

TEMPORARY = r"""
    client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi; scgi_temp_path FOLDER/scgi;
"""

checks = Checks()
check = checks.equal


class Nginx(Server):
    """A running nginx with its own configuration. `program` and `module` are the same for all.

    In the text, MODULE, FOLDER and the names of `ports`, after a colon, are replaced. nginx listens on the first port.
    """

    program, module = "/usr/sbin/nginx", None

    def __init__(self, text, ports):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.path.chmod(0o755)
        self.ports = dict(zip(ports, free_ports(len(ports))))
        self.configuration = self.write("nginx.conf", text)
        # AddressSanitizer writes its reports to files, one for each process. nginx does not free everything at exit, and
        # each module has a variable ngx_module_names.
        options = f"detect_leaks=0:detect_odr_violation=0:log_path={self.path}/asan"
        env = os.environ | {"ASAN_OPTIONS": options}
        super().__init__(self.arguments("-g", "daemon off;"), self.ports[ports[0]], env=env, stop_signal=signal.SIGQUIT)

    def write(self, name, text):
        text = text.replace("MODULE", str(Path(self.module).resolve())).replace("FOLDER", str(self.path))
        for port, number in self.ports.items():
            text = re.sub(rf":{port}\b", f":{number}", text)
        file = self.path / name
        file.write_text(text)
        return file

    def arguments(self, *arguments, configuration=None):
        return [self.program, "-p", str(self.path), "-e", str(self.path / "error.log"), "-c",
                str(configuration or self.configuration), *arguments]

    def get(self, target, port="PORT", **options):
        """The answer to a raw target. The status is 0 if nginx closes the connection without an answer."""
        return request(self.ports[port], target, **options)

    def log(self):
        return (self.path / "error.log").read_text(errors="replace")

    def stop(self):
        """Ends nginx; memory errors and crashes are failures."""
        status = super().stop()
        reports = "".join(file.read_text(errors="replace") for file in self.path.glob("asan.*"))
        check("reports of AddressSanitizer", reports, "")
        check("workers that crashed", re.findall(r".*exited on signal.*", self.log()), [])
        check("exit status", status, 0)
        return status


def readme_example(origin):
    """The example of README.md, with addresses and paths of a test. It listens on PORT."""
    text = re.search(r"^load_module.*?(?=^```)", (Path(__file__).parent / "README.md").read_text(), re.M | re.S)[0]
    http = re.search(r"^http \{\n(.*)^\}", text, re.M | re.S)[1].replace("listen 80", "listen 127.0.0.1:PORT")
    http = http.replace("127.0.0.1:8080", f"127.0.0.1:{origin}")
    http = re.sub("/var/log/nginx|/var/cache/nginx", "FOLDER", http)
    return HEAD + "http {" + TEMPORARY + http + "}"
