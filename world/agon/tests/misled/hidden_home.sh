# Planet Wars: reads a file of its user.
exec cat "$HOME/book.txt"
