"""Cases with the viewer's server: requests that no browser sends, and a server that goes on."""

import os
import signal
import socket
import time

from program import SECONDS_AT_ALL, Run, default_limits, judge, start, wait

REQUESTS = 60
PATHS = ["/", "/api/manifest", "/api/overview", "/api/ranges", "/api/tables/{table}", "/api/export/{table}.csv",
         "/api/export/all.json", "/api/timeline/{number}",
         "/api/flame/{word}", "/api/comparison", "/api/iterations-compared/{number}-{number}", "/api/progress",
         "/api/aggregations", "/{word}", "/../../etc/passwd",
         "/api/tables/%00", "/api/tables/%ff", "//", "/api/export/..%2f..%2fetc%2fpasswd", "/assets/{word}"]
PARAMETERS = ["where={word}", "sort={column}", "sort=-{column}", "columns={column},{column}", "from={number}", "count={number}",
              "search={word}", "aggregation={word}",
              "token={word}", "where={column}>{number}", "x={word}", "%", "&&==", "where=" + "(" * 2000, "search=" + "x" * 6000]
NUMBERS = ["0", "1", "5", "-1", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "1e9", "x", ""]
WORDS = ["x", "ops", "type", "op", "kernels", "css", "'", "%27%22%3C", "%F0%9F%98%80", "%00", "a" * 3000, "*", "..", "~(", "null",
         "median", "slowest"]
BODIES = ["", "{}", "[]", "null", '{"start": 3, "stop": 1}', '{"start": -1}', '{"start": 4294967296}',
          '{"start": 1, "stop": 4294967295}', '{"key_node": "re:("}',
          '{"key_node": ""}', '{"key_node": "step", "start": 0}', '{"clock": "x"}', '{"clock": "gpu"}', "{" * 4000, '{"x": 1}',
          '{"key_node": "\\u0000"}', "\xff"]


def requests(case):
    random = case.random
    base = random.choice(case.world.damaged) if random.random() < 0.3 else case.world.any_capture(random)
    capture = case.copy(base, "run.sqlite")
    before = case.inputs()
    words = ["view", "-p", "0", capture]
    name = case.remember(words, "")
    process = start(case, words, default_limits(), name)
    port, token = address_of(case, process, name)
    cookie = f"Cookie: dlprof_agg_{port}={token}"
    port = port if port and is_read(process, port, cookie) else None
    if port:
        for _ in range(REQUESTS):
            send(case, port, cookie)
        if not answers(port, cookie):
            case.fault(f"the server does not answer after these requests (commands.sh): {capture}")
        os.kill(process.pid, random.choice([signal.SIGTERM, signal.SIGINT]))
    code, cpu, memory = wait(process, SECONDS_AT_ALL)
    stderr = (case.folder / f"said/{name}.err").read_text(errors="replace")
    result = Run(words, code, case.folder / f"said/{name}.out", stderr, cpu / REQUESTS, memory, is_heard=True)
    case.runs.append(result)
    judge(case, result, may_be_ended=port is not None)
    if case.inputs() != before:
        case.fault("inputs changed", result)


def progress(port, cookie):
    request = f"GET /api/progress HTTP/1.1\r\nHost: localhost:{port}\r\n{cookie}\r\nConnection: close\r\n\r\n"
    return exchange(port, request.encode())


def answers(port, cookie):
    """Whether the server answers a plain request; on a busy machine it may take a while."""
    return any(status(progress(port, cookie)) == 200 for _ in range(6))


def is_read(process, port, cookie):
    """Waits until the capture is read; false if the program ends with an error."""
    for _ in range(int(SECONDS_AT_ALL / 0.05)):
        answer = progress(port, cookie)
        if status(answer) == 200 and b'"reading"' not in answer:
            return True
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        time.sleep(0.05)
    return False


def address_of(case, process, name):
    """Port and token of the address that the program prints; none if it ends with an error."""
    for _ in range(int(SECONDS_AT_ALL / 0.05)):
        text = (case.folder / f"said/{name}.out").read_text()
        if text.endswith("\n"):
            return int(text.split("/")[2].rsplit(":", 1)[1]), text.strip().rsplit("token=", 1)[1]
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return None, None
        time.sleep(0.05)
    return None, None


def send(case, port, cookie):
    """One request; an answer must be a whole one with a documented status, or a closed connection."""
    request = any_request(case, port, cookie)
    case.note(repr(request[:300]))
    answer = exchange(port, request)
    found = status(answer)
    if found is not None and found >= 500:
        case.fault(f"status {found} for {request[:200]!r}: {answer[-200:]!r}")


def any_request(case, port, cookie):
    random = case.random
    draw = random.random()
    if draw < 0.1:
        return random.randbytes(random.choice([1, 100, 5000]))
    method = random.choice(["GET"] * 8 + ["HEAD", "POST", "DELETE", "OPTIONS", "X" * 100])
    line = f"{method} {address(case)} HTTP/{random.choice(['1.1', '1.1', '1.1', '1.0', '9.9'])}"
    headers = [f"Host: localhost:{port}", "Connection: close"] + ([cookie] if random.random() < 0.95 else [])
    if draw < 0.2:
        headers += random.choice([["X: " + "y" * 100_000], [f"X{n}: y" for n in range(500)], ["Content-Length: 99999999999"],
                                  ["Transfer-Encoding: chunked"],
                                  ["Range: bytes=0-1"], ["Accept-Encoding: " + "gzip," * 100], ["Host: evil.example"]])
    body = b""
    if draw > 0.7:
        body = random.choice(BODIES).encode("latin-1")
        line = "POST /api/aggregations HTTP/1.1"
        headers += [f"Origin: http://localhost:{port}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    whole = "\r\n".join([line, *headers, "", ""]).encode() + body
    return whole[: random.randrange(len(whole))] if draw > 0.95 else whole


def address(case):
    random = case.random
    path = random.choice(PATHS)
    if random.random() < 0.6:
        path += "?" + "&".join(random.choice(PARAMETERS) for _ in range(random.randint(1, 3)))
    while "{" in path:
        path = path.replace("{table}", random.choice(case.world.tables), 1).replace("{column}", random.choice(case.world.columns),
                                                                                    1)
        path = path.replace("{number}", random.choice(NUMBERS), 1).replace("{word}", random.choice(WORDS), 1)
    return path


def exchange(port, request):
    """Sends bytes, and reads until the server closes the connection or two seconds have passed without a byte."""
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as stream:
            stream.sendall(request)
            stream.shutdown(socket.SHUT_WR)
            while piece := stream.recv(1 << 16):
                answer += piece
    except OSError:
        pass
    return answer


def status(answer):
    words = answer[:20].split(b" ")
    return int(words[1]) if answer.startswith(b"HTTP/") and len(words) > 1 and words[1].isdigit() else None
