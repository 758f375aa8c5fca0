# SPDX-License-Identifier: Apache-2.0
"""One request and its answer over HTTP, with timeouts, cancelling and retries. client.py builds its calls on it."""
from __future__ import annotations

import http.client
import io
import json
import socket
import ssl
import threading
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple
from urllib.parse import quote, urlsplit

from . import wire
from .errors import BadAnswer, Cancelled, Error, NetworkError, Refused, SlowAnswer, TimedOut, UsageError, clean

MAX_PROBLEM = 512 << 10  # It may list the Meshes of a file.
_MAX_HEAD = 1 << 20  # Of an answer, with any "100 Continue" before it.
_MAX_RETRY_WAIT = 10.0  # Who is told to wait longer is told so by the error.
_PIECE = 1 << 20


def _check_text(what: str, text: str) -> str:
    if any(ord(c) <= 32 or ord(c) == 127 for c in text):
        raise UsageError("the %s holds a space or a control character" % what)
    return text


class Address:
    """Where a daemon is: http://HOST:PORT, https://HOST:PORT or unix:/PATH, the first two also with a path."""
    def __init__(self, server: str, ca_file: Optional[str]) -> None:
        self.text, self.path, self.prefix, self.tls = server, "", "", None
        if server.startswith("unix:/"):
            self.path, self.host, self.port = server[5:], "localhost", 80
            if not hasattr(socket, "AF_UNIX"):
                raise UsageError("this system has no Unix sockets for Python")
        else:
            try:
                parts = urlsplit(_check_text("server's URL", server))
                self.host, self.port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
            except ValueError as why:
                raise UsageError("the server's URL cannot be read: %s" % why) from None
            plain = not (parts.query or parts.fragment) and parts.username is None
            if parts.scheme not in ("http", "https") or not self.host or not plain:
                raise UsageError("the server is written http://HOST:PORT, https://HOST:PORT or unix:/PATH")
            self.prefix = quote(parts.path.rstrip("/"), safe="/%")
            if parts.scheme == "https":
                self.tls = self._context(ca_file)
        if ca_file and not self.tls:
            raise UsageError("a ca_file needs a server that starts with https://, not %s" % server)

    @staticmethod
    def _context(ca_file: Optional[str]) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError) as why:
            raise UsageError(
                "the ca_file %s cannot be read: it holds certificates as PEM (%s)" % (ca_file, why)) from None

    def sockets(self) -> Iterable[Tuple[int, Any]]:
        """(family, address) of each way there."""
        if self.path:
            return [(socket.AF_UNIX, self.path)]
        try:
            return [(row[0], row[4]) for row in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)]
        except OSError as why:
            raise NetworkError(
                "no address is known for the host of %s: check its name (%s)" % (self.text, why)) from None


