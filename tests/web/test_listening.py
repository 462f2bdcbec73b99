"""The socket that the server listens on."""

import socket

from caselore.faces import server


def test_a_socket_names_its_protocol_so_that_answers_are_sent_at_once():
    with (
        server.bound("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()[:2], timeout=5),
        listening.accept()[0] as accepted,
    ):
        assert accepted.proto == socket.IPPROTO_TCP
