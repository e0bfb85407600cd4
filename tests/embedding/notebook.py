"""What both ways of using heddle share: the outside project's source, and what its program must do."""
import pathlib

import app_serving

SOURCE = pathlib.Path(__file__).parent / 'notes'


def keeps_notes(program):
    with app_serving.Server(program, '{port}', ready='/notes/1') as server:
        assert server.get('/notes/1').status == 404
        written = server.post('/notes', {'text': 'buy "tea"'})
        assert (written.status, written.headers['Location']) == (201, '/notes/1'), written.body
        assert server.get('/notes/1').json() == {'id': 1, 'text': 'buy "tea"'}
        assert server.post('/notes', {'txt': 'tea'}).status == 400
        assert server.get('/notes/tea').status == 400
        assert server.terminate() == 0, server.output()