class _Link(io.RawIOBase):
    """A connection. http.client reads from it as from a file and sends to it as to a socket; each single read and write
    here looks at the deadlines and whether the call was cancelled."""
    def __init__(self, exchange: "Exchange") -> None:
        super().__init__()
        self.exchange = exchange
        self.socket: Any = None
        self.timeout: Optional[float] = None

    def open(self, sock: socket.socket) -> None:
        self.socket, self.timeout = sock, None

    def _wait(self) -> None:
        left = self.exchange.time_left()
        if left != self.timeout:
            self.timeout = left
            self.socket.settimeout(left)

    def readable(self) -> bool:
        return True

    def readinto(self, to: Any) -> int:
        self._wait()
        try:
            n = self.socket.recv_into(to)
        except socket.timeout:
            self.exchange.late()
        except OSError as why:
            self.exchange.check()
            raise self.exchange.broken(why) from None
        self.exchange.check()
        self.exchange.received += n
        if self.exchange.in_head and self.exchange.received > _MAX_HEAD:
            raise BadAnswer("the head of the answer has no end")
        return n

    def sendall(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        # A program that embeds Python may not have SIGPIPE ignored. Sockets of ssl take no flags.
        flags = () if self.exchange.address.tls else (getattr(socket, "MSG_NOSIGNAL", 0),)
        while view.nbytes:
            self._wait()
            try:
                n = self.socket.send(view[:_PIECE], *flags)
            except socket.timeout:
                self.exchange.late()
            self.exchange.check()
            view = view[n:]
            if view.nbytes and not self.exchange.address.tls and self.is_stale():
                raise BrokenPipeError("it answered before the whole request was sent")

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(self, 8192)

    def is_stale(self) -> bool:
        """Has the other side closed it, or sent what nobody asked for? Past TLS, as the plain socket tells it."""
        self.timeout = -1
        self.socket.settimeout(0)
        try:
            socket.socket.recv(self.socket, 1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            pass
        return True

    def close(self) -> None:
        """http.client closes what it read an answer from; the connection stays, until drop."""

    def drop(self) -> None:
        if self.socket:
            self.socket.close()
            self.socket = None


class Answer:
    """An answer whose body has not been read yet."""
    def __init__(self, exchange: "Exchange", response: http.client.HTTPResponse) -> None:
        self.exchange, self._response = exchange, response
        self.status = response.status
        self.media_type = (response.headers.get("Content-Type") or "").split(";")[0].strip().lower()
        self.etag = response.headers.get("ETag") or ""
        self.request_id = clean(response.headers.get("X-Request-Id"), 72)
        self.timing = response.headers.get("Server-Timing") or ""
        self.warnings = [clean(w) for w in response.headers.get_all("Subdd-Warning", [])]
        try:
            self.retry_after = min(float(int(response.headers.get("Retry-After") or 0)), 86400.0)
        except (ValueError, OverflowError):
            self.retry_after = 0.0
        # Content-Length, or None; it counts what is left of the body.
        self.left: Optional[int] = None if response.chunked else response.length

    def read_into(self, view: memoryview) -> int:
        """Bytes of the body straight into memory: as many as there are now, at least one."""
        if self.left is not None and len(view) > self.left:
            raise BadAnswer("the answer is shorter than its own tables say")
        n = self._response.fp.readinto1(view) if self._response.fp else 0  # type: ignore[union-attr]
        if not n:
            raise self._short()
        if self.left is not None:
            self.left -= n
            self._response.length = self.left
        return n

    def pieces(self) -> Iterator[bytes]:
        """The whole body, piece by piece."""
        while self.left != 0:
            piece = self._response.read(_PIECE if self.left is None else min(_PIECE, self.left))
            if not piece:
                break
            self.left = None if self.left is None else self.left - len(piece)
            yield piece
        if self.left:
            raise self._short()

    def read(self, most: int) -> bytes:
        """The whole body. What is announced is not believed: memory grows as bytes come."""
        if self.left is not None and self.left > most:
            raise BadAnswer("the answer has %d bytes, above this client's limit of %d" % (self.left, most))
        parts, n = [], 0
        for piece in self.pieces():
            parts.append(piece)
            n += len(piece)
            if n > most:
                raise BadAnswer("the answer has more than the %d bytes that this client takes of one" % most)
        return b"".join(parts)

    def read_some(self, view: memoryview) -> int:
        """All of the memory from a body that goes on; 0 where the body has ended before it."""
        n = self._response.readinto(view)
        if 0 < n < len(view):
            raise self._short()
        return n

    def read_line(self, most: int) -> Optional[str]:
        """The next line of a body that goes on, or None at its end."""
        line = self._response.readline(most + 1)
        if len(line) > most:
            raise BadAnswer("a line of the answer has more than %d bytes" % most)
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def _short(self) -> BadAnswer:
        return BadAnswer(
            "%s broke off in the middle of its answer, or sent less than it had announced" % self.exchange.address.text)

    def is_read(self) -> bool:
        return self.left == 0 or (self.left is None and self._response.isclosed())

    def closes(self) -> bool:
        return self._response.will_close


class Exchange:
    """A client's side: its connection, its timeouts and its retries. Seconds everywhere."""
    def __init__(self, address: Address, token: Optional[str], connect_timeout: float, stall_timeout: float,
                 request_timeout: Optional[float], retries: int, bulk: bool = False) -> None:
        self.address, self.bulk = address, bulk
        self.bearer = "Bearer " + _check_text("token", token) if token else None
        self.connect_timeout, self.stall_timeout, self.request_timeout = connect_timeout, stall_timeout, request_timeout
        self.retries = retries
        self.received = 0  # Bytes of the answer under way.
        self.in_head = False  # Whether its head is still being read.
        self._deadline: Optional[float] = None
        self._cancelled = threading.Event()
        self._lock = threading.Lock()  # Held for a moment, where cancel and the call both look at the socket.
        self._busy = threading.Lock()  # Held for a call.
        self._link: Optional[_Link] = None
        self._sockets: List[socket.socket] = []  # The one that is in use.

    # ---- deadlines and cancelling
    def cancel(self) -> None:
        with self._lock:
            self._cancelled.set()
            for sock in self._sockets:
                try:
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)  # Past TLS, whose shutdown is not for two threads.
                except OSError:
                    pass

    def uncancel(self) -> None:
        self._cancelled.clear()

    def pause(self, seconds: float) -> None:
        """Waits, unless the client is cancelled."""
        self._cancelled.wait(seconds)
        self.check()

    def check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled("cancelled by Client.cancel")

    def time_left(self) -> float:
        """Seconds that the next read or write may take."""
        self.check()
        if self._deadline is None:
            return self.stall_timeout
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.late()
        return min(self.stall_timeout, left)

    def late(self) -> None:
        self.check()
        kind = SlowAnswer if self.received else TimedOut
        if self._deadline is not None and time.monotonic() >= self._deadline - 1e-3:
            raise kind("%s did not answer in full within the %g s of request_timeout" %
                       (self.address.text, self.request_timeout or 0))
        raise kind(
            "no byte came from or went to %s for the %g s of stall_timeout" % (self.address.text, self.stall_timeout))

    def broken(self, why: Exception) -> Error:
        """The error for a connection that broke while an answer was waited for or read."""
        if self.received:
            return BadAnswer("the connection to %s broke in the middle of its answer (%s)" % (self.address.text, why))
        return NetworkError("the connection to %s broke before an answer (%s)" % (self.address.text, why))

    # ---- the connection
    def _connect_to(self, family: int, address: Any) -> socket.socket:
        sock = socket.socket(family, socket.SOCK_STREAM)
        with self._lock:
            self._sockets[:] = [sock]
        try:
            left = self.time_left()
            sock.settimeout(min(self.connect_timeout, left))
            sock.connect(address)
            if family != getattr(socket, "AF_UNIX", None):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.address.tls:
                sock = self.address.tls.wrap_socket(sock, server_hostname=self.address.host,
                                                    do_handshake_on_connect=False)
                with self._lock:
                    self._sockets[:] = [sock]
                sock.do_handshake()
            self.check()
            return sock
        except BaseException:
            sock.close()
            raise

    def _connect(self) -> _Link:
        why: Optional[Exception] = None
        for family, address in self.address.sockets():
            try:
                link = _Link(self)
                link.open(self._connect_to(family, address))
                return link
            except ssl.SSLCertVerificationError as error:
                raise NetworkError(
                    "the certificate of %s is not trusted: ca_file names a file with its authority (%s)" %
                    (self.address.text, error)) from None
            except ssl.SSLError as error:
                raise NetworkError("there is no TLS connection with %s: does it speak https? (%s)" %
                                   (self.address.text, error)) from None
            except socket.timeout:
                self.time_left()
                raise TimedOut("no connection with %s within the %g s of connect_timeout" %
                               (self.address.text, self.connect_timeout)) from None
            except OSError as error:
                self.check()
                why = error
        raise NetworkError("cannot reach a subdd at %s: does it run, and listen there? (%s)" % (self.address.text, why))

    def drop(self) -> None:
        with self._lock:
            self._sockets.clear()
        if self._link:
            self._link.drop()
            self._link = None

    # ---- one request
    def _send(self, method: str, path: str, headers: Dict[str, str], body: wire.Pieces) -> Answer:
        if self._link and self._link.is_stale():
            self.drop()
        if not self._link:
            self._link = self._connect()
        self.received, self.in_head = 0, True
        connection = http.client.HTTPConnection(self.address.host, self.address.port)
        connection.sock = self._link  # type: ignore[assignment]
        broke: Optional[Exception] = None
        connection.putrequest(method, self.address.prefix + path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        try:
            connection.endheaders()
            for piece in body:
                self._link.sendall(piece)
        except OSError as why:  # A refusal may have come before the whole body was sent, and says more than this.
            self.check()
            broke = why
        try:
            answer = Answer(self, connection.getresponse())
            self.in_head = False
        except http.client.RemoteDisconnected as why:
            raise NetworkError(
                "%s closed the connection without an answer (%s)" % (self.address.text, broke or why)) from None
        except http.client.HTTPException as why:
            raise BadAnswer("what listens at %s does not speak sound HTTP (%s)" %
                            (self.address.text, clean(str(why) or type(why).__name__, 100))) from None
        except ValueError:
            raise BadAnswer("what listens at %s does not speak sound HTTP" % self.address.text) from None
        if broke and answer.status < 400:
            raise NetworkError(
                "the connection to %s broke while the request was sent (%s)" % (self.address.text, broke))
        return answer

    def _headers(self, headers: Dict[str, Optional[str]], body: wire.Pieces, has_body: bool) -> Dict[str, str]:
        sent = {"User-Agent": "subd-python", "Authorization": self.bearer, **headers}
        if self.request_timeout:
            sent["Subdd-Timeout-Ms"] = str(max(1, round(self.request_timeout * 1000)))
        if self.bulk:
            sent["Subdd-Priority"] = "bulk"
        if has_body:
            sent["Content-Length"] = str(wire.size_of(body))
        for name, value in sent.items():
            if value is not None and any(not 32 <= ord(c) < 256 or ord(c) == 127 for c in value):
                raise UsageError("%s holds a character that no header can have" % name)
        return {name: value for name, value in sent.items() if value is not None}

    def _once(self, method: str, path: str, headers: Dict[str, str], body: wire.Pieces,
              take: Callable[[Answer], Any]) -> Any:
        answer = None
        try:
            answer = self._send(method, path, headers, body)
            if answer.status >= 400:
                raise problem(answer)
            if not (200 <= answer.status <= 299 or (answer.status == 304 and "If-None-Match" in headers)):
                raise BadAnswer(
                    "the answer has status %d, which has no meaning here; redirects are not followed" % answer.status)
            result = take(answer)
            if not answer.is_read() or answer.closes():
                self.drop()
            return result
        except Refused:
            if not answer or not answer.is_read() or answer.closes():
                self.drop()
            raise
        except http.client.HTTPException as why:
            self.drop()
            raise self._told(
                BadAnswer("the answer of %s is no sound HTTP (%s)" % (self.address.text, type(why).__name__)),
                answer) from None
        except Error as error:
            self.drop()
            raise self._told(error, answer)
        except BaseException:
            self.drop()
            raise

    @staticmethod
    def _told(error: Error, answer: Optional[Answer]) -> Error:
        if answer and not error.request_id:
            error.request_id = answer.request_id
        return error

    def run(self, method: str, path: str, headers: Dict[str, Optional[str]], body: Optional[wire.Pieces],
            take: Callable[[Answer], Any], repeatable: bool, endless: bool = False) -> Any:
        """Sends a request and returns what take makes of its answer. With repeatable, the request is sent again after a
        connection that broke before an answer, and after a refusal that asks for it (429, 503)."""
        if not self._busy.acquire(blocking=False):
            raise UsageError("this client has a call under way: a client belongs to one thread at a time")
        try:
            limited = self.request_timeout and not endless
            self._deadline = time.monotonic() + (self.request_timeout or 0) if limited else None
            sent = self._headers(headers, body or [], body is not None)
            self.check()
            for left in range(self.retries if repeatable else 0, -1, -1):
                try:
                    return self._once(method, path, sent, body or [], take)
                except (NetworkError, Refused) as error:
                    wait = self._pause(error, left)
                    if wait is None:
                        raise
                self.pause(wait)
        finally:
            with self._lock:
                self._deadline = None
            self._busy.release()

    def _pause(self, error: Error, left: int) -> Optional[float]:
        """Seconds until a repeat, or None if there is none."""
        soon = error.status in (429, 503) and 0 < error.retry_after <= _MAX_RETRY_WAIT
        if isinstance(error, Refused) and not soon:
            return None
        wait = error.retry_after or 0.1 * 2**(self.retries - left)
        in_time = self._deadline is None or time.monotonic() + wait < self._deadline
        return wait if left and in_time else None


# ---- refusals --------------------------------------------------------------------------------------------------------
def _whole(value: Any) -> int:
    """JSON has 64-bit numbers as strings as well."""
    if isinstance(value, str) and len(value) < 20 and value.lstrip("-").isdigit():
        return int(value)
    return int(value) if isinstance(value, (int, float)) and -9e15 <= value <= 9e15 else 0


def parse_json(body: bytes) -> Any:
    try:
        return json.loads(body, parse_int=lambda digits: int(digits) if len(digits) < 20 else float("inf"))
    except (ValueError, RecursionError):
        return None


def _conflict(o: Any) -> Dict[str, Any]:
    if not isinstance(o, dict):
        return {}
    found: Dict[str, Any] = {name: [_whole(v) for v in o[name][:64]]
                             for name in ("versions", "vertexIds", "faceIds") if isinstance(o.get(name), list)}
    found.update((name, _whole(o.get(name))) for name in ("vertices", "faces"))
    return {**found, "what": clean(o.get("what"), 80)}


def _problem_of_json(body: bytes) -> Dict[str, Any]:
    o = parse_json(body)
    if not isinstance(o, dict):
        return {}
    prims: Any = o.get("prims") if isinstance(o.get("prims"), list) else []
    rows = [(clean(p.get("path"), 65536), _whole(p.get("vertices")), _whole(p.get("faces")))
            for p in prims if isinstance(p, dict)]
    return {
        "text": clean(o.get("detail")) or clean(o.get("title")), "code": clean(o.get("code"), 64),
        "field": clean(o.get("field"), 64), "request_id": clean(o.get("instance"), 72),
        "current_version": _whole(o.get("currentVersion")), "retry_after": _whole(o.get("retryAfterMs")) / 1000,
        "limit": _whole(o.get("limit")), "needed": _whole(o.get("needed")), "available": _whole(o.get("available")),
        "prims": rows, "oldest_version": _whole(o.get("oldestVersion")), "conflict": _conflict(o.get("conflict"))
    }


def _problem_of_protobuf(body: bytes) -> Dict[str, Any]:
    try:
        p = wire.PROBLEM.read(body)
    except BadAnswer:
        return {}
    c: Any = p.conflict
    return {
        "text": p.detail or p.title, "code": p.code, "field": p.field, "request_id": p.instance,
        "current_version": p.current_version, "limit": p.limit, "needed": p.needed, "available": p.available,
        "prims": [(q.path, q.vertices, q.faces) for q in p.prims], "oldest_version": p.limit if p.code == "gone" else 0,
        "conflict": {} if c is None else {
            "versions": wire.packed(c.versions)[:64], "vertexIds": wire.packed(c.vertex_ids)[:64],
            "faceIds": wire.packed(c.face_ids)[:64], "vertices": c.vertices, "faces": c.faces, "what": clean(c.what, 80)
        }
    }


def problem(answer: Answer) -> Refused:
    """The error for an answer of status 400 or above, whatever sent it."""
    body, details = answer.read(MAX_PROBLEM), {}
    if "json" in answer.media_type:
        details = _problem_of_json(body)
    elif "protobuf" in answer.media_type:
        details = _problem_of_protobuf(body)
    text = clean(details.pop("text", "")) or "the server answered with status %d and said no more" % answer.status
    details["request_id"] = details.get("request_id") or answer.request_id
    details["retry_after"] = details.get("retry_after") or answer.retry_after
    return Refused(text, status=answer.status, **details)
