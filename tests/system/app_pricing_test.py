"""The shipped server with a pricing service behind it: prices from there, and what becomes of a request when that
service fails, hangs up, cannot be understood or is slow. Usage: ... HEDDLE"""
import contextlib
import http.server
import json
import sys
import threading

import app_serving
from app_serving import Server

heddle = sys.argv[1]
TEA = {'customer_id': 7, 'sku': 'tea', 'quantity': 2}


class Pricing(http.server.ThreadingHTTPServer):
    """Answers with `answer`, which gets the handler of the request; counts connections and requests."""
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(('127.0.0.1', 0), PricingHandler)
        self.answer, self.connections, self.asked = answer, 0, []
        self.over = threading.Event()
        self.origin = f'http://127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()


class PricingHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def setup(self):
        super().setup()
        self.server.connections += 1

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        self.server.answer(self)

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def quote(handler):
    handler.send(200, {'unit_price_cents': 333, 'available': 10})


def hang_up(handler):
    handler.close_connection = True


@contextlib.contextmanager
def both(answer, *flags):
    with Pricing(answer) as pricing:
        with Server(heddle, 'serve', '--http.port={port}', f'--pricing.origin={pricing.origin}', *flags) as server:
            yield pricing, server


def asks_it_for_prices():
    with both(quote) as (pricing, server):
        for _ in range(5):
            placed = server.post('/orders', TEA, headers={'X-Request-Id': 'mine'})
            assert placed.status == 201 and placed.json()['total_cents'] == 666, placed.body
        path, headers = pricing.asked[0]
        assert path == '/quotes/tea' and headers['Host'] == pricing.origin[7:], pricing.asked
        assert headers['X-Request-Id'] == 'mine', headers
        assert pricing.connections == 1, pricing.connections
        assert server.metric('heddle_upstream_requests_total{upstream="pricing",event="asked"}') == 5
        assert server.metric('heddle_upstream_answers_total{upstream="pricing",status="2xx"}') == 5
        pricing.answer = lambda handler: handler.send(404, {})
        assert server.post('/orders', TEA).status == 422


def answers_502_or_504_when_it_is_in_trouble():
    with both(quote, '--pricing.connect_budget=200ms', '--pricing.answer_budget=300ms') as (pricing, server):
        pricing.answer = lambda handler: handler.send(500, {})
        assert server.post('/orders', TEA).status == 502
        pricing.answer = hang_up
        assert server.post('/orders', TEA).status == 502
        pricing.answer = lambda handler: handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n'
                                                             b'Content-Length: 2\r\n\r\n{}')
        assert server.post('/orders', TEA).status == 502
        pricing.answer = lambda handler: pricing.over.wait(60)
        assert server.post('/orders', TEA).status == 504
        pricing.answer = quote
        assert server.post('/orders', TEA).status == 201


app_serving.run(asks_it_for_prices, answers_502_or_504_when_it_is_in_trouble)
