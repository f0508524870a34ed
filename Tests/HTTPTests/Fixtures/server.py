"""A small HTTPS server that misbehaves on demand: `server.py CERTIFICATES`.

Listens on loopback with the certificates made beside it and prints one line of `name=port`. Each path is one
behaviour, parameters stand in the query. Ends when its standard input does, so that it never outlives its test.
"""
import email.utils
import gzip
import json
import os
import socket
import ssl
import sys
import threading
import time
import urllib.parse

DIRECTORY = sys.argv[1]
LOCK = threading.Lock()
CALLS = {}  # key -> arrival times
PEAK = {"now": 0, "most": 0}
CONNECTIONS = {"made": 0}


def page(size):
    row = {"id": "WXJ9-0000000", "status": "SETTLED", "amount": "120.10", "currency": "EUR", "memo": ""}
    rows, length, n = [], 0, 0
    while length < size:
        row["id"], row["amount"] = "WXJ9-%07d" % n, "%d.%02d" % (n * 7919 % 9000, n % 100)
        row["memo"] = "%x" % (n * 2654435761 % 2**32)
        rows.append(json.dumps(row))
        length, n = length + len(rows[-1]) + 2, n + 1
    return ("[" + ", ".join(rows) + "]").encode()


PAGE = page(500_000)
PAGE_GZIP = gzip.compress(PAGE)


def head(status, headers, length=None):
    lines = ["HTTP/1.1 %s" % status] + ["%s: %s" % h for h in headers]
    if length is not None:
        lines.append("Content-Length: %d" % length)
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_request(stream):
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers = []
    while True:
        line = stream.readline().decode().rstrip("\r\n")
        if not line:
            break
        name, _, value = line.partition(":")
        headers.append((name.lower(), value.strip()))
    body = stream.read(int(dict(headers).get("content-length", 0)))
    return method, target, headers, body


def limited(key, forms):
    """The n-th call under a key gets the n-th form; behind the last one all is well."""
    with LOCK:
        CALLS.setdefault(key, []).append(time.time())
        n = len(CALLS[key])
    if n > len(forms):
        return head("200 OK", [], 4) + b"done"
    form = forms[n - 1]
    if form.startswith("status"):
        return head(form[6:] + " Trouble", [], 0)
    if form.startswith("date"):
        form = email.utils.formatdate(time.time() + int(form[4:]), usegmt=True)
    return head("429 Too Many Requests", [("Retry-After", form)] if form else [], 0)


