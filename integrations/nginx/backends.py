"""Backends for the test of rules that do not speak HTTP/1.1: a FastCGI responder, and an HTTP/2 server for
gRPC.

Like a RecordingOrigin, each has `port`, works with `with`, and `take` returns number, target and details of each request.
"""

import socket
import struct
import threading

from servers import HOST


class Backend:
    """Accepts connections and serves each in a thread."""

    def __init__(self):
        self.listener = socket.create_server((HOST, 0), backlog=128)
        self.port, self.requests = self.listener.getsockname()[1], []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def take(self):
        requests, self.requests = self.requests, []
        return requests

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.guarded, args=[connection], daemon=True).start()

    def guarded(self, connection):
        with connection:
            try:
                self.serve(connection)
            except (OSError, EOFError):
                pass


class FastCgi(Backend):
    """The target is REQUEST_URI; the details are the parameters."""

    BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6

    def serve(self, connection):
        with connection.makefile("rwb") as file:
            parameters = b""
            while header := file.read(8):
                _, kind, request, length, padding = struct.unpack("!BBHHBx", header)
                content = file.read(length + padding)[:length]
                if kind == self.PARAMS:
                    parameters += content
                elif kind == self.STDIN and not content:
                    break
            details = self.parse(parameters)
            self.requests.append((int(details["HTTP_X_NUMBER"]), details["REQUEST_URI"].encode("latin-1"), details))
            answer = b"Content-Type: text/plain\r\n\r\n" + details["REQUEST_URI"].encode("latin-1").hex().encode()
            for kind, content in [(self.STDOUT, answer), (self.STDOUT, b""), (self.END, bytes(8))]:
                file.write(struct.pack("!BBHHBx", 1, kind, request, len(content), 0) + content)

    @staticmethod
    def parse(data):
        """Names and values (FastCGI 1.0, 3.4)."""
        at, details = 0, {}
        while at < len(data):
            lengths = []
            for _ in range(2):
                size = 4 if data[at] & 0x80 else 1
                lengths.append(int.from_bytes(data[at:at + size], "big") & 0x7FFFFFFF)
                at += size
            name, value = data[at:at + lengths[0]], data[at + lengths[0]:at + sum(lengths)]
            details[name.decode()] = value.decode("latin-1")
            at += sum(lengths)
        return details


class Grpc(Backend):
    """The target is the pseudo-header :path; the details are the header fields."""

    def serve(self, connection):
        import h2.config
        import h2.connection
        import h2.events
        config = h2.config.H2Configuration(client_side=False, header_encoding=None, validate_inbound_headers=False)
        state = h2.connection.H2Connection(config)
        state.initiate_connection()
        connection.sendall(state.data_to_send())
        while data := connection.recv(1 << 16):
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    fields = dict(event.headers)
                    self.requests.append((int(fields[b"x-number"]), fields[b":path"], fields))
                    state.send_headers(event.stream_id, [(":status", "200"), ("content-type", "application/grpc")])
                    state.send_headers(event.stream_id, [("grpc-status", "0")], end_stream=True)
            connection.sendall(state.data_to_send())
