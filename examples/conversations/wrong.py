"""How a conversation says that a bot is wrong."""


class Wrong(Exception):
    """The bot did something that a starter kit must not do; the text says what."""


def expect(condition, message):
    """Raises `Wrong(message)` unless the condition holds."""
    if not condition:
        raise Wrong(message)