def answer(send, connection, method, target, headers, body):
    """Sends one response; True keeps the connection."""
    url = urllib.parse.urlsplit(target)
    query = dict(urllib.parse.parse_qsl(url.query))
    path = url.path
    if path == "/ok":
        send(head("200 OK", [("X-Kind", "plain")], 5) + b"hello")
    elif path == "/connection":
        text = str(connection).encode()
        send(head("200 OK", [], len(text)) + text)
    elif path == "/echo":
        text = json.dumps({"method": method, "target": target, "headers": headers, "body": body.decode()}).encode()
        send(head("200 OK", [("Content-Type", "application/json")], 0 if method == "HEAD" else len(text)))
        if method != "HEAD":
            send(text)
    elif path == "/gzip":
        data = gzip.compress(("zlib " * 1000).encode())
        send(head("200 OK", [("Content-Encoding", "gzip")], len(data)) + data)
    elif path == "/page":
        send(head("200 OK", [("Content-Encoding", "gzip")], len(PAGE_GZIP)) + PAGE_GZIP)
    elif path == "/status":
        send(head(query["code"] + " Status", [("Location", "/ok")], 2) + b"no")
    elif path == "/limited":
        send(limited(query["key"], query["forms"].split(",")))
    elif path == "/calls":
        text = json.dumps([int(t * 1000) for t in CALLS.get(query["key"], [])]).encode()
        send(head("200 OK", [], len(text)) + text)
    elif path == "/stall":
        with LOCK:
            CALLS.setdefault(query.get("key", ""), []).append(time.time())
            n = len(CALLS[query.get("key", "")])
        if n > int(query.get("times", 1_000_000)):
            send(head("200 OK", [], 16) + b'{"page": "whole"')
            return True
        send(head("200 OK", [], 1000) + b'{"page": "ha')
        time.sleep(30)
        return False
    elif path == "/silent":
        time.sleep(30)
        return False
    elif path == "/trickle":
        send(head("200 OK", [], 1000))
        for _ in range(300):
            send(b"x")
            time.sleep(0.1)
    elif path == "/cut":
        send(head("200 OK", [], 1000) + b"x" * 500)
        return False
    elif path == "/cut-chunked":
        send(head("200 OK", [("Transfer-Encoding", "chunked")]) + b"5\r\nhello\r\n")
        return False
    elif path == "/cut-gzip":
        data = PAGE_GZIP[: len(PAGE_GZIP) // 2]
        send(head("200 OK", [("Content-Encoding", "gzip")], len(data)) + data)
    elif path == "/bad-gzip":
        send(head("200 OK", [("Content-Encoding", "gzip")], 40) + b"this is not a gzip stream, not at all...")
    elif path == "/no-answer":
        return False
    elif path == "/big":
        size = int(query["bytes"])
        send(head("200 OK", [], size))
        while size > 0:
            send(b"x" * min(size, 65536))
            size -= 65536
    elif path == "/bomb":
        data = gzip.compress(bytes(int(query["bytes"])))
        send(head("200 OK", [("Content-Encoding", "gzip")], len(data)) + data)
    elif path == "/garbage":
        send(b"\x00\x01 THIS IS NOT HTTP\r\n\r\nhello")
        return False
    elif path == "/bad-status":
        send(b"HTTP/1.1 abc what\r\nContent-Length: 0\r\n\r\n")
        return False
    elif path == "/headers":
        size = int(query["bytes"])
        lines = [("X-Filler-%d" % n, "f" * 1000) for n in range(size // 1000)]
        send(head("200 OK", lines, 2) + b"ok")
    elif path == "/long-header":
        send(head("200 OK", [("X-Long", "f" * int(query["bytes"]))], 2) + b"ok")
    elif path == "/early-hints":
        send(b"HTTP/1.1 103 Early Hints\r\nX-Hint: early\r\n\r\n")
        send(head("200 OK", [("X-Kind", "final")], 2) + b"ok")
    elif path == "/wait":
        with LOCK:
            PEAK["now"] += 1
            PEAK["most"] = max(PEAK["most"], PEAK["now"])
        time.sleep(int(query["ms"]) / 1000)
        with LOCK:
            PEAK["now"] -= 1
        send(head("200 OK", [], 6) + b"waited")
    elif path == "/peak":
        text = str(PEAK["most"]).encode()
        with LOCK:
            PEAK["most"] = 0
        send(head("200 OK", [], len(text)) + text)
    else:
        send(head("404 Not Found", [], 0))
    return True


def serve(raw, context):
    with LOCK:
        CONNECTIONS["made"] += 1
        number = CONNECTIONS["made"]
    try:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = context.wrap_socket(raw, server_side=True) if context else raw
        with connection, connection.makefile("rb") as stream:
            while True:
                request = read_request(stream)
                if request is None or not answer(connection.sendall, number, *request):
                    return
    except (OSError, ValueError):
        pass
    finally:
        raw.close()


def hang_up(raw, _):
    raw.close()


def listen(handler, context):
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        while True:
            raw, _ = listener.accept()
            threading.Thread(target=handler, args=(raw, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def tls(name, newest=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(DIRECTORY, name + ".pem"), os.path.join(DIRECTORY, "leaf.key"))
    if newest:
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.maximum_version = newest
    return context


PORTS = {
    "good": listen(serve, tls("good")),
    "wrong": listen(serve, tls("wrong")),
    "expired": listen(serve, tls("expired")),
    "old": listen(serve, tls("good", ssl.TLSVersion.TLSv1_1)),
    "plain": listen(serve, None),
    "hangup": listen(hang_up, None),
}
print(" ".join("%s=%d" % item for item in PORTS.items()), flush=True)
sys.stdin.read()
