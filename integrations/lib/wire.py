"""Sends many requests fast, their targets byte for byte: HTTP/1.1 pipelined, HTTP/2 as streams of one connection.

    for answer in send("HTTP/1.1", port, targets): print(answer.status, answer.body)

HTTP/2 needs the Python package h2.
"""

import socket
from dataclasses import dataclass, field

from servers import HOST

# Number of requests to send before the answers are read.
BATCH = 50


@dataclass
class Answer:
    """The answer to a request. The status is 0 if the connection or stream was closed without an answer."""
    status: int = 0
    fields: dict = field(default_factory=dict)
    body: bytes = b""


def send(protocol, port, targets, fields=(), batch=BATCH):
    """Sends requests with these targets and header fields. Returns the answers in the order of the targets.

    Each request also has the field `x-number`, its index, so that an origin can tell them apart. A request may be sent
    again if the connection is closed before it was answered.
    """
    return {"HTTP/1.1": send_pipelined, "HTTP/2": send_streams}[protocol](port, list(targets), dict(fields), batch)


def send_pipelined(port, targets, fields, batch):
    head = "".join(f"{name}: {value}\r\n" for name, value in ({"host": "localhost"} | fields).items()).encode()
    answers, connection = [], None
    while len(answers) < len(targets):
        is_new = connection is None
        connection = connection or Pipeline(port)
        first = len(answers)
        numbers = range(first, min(first + batch, len(targets)))
        answers += connection.ask([b"GET %b HTTP/1.1\r\n%bx-number: %d\r\n\r\n" % (targets[number], head, number)
                                   for number in numbers])
        if is_new and len(answers) == first:
            # Not even the first request on a new connection was answered.
            answers.append(Answer())
        if connection.is_closed:
            connection = None
    if connection is not None:
        connection.close()
    return answers


class Pipeline:
    """A connection of HTTP/1.1."""

    def __init__(self, port):
        self.socket = socket.create_connection((HOST, port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.is_closed = b"", False

    def close(self):
        self.is_closed = True
        self.socket.close()

    def ask(self, requests):
        """Returns the answers to these requests that arrive before the connection is closed."""
        answers = []
        try:
            self.socket.sendall(b"".join(requests))
        except OSError:
            # There may be answers nevertheless.
            pass
        try:
            while len(answers) < len(requests) and not self.is_closed:
                answers.append(self.answer())
        except (OSError, EOFError, ValueError):
            self.close()
        return answers

    def answer(self):
        while True:
            line, *lines = self.read_until(b"\r\n\r\n").split(b"\r\n")
            status = int(line.split()[1])
            if status >= 200:
                break
        fields = {name.lower().decode("latin-1"): value.strip().decode("latin-1")
                  for name, _, value in (field.partition(b":") for field in lines)}
        is_last = fields.get("connection", "").lower() == "close"
        if fields.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.read_until(b"\r\n").split(b";")[0], 16):
                body += self.read(size + 2)[:-2]
            self.read_until(b"\r\n")
        elif "content-length" in fields:
            body = self.read(int(fields["content-length"]))
        else:
            body, is_last = (b"" if status in (204, 304) else self.read_all()), status not in (204, 304)
        if is_last:
            self.close()
        return Answer(status, fields, body)

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        self.buffer += data

    def read(self, size):
        while len(self.buffer) < size:
            self.receive()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def read_until(self, mark):
        while (end := self.buffer.find(mark)) < 0:
            self.receive()
        data, self.buffer = self.buffer[:end], self.buffer[end + len(mark):]
        return data

    def read_all(self):
        try:
            while True:
                self.receive()
        except EOFError:
            data, self.buffer = self.buffer, b""
            return data


def send_streams(port, targets, fields, batch):
    answers = [None] * len(targets)
    missing = list(range(len(targets)))
    while missing:
        connection = Streams(port)
        is_new = True
        while missing and not connection.is_closed:
            numbers, missing = missing[:batch], missing[batch:]
            got = connection.ask({number: targets[number] for number in numbers}, fields)
            if is_new and not got:
                # A new connection got no answer at all: sends one request after the other, to find out which
                # to blame.
                got, batch = ({numbers[0]: Answer()}, batch) if len(numbers) == 1 else ({}, 1)
            is_new = False
            for number, answer in got.items():
                answers[number] = answer
            missing = [number for number in numbers if number not in got] + missing
        connection.close()
    return answers


class Streams:
    """A connection of HTTP/2 without TLS, with prior knowledge (RFC 9113 3.3)."""

    def __init__(self, port):
        import h2.config
        import h2.connection
        import h2.events
        import h2.exceptions
        self.events, self.error = h2.events, h2.exceptions.ProtocolError
        # Allow requests that no client should send.
        config = h2.config.H2Configuration(
            client_side=True, header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False)
        self.state = h2.connection.H2Connection(config)
        self.socket = socket.create_connection((HOST, port), timeout=10)
        self.is_closed = False
        self.state.initiate_connection()
        self.socket.sendall(self.state.data_to_send())

    def close(self):
        self.is_closed = True
        self.socket.close()

    def ask(self, targets, fields):
        """Returns the answers that arrive before the connection is closed, by number."""
        numbers, answers, done = {}, {}, {}
        for number, target in targets.items():
            stream = self.state.get_next_available_stream_id()
            numbers[stream] = number
            answers[number] = Answer()
            head = [(b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"localhost"), (b":path", target),
                    (b"x-number", str(number).encode())]
            self.state.send_headers(stream, head + [(name.encode(), value.encode()) for name, value in fields.items()],
                                    end_stream=True)
        try:
            self.socket.sendall(self.state.data_to_send())
            while len(done) < len(targets) and not self.is_closed:
                data = self.socket.recv(1 << 16)
                if not data:
                    raise EOFError
                self.take(self.state.receive_data(data), numbers, answers, done)
                self.socket.sendall(self.state.data_to_send())
        except (OSError, EOFError, self.error):
            self.close()
        return done

    def take(self, events, numbers, answers, done):
        for event in events:
            if isinstance(event, self.events.ConnectionTerminated):
                self.is_closed = True
            number = numbers.get(getattr(event, "stream_id", None))
            if number is None:
                continue
            answer = answers[number]
            if isinstance(event, self.events.ResponseReceived):
                answer.fields = {name.decode(): value.decode("latin-1") for name, value in event.headers}
                answer.status = int(answer.fields.pop(":status"))
            elif isinstance(event, self.events.DataReceived):
                answer.body += event.data
                self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, self.events.StreamEnded):
                done[number] = answer
            elif isinstance(event, self.events.StreamReset):
                done.setdefault(number, answer)
