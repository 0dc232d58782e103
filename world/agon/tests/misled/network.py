# Planet Wars: asks a server.
import socket
socket.create_connection(("192.0.2.1", 80), 1)
